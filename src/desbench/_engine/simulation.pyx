"""The shop as Python sees it: advance, commands, live views, rows. Specification: docs/model.md."""

import numpy as np

from cython import __version__ as cython_version

from desbench.errors import IllegalAction

from desbench._engine cimport ending, estimate, machine as machines, modes, transport
from desbench._engine.advance cimport DECIDE, ENDED, STALLED, advance, begin
from desbench._engine.buffer cimport room_of
from desbench._engine.memory cimport vector_t
from desbench._engine.rows cimport drain_events, drain_intervals, drain_violations
from desbench._engine.state cimport (
    case_t,
    free_shop,
    job_t,
    link_t,
    list_t,
    machine_t,
    new_shop,
    shop_t,
    vehicle_t,
)
from desbench._engine.types cimport (
    ECO,
    GATE,
    INBOUND,
    MACHINE,
    NOBODY,
    NORMAL,
    OUTBOUND,
    PAUSE,
    RUNNING,
    STATES,
    VEHICLE,
    index_t,
    mode_t,
    tick_t,
)

cdef extern from *:
    """
    #ifdef DESBENCH_DEBUG
    #define DESBENCH_CHECKED 1
    #else
    #define DESBENCH_CHECKED 0
    #endif
    """
    bint CHECKED "DESBENCH_CHECKED"

EVENT_KINDS = (
    "arrival", "stage_release_ready", "assign", "unassign", "vehicle_move", "transport_start",
    "transport_complete", "buffer_wait", "admission", "dispatch", "setup_start",
    "setup_complete", "start", "finish", "blocking_start", "blocking_release", "job_complete",
    "breakdown", "repair", "stranded", "mode", "alarm",
)
CAUSES = (
    "breakdown", "maintenance", "shift", "recorded", "patience", "normal", "eco", "pause",
    "power", "wip",
)
MACHINE_STATES = ("idle", "setup", "processing", "blocked", "down")
VEHICLE_STATES = ("idle", "empty", "loaded")
MODES = ("normal", "eco", "pause")
PLACES = ("nowhere", "source", "vehicle", "gate", "inbound", "machine", "outbound", "done")
STATUSES = ("", "done", "deadlock", "no_progress", "horizon", "decision_limit")


cdef class Stop:
    """Why advance() returned, and what changed since the stop before."""

    cdef public object time, status, stalled
    cdef public list ready, cells, stranded, alarms, breakdowns, repairs, cycle

    def __repr__(self):
        what = self.status or ("stalled" if self.stalled else "decide")
        return f"Stop(time={self.time}, {what}, ready={self.ready}, cells={self.cells})"


cdef class Simulation:
    """One episode of one instance.

    Parameters
    ----------
    instance : desbench.instances.instance.Instance
        Validated arrays; kept alive and never written.
    """

    cdef shop_t* shop
    cdef object instance
    cdef list arrays  # keeps alive what case_t points to

    def __cinit__(self, instance):
        self.instance = instance
        self.arrays = []
        self.shop = new_shop(self.borrow(instance))
        begin(self.shop)

    def __dealloc__(self):
        free_shop(self.shop)

    # --- time

    def advance(self):
        """Run until an agent may act or the episode ends.

        Raises
        ------
        IllegalAction
            The episode has ended.
        """
        cdef int outcome
        self.refuse_after_end("advance")
        with nogil:
            outcome = advance(self.shop)
        return self.stop(outcome)

    @property
    def time(self):
        return self.shop.now

    @property
    def status(self):
        return STATUSES[self.shop.status]

    @property
    def epoch(self):
        return self.shop.epoch

    @epoch.setter
    def epoch(self, index_t value):
        self.shop.epoch = value

    # --- commands

    def assign(self, index_t job, index_t cell):
        """Commit `cell` to the ready item of `job`."""
        self.refuse_after_end("assign")
        if not self.can_assign(job, cell):
            raise IllegalAction(self.why_not_assign(job, cell))
        transport.assign(self.shop, job, cell)
        self.accept()

    def unassign(self, index_t job):
        """Withdraw the item of `job` from the cell it is assigned to."""
        self.refuse_after_end("unassign")
        if not self.can_unassign(job):
            raise IllegalAction(self.why_not_unassign(job))
        transport.unassign(self.shop, job)
        self.accept()

    def dispatch(self, index_t job, index_t machine):
        """Let `machine` take the inbound item of `job`."""
        self.refuse_after_end("dispatch")
        if not self.can_dispatch(job, machine):
            raise IllegalAction(self.why_not_dispatch(job, machine))
        machines.dispatch(self.shop, job, machine)
        self.accept()

    def set_mode(self, index_t cell, str mode):
        """Put `cell` into a mode: normal, eco, pause."""
        self.refuse_after_end("set_mode")
        if not self.can_set_mode(cell, mode):
            raise IllegalAction(self.why_not_set_mode(cell, mode))
        modes.set_mode(self.shop, cell, MODES.index(mode), self.shop.epoch)
        self.shop.changed = 1

    def can_assign(self, index_t job, index_t cell):
        return (
            self.is_running() and self.is_job(job) and self.is_cell(cell)
            and bool(transport.may_assign(self.shop, job, cell))
        )

    def can_unassign(self, index_t job):
        return (
            self.is_running() and self.is_job(job)
            and bool(transport.may_unassign(self.shop, job))
        )

    def can_dispatch(self, index_t job, index_t machine):
        return (
            self.is_running() and self.is_job(job) and 0 <= machine < self.shop.case.machines
            and bool(ending.may_dispatch(self.shop, job, machine))
        )

    def can_set_mode(self, index_t cell, str mode):
        return (
            self.is_running() and self.is_cell(cell) and mode in MODES
            and bool(modes.may_set_mode(self.shop, cell, <mode_t><int>MODES.index(mode)))
        )

    # --- live views

    def ready(self):
        """Ready items, ascending."""
        return sorted(members(&self.shop.ready, self.shop.waiting))

    def stranded(self):
        """Stranded items that may be unassigned now, ascending."""
        cdef index_t cell, job
        cdef list found = []
        if self.shop.stranded == 0 or not self.is_running():
            return found
        for cell in range(self.shop.case.cells):
            job = self.shop.cells[cell].assigned.head
            while job != NOBODY:
                if self.shop.jobs[job].stranding and transport.may_unassign(self.shop, job):
                    found.append(job)
                job = self.shop.promised[job].next
        found.sort()
        return found

    def pairs(self, index_t cell):
        """(machine, job) that may be dispatched: machine ascending, then inbound order."""
        cdef index_t row, machine, job
        cdef list found = []
        self.check_cell(cell)
        if not ending.has_pair(self.shop, cell):
            return found
        for row in range(
            self.shop.case.cell_machine_offset[cell], self.shop.case.cell_machine_offset[cell + 1]
        ):
            machine = self.shop.case.cell_machine[row]
            if not machines.is_idle(self.shop, machine):
                continue
            job = self.shop.cells[cell].inbound.head
            while job != NOBODY:
                if ending.may_dispatch(self.shop, job, machine):
                    found.append((machine, job))
                job = self.shop.standing[job].next
        return found

    def gate(self, index_t cell):
        """Items at the gate by (arrival, job), withdrawn ones included."""
        self.check_cell(cell)
        return members(&self.shop.cells[cell].gate, self.shop.standing)

    def inbound(self, index_t cell):
        """Items in the inbound buffer in order of admission, withdrawn ones included."""
        self.check_cell(cell)
        return members(&self.shop.cells[cell].inbound, self.shop.standing)

    def outbound(self, index_t cell):
        """Items in the outbound buffer in order of entry."""
        self.check_cell(cell)
        return members(&self.shop.cells[cell].outbound, self.shop.standing)

    def coming(self, index_t cell):
        """Items assigned to the cell that have not reached its inbound buffer, ascending."""
        self.check_cell(cell)
        return sorted(
            job
            for job in members(&self.shop.cells[cell].assigned, self.shop.promised)
            if self.shop.jobs[<index_t>job].place != INBOUND
            or self.shop.jobs[<index_t>job].where != cell
        )

    def committed(self, index_t cell):
        self.check_cell(cell)
        return self.shop.cells[cell].committed

    def room(self, index_t cell, index_t job=NOBODY):
        """commitment - committed, `job` itself not counted."""
        self.check_cell(cell)
        return room_of(self.shop, cell, job)

    def growth(self, index_t cell):
        """How often committed(cell) has decreased."""
        self.check_cell(cell)
        return self.shop.cells[cell].growth

    def mode(self, index_t cell):
        self.check_cell(cell)
        return MODES[self.shop.cells[cell].mode]

    def power(self, index_t area):
        """Watts of an area's machines; area = -1: the plant, moving vehicles included."""
        if area == NOBODY:
            return self.shop.plant_power
        self.check_area(area)
        return self.shop.areas[area].power

    def wip(self, index_t area):
        """Items assigned to or standing in the area."""
        self.check_area(area)
        return self.shop.areas[area].wip

    def operation(self, index_t job):
        """Index of the current operation within the job; the number of operations when done."""
        self.check_job(job)
        return self.shop.jobs[job].operation - self.shop.case.operation_offset[job]

    def place(self, index_t job):
        """(place, cell, machine or vehicle), -1 where there is none."""
        cdef job_t* j
        self.check_job(job)
        j = &self.shop.jobs[job]
        if j.place == MACHINE:
            return PLACES[j.place], self.shop.case.machine_cell[j.where], j.where
        if j.place == GATE or j.place == INBOUND or j.place == OUTBOUND:
            return PLACES[j.place], j.where, NOBODY
        return PLACES[j.place], NOBODY, j.where if j.place == VEHICLE else NOBODY

    def assigned(self, index_t job):
        """The cell the item is assigned to and not yet dispatched in, or -1."""
        self.check_job(job)
        return self.shop.jobs[job].assigned

    def machine(self, index_t machine):
        """(state, job or -1, present family, down since or -1)."""
        cdef machine_t* m
        if not 0 <= machine < self.shop.case.machines:
            raise IndexError(f"machine {machine}, must be in 0..{self.shop.case.machines - 1}")
        m = &self.shop.machines[machine]
        return MACHINE_STATES[m.shown], m.job, m.family, m.down_since

    def vehicle(self, index_t vehicle):
        """(state, job or -1, location it stands at or drives to)."""
        cdef vehicle_t* v
        if not 0 <= vehicle < self.shop.case.vehicles:
            raise IndexError(f"vehicle {vehicle}, must be in 0..{self.shop.case.vehicles - 1}")
        v = &self.shop.vehicles[vehicle]
        return VEHICLE_STATES[v.state], v.job, v.location

    def estimate(self, index_t job, index_t cell):
        """Finish estimate in ticks from now: (expected, optimistic, machine).

        Raises
        ------
        IllegalAction
            The job is done, or the cell has no machine eligible for its current operation.
        """
        cdef estimate.estimate_t found
        self.check_job(job)
        self.check_cell(cell)
        if self.shop.jobs[job].operation == self.shop.case.operation_offset[job + 1]:
            raise IllegalAction(f"estimate: {self.job_name(job)} is done")
        found = estimate.estimate(self.shop, job, cell)
        if found.machine == NOBODY:
            raise IllegalAction(
                f"estimate: cell {self.instance.cell_names[cell]} has no machine eligible for "
                f"{self.job_name(job)}"
            )
        return found.expected, found.optimistic, found.machine

    def energy(self):
        """Watt-ticks so far: machines by state [M, 5], vehicles [V]."""
        cdef index_t i, state
        cdef shop_t* shop = self.shop
        of_machines = np.zeros((shop.case.machines, STATES), dtype=np.int64)
        of_vehicles = np.zeros(shop.case.vehicles, dtype=np.int64)
        for i in range(shop.case.machines):
            for state in range(<index_t>STATES):
                of_machines[i, state] = shop.machines[i].energy[state]
            of_machines[i, shop.machines[i].shown] += shop.machines[i].power * (
                shop.now - shop.machines[i].since
            )
        for i in range(shop.case.vehicles):
            of_vehicles[i] = shop.vehicles[i].energy
            if shop.vehicles[i].state != 0:
                of_vehicles[i] += shop.case.vehicle_power[i] * (
                    shop.now - shop.vehicles[i].since
                )
        return of_machines, of_vehicles

    # --- rows since the last call

    def event_rows(self):
        return drain_events(&self.shop.rows)

    def interval_rows(self):
        return drain_intervals(&self.shop.rows)

    def violation_rows(self):
        return drain_violations(&self.shop.rows)

    # --- inside

    cdef case_t borrow(self, instance) except *:
        cdef case_t case
        cdef list offsets = [0]
        cells = [np.flatnonzero(instance.machine_cell == c) for c in range(len(instance.cell_names))]
        for of_cell in cells:
            offsets.append(offsets[len(offsets) - 1] + len(of_cell))
        case.jobs = len(instance.release)
        case.operations = len(instance.family)
        case.machines = len(instance.machine_cell)
        case.cells = len(instance.cell_area)
        case.areas = len(instance.power_cap)
        case.vehicles = len(instance.vehicle_power)
        case.families = instance.setup.shape[2]
        case.release = self.ticks(instance.release)
        case.patience = self.ticks(instance.patience)
        case.operation_offset = self.indexes(instance.operation_offset)
        case.family = self.indexes(instance.family)
        case.eligible_offset = self.indexes(instance.eligible_offset)
        case.eligible_machine = self.indexes(instance.eligible_machine)
        case.nominal = self.ticks(instance.nominal)
        case.realised = self.ticks(instance.realised)
        case.processing_power = self.ticks(instance.processing_power)
        case.machine_cell = self.indexes(instance.machine_cell)
        case.power_idle = self.ticks(instance.power_idle)
        case.power_setup = self.ticks(instance.power_setup)
        case.power_blocked = self.ticks(instance.power_blocked)
        case.power_down = self.ticks(instance.power_down)
        case.initial_family = self.indexes(instance.initial_family)
        case.mean_repair = self.ticks(instance.mean_repair)
        case.interruption = self.indexes(instance.interruption)
        case.setup = self.ticks(instance.setup.reshape(-1))
        case.down_offset = self.indexes(instance.down_offset)
        case.down_start = self.ticks(instance.down_start)
        case.down_end = self.ticks(instance.down_end)
        case.down_cause = self.indexes(instance.down_cause)
        case.cell_area = self.indexes(instance.cell_area)
        case.inbound = self.indexes(instance.inbound)
        case.outbound = self.indexes(instance.outbound)
        case.commitment = self.indexes(instance.commitment)
        case.power_cap = self.ticks(instance.power_cap)
        case.wip_cap = self.ticks(instance.wip_cap)
        case.vehicle_power = self.ticks(instance.vehicle_power)
        case.travel = self.ticks(instance.travel.reshape(-1))
        case.arrival_order = self.indexes(np.argsort(instance.release, kind="stable"))
        case.cell_machine_offset = self.indexes(offsets)
        case.cell_machine = self.indexes(np.concatenate([*cells, np.zeros(0)]))
        case.plant_power_cap = instance.plant_power_cap
        case.eco_duration_num, case.eco_duration_den = instance.eco_duration
        case.eco_power_num, case.eco_power_den = instance.eco_power
        case.horizon = instance.horizon
        case.decision_limit = instance.decision_limit
        case.no_progress_limit = instance.no_progress_limit
        return case

    cdef const tick_t* ticks(self, values) except? NULL:
        cdef const tick_t[::1] view = np.ascontiguousarray(values, dtype=np.int64)
        self.arrays.append(view)
        return &view[0] if view.shape[0] else NULL

    cdef const index_t* indexes(self, values) except? NULL:
        cdef const index_t[::1] view = np.ascontiguousarray(values, dtype=np.int32)
        self.arrays.append(view)
        return &view[0] if view.shape[0] else NULL

    cdef int accept(self) except -1:
        """An assign, unassign or dispatch was accepted."""
        self.shop.changed = 1
        self.shop.stalls = 0
        return 0

    cdef Stop stop(self, int outcome):
        cdef Stop stop = Stop()
        cdef shop_t* shop = self.shop
        cdef index_t areas = shop.case.areas, i, limit
        stop.time = shop.now
        stop.status = STATUSES[shop.status]
        stop.stalled = outcome == STALLED
        stop.ready = take(&shop.newly_ready)
        for i in stop.ready:
            shop.jobs[i].newly_ready = 0
        stop.stranded = take(&shop.newly_stranded)
        stop.breakdowns = take(&shop.breakdowns)
        stop.repairs = take(&shop.repairs)
        stop.alarms = []
        for limit in take(&shop.alarms):
            if limit < areas:
                stop.alarms.append(("power", limit))
            elif limit == areas:
                stop.alarms.append(("power", NOBODY))
            else:
                stop.alarms.append(("wip", limit - areas - 1))
        stop.cells = [i for i in range(shop.case.cells) if ending.has_pair(shop, i)]
        stop.cycle = self.wait_cycle() if stop.status == "deadlock" else []
        return stop

    def wait_cycle(self):
        """Who waits for what, from the lowest unfinished job to the first item seen twice."""
        cdef index_t job = 0, cell
        cdef list path = []
        cdef set seen = set()
        while self.shop.jobs[job].operation == self.shop.case.operation_offset[job + 1]:
            job += 1
        while job not in seen:
            seen.add(job)
            path.append(("item", job))
            place, cell, _ = self.place(job)
            if transport.is_ready(self.shop, job):
                cell = self.lowest_eligible_cell(job)
                path.append(("commitment", cell))
                job = self.lowest_counted(job, cell)
            elif place == "gate":
                path.append(("inbound", cell))
                job = min(self.inbound(cell))
            elif place == "inbound":
                machine = self.lowest_eligible_machine(job, cell)
                path.append(("machine", machine))
                job = self.shop.machines[<index_t>machine].job
            else:
                raise RuntimeError(f"job {job} in place {place} waits for nothing: please report")
        path.append(("item", job))
        return path

    cdef index_t lowest_eligible_cell(self, index_t job) except -1:
        return min(
            self.shop.case.machine_cell[<index_t>machine]
            for machine in self.eligible(job)
        )

    cdef index_t lowest_eligible_machine(self, index_t job, index_t cell) except -1:
        return min(
            machine
            for machine in self.eligible(job)
            if self.shop.case.machine_cell[<index_t>machine] == cell
        )

    cdef list eligible(self, index_t job):
        cdef index_t operation = self.shop.jobs[job].operation, row
        return [
            self.shop.case.eligible_machine[row]
            for row in range(
                self.shop.case.eligible_offset[operation],
                self.shop.case.eligible_offset[operation + 1],
            )
        ]

    cdef index_t lowest_counted(self, index_t job, index_t cell) except -1:
        """The lowest item other than `job` that counts in committed(cell)."""
        counted = set(members(&self.shop.cells[cell].assigned, self.shop.promised))
        counted.update(self.gate(cell), self.inbound(cell))
        counted.discard(job)
        return min(counted)

    cdef bint is_running(self) noexcept:
        return self.shop.status == RUNNING

    cdef bint is_job(self, index_t job) noexcept:
        return 0 <= job < self.shop.case.jobs

    cdef bint is_cell(self, index_t cell) noexcept:
        return 0 <= cell < self.shop.case.cells

    cdef int check_job(self, index_t job) except -1:
        if not self.is_job(job):
            raise IndexError(f"job {job}, must be in 0..{self.shop.case.jobs - 1}")
        return 0

    cdef int check_cell(self, index_t cell) except -1:
        if not self.is_cell(cell):
            raise IndexError(f"cell {cell}, must be in 0..{self.shop.case.cells - 1}")
        return 0

    cdef int check_area(self, index_t area) except -1:
        if not 0 <= area < self.shop.case.areas:
            raise IndexError(f"area {area}, must be in 0..{self.shop.case.areas - 1}")
        return 0

    cdef int refuse_after_end(self, str command) except -1:
        if not self.is_running():
            raise IllegalAction(f"{command}: the episode has ended ({self.status})")
        return 0

    def job_name(self, index_t job):
        return f"job {self.instance.job_names[job]}" if self.is_job(job) else f"job {job}"

    def why_not_assign(self, index_t job, index_t cell):
        head = f"assign {self.job_name(job)} to cell "
        if not self.is_job(job) or not self.is_cell(cell):
            return f"{head}{cell}: no such job or cell"
        head += f"{self.instance.cell_names[cell]}: "
        if not transport.is_ready(self.shop, job):
            return f"{head}the item is not ready (place {self.place(job)[0]})"
        if machines.shortest(self.shop, self.shop.jobs[job].operation, cell) < 0:
            return f"{head}no machine there is eligible for operation {self.operation(job)}"
        return (
            f"{head}committed is {self.committed(cell)}, must be below "
            f"commitment={self.shop.case.commitment[cell]}"
        )

    def why_not_unassign(self, index_t job):
        head = f"unassign {self.job_name(job)}: "
        if not self.is_job(job):
            return f"{head}no such job"
        if self.assigned(job) == NOBODY:
            return f"{head}the item is not assigned (place {self.place(job)[0]})"
        if self.shop.jobs[job].withdrawn == self.shop.now:
            return f"{head}it was withdrawn at this instant already, t={self.shop.now}"
        return f"{head}its vehicle is allotted or it is on the way"

    def why_not_dispatch(self, index_t job, index_t machine):
        head = f"dispatch {self.job_name(job)} on machine "
        if not self.is_job(job) or not 0 <= machine < self.shop.case.machines:
            return f"{head}{machine}: no such job or machine"
        head += f"{self.instance.machine_names[machine]}: "
        if not machines.is_idle(self.shop, machine):
            return f"{head}the machine is {self.machine(machine)[0]}, must be idle"
        if self.mode(self.shop.case.machine_cell[machine]) == "pause":
            return f"{head}the cell is paused"
        if machines.alternative_of(self.shop, self.shop.jobs[job].operation, machine) == NOBODY:
            return f"{head}not eligible for operation {self.operation(job)}"
        return f"{head}the item is not inbound there and assigned to that cell"

    def why_not_set_mode(self, index_t cell, str mode):
        head = f"set_mode of cell {cell} to {mode}: "
        if not self.is_cell(cell) or mode not in MODES:
            return f"{head}no such cell or mode (normal, eco, pause)"
        if self.mode(cell) == mode:
            return f"{head}it has that mode already"
        return f"{head}pause is allowed only while the power of its area is above its cap"


cdef list members(const list_t* items, const link_t* links):
    cdef list found = []
    cdef index_t item = items.head
    while item != NOBODY:
        found.append(item)
        item = links[item].next
    return found


cdef list take(vector_t* vector):
    """The values, in order of logging; the vector is empty afterwards."""
    cdef index_t i
    cdef list values = [vector.values[i] for i in range(vector.count)]
    vector.count = 0
    return values


def build():
    """How the engine was compiled."""
    return {"checked": CHECKED, "cython": cython_version}
