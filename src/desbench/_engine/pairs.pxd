"""Cells in which a machine could be given an item: condition (ii) of a stop, model.md, section 1."""

from desbench._engine.indexset cimport put
from desbench._engine.state cimport cell_t, shop_t
from desbench._engine.types cimport PAUSE, index_t

cdef bint has_mixed_pair(const shop_t* shop, index_t cell) noexcept nogil

cdef inline bint has_pair(const shop_t* shop, index_t cell) noexcept nogil:
    """A cell that is not paused has an idle, up machine and an inbound item eligible on it."""
    cdef const cell_t* c = &shop.cells[cell]
    cdef bint meets = (c.waiting > 0) & (c.idle > 0) & (c.mode != PAUSE)
    return has_mixed_pair(shop, cell) if shop.case.is_mixed[cell] and meets else meets

cdef inline void match(shop_t* shop, index_t cell) noexcept nogil:
    """Bring `paired` up to date after a change of the cell's machines, inbound items or mode."""
    put(&shop.paired, cell, has_pair(shop, cell))
