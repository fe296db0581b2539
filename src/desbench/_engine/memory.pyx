from libc.stdlib cimport realloc

from desbench._engine.fail cimport OUT_OF_MEMORY, fail
from desbench._engine.types cimport index_t


cdef void* grow(void* block, index_t* capacity, size_t size) except NULL nogil:
    """`block` with at least twice the room; `capacity` counts items of `size` bytes."""
    cdef index_t wanted = 16 if capacity[0] == 0 else 2 * capacity[0]
    cdef void* larger = realloc(block, wanted * size)
    if larger == NULL:
        fail(OUT_OF_MEMORY, wanted * size)
        return NULL
    capacity[0] = wanted
    return larger
