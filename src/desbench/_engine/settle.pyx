from desbench._engine.buffer cimport admit, schedule_patience, store_outbound
from desbench._engine.machine cimport block, release_machine
from desbench._engine.meter cimport recount_wip
from desbench._engine.modes cimport lift_pauses
from desbench._engine.rows cimport event_row_t, new_event
from desbench._engine.state cimport cell_t, job_t, shop_t
from desbench._engine.transport cimport serve_requests
from desbench._engine.types cimport (
    FINISHED,
    GATE,
    K_BUFFER_WAIT,
    NOBODY,
    index_t,
)


cdef int settle(shop_t* shop) except -1 nogil:
    cdef index_t moved = 1
    while moved > 0:
        moved = leave_machines(shop)
        moved += admit_waiting(shop)
        moved += serve_requests(shop)
    block_machines(shop)
    note_newcomers(shop)
    return lift_pauses(shop)


cdef index_t leave_machines(shop_t* shop) except -1 nogil:
    cdef index_t cell, machine, moved = 0
    cdef cell_t* c
    for cell in range(shop.case.cells):
        c = &shop.cells[cell]
        while c.finished > 0 and c.outbound.count < shop.case.outbound[cell]:
            machine = first_finished(shop, cell)
            leave_machine(shop, cell, machine)
            moved += 1
    return moved


cdef index_t first_finished(const shop_t* shop, index_t cell) noexcept nogil:
    """The machine whose item has waited longest, by (finish time, machine)."""
    cdef index_t row, machine, first = NOBODY
    for row in range(shop.case.cell_machine_offset[cell], shop.case.cell_machine_offset[cell + 1]):
        machine = shop.case.cell_machine[row]
        if shop.machines[machine].phase == FINISHED and (
            first == NOBODY
            or shop.machines[machine].finish_time < shop.machines[first].finish_time
        ):
            first = machine
    return first


cdef int leave_machine(shop_t* shop, index_t cell, index_t machine) except -1 nogil:
    cdef index_t job = shop.machines[machine].job
    release_machine(shop, machine)
    store_outbound(shop, job, cell)
    recount_wip(shop, job)
    return 0


cdef index_t admit_waiting(shop_t* shop) except -1 nogil:
    cdef index_t cell, job, next, moved = 0
    cdef cell_t* c
    for cell in range(shop.case.cells):
        c = &shop.cells[cell]
        job = c.gate.head
        while job != NOBODY and c.inbound.count < shop.case.inbound[cell]:
            next = shop.standing[job].next
            if shop.jobs[job].assigned == cell:
                admit(shop, job)
                moved += 1
            job = next
    return moved


cdef int block_machines(shop_t* shop) except -1 nogil:
    cdef index_t machine
    if shop.unblocked == 0:
        return 0
    for machine in range(shop.case.machines):
        if shop.machines[machine].phase == FINISHED and not shop.machines[machine].blocked:
            block(shop, machine)
    return 0


cdef int note_newcomers(shop_t* shop) except -1 nogil:
    """Items that reached a gate and stay there, by (cell, job): they all arrived now."""
    cdef index_t i, job, best
    cdef job_t* j
    cdef event_row_t* row
    while True:
        best = NOBODY
        for i in range(shop.newcomers.count):
            job = shop.newcomers.values[i]
            j = &shop.jobs[job]
            if j.place == GATE and (best == NOBODY or is_earlier(shop, job, best)):
                best = job
        if best == NOBODY:
            break
        forget(shop, best)
        j = &shop.jobs[best]
        row = new_event(&shop.rows, shop.now, K_BUFFER_WAIT)
        row.job = best
        row.operation = j.operation - shop.case.operation_offset[best]
        row.cell = j.where
        row.area = shop.case.cell_area[j.where]
        schedule_patience(shop, best, shop.now + shop.case.patience[best])
    shop.newcomers.count = 0
    return 0


cdef bint is_earlier(const shop_t* shop, index_t job, index_t other) noexcept nogil:
    cdef index_t cell = shop.jobs[job].where, other_cell = shop.jobs[other].where
    return cell < other_cell or (cell == other_cell and job < other)


cdef void forget(shop_t* shop, index_t job) noexcept nogil:
    """Take the job out of the newcomers."""
    cdef index_t i, kept = 0
    for i in range(shop.newcomers.count):
        if shop.newcomers.values[i] != job:
            shop.newcomers.values[kept] = shop.newcomers.values[i]
            kept += 1
    shop.newcomers.count = kept
