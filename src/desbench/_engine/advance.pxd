"""Time: the instant, the event switch, and what makes advance() return."""

from desbench._engine.state cimport shop_t

cdef enum outcome_t:
    DECIDE
    STALLED
    ENDED

cdef int advance(shop_t* shop) except -1 nogil  # an outcome_t
cdef int begin(shop_t* shop) except -1 nogil
