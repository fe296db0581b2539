from desbench._engine.alternatives cimport count_waiting
from desbench._engine.indexset cimport add
from desbench._engine.journal cimport log_item, log_stranded
from desbench._engine.memory cimport vector_push
from desbench._engine.pairs cimport match
from desbench._engine.queue cimport heap_push
from desbench._engine.state cimport (
    NEWCOMER,
    cell_t,
    has_events,
    job_t,
    list_append,
    list_insert,
    list_remove,
    next_of,
    shop_t,
)
from desbench._engine.types cimport (
    BY_PATIENCE,
    BY_PLACE,
    BY_WAIT,
    C_PATIENCE,
    GATE,
    INBOUND,
    K_ADMISSION,
    MACHINE,
    NOBODY,
    OUTBOUND,
    PATIENCE,
    cause_t,
    index_t,
    tick_t,
)


cdef index_t follower_among_ready(const shop_t* shop, index_t job) noexcept nogil:
    """An arrival belongs last, any other item near the first: it is older."""
    cdef index_t follower = shop.ready.head
    if not is_older(shop, job, shop.ready.tail):
        return NOBODY
    while is_older(shop, follower, job):
        follower = next_of(shop, BY_WAIT, follower)
    return follower


cdef bint is_older(const shop_t* shop, index_t job, index_t other) noexcept nogil:
    cdef tick_t release = shop.case.release[job], other_release = shop.case.release[other]
    return release < other_release or (release == other_release and job < other)


cdef void reach_gate(shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """The item stands at the gate from now on; admission is the settle's."""
    cdef job_t* j = &shop.jobs[job]
    cdef cell_t* c = &shop.cells[cell]
    cdef index_t follower = NOBODY, last = c.gate.tail
    j.place = GATE
    j.where = cell
    j.arrival = shop.now
    j.timer = NEWCOMER
    while last != NOBODY and shop.jobs[last].arrival == shop.now and last > job:
        follower = last
        last = shop.jobs[last].links[BY_PLACE].previous
    list_insert(&c.gate, shop.jobs, BY_PLACE, job, follower)
    add(&shop.touched, cell)


cdef int pass_gate(shop_t* shop, index_t job, index_t cell) except -1 nogil:
    """The item is set down at the cell: at its gate, or inbound at once.

    With room, nobody before it and nothing else in this instant, the settle could do nothing else.
    """
    cdef job_t* j = &shop.jobs[job]
    cdef const cell_t* c = &shop.cells[cell]
    if (
        shop.touched.count > 0
        or has_events(shop)
        or c.gate.count > 0
        or c.inbound.count >= shop.case.inbound[cell]
    ):
        reach_gate(shop, job, cell)
        return 0
    j.where = cell
    j.arrival = shop.now
    j.timer = NOBODY
    return enter_inbound(shop, job)


cdef int admit(shop_t* shop, index_t job) except -1 nogil:
    """From the gate into the inbound buffer."""
    list_remove(&shop.cells[shop.jobs[job].where].gate, shop.jobs, BY_PLACE, job)
    stop_patience(shop, job)
    end_stranding(shop, job, BY_PATIENCE)
    return enter_inbound(shop, job)


cdef inline int enter_inbound(shop_t* shop, index_t job) except -1 nogil:
    cdef job_t* j = &shop.jobs[job]
    j.place = INBOUND
    list_append(&shop.cells[j.where].inbound, shop.jobs, BY_PLACE, job)
    count_waiting(shop, job, 1)
    match(shop, j.where)
    return log_item(shop, K_ADMISSION, job, j.where)


cdef int schedule_patience(shop_t* shop, index_t job, tick_t due) except -1 nogil:
    if shop.case.patience[job] == 0:
        return 0
    shop.jobs[job].timer = due
    shop.pending += 1
    return heap_push(&shop.queue, due, PATIENCE, job)


cdef int run_out_of_patience(shop_t* shop, index_t job) except -1 nogil:
    shop.jobs[job].timer = NOBODY
    shop.pending -= 1
    begin_stranding(shop, job, BY_PATIENCE)
    return name_stranded(shop, job, C_PATIENCE)


cdef int name_stranded(shop_t* shop, index_t job, cause_t cause) except -1 nogil:
    log_stranded(shop, job, cause)
    return vector_push(&shop.newly_stranded, job) if shop.heard else 0
