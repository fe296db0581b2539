"""The event queue: a 4-ary heap over one integer key, (time, rank, entity).

Taking the first event leaves the root open, and the next push closes it: most events schedule
another one, so a pop and a push cost one walk down the heap instead of two (hold model, 50 to 5000
pending: 0.55 to 0.62 of the time of std::priority_queue). `first` is the slot of the first event:
0, or a child of the open root. Four slots behind the last event hold NEVER, so that a group of
children is always complete.
"""

from desbench._engine.types cimport index_t, rank_t, tick_t, uint32_t, uint64_t

cdef struct event_t:
    uint64_t time
    uint64_t order  # rank in the upper, entity in the lower 32 bits

cdef struct heap_t:
    event_t* events
    index_t count  # slots in use, an open root included
    index_t capacity
    index_t first
    tick_t next  # time of the first event; -1 if there is none

cdef extern from *:
    """
    /* One comparison of 128 bits (cmp, sbb) where the compiler has them; never a branch. */
    #ifdef __SIZEOF_INT128__
    #define DESBENCH_KEY(event) (((unsigned __int128)(event).time << 64) | (event).order)
    #define DESBENCH_BEFORE(a, b) (DESBENCH_KEY(a) < DESBENCH_KEY(b))
    #else
    #define DESBENCH_BEFORE(a, b) \\
        (((a).time < (b).time) | (((a).time == (b).time) & ((a).order < (b).order)))
    #endif
    """
    bint before "DESBENCH_BEFORE" (event_t a, event_t b) nogil

cdef inline rank_t rank_of(event_t event) noexcept nogil:
    return <rank_t>(event.order >> 32)

cdef inline index_t entity_of(event_t event) noexcept nogil:
    return <index_t><uint32_t>event.order

# Slots are of the size of an address here: no conversion at each step down.

cdef inline Py_ssize_t least_child(const event_t* events, Py_ssize_t slot) noexcept nogil:
    """The slot of the first of four children, chosen without branches."""
    cdef Py_ssize_t child = 4 * slot + 1
    cdef Py_ssize_t left = child + before(events[child + 1], events[child])
    cdef Py_ssize_t right = child + 2 + before(events[child + 3], events[child + 2])
    return right if before(events[right], events[left]) else left

cdef inline void heap_pop(heap_t* heap) noexcept nogil:
    """Take the first event of a heap that is not empty: open the root, or take from below it."""
    if heap.first > 0:
        fill_first(heap)
    heap.first = <index_t>least_child(heap.events, 0)
    heap.next = <tick_t>heap.events[heap.first].time

cdef inline index_t heap_size(const heap_t* heap) noexcept nogil:
    return heap.count - (heap.first > 0)

cdef int heap_push(heap_t* heap, tick_t time, rank_t rank, index_t entity) except -1 nogil
cdef void fill_first(heap_t* heap) noexcept nogil
cdef bint heap_holds(const heap_t* heap, rank_t rank, index_t entity) noexcept nogil
cdef void heap_free(heap_t* heap) noexcept nogil
