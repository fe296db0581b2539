"""What the plant does about power: modes after an alarm, caps at a review."""

from desbench._engine.plant cimport desk_t
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t

cdef bint change_mode(shop_t* shop, desk_t* desk, index_t area) except -1 nogil
cdef bint share_caps(shop_t* shop, desk_t* desk) except -1 nogil
