"""Machines: dispatch, setup, processing, finish, blocking."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, tick_t

cdef index_t alternative_of(const shop_t* shop, index_t operation, index_t machine) noexcept nogil
cdef bint is_free(const shop_t* shop, index_t machine) noexcept nogil
cdef bint is_idle(const shop_t* shop, index_t machine) noexcept nogil
cdef bint all_down(const shop_t* shop, index_t operation, index_t cell) noexcept nogil
cdef tick_t shortest(const shop_t* shop, index_t operation, index_t cell) noexcept nogil
cdef int dispatch(shop_t* shop, index_t job, index_t machine) except -1 nogil
cdef int complete_setup(shop_t* shop, index_t machine) except -1 nogil
cdef int finish(shop_t* shop, index_t machine) except -1 nogil
cdef int release_machine(shop_t* shop, index_t machine) except -1 nogil
cdef int block(shop_t* shop, index_t machine) except -1 nogil
cdef int run_phase(shop_t* shop, index_t machine, tick_t left, tick_t nominal) except -1 nogil
cdef tick_t nominal_rest(const shop_t* shop, index_t machine) noexcept nogil
