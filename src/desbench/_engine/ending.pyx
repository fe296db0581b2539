from desbench._engine.machine cimport alternative_of, is_free, is_idle
from desbench._engine.state cimport shop_t
from desbench._engine.transport cimport is_ready, may_unassign
from desbench._engine.buffer cimport room_of
from desbench._engine.types cimport (
    INBOUND,
    IN_PROCESS,
    IN_SETUP,
    NOBODY,
    PAUSE,
    RUNNING,
    S_DEADLOCK,
    S_DECISION_LIMIT,
    S_DONE,
    S_NO_PROGRESS,
    index_t,
    status_t,
)


cdef bint waits_inbound(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    return (
        shop.jobs[job].place == INBOUND
        and shop.jobs[job].where == cell
        and shop.jobs[job].assigned == cell
    )


cdef bint may_dispatch(const shop_t* shop, index_t job, index_t machine) noexcept nogil:
    cdef index_t cell = shop.case.machine_cell[machine]
    return (
        is_idle(shop, machine)
        and waits_inbound(shop, job, cell)
        and shop.cells[cell].mode != PAUSE
        and alternative_of(shop, shop.jobs[job].operation, machine) != NOBODY
    )


cdef bint has_pair(const shop_t* shop, index_t cell) noexcept nogil:
    """A cell that is not paused has an idle, up machine and an inbound item eligible on it."""
    cdef index_t row, job
    if shop.cells[cell].mode == PAUSE or shop.cells[cell].inbound.count == 0:
        return False
    for row in range(shop.case.cell_machine_offset[cell], shop.case.cell_machine_offset[cell + 1]):
        if not is_idle(shop, shop.case.cell_machine[row]):
            continue
        job = shop.cells[cell].inbound.head
        while job != NOBODY:
            if may_dispatch(shop, job, shop.case.cell_machine[row]):
                return True
            job = shop.standing[job].next
    return False


cdef bint any_pair(const shop_t* shop) noexcept nogil:
    cdef index_t cell
    for cell in range(shop.case.cells):
        if has_pair(shop, cell):
            return True
    return False


cdef bint is_decidable(const shop_t* shop) noexcept nogil:
    """The conditions under which advance() stops after a settle."""
    return (
        shop.ready.count > 0
        or (shop.vehicle_stops and shop.newly_idle.count > 0)
        or any_stranded(shop, False)
        or any_pair(shop)
    )


cdef bint any_stranded(const shop_t* shop, bint with_room) noexcept nogil:
    """A stranded item may be unassigned (and could be assigned to another cell)."""
    cdef index_t cell, job
    if shop.stranded == 0:
        return False
    for cell in range(shop.case.cells):
        job = shop.cells[cell].assigned.head
        while job != NOBODY:
            if shop.jobs[job].stranding and may_unassign(shop, job):
                if not with_room or has_room_elsewhere(shop, job, cell):
                    return True
            job = shop.promised[job].next
    return False


cdef bint has_room_elsewhere(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Some eligible cell other than `cell` has room for the item."""
    cdef index_t row, other, operation = shop.jobs[job].operation
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        other = shop.case.machine_cell[shop.case.eligible_machine[row]]
        if other != cell and room_of(shop, other, job) > 0:
            return True
    return False


cdef bint any_assignable(const shop_t* shop) noexcept nogil:
    cdef index_t job = shop.ready.head
    while job != NOBODY:
        if has_room_elsewhere(shop, job, NOBODY):
            return True
        job = shop.waiting[job].next
    return False


cdef bint is_pending(const shop_t* shop) noexcept nogil:
    """Some event to come can move an item."""
    cdef index_t machine, cell, job
    if shop.pending > 0 or shop.next_arrival < shop.case.jobs:
        return True
    for machine in range(shop.case.machines):
        if shop.machines[machine].down_since == NOBODY:
            continue
        if shop.machines[machine].phase == IN_SETUP or shop.machines[machine].phase == IN_PROCESS:
            return True
        if not is_free(shop, machine):
            continue
        cell = shop.case.machine_cell[machine]
        job = shop.cells[cell].inbound.head
        while job != NOBODY:
            if (
                waits_inbound(shop, job, cell)
                and alternative_of(shop, shop.jobs[job].operation, machine) != NOBODY
            ):
                return True
            job = shop.standing[job].next
    return False


cdef status_t test_end(shop_t* shop) noexcept nogil:
    """RUNNING also when stalled; the caller looks at is_pending again."""
    if shop.jobs_left == 0:
        return S_DONE
    if shop.epoch >= shop.case.decision_limit:
        return S_DECISION_LIMIT
    if is_pending(shop):
        return RUNNING
    if not (any_assignable(shop) or any_pair(shop) or any_stranded(shop, True)):
        return S_DEADLOCK
    if shop.stalls >= shop.case.no_progress_limit:
        return S_NO_PROGRESS
    return RUNNING
