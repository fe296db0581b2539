import numpy as np

from desbench._engine.state cimport case_t, choice_t
from desbench._engine.types cimport index_t, tick_t


cdef class Case:
    """Borrowed arrays of one Instance, never written."""

    def __cinit__(self, instance):
        cdef case_t case
        self.arrays = []
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
        case.carbon_steps = len(instance.carbon.start)
        case.families = instance.setup.shape[2]
        case.release = self.ticks(instance.release)
        case.due = self.ticks(instance.due)
        case.patience = self.ticks(instance.patience)
        case.operation_offset = self.indexes(instance.operation_offset)
        case.family = self.indexes(instance.family)
        case.eligible_offset = self.indexes(instance.eligible_offset)
        case.eligible_machine = self.indexes(instance.eligible_machine)
        case.nominal = self.ticks(instance.nominal)
        case.realised = self.ticks(instance.realised)
        case.processing_power = self.ticks(instance.processing_power)
        case.machine_cell = self.indexes(instance.machine_cell)
        case.power = self.ticks(power_by_state(instance).reshape(-1))
        case.initial_family = self.indexes(instance.initial_family)
        case.mean_repair = self.ticks(instance.mean_repair)
        case.setup = self.ticks(instance.setup.reshape(-1))
        case.down_offset = self.indexes(instance.down_offset)
        case.down_start = self.ticks(instance.down_start)
        case.down_end = self.ticks(instance.down_end)
        case.down_cause = self.indexes(instance.down_cause)
        case.down_interruption = self.indexes(instance.down_interruption)
        case.machine_area = self.indexes(instance.cell_area[instance.machine_cell])
        case.cell_area = self.indexes(instance.cell_area)
        case.inbound = self.indexes(instance.inbound)
        case.outbound = self.indexes(instance.outbound)
        case.commitment = self.indexes(instance.commitment)
        case.power_cap = self.ticks(instance.power_cap)
        case.carbon_start = self.ticks(instance.carbon.start)
        case.carbon_intensity = self.ticks(instance.carbon.intensity)
        case.wip_cap = self.ticks(instance.wip_cap)
        case.vehicle_power = self.ticks(instance.vehicle_power)
        case.travel = self.ticks(instance.travel.reshape(-1))
        case.arrival_order = self.indexes(np.argsort(instance.release, kind="stable"))
        case.cell_machine_offset = self.indexes(offsets)
        rows = np.concatenate([*cells, np.zeros(0, np.int32)])
        case.cell_machine = self.indexes(rows)
        case.machine_row = self.indexes(np.argsort(rows))
        case.plant_power_cap = instance.plant_power_cap
        case.eco_duration_num, case.eco_duration_den = instance.eco_duration
        case.eco_power_num, case.eco_power_den = instance.eco_power
        case.carbon_period = instance.carbon.period
        case.review_period = instance.review_period
        case.horizon = instance.horizon
        case.decision_limit = instance.decision_limit
        case.no_progress_limit = instance.no_progress_limit
        case.deliver = instance.deliver
        case.zero_work = not instance.realised.all()
        case.is_mixed = self.indexes(self.mixed_cells(&case))
        self.find_choices(&case)
        self.case = case

    cdef object mixed_cells(self, const case_t* case):
        """1 for each cell with an operation that some, but not all, of its machines can do."""
        mixed = np.zeros(case.cells, dtype=np.int32)
        counted = np.zeros(case.cells, dtype=np.int32)
        cdef index_t[::1] is_mixed = mixed, count = counted
        cdef index_t operation, row, cell
        for operation in range(case.operations):
            for row in range(case.eligible_offset[operation], case.eligible_offset[operation + 1]):
                count[case.machine_cell[case.eligible_machine[row]]] += 1
            for row in range(case.eligible_offset[operation], case.eligible_offset[operation + 1]):
                cell = case.machine_cell[case.eligible_machine[row]]
                if 0 < count[cell] < (
                    case.cell_machine_offset[cell + 1] - case.cell_machine_offset[cell]
                ):
                    is_mixed[cell] = 1
                count[cell] = 0
        return mixed

    cdef int find_choices(self, case_t* case) except -1:
        """The cells of each operation, with the shortest duration there."""
        cdef index_t rows = case.eligible_offset[case.operations]
        cdef index_t[::1] offset = np.zeros(case.operations + 1, dtype=np.int32)
        cdef tick_t[:, ::1] choice = np.empty((max(rows, 1), 2), dtype=np.int64)
        cdef choice_t* choices = <choice_t*>&choice[0, 0]
        cdef index_t operation, row, cell, i, count = 0
        for operation in range(case.operations):
            for row in range(case.eligible_offset[operation], case.eligible_offset[operation + 1]):
                cell = case.machine_cell[case.eligible_machine[row]]
                i = offset[operation]
                while i < count and choices[i].cell != cell:
                    i += 1
                if i == count:
                    count += 1
                    choices[i].cell = cell
                    choices[i].shortest = case.nominal[row]
                choices[i].shortest = min(choices[i].shortest, case.nominal[row])
            offset[operation + 1] = count
        self.arrays += [offset, choice]
        case.choice_offset = &offset[0]
        case.choice = choices
        return 0

    cdef const tick_t* ticks(self, values) except? NULL:
        cdef const tick_t[::1] view = np.ascontiguousarray(values, dtype=np.int64)
        self.arrays.append(view)
        return &view[0] if view.shape[0] else NULL

    cdef const index_t* indexes(self, values) except? NULL:
        cdef const index_t[::1] view = np.ascontiguousarray(values, dtype=np.int32)
        self.arrays.append(view)
        return &view[0] if view.shape[0] else NULL


def power_by_state(instance):
    """Watts of each machine, in the order of shown_t."""
    idle, setup, blocked, down = (
        getattr(instance, f"power_{state}") for state in ("idle", "setup", "blocked", "down")
    )
    return np.stack([idle, setup, np.zeros_like(idle), blocked, down], axis=1)
