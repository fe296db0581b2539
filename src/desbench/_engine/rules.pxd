"""Compiled rules: a whole episode without a controller, centralized."""

from desbench._engine.queue cimport heap_t
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t

cdef enum dispatch_t:
    FIFO  # order of admission
    SPT  # shortest nominal duration in the cell
    EDD  # earliest due date, none last

cdef struct rules_t:
    dispatch_t dispatch
    heap_t* inbound  # by cell: (priority, number of the admission, job), without FIFO
    index_t* admitted  # by cell: items put into the heap so far

cdef int run(shop_t* shop, dispatch_t dispatch) except -1 nogil
