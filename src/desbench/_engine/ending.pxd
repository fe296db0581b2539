"""When an episode is over, and what could still be done."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, status_t

cdef bint may_dispatch(const shop_t* shop, index_t job, index_t machine) noexcept nogil
cdef bint has_pair(const shop_t* shop, index_t cell) noexcept nogil
cdef bint is_decidable(const shop_t* shop) noexcept nogil
cdef bint is_pending(const shop_t* shop) noexcept nogil
cdef status_t test_end(shop_t* shop) noexcept nogil
