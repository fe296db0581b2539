"""Settle: items move until nothing moves any more."""

from desbench._engine.modes cimport lift_pauses
from desbench._engine.state cimport shop_t

cdef int move_items(shop_t* shop) except -1 nogil

cdef inline bint is_unsettled(const shop_t* shop) noexcept nogil:
    """A settle may move an item or lift a pause."""
    return (shop.touched.count | shop.open_requests | shop.paused) > 0

cdef inline int settle(shop_t* shop) except -1 nogil:
    if shop.touched.count | shop.open_requests:
        move_items(shop)
    return lift_pauses(shop) if shop.paused > 0 else 0
