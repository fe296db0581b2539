"""Growing blocks of memory."""

from desbench._engine.types cimport index_t

cdef struct vector_t:
    index_t* values
    index_t count
    index_t capacity

cdef void* grow(void* block, index_t* capacity, size_t size) except NULL nogil

cdef inline int vector_push(vector_t* vector, index_t value) except -1 nogil:
    if vector.count == vector.capacity:
        vector.values = <index_t*>grow(vector.values, &vector.capacity, sizeof(index_t))
    vector.values[vector.count] = value
    vector.count += 1
    return 0
