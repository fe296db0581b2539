"""Places: gates, inbound and outbound buffers, and the commitment of a cell."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, tick_t

cdef index_t cell_of_place(const shop_t* shop, index_t job) noexcept nogil
cdef index_t location_of(const shop_t* shop, index_t job) noexcept nogil
cdef bint is_counted(const shop_t* shop, index_t job, index_t cell) noexcept nogil
cdef index_t room_of(const shop_t* shop, index_t cell, index_t job) noexcept nogil
cdef void free_commitment(shop_t* shop, index_t cell) noexcept nogil
cdef int make_ready(shop_t* shop, index_t job) except -1 nogil
cdef int reach_gate(shop_t* shop, index_t job, index_t cell) except -1 nogil
cdef int admit(shop_t* shop, index_t job) except -1 nogil
cdef void store_outbound(shop_t* shop, index_t job, index_t cell) noexcept nogil
cdef int leave_place(shop_t* shop, index_t job) except -1 nogil
cdef void stop_patience(shop_t* shop, index_t job) noexcept nogil
cdef int schedule_patience(shop_t* shop, index_t job, tick_t due) except -1 nogil
cdef int run_out_of_patience(shop_t* shop, index_t job) except -1 nogil
cdef int strand(shop_t* shop, index_t job, int bit) except -1 nogil
cdef void end_stranding(shop_t* shop, index_t job, int bits) noexcept nogil
