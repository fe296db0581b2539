"""Walks over the machines that are eligible for an operation: few, and ascending."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, tick_t

cdef inline bint is_wanted(const shop_t* shop, index_t machine, index_t cell) noexcept nogil:
    """An inbound item waits for this machine of the cell, or for any."""
    if shop.case.is_mixed[cell]:
        return shop.machines[machine].waiting > 0
    return shop.cells[cell].waiting > 0

cdef index_t alternative_of(const shop_t* shop, index_t operation, index_t machine) noexcept nogil
cdef bint all_down(const shop_t* shop, index_t operation, index_t cell) noexcept nogil
cdef tick_t shortest(const shop_t* shop, index_t operation, index_t cell) noexcept nogil
cdef void count_waiting(shop_t* shop, index_t job, int change) noexcept nogil
