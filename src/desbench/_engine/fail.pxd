"""The one function that takes the GIL: errors of the core."""

from desbench._engine.types cimport int64_t

cdef enum failure_t:
    OUT_OF_MEMORY
    ENDLESS_INSTANT

cdef int fail(failure_t what, int64_t value) except -1 nogil
