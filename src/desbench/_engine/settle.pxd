"""Settle: items move until nothing moves any more."""

from desbench._engine.state cimport shop_t

cdef int settle(shop_t* shop) except -1 nogil
