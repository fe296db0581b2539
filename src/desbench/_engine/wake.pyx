from desbench._engine.memory cimport vector_push
from desbench._engine.queue cimport heap_holds, heap_push
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport WAKE, index_t, tick_t

cdef tick_t NEVER = <tick_t>1 << 62  # no time of an episode reaches this


cdef bint may_wake(const shop_t* shop, index_t conversation, tick_t time) noexcept nogil:
    """One wake at most for a conversation, and not now: who need not wait does not sleep."""
    return (
        conversation > 0
        and shop.now < time < NEVER
        and not heap_holds(&shop.queue, WAKE, conversation)
    )


cdef int schedule_wake(shop_t* shop, index_t conversation, tick_t time) except -1 nogil:
    shop.pending += 1
    return heap_push(&shop.queue, time, WAKE, conversation)


cdef int wake_up(shop_t* shop, index_t conversation) except -1 nogil:
    shop.pending -= 1
    return vector_push(&shop.woken, conversation)
