from desbench._engine.buffer cimport admit, schedule_patience, store_outbound
from desbench._engine.indexset cimport add, drop, next_member
from desbench._engine.journal cimport log_item
from desbench._engine.machine cimport block, release_machine
from desbench._engine.memory cimport vector_t
from desbench._engine.state cimport NEWCOMER, cell_t, next_of, shop_t
from desbench._engine.transport cimport serve_requests
from desbench._engine.types cimport BY_PLACE, FINISHED, K_BUFFER_WAIT, NOBODY, index_t


cdef int move_items(shop_t* shop) except -1 nogil:
    while shop.touched.count > 0 or shop.open_requests:
        if shop.touched.count > 0:
            if shop.held > 0:
                leave_machines(shop)
            admit_waiting(shop)
        if shop.open_requests:
            serve_requests(shop)
    if shop.unblocked > 0:
        block_machines(shop)
    shop.finishers.count = 0
    return note_newcomers(shop) if shop.arrived.count > 0 else 0


cdef int leave_machines(shop_t* shop) except -1 nogil:
    cdef index_t i, cell = NOBODY
    for i in range(shop.touched.count):
        cell = next_member(&shop.touched, cell + 1)
        while (
            shop.cells[cell].finished > 0
            and shop.cells[cell].outbound.count < shop.case.outbound[cell]
        ):
            leave_machine(shop, cell, first_finished(shop, cell))
    return 0


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
    return 0


cdef int admit_waiting(shop_t* shop) except -1 nogil:
    cdef index_t cell = NOBODY, job, next
    cdef cell_t* c
    while shop.touched.count > 0:
        cell = next_member(&shop.touched, cell + 1)
        drop(&shop.touched, cell)
        c = &shop.cells[cell]
        job = c.gate.head
        while job != NOBODY and c.inbound.count < shop.case.inbound[cell]:
            next = next_of(shop, BY_PLACE, job)
            if shop.jobs[job].assigned == cell:
                admit(shop, job)
            job = next
        if c.gate.count > 0:
            add(&shop.arrived, cell)
    return 0


cdef int block_machines(shop_t* shop) except -1 nogil:
    """Machines that have kept a finished item, by index."""
    cdef index_t i, machine
    sort(&shop.finishers)
    for i in range(shop.finishers.count):
        machine = shop.finishers.values[i]
        if shop.machines[machine].phase == FINISHED and not shop.machines[machine].blocked:
            block(shop, machine)
    return 0


cdef void sort(vector_t* vector) noexcept nogil:
    """Insertion: few, and nearly always in order already."""
    cdef index_t i, slot, value
    for i in range(1, vector.count):
        value = vector.values[i]
        slot = i
        while slot > 0 and vector.values[slot - 1] > value:
            vector.values[slot] = vector.values[slot - 1]
            slot -= 1
        vector.values[slot] = value


cdef int note_newcomers(shop_t* shop) except -1 nogil:
    """Items that reached a gate and stay there, by (cell, job): they all arrived now."""
    cdef index_t cell = NOBODY, job, first
    while shop.arrived.count > 0:
        cell = next_member(&shop.arrived, cell + 1)
        drop(&shop.arrived, cell)
        job = shop.cells[cell].gate.tail
        first = NOBODY
        while job != NOBODY and shop.jobs[job].arrival == shop.now:
            first = job
            job = shop.jobs[job].links[BY_PLACE].previous
        while first != NOBODY:
            if shop.jobs[first].timer == NEWCOMER:
                shop.jobs[first].timer = NOBODY
                log_item(shop, K_BUFFER_WAIT, first, cell)
                schedule_patience(shop, first, shop.now + shop.case.patience[first])
            first = next_of(shop, BY_PLACE, first)
    return 0
