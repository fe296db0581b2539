"""The arrays of an Instance as the engine reads them."""

from desbench._engine.state cimport case_t
from desbench._engine.types cimport index_t, tick_t

cdef class Case:
    cdef case_t case  # pointers into `arrays`
    cdef list arrays  # keeps them alive

    cdef object mixed_cells(self, const case_t* case)
    cdef int find_choices(self, case_t* case) except -1
    cdef const tick_t* ticks(self, values) except? NULL
    cdef const index_t* indexes(self, values) except? NULL
