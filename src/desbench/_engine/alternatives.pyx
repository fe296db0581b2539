from desbench._engine.cellset cimport add_cell
from desbench._engine.state cimport case_t, shop_t
from desbench._engine.types cimport NOBODY, index_t, tick_t


cdef index_t alternative_of(const shop_t* shop, index_t operation, index_t machine) noexcept nogil:
    """The row of eligible_machine, or nobody: machines of an operation are few and ascending."""
    cdef index_t row
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        if shop.case.eligible_machine[row] == machine:
            return row
    return NOBODY


cdef bint all_down(const shop_t* shop, index_t operation, index_t cell) noexcept nogil:
    """No machine of the cell that is eligible for the operation is up."""
    cdef index_t row, machine
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        machine = shop.case.eligible_machine[row]
        if shop.case.machine_cell[machine] == cell and shop.machines[machine].down_since == NOBODY:
            return False
    return True


cdef tick_t shortest(const shop_t* shop, index_t operation, index_t cell) noexcept nogil:
    """Shortest nominal duration of the operation in the cell; -1 if it has no eligible machine."""
    cdef index_t row
    cdef tick_t best = -1, nominal
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        if shop.case.machine_cell[shop.case.eligible_machine[row]] == cell:
            nominal = shop.case.nominal[row]
            if best < 0 or nominal < best:
                best = nominal
    return best


cdef void count_waiting(shop_t* shop, index_t job, int change) noexcept nogil:
    """The item waits inbound for the machines of its cell, or no longer does."""
    cdef index_t operation = shop.jobs[job].operation, cell = shop.jobs[job].where, row, machine
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        machine = shop.case.eligible_machine[row]
        if shop.case.machine_cell[machine] == cell:
            shop.machines[machine].waiting += change
    if shop.cells[cell].idle > 0:
        add_cell(&shop.stale, cell)


cdef index_t stop_waiting(shop_t* shop, index_t job, index_t machine) noexcept nogil:
    """The item no longer waits in its cell; return the row of eligible_machine that is dispatched.

    Does in one walk what count_waiting, shortest and alternative_of do.
    """
    cdef const case_t* case = &shop.case
    cdef index_t operation = shop.jobs[job].operation, cell = shop.jobs[job].where, row, other
    cdef index_t alternative = NOBODY
    cdef tick_t best = -1
    for row in range(case.eligible_offset[operation], case.eligible_offset[operation + 1]):
        other = case.eligible_machine[row]
        if case.machine_cell[other] != cell:
            continue
        shop.machines[other].waiting -= 1
        if best < 0 or case.nominal[row] < best:
            best = case.nominal[row]
        if other == machine:
            alternative = row
    shop.cells[cell].backlog -= best
    add_cell(&shop.stale, cell)
    return alternative
