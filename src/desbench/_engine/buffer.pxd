"""Places: gates, inbound and outbound buffers, and the commitment of a cell."""

from desbench._engine.indexset cimport add
from desbench._engine.machine cimport release_machine
from desbench._engine.memory cimport vector_push
from desbench._engine.state cimport cell_t, job_t, list_append, list_insert, list_remove, shop_t
from desbench._engine.types cimport (
    BY_BREAKDOWN,
    BY_PATIENCE,
    BY_PLACE,
    BY_WAIT,
    GATE,
    INBOUND,
    MACHINE,
    NOBODY,
    OUTBOUND,
    SPARED,
    cause_t,
    index_t,
    tick_t,
)

cdef index_t follower_among_ready(const shop_t* shop, index_t job) noexcept nogil
cdef void reach_gate(shop_t* shop, index_t job, index_t cell) noexcept nogil
cdef int pass_gate(shop_t* shop, index_t job, index_t cell) except -1 nogil
cdef int admit(shop_t* shop, index_t job) except -1 nogil
cdef int schedule_patience(shop_t* shop, index_t job, tick_t due) except -1 nogil
cdef int run_out_of_patience(shop_t* shop, index_t job) except -1 nogil
cdef int name_stranded(shop_t* shop, index_t job, cause_t cause) except -1 nogil

# Inline: as short as a call (perf/README.md, what inline tests brought).

cdef inline index_t cell_of_place(const shop_t* shop, index_t job) noexcept nogil:
    """The cell in which the item stands, or nobody (source, vehicle, nowhere, done)."""
    cdef const job_t* j = &shop.jobs[job]
    if j.place == MACHINE:
        return shop.case.machine_cell[j.where]
    if GATE <= j.place <= OUTBOUND:
        return j.where
    return NOBODY

cdef inline index_t location_of(const shop_t* shop, index_t job) noexcept nogil:
    return cell_of_place(shop, job) + 1

cdef inline bint is_counted(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Does the item count in committed(cell)?"""
    cdef const job_t* j = &shop.jobs[job]
    return j.assigned == cell or ((j.place == GATE or j.place == INBOUND) and j.where == cell)

cdef inline index_t room_of(const shop_t* shop, index_t cell, index_t job) noexcept nogil:
    cdef index_t room = shop.case.commitment[cell] - shop.cells[cell].committed
    if job != NOBODY and is_counted(shop, job, cell):
        room += 1
    return room

cdef inline void insert_ready(shop_t* shop, index_t job) noexcept nogil:
    """By (release, job)."""
    cdef index_t follower = NOBODY
    if shop.ready.count > 0:
        follower = follower_among_ready(shop, job)
    list_insert(&shop.ready, shop.jobs, BY_WAIT, job, follower)

cdef inline int make_ready(shop_t* shop, index_t job) except -1 nogil:
    """An event made the item ready: the coming stop names it."""
    insert_ready(shop, job)
    if shop.jobs[job].newly_ready or not shop.heard:
        return 0
    shop.jobs[job].newly_ready = 1
    return vector_push(&shop.newly_ready, job)

cdef inline void store_outbound(shop_t* shop, index_t job, index_t cell) noexcept nogil:
    shop.jobs[job].place = OUTBOUND
    shop.jobs[job].where = cell
    list_append(&shop.cells[cell].outbound, shop.jobs, BY_PLACE, job)

cdef inline void leave_inbound(shop_t* shop, index_t job) noexcept nogil:
    cdef index_t cell = shop.jobs[job].where
    list_remove(&shop.cells[cell].inbound, shop.jobs, BY_PLACE, job)
    if shop.cells[cell].gate.count > 0:
        add(&shop.touched, cell)

cdef inline void free_commitment(shop_t* shop, index_t cell) noexcept nogil:
    shop.cells[cell].committed -= 1
    shop.cells[cell].growth += 1

cdef inline int leave_place(shop_t* shop, index_t job) except -1 nogil:
    """Free the place of an item that is picked up or moves within its cell."""
    cdef job_t* j = &shop.jobs[job]
    cdef cell_t* c = &shop.cells[j.where]
    if j.place == MACHINE:
        return release_machine(shop, j.where)
    if j.place == OUTBOUND:
        list_remove(&c.outbound, shop.jobs, BY_PLACE, job)
        if c.finished > 0:
            add(&shop.touched, j.where)
    elif j.place == GATE:
        list_remove(&c.gate, shop.jobs, BY_PLACE, job)
        free_commitment(shop, j.where)
    elif j.place == INBOUND:
        leave_inbound(shop, job)
        free_commitment(shop, j.where)
    return 0

cdef inline void stop_patience(shop_t* shop, index_t job) noexcept nogil:
    """Cancel the patience of an item that is at a gate, or was until now."""
    if shop.jobs[job].timer >= 0:
        shop.pending -= 1
        shop.cancelled += 1
    shop.jobs[job].timer = NOBODY

cdef inline bint is_stranded(const shop_t* shop, index_t job) noexcept nogil:
    """An assigned item is stranded by itself, or with its cell."""
    cdef const job_t* j = &shop.jobs[job]
    return (j.stranding & (BY_BREAKDOWN | BY_PATIENCE)) or (
        shop.cells[j.assigned].dark and not j.stranding
    )

cdef inline void begin_stranding(shop_t* shop, index_t job, int bit) noexcept nogil:
    cdef job_t* j = &shop.jobs[job]
    if not j.stranding & (BY_BREAKDOWN | BY_PATIENCE):
        shop.stranded += 1
        shop.cells[j.assigned].stranded += 1
    j.stranding |= bit

cdef inline void end_stranding(shop_t* shop, index_t job, int bits) noexcept nogil:
    cdef job_t* j = &shop.jobs[job]
    if not j.stranding & bits:
        return
    j.stranding &= ~bits
    if not j.stranding & (BY_BREAKDOWN | BY_PATIENCE):
        shop.stranded -= 1
        shop.cells[j.assigned].stranded -= 1
