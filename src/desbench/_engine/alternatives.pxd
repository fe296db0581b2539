"""Walks over the machines that are eligible for an operation: few, and ascending."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, tick_t

cdef index_t alternative_of(const shop_t* shop, index_t operation, index_t machine) noexcept nogil
cdef bint all_down(const shop_t* shop, index_t operation, index_t cell) noexcept nogil
cdef tick_t shortest(const shop_t* shop, index_t operation, index_t cell) noexcept nogil
cdef void count_waiting(shop_t* shop, index_t job, int change) noexcept nogil
cdef index_t stop_waiting(shop_t* shop, index_t job, index_t machine) noexcept nogil
