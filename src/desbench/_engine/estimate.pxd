"""The finish estimate that views, bids and rules share."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, tick_t

cdef struct estimate_t:
    tick_t expected  # ticks from now
    tick_t optimistic
    index_t machine  # or -1: no eligible machine in the cell

cdef estimate_t estimate(const shop_t* shop, index_t job, index_t cell) noexcept nogil
