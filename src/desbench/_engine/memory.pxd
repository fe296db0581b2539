"""Growing blocks of memory."""

from desbench._engine.types cimport index_t

cdef struct vector_t:
    index_t* values
    index_t count
    index_t capacity

cdef extern from *:
    """
    /* Fetch what is read an event later; a hint, and nothing where the compiler has none. */
    #if defined(__GNUC__) || defined(__clang__)
    #define desbench_prefetch(address) __builtin_prefetch(address)
    #else
    #define desbench_prefetch(address) ((void)0)
    #endif
    """
    void prefetch "desbench_prefetch" (const void* address) nogil

cdef void* grow(void* block, index_t* capacity, size_t size) except NULL nogil

cdef inline int vector_push(vector_t* vector, index_t value) except -1 nogil:
    if vector.count == vector.capacity:
        vector.values = <index_t*>grow(vector.values, &vector.capacity, sizeof(index_t))
    vector.values[vector.count] = value
    vector.count += 1
    return 0
