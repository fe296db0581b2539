from libc.stdlib cimport free
from libc.string cimport memset

from desbench._engine.memory cimport grow
from desbench._engine.types cimport index_t, rank_t, tick_t, uint64_t

cdef enum:
    SPARE = 4  # slots behind the last event


cdef inline event_t never() noexcept nogil:
    cdef event_t event
    event.time = event.order = <uint64_t>-1
    return event


cdef inline void sink(heap_t* heap, Py_ssize_t slot, event_t event) noexcept nogil:
    """Put the event at the slot or below, where a slot is free for it."""
    cdef event_t* events = heap.events
    cdef Py_ssize_t child
    while 4 * slot + 1 < heap.count:
        child = least_child(events, slot)
        if not before(events[child], event):
            break
        events[slot] = events[child]
        slot = child
    events[slot] = event


cdef int make_room(heap_t* heap) except -1 nogil:
    cdef index_t slot
    heap.events = <event_t*>grow(heap.events, &heap.capacity, sizeof(event_t))
    for slot in range(heap.count, heap.capacity):
        heap.events[slot] = never()
    return 0


cdef int heap_push(heap_t* heap, tick_t time, rank_t rank, index_t entity) except -1 nogil:
    cdef event_t event
    cdef Py_ssize_t slot, parent
    event.time = <uint64_t>time
    event.order = (<uint64_t>rank << 32) | <uint64_t>entity
    if heap.first > 0:
        if before(event, heap.events[heap.first]):
            heap.events[0] = event
        else:
            heap.events[0] = heap.events[heap.first]
            sink(heap, heap.first, event)
        heap.first = 0
        heap.next = <tick_t>heap.events[0].time
        return 0
    if heap.count + SPARE >= heap.capacity:
        make_room(heap)
    slot = heap.count
    heap.count += 1
    while slot > 0:
        parent = (slot - 1) >> 2
        if not before(event, heap.events[parent]):
            break
        heap.events[slot] = heap.events[parent]
        slot = parent
    heap.events[slot] = event
    heap.next = <tick_t>heap.events[0].time
    return 0


cdef void fill_first(heap_t* heap) noexcept nogil:
    """The last event fills the slot of the first one."""
    cdef event_t last
    heap.count -= 1
    last = heap.events[heap.count]
    heap.events[heap.count] = never()
    if heap.first < heap.count:
        sink(heap, heap.first, last)


cdef bint heap_holds(const heap_t* heap, rank_t rank, index_t entity) noexcept nogil:
    """Whether an event of that rank and entity is in the queue; looks at every event."""
    cdef index_t slot
    for slot in range(heap.first > 0, heap.count):
        if rank_of(heap.events[slot]) == rank and entity_of(heap.events[slot]) == entity:
            return True
    return False


cdef void heap_free(heap_t* heap) noexcept nogil:
    free(heap.events)
    heap.events = NULL


def hold(const tick_t[::1] increments, index_t pending):
    """Play the hold model (take the first event, put it back later); the time at its end.

    For benchmarks: the queue cannot be reached from Python otherwise.
    """
    cdef heap_t heap
    cdef event_t event
    cdef Py_ssize_t i
    memset(&heap, 0, sizeof(heap_t))
    for i in range(pending):
        heap_push(&heap, increments[i], <rank_t>0, <index_t>i)
    with nogil:
        for i in range(increments.shape[0]):
            event = heap.events[heap.first]
            heap_pop(&heap)
            heap_push(&heap, <tick_t>event.time + increments[i], rank_of(event), entity_of(event))
    heap_free(&heap)
    return event.time if increments.shape[0] else 0
