"""Walks over the machines that are eligible for an operation: few, and ascending."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport NOBODY, index_t, tick_t

cdef bint all_down(const shop_t* shop, index_t operation, index_t cell) noexcept nogil
cdef void count_waiting_for(
    shop_t* shop, index_t operation, index_t cell, int change
) noexcept nogil

# Inline: one or two steps nearly always.

cdef inline bint is_wanted(const shop_t* shop, index_t machine, index_t cell) noexcept nogil:
    """An inbound item waits for this machine of the cell, or for any."""
    if shop.case.is_mixed[cell]:
        return shop.machines[machine].waiting > 0
    return shop.cells[cell].waiting > 0

cdef inline index_t alternative_of(
    const shop_t* shop, index_t operation, index_t machine
) noexcept nogil:
    """The row of eligible_machine, or nobody; nobody can predict where a search would end."""
    cdef index_t first = shop.case.eligible_offset[operation]
    cdef index_t end = shop.case.eligible_offset[operation + 1], i, row = first
    for i in range(first, end):
        row += shop.case.eligible_machine[i] < machine
    return row if row < end and shop.case.eligible_machine[row] == machine else NOBODY

cdef inline tick_t shortest(const shop_t* shop, index_t operation, index_t cell) noexcept nogil:
    """Shortest nominal duration of the operation in the cell; -1 if it has no eligible machine."""
    cdef index_t i
    for i in range(shop.case.choice_offset[operation], shop.case.choice_offset[operation + 1]):
        if shop.case.choice[i].cell == cell:
            return shop.case.choice[i].shortest
    return -1

cdef inline void count_waiting(shop_t* shop, index_t job, int change) noexcept nogil:
    """The item waits inbound for the machines of its cell, or no longer does."""
    cdef index_t cell = shop.jobs[job].where
    shop.cells[cell].waiting += change
    if shop.case.is_mixed[cell]:
        count_waiting_for(shop, shop.jobs[job].operation, cell, change)
