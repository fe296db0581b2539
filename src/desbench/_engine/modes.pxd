"""Modes of a cell: normal, eco, pause."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, mode_t

cdef bint may_set_mode(const shop_t* shop, index_t cell, mode_t mode) noexcept nogil
cdef int set_mode(shop_t* shop, index_t cell, mode_t mode, index_t epoch) except -1 nogil
cdef int lift_pauses(shop_t* shop) except -1 nogil
