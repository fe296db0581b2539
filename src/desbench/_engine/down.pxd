"""Down time: stops by calendar, what they do to running work, and whom they strand."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t

cdef int schedule_stop(shop_t* shop, index_t machine) except -1 nogil
cdef int fall_due(shop_t* shop, index_t machine) except -1 nogil
cdef int begin_due_stop(shop_t* shop, index_t machine) except -1 nogil
cdef int repair(shop_t* shop, index_t machine) except -1 nogil
