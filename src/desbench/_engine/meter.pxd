"""Power, energy, WIP, limits: what is integrated over time."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t

cdef int show_machine(shop_t* shop, index_t machine) except -1 nogil
cdef int show_vehicle(shop_t* shop, index_t vehicle, int state, index_t job) except -1 nogil
cdef index_t raise_alarms(shop_t* shop) except -1 nogil
cdef int leave_instant(shop_t* shop) except -1 nogil
cdef int close_meters(shop_t* shop) except -1 nogil
