"""Assignment, withdrawal, and the vehicles that follow from them."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, tick_t

cdef bint may_assign(const shop_t* shop, index_t job, index_t cell) noexcept nogil
cdef bint may_unassign(const shop_t* shop, index_t job) noexcept nogil
cdef bint is_ready(const shop_t* shop, index_t job) noexcept nogil
cdef int assign(shop_t* shop, index_t job, index_t cell, index_t vehicle) except -1 nogil
cdef void ask_vehicle(shop_t* shop, index_t job, index_t vehicle) noexcept nogil
cdef int unassign(shop_t* shop, index_t job) except -1 nogil
cdef bint may_send(const shop_t* shop, index_t vehicle, index_t location) noexcept nogil
cdef int send(shop_t* shop, index_t vehicle, index_t location) except -1 nogil
cdef int serve_requests(shop_t* shop) except -1 nogil
cdef int pick_up(shop_t* shop, index_t carrier) except -1 nogil
cdef int unload(shop_t* shop, index_t carrier) except -1 nogil
cdef tick_t travel_left(const shop_t* shop, index_t job, index_t cell) noexcept nogil
