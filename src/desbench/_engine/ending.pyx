from desbench._engine.alternatives cimport alternative_of, is_wanted
from desbench._engine.machine cimport is_free, is_idle
from desbench._engine.state cimport next_of, shop_t
from desbench._engine.transport cimport may_unassign
from desbench._engine.buffer cimport is_stranded, room_of
from desbench._engine.types cimport (
    BY_PROMISE,
    BY_WAIT,
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


cdef bint any_stranded(const shop_t* shop, bint with_room) noexcept nogil:
    """A stranded item may be unassigned (and could be assigned to another cell)."""
    cdef index_t cell, job
    for cell in range(shop.case.cells):
        if shop.cells[cell].stranded == 0 and not shop.cells[cell].dark:
            continue
        job = shop.cells[cell].assigned.head
        while job != NOBODY:
            if is_stranded(shop, job) and may_unassign(shop, job):
                if not with_room or has_room_elsewhere(shop, job, cell):
                    return True
            job = next_of(shop, BY_PROMISE, job)
    return False


cdef bint has_room_elsewhere(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Some eligible cell other than `cell` has room for the item."""
    cdef index_t i, other, operation = shop.jobs[job].operation
    for i in range(shop.case.choice_offset[operation], shop.case.choice_offset[operation + 1]):
        other = <index_t>shop.case.choice[i].cell
        if other != cell and room_of(shop, other, job) > 0:
            return True
    return False


cdef bint any_assignable(const shop_t* shop) noexcept nogil:
    cdef index_t job = shop.ready.head
    while job != NOBODY:
        if has_room_elsewhere(shop, job, NOBODY):
            return True
        job = next_of(shop, BY_WAIT, job)
    return False


cdef bint awaits_repair(const shop_t* shop) noexcept nogil:
    """A repair to come can move an item."""
    cdef index_t machine
    for machine in range(shop.case.machines):
        if shop.machines[machine].down_since == NOBODY:
            continue
        if shop.machines[machine].phase == IN_SETUP or shop.machines[machine].phase == IN_PROCESS:
            return True
        if is_free(shop, machine) and is_wanted(shop, machine, shop.case.machine_cell[machine]):
            return True
    return False


cdef status_t test_end(shop_t* shop) noexcept nogil:
    """RUNNING also when stalled; the caller looks at is_pending again."""
    if shop.jobs_left == 0:
        return S_DONE
    if shop.epoch >= shop.case.decision_limit:
        return S_DECISION_LIMIT
    if is_pending(shop):
        return RUNNING
    if not (
        any_assignable(shop)
        or shop.paired.count > 0
        or (shop.stranded > 0 and any_stranded(shop, True))
    ):
        return S_DEADLOCK
    if shop.stalls >= shop.case.no_progress_limit:
        return S_NO_PROGRESS
    return RUNNING
