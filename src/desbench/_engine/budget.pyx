from desbench._engine.journal cimport log_cap, log_review
from desbench._engine.queue cimport heap_push
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport BUDGET_REVIEW, NOBODY, index_t, tick_t

cdef tick_t MOST = <tick_t>1 << 62  # as for the caps of a case


cdef int schedule_review(shop_t* shop) except -1 nogil:
    """The next one; it moves no item, so nothing is pending because of it."""
    if shop.case.review_period == NOBODY:
        return 0
    return heap_push(&shop.queue, shop.now + shop.case.review_period, BUDGET_REVIEW, 0)


cdef int review(shop_t* shop, index_t number) except -1 nogil:
    log_review(shop)
    shop.review = 1
    return schedule_review(shop)


cdef bint may_set_cap(const shop_t* shop, index_t area, tick_t cap) noexcept nogil:
    """A cap can be moved, but neither made nor lifted."""
    cdef tick_t present = power_cap(shop, area)
    return present != NOBODY and present != cap and 0 <= cap < MOST


cdef int set_cap(shop_t* shop, index_t area, tick_t cap) except -1 nogil:
    log_cap(shop, area, cap)
    shop.limits[shop.areas[area].limit].cap = cap
    return 0
