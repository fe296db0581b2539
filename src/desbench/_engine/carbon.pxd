"""Carbon: power times the intensity of the grid, integrated over time."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport tick_t

cdef int emit(shop_t* shop, tick_t until) except -1 nogil
