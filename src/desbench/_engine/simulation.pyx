"""The shop as Python sees it: advance, commands, live views, rows. Specification: docs/model.md."""

from cpython.object cimport PyObject

import numpy as np

from desbench._engine import refusals
from desbench._engine.cycle import wait_cycle
from desbench._engine.refusals import MODES
from desbench._engine.stop import Stop
from desbench.errors import IllegalAction, InputError

from desbench._engine cimport budget, ending, estimate, machine as machines, modes, transport
from desbench._engine.advance cimport ENDED, STALLED, advance, begin
from desbench._engine.buffer cimport is_stranded, room_of
from desbench._engine.case cimport Case
from desbench._engine.indexset cimport next_member
from desbench._engine.memory cimport vector_t
from desbench._engine.pairs cimport has_pair
from desbench._engine.plant cimport policy_t, run_plant
from desbench._engine.rows cimport (
    drain_events,
    drain_intervals,
    drain_violations,
    hand_over,
    rows_begin,
)
from desbench._engine.rules cimport dispatch_t, run
from desbench._engine.state cimport (
    clone_shop,
    free_shop,
    job_t,
    list_t,
    machine_t,
    memory_of,
    new_shop,
    next_of,
    shop_t,
    vehicle_t,
)
from desbench._engine.types cimport (
    BY_PLACE,
    BY_PROMISE,
    BY_WAIT,
    GATE,
    INBOUND,
    MACHINE,
    NOBODY,
    OUTBOUND,
    RUNNING,
    STATES,
    VEHICLE,
    index_t,
    mode_t,
    tick_t,
)
from desbench._engine.wake cimport may_wake, schedule_wake

cdef extern from *:
    """
    #ifdef DESBENCH_DEBUG
    #define DESBENCH_CHECKED 1
    #else
    #define DESBENCH_CHECKED 0
    #endif
    """
    bint CHECKED "DESBENCH_CHECKED"
    const long CYTHON_HEX_VERSION

EVENT_KINDS = (
    "arrival", "stage_release_ready", "assign", "unassign", "vehicle_move", "transport_start",
    "transport_complete", "buffer_wait", "admission", "dispatch", "setup_start",
    "setup_complete", "start", "finish", "blocking_start", "blocking_release", "job_complete",
    "breakdown", "repair", "stranded", "mode", "alarm", "budget_review", "cap",
)
CAUSES = (
    "breakdown", "maintenance", "shift", "recorded", "patience", "normal", "eco", "pause",
    "power", "wip",
)
MACHINE_STATES = ("idle", "setup", "processing", "blocked", "down")
VEHICLE_STATES = ("idle", "empty", "loaded")
PLACES = ("nowhere", "source", "vehicle", "machine", "gate", "inbound", "outbound", "done")
DISPATCH_RULES = ("fifo", "spt", "edd")
#: Rules of run_plant() by kind, the default first, in the order of the enumerations of plant.pxd.
PLANT_RULES = {
    "release": ("least_slack", "first_released"),
    "routing": ("earliest_finish", "least_work", "nearest", "spt"),
    "reroute": ("better_elsewhere", "keep"),
    "dispatch": (
        "urgent_then_shortest", "fifo", "lifo", "spt", "lpt", "mwkr", "lwkr", "mopnr", "edd",
        "slack", "cr", "least_setup",
    ),
    "mode": ("eco_for_the_busiest", "keep"),
    "budget": ("by_load", "uniform", "keep"),
}
MIN_OPTIONS = 3  #: as in protocol/decision.py
STATUSES = ("", "done", "deadlock", "no_progress", "horizon", "decision_limit")


cdef class Simulation:
    """One episode of one instance.

    Parameters
    ----------
    instance : desbench.instances.instance.Instance
        Validated arrays; kept alive and never written.
    trace : bool
        Write rows; without them a run is faster and the rows stay empty.
    """

    cdef shop_t* shop
    cdef object instance
    cdef Case case
    cdef object taker  # kept alive for the rows

    def __cinit__(self, instance, *, bint trace=True, Simulation original=None):
        self.instance = instance
        if original is not None:
            self.case = original.case
            self.shop = clone_shop(original.shop)
            self.shop.traced = trace
        else:
            self.case = Case(instance)
            self.shop = new_shop(self.case.case, trace)
        if trace:
            rows_begin(&self.shop.rows)
        if original is None:
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

    def run(self, str dispatch="fifo", str routing="earliest_finish"):
        """Play to the end by compiled rules, without coming back to Python.

        At each stop of advance(), until time moves: every idle machine, by cell and machine, takes
        the first eligible item by the rule of `dispatch`, and the instant goes on; when no machine
        can take one, every ready item, by (release, job), is assigned to the eligible cell with
        room that is expected to finish it first (ties: the lowest), and the instant goes on; when
        none can be assigned, time moves. Nobody unassigns, sends vehicles or sets modes, and
        `epoch` stays what it is.

        Parameters
        ----------
        dispatch : {"fifo", "spt", "edd"}
            Order of admission; shortest nominal duration in the cell; earliest due date, none
            last. Ties go to the order of admission.
        routing : {"earliest_finish"}
            The expected finish estimate.
        """
        cdef dispatch_t rule
        self.refuse_after_end("run")
        if dispatch not in DISPATCH_RULES:
            raise InputError(f"dispatch={dispatch!r}, must be one of {', '.join(DISPATCH_RULES)}")
        if routing != "earliest_finish":
            raise InputError(f"routing={routing!r}, must be earliest_finish")
        rule = <dispatch_t><int>DISPATCH_RULES.index(dispatch)
        with nogil:
            run(self.shop, rule)
        return self.stop(ENDED)

    def run_plant(self, **rules):
        """Play to the end as `centralized_plant` with rules, without coming back to Python.

        Decisions, their order, epochs and the limits of options are those of the protocol and of
        the rules of the same names, so the rows are the same; nobody is told anything.

        Parameters
        ----------
        rules
            Names by kind where not the first of `PLANT_RULES[kind]`.
        """
        cdef policy_t policy
        self.refuse_after_end("run_plant")
        chosen = {}
        for kind, known in PLANT_RULES.items():
            name = rules.pop(kind, known[0])
            if name not in known:
                raise InputError(f"{kind}={name!r}, must be one of {', '.join(known)}")
            chosen[kind] = known.index(name)
        if rules:
            raise InputError(f"kind={next(iter(rules))!r}, must be one of {', '.join(PLANT_RULES)}")
        policy.release = chosen["release"]
        policy.routing = chosen["routing"]
        policy.reroute = chosen["reroute"]
        policy.dispatch = chosen["dispatch"]
        policy.mode = chosen["mode"]
        policy.budget = chosen["budget"]
        policy.unit = self.instance.ticks_per_unit
        policy.slots = max(self.instance.options, MIN_OPTIONS)
        with nogil:
            run_plant(self.shop, policy)
        return self.stop(ENDED)

    def clone(self, *, bint trace=True):
        """Return an independent copy of the running episode; its rows begin here."""
        return Simulation(self.instance, trace=trace, original=self)

    def memory(self):
        """Bytes of what changes during the episode: the state, without the instance and rows."""
        return memory_of(self.shop)

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

    @property
    def vehicle_stops(self):
        """Whether advance() also stops where a vehicle has become idle."""
        return bool(self.shop.vehicle_stops)

    @vehicle_stops.setter
    def vehicle_stops(self, bint value):
        self.shop.vehicle_stops = value

    # --- commands

    def assign(self, index_t job, index_t cell, index_t vehicle=NOBODY):
        """Commit `cell` to the ready item of `job`; the request may name its vehicle."""
        self.refuse_after_end("assign")
        if not self.can_assign(job, cell, vehicle):
            raise IllegalAction(refusals.why_not_assign(self, self.instance, job, cell, vehicle))
        transport.assign(self.shop, job, cell, vehicle)
        self.accept()

    def unassign(self, index_t job):
        """Withdraw the item of `job` from the cell it is assigned to."""
        self.refuse_after_end("unassign")
        if not self.can_unassign(job):
            raise IllegalAction(refusals.why_not_unassign(self, self.instance, job))
        transport.unassign(self.shop, job)
        self.accept()

    def dispatch(self, index_t job, index_t machine):
        """Let `machine` take the inbound item of `job`."""
        self.refuse_after_end("dispatch")
        if not self.can_dispatch(job, machine):
            raise IllegalAction(refusals.why_not_dispatch(self, self.instance, job, machine))
        machines.dispatch(self.shop, job, machine)
        self.accept()

    def send(self, index_t vehicle, index_t location):
        """Drive an idle vehicle empty to a location (0 = source, c + 1 = cell c), to wait there."""
        self.refuse_after_end("send")
        if not self.can_send(vehicle, location):
            raise IllegalAction(refusals.why_not_send(self, self.instance, vehicle, location))
        transport.send(self.shop, vehicle, location)
        self.shop.changed = 1

    def set_mode(self, index_t cell, str mode):
        """Put `cell` into a mode: normal, eco, pause."""
        self.refuse_after_end("set_mode")
        if not self.can_set_mode(cell, mode):
            raise IllegalAction(refusals.why_not_set_mode(self, self.instance, cell, mode))
        modes.set_mode(self.shop, cell, MODES.index(mode), self.shop.epoch)
        self.shop.changed = 1

    def set_cap(self, index_t area, tick_t cap):
        """Move the power cap of an area, in watts; it holds from now on."""
        self.refuse_after_end("set_cap")
        if not self.can_set_cap(area, cap):
            raise IllegalAction(refusals.why_not_set_cap(self, self.instance, area, cap))
        budget.set_cap(self.shop, area, cap)
        self.shop.changed = 1

    def wake(self, index_t conversation, tick_t time):
        """Let advance() stop at a later time and name the conversation; the shop does not change."""
        self.refuse_after_end("wake")
        if not self.can_wake(conversation, time):
            raise IllegalAction(refusals.why_not_wake(self, conversation, time))
        schedule_wake(self.shop, conversation, time)

    def can_assign(self, index_t job, index_t cell, index_t vehicle=NOBODY):
        return (
            self.is_running() and self.is_job(job) and self.is_cell(cell)
            and (vehicle == NOBODY or self.is_vehicle(vehicle))
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

    def can_send(self, index_t vehicle, index_t location):
        return (
            self.is_running() and self.is_vehicle(vehicle)
            and 0 <= location <= self.shop.case.cells
            and bool(transport.may_send(self.shop, vehicle, location))
        )

    def can_set_mode(self, index_t cell, str mode):
        return (
            self.is_running() and self.is_cell(cell) and mode in MODES
            and bool(modes.may_set_mode(self.shop, cell, <mode_t><int>MODES.index(mode)))
        )

    def can_set_cap(self, index_t area, tick_t cap):
        return (
            self.is_running() and 0 <= area < self.shop.case.areas
            and bool(budget.may_set_cap(self.shop, area, cap))
        )

    def can_wake(self, index_t conversation, tick_t time):
        return self.is_running() and bool(may_wake(self.shop, conversation, time))

    # --- live views

    def ready(self):
        """Ready items, ascending."""
        return sorted(members(&self.shop.ready, self.shop.jobs, BY_WAIT))

    def stranded(self):
        """Stranded items that may be unassigned now, ascending."""
        cdef index_t cell, job
        cdef list found = []
        if self.shop.stranded == 0 or not self.is_running():
            return found
        for cell in range(self.shop.case.cells):
            job = self.shop.cells[cell].assigned.head
            while job != NOBODY:
                if is_stranded(self.shop, job) and transport.may_unassign(self.shop, job):
                    found.append(job)
                job = next_of(self.shop, BY_PROMISE, job)
        found.sort()
        return found

    def pairs(self, index_t cell):
        """(machine, job) that may be dispatched: machine ascending, then inbound order."""
        cdef index_t row, machine, job
        cdef list found = []
        self.check_cell(cell)
        if not has_pair(self.shop, cell):
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
                job = next_of(self.shop, BY_PLACE, job)
        return found

    def gate(self, index_t cell):
        """Items at the gate by (arrival, job), withdrawn ones included."""
        self.check_cell(cell)
        return members(&self.shop.cells[cell].gate, self.shop.jobs, BY_PLACE)

    def inbound(self, index_t cell):
        """Items in the inbound buffer in order of admission, withdrawn ones included."""
        self.check_cell(cell)
        return members(&self.shop.cells[cell].inbound, self.shop.jobs, BY_PLACE)

    def outbound(self, index_t cell):
        """Items in the outbound buffer in order of entry."""
        self.check_cell(cell)
        return members(&self.shop.cells[cell].outbound, self.shop.jobs, BY_PLACE)

    def coming(self, index_t cell):
        """Items assigned to the cell that have not reached its inbound buffer, ascending."""
        self.check_cell(cell)
        return sorted(
            job
            for job in members(&self.shop.cells[cell].assigned, self.shop.jobs, BY_PROMISE)
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

    def cap(self, index_t area):
        """Present power cap of an area in watts, -1 = none; area = -1: that of the plant."""
        if area == NOBODY:
            return self.shop.case.plant_power_cap
        self.check_area(area)
        return budget.power_cap(self.shop, area)

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
        if not self.is_vehicle(vehicle):
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
            raise IllegalAction(f"estimate: job {self.instance.job_names[job]} is done")
        found = estimate.estimate(self.shop, job, cell)
        if found.machine == NOBODY:
            raise IllegalAction(
                f"estimate: cell {self.instance.cell_names[cell]} has no machine eligible for "
                f"job {self.instance.job_names[job]}"
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

    def carbon(self):
        """Watt-ticks times g/kWh so far: of areas [A], and of the plant with its vehicles."""
        cdef index_t area
        of_areas = np.zeros(self.shop.case.areas, dtype=np.int64)
        for area in range(self.shop.case.areas):
            of_areas[area] = self.shop.areas[area].carbon
        return of_areas, self.shop.plant_carbon

    # --- rows since the last call

    def event_rows(self):
        cdef shop_t* shop = self.shop
        return drain_events(
            &shop.rows, shop.case.operation_offset, shop.case.machine_cell, shop.case.cell_area
        )

    def interval_rows(self):
        return drain_intervals(&self.shop.rows)

    def violation_rows(self):
        return drain_violations(&self.shop.rows)

    def hand_over(self, take, index_t events):
        """Call `take()` whenever so many event rows wait, in the middle of a run as well.

        It must take them with event_rows(), or they go on growing; it may take the other rows, and
        do nothing else with the simulation. What it raises ends the run; the episode is lost then.
        """
        if events < 1:
            raise InputError(f"events={events}, must be >= 1")
        self.taker = take
        hand_over(&self.shop.rows, events, <PyObject*>take)

    # --- inside

    cdef int accept(self) except -1:
        """An assign, unassign or dispatch was accepted."""
        self.shop.changed = 1
        self.shop.stalls = 0
        return 0

    cdef object stop(self, int outcome):
        cdef shop_t* shop = self.shop
        cdef index_t areas = shop.case.areas, i, limit
        stop = Stop(shop.now, STATUSES[shop.status], outcome == STALLED)
        stop.ready = take(&shop.newly_ready)
        for i in stop.ready:
            shop.jobs[i].newly_ready = 0
        stop.stranded = take(&shop.newly_stranded)
        stop.breakdowns = take(&shop.breakdowns)
        stop.repairs = take(&shop.repairs)
        stop.vehicles = take(&shop.newly_idle)
        stop.woken = take(&shop.woken)
        stop.review = bool(shop.review)
        shop.review = 0
        for limit in take(&shop.alarms):
            if limit < areas:
                stop.alarms.append(("power", limit))
            elif limit == areas:
                stop.alarms.append(("power", NOBODY))
            else:
                stop.alarms.append(("wip", limit - areas - 1))
        stop.cells = paired(shop)
        if stop.status == "deadlock":
            stop.cycle = wait_cycle(self, self.instance)
        return stop

    cdef bint is_running(self) noexcept:
        return self.shop.status == RUNNING

    cdef bint is_job(self, index_t job) noexcept:
        return 0 <= job < self.shop.case.jobs

    cdef bint is_cell(self, index_t cell) noexcept:
        return 0 <= cell < self.shop.case.cells

    cdef bint is_vehicle(self, index_t vehicle) noexcept:
        return 0 <= vehicle < self.shop.case.vehicles

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


cdef list members(const list_t* items, const job_t* jobs, int chain):
    cdef list found = []
    cdef index_t item = items.head
    while item != NOBODY:
        found.append(item)
        item = jobs[item].links[chain].next
    return found


cdef list paired(shop_t* shop):
    """Cells in which an idle machine meets an eligible inbound item, ascending."""
    cdef list found = []
    cdef index_t cell = next_member(&shop.paired, 0)
    while cell != NOBODY:
        found.append(cell)
        cell = next_member(&shop.paired, cell + 1)
    return found


cdef list take(vector_t* vector):
    """The values, in order of logging; the vector is empty afterwards."""
    cdef index_t i
    cdef list values = [vector.values[i] for i in range(vector.count)]
    vector.count = 0
    return values


def build():
    """How the engine was compiled."""
    version = ".".join(str(CYTHON_HEX_VERSION >> shift & 0xFF) for shift in (24, 16, 8))
    return {"checked": CHECKED, "cython": version}
