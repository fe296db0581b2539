from desbench._engine.machine cimport release_machine
from desbench._engine.memory cimport vector_push
from desbench._engine.meter cimport recount_wip
from desbench._engine.queue cimport heap_push
from desbench._engine.rows cimport event_row_t, new_event
from desbench._engine.state cimport (
    cell_t,
    job_t,
    list_append,
    list_insert,
    list_remove,
    shop_t,
)
from desbench._engine.types cimport (
    BY_BREAKDOWN,
    BY_PATIENCE,
    C_BREAKDOWN,
    C_PATIENCE,
    GATE,
    INBOUND,
    K_ADMISSION,
    K_STRANDED,
    MACHINE,
    NOBODY,
    OUTBOUND,
    PATIENCE,
    index_t,
    tick_t,
)


cdef index_t cell_of_place(const shop_t* shop, index_t job) noexcept nogil:
    """The cell in which the item stands, or nobody (source, vehicle, nowhere, done)."""
    cdef const job_t* j = &shop.jobs[job]
    if j.place == MACHINE:
        return shop.case.machine_cell[j.where]
    if j.place == GATE or j.place == INBOUND or j.place == OUTBOUND:
        return j.where
    return NOBODY


cdef index_t location_of(const shop_t* shop, index_t job) noexcept nogil:
    return cell_of_place(shop, job) + 1


cdef bint is_counted(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Does the item count in committed(cell)?"""
    cdef const job_t* j = &shop.jobs[job]
    return j.assigned == cell or ((j.place == GATE or j.place == INBOUND) and j.where == cell)


cdef index_t room_of(const shop_t* shop, index_t cell, index_t job) noexcept nogil:
    cdef index_t room = shop.case.commitment[cell] - shop.cells[cell].committed
    if job != NOBODY and is_counted(shop, job, cell):
        room += 1
    return room


cdef void free_commitment(shop_t* shop, index_t cell) noexcept nogil:
    shop.cells[cell].committed -= 1
    shop.cells[cell].growth += 1


cdef int make_ready(shop_t* shop, index_t job) except -1 nogil:
    """An event made the item ready: the coming stop names it."""
    list_append(&shop.ready, shop.waiting, job)
    if shop.jobs[job].newly_ready:
        return 0
    shop.jobs[job].newly_ready = 1
    return vector_push(&shop.newly_ready, job)


cdef int reach_gate(shop_t* shop, index_t job, index_t cell) except -1 nogil:
    """The item stands at the gate from now on; admission is the settle's."""
    cdef job_t* j = &shop.jobs[job]
    cdef cell_t* c = &shop.cells[cell]
    cdef index_t follower = NOBODY, last = c.gate.tail
    j.place = GATE
    j.where = cell
    j.arrival = shop.now
    while last != NOBODY and shop.jobs[last].arrival == shop.now and last > job:
        follower = last
        last = shop.standing[last].previous
    list_insert(&c.gate, shop.standing, job, follower)
    return vector_push(&shop.newcomers, job)


cdef int admit(shop_t* shop, index_t job) except -1 nogil:
    """From the gate into the inbound buffer."""
    cdef job_t* j = &shop.jobs[job]
    cdef cell_t* c = &shop.cells[j.where]
    cdef event_row_t* row
    list_remove(&c.gate, shop.standing, job)
    list_append(&c.inbound, shop.standing, job)
    j.place = INBOUND
    stop_patience(shop, job)
    end_stranding(shop, job, BY_PATIENCE)
    row = new_event(&shop.rows, shop.now, K_ADMISSION)
    row.job = job
    row.operation = j.operation - shop.case.operation_offset[job]
    row.cell = j.where
    row.area = shop.case.cell_area[j.where]
    return 0


cdef void store_outbound(shop_t* shop, index_t job, index_t cell) noexcept nogil:
    shop.jobs[job].place = OUTBOUND
    shop.jobs[job].where = cell
    list_append(&shop.cells[cell].outbound, shop.standing, job)


cdef int leave_place(shop_t* shop, index_t job) except -1 nogil:
    """Free the place of an item that is picked up or moves within its cell."""
    cdef job_t* j = &shop.jobs[job]
    if j.place == MACHINE:
        release_machine(shop, j.where)
    elif j.place == OUTBOUND:
        list_remove(&shop.cells[j.where].outbound, shop.standing, job)
    elif j.place == GATE:
        list_remove(&shop.cells[j.where].gate, shop.standing, job)
        free_commitment(shop, j.where)
    elif j.place == INBOUND:
        list_remove(&shop.cells[j.where].inbound, shop.standing, job)
        free_commitment(shop, j.where)
    return 0


cdef int schedule_patience(shop_t* shop, index_t job, tick_t due) except -1 nogil:
    if shop.case.patience[job] == 0:
        return 0
    shop.jobs[job].patience = due
    shop.pending += 1
    return heap_push(&shop.queue, due, PATIENCE, job)


cdef void stop_patience(shop_t* shop, index_t job) noexcept nogil:
    if shop.jobs[job].patience != NOBODY:
        shop.jobs[job].patience = NOBODY
        shop.pending -= 1


cdef int run_out_of_patience(shop_t* shop, index_t job) except -1 nogil:
    stop_patience(shop, job)
    return strand(shop, job, BY_PATIENCE)


cdef int strand(shop_t* shop, index_t job, int bit) except -1 nogil:
    cdef job_t* j = &shop.jobs[job]
    cdef event_row_t* row = new_event(&shop.rows, shop.now, K_STRANDED)
    row.job = job
    row.operation = j.operation - shop.case.operation_offset[job]
    row.cell = j.assigned
    row.area = shop.case.cell_area[j.assigned]
    row.cause = C_BREAKDOWN if bit == BY_BREAKDOWN else C_PATIENCE
    if j.stranding == 0:
        shop.stranded += 1
    j.stranding |= bit
    return vector_push(&shop.newly_stranded, job)


cdef void end_stranding(shop_t* shop, index_t job, int bits) noexcept nogil:
    cdef job_t* j = &shop.jobs[job]
    if j.stranding == 0:
        return
    j.stranding &= ~bits
    if j.stranding == 0:
        shop.stranded -= 1
