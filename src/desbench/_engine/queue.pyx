from libc.stdlib cimport free

from desbench._engine.memory cimport grow
from desbench._engine.types cimport index_t, rank_t, tick_t, uint64_t


cdef int heap_push(heap_t* heap, tick_t time, rank_t rank, index_t entity) except -1 nogil:
    cdef event_t event
    cdef index_t child, parent
    if heap.count == heap.capacity:
        heap.events = <event_t*>grow(heap.events, &heap.capacity, sizeof(event_t))
    event.time = <uint64_t>time
    event.order = (<uint64_t>rank << 32) | <uint64_t>entity
    child = heap.count
    heap.count += 1
    while child > 0:
        parent = (child - 1) >> 2
        if not before(event, heap.events[parent]):
            break
        heap.events[child] = heap.events[parent]
        child = parent
    heap.events[child] = event
    return 0


cdef void heap_pop(heap_t* heap) noexcept nogil:
    """Remove the first event; the heap must not be empty."""
    cdef event_t last
    cdef index_t parent = 0, first, child, other, end
    heap.count -= 1
    last = heap.events[heap.count]
    while True:
        first = 4 * parent + 1
        if first >= heap.count:
            break
        end = min(first + 4, heap.count)
        child = first
        for other in range(first + 1, end):
            child = other if before(heap.events[other], heap.events[child]) else child
        if not before(heap.events[child], last):
            break
        heap.events[parent] = heap.events[child]
        parent = child
    heap.events[parent] = last


cdef void heap_free(heap_t* heap) noexcept nogil:
    free(heap.events)
    heap.events = NULL
