"""Budgets: the power caps of areas, and the reviews at which they may be shared out anew."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport NOBODY, index_t, tick_t

cdef int schedule_review(shop_t* shop) except -1 nogil
cdef int review(shop_t* shop, index_t number) except -1 nogil
cdef bint may_set_cap(const shop_t* shop, index_t area, tick_t cap) noexcept nogil
cdef int set_cap(shop_t* shop, index_t area, tick_t cap) except -1 nogil

cdef inline tick_t power_cap(const shop_t* shop, index_t area) noexcept nogil:
    """The present power cap of an area, or -1."""
    cdef index_t limit = shop.areas[area].limit
    return shop.limits[limit].cap if limit != NOBODY else NOBODY
