from libc.stdlib cimport realloc

from desbench._engine.fail cimport OUT_OF_MEMORY, fail
from desbench._engine.types cimport index_t


cdef void* grow(void* block, index_t* capacity, size_t size) except NULL nogil:
    """`block` with at least twice the room; `capacity` counts items of `size` bytes."""
    cdef index_t wanted = 64 if capacity[0] == 0 else 2 * capacity[0]
    cdef void* larger = realloc(block, wanted * size)
    if larger == NULL:
        fail(OUT_OF_MEMORY, wanted * size)
        return NULL
    capacity[0] = wanted
    return larger


cdef int vector_push(vector_t* vector, index_t value) except -1 nogil:
    if vector.count == vector.capacity:
        vector.values = <index_t*>grow(vector.values, &vector.capacity, sizeof(index_t))
    vector.values[vector.count] = value
    vector.count += 1
    return 0
