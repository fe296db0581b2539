"""When an episode is over, and what could still be done."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, status_t

cdef bint may_dispatch(const shop_t* shop, index_t job, index_t machine) noexcept nogil
cdef bint any_stranded(const shop_t* shop, bint with_room) noexcept nogil
cdef bint has_room_elsewhere(const shop_t* shop, index_t job, index_t cell) noexcept nogil
cdef bint awaits_repair(const shop_t* shop) noexcept nogil
cdef status_t test_end(shop_t* shop) noexcept nogil

# Inline: asked after every event, and answered by counters nearly always; none is negative.

cdef inline bint is_decidable(const shop_t* shop) noexcept nogil:
    """The conditions under which advance() stops after a settle."""
    return (
        (shop.ready.count | shop.paired.count | shop.woken.count | shop.review) > 0
        or (shop.vehicle_stops and shop.newly_idle.count > 0)
        or (shop.stranded > 0 and any_stranded(shop, False))
    )

cdef inline bint is_pending(const shop_t* shop) noexcept nogil:
    """Some event to come can move an item."""
    return shop.pending > 0 or shop.next_arrival < shop.case.jobs or awaits_repair(shop)
