"""Time: the instant, the event switch, and what makes advance() return."""

from desbench._engine.settle cimport is_unsettled
from desbench._engine.state cimport has_events, shop_t

cdef enum outcome_t:
    DECIDE
    STALLED
    ENDED

cdef int advance(shop_t* shop) except -1 nogil  # an outcome_t
cdef int begin(shop_t* shop) except -1 nogil

cdef inline bint is_due(const shop_t* shop) noexcept nogil:
    """Something may happen or move at this instant before anybody is asked again."""
    return is_unsettled(shop) or has_events(shop)
