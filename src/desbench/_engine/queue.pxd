"""The event queue: a 4-ary heap over one integer key, (time, rank, entity)."""

from desbench._engine.types cimport index_t, rank_t, tick_t, uint32_t, uint64_t

cdef struct event_t:
    uint64_t time
    uint64_t order  # rank in the upper, entity in the lower 32 bits

cdef struct heap_t:
    event_t* events
    index_t count
    index_t capacity

cdef inline bint before(event_t a, event_t b) noexcept nogil:
    return (a.time < b.time) | ((a.time == b.time) & (a.order < b.order))

cdef inline rank_t rank_of(event_t event) noexcept nogil:
    return <rank_t>(event.order >> 32)

cdef inline index_t entity_of(event_t event) noexcept nogil:
    return <index_t><uint32_t>event.order

cdef int heap_push(heap_t* heap, tick_t time, rank_t rank, index_t entity) except -1 nogil
cdef void heap_pop(heap_t* heap) noexcept nogil
cdef void heap_free(heap_t* heap) noexcept nogil
