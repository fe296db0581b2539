"""Sets of cells, walked in ascending order: what an instant has touched."""

from desbench._engine.types cimport NOBODY, index_t, uint64_t

cdef struct cell_set_t:
    uint64_t* words
    index_t size  # of words
    index_t count  # of members

cdef extern from *:
    """
    #if defined(_MSC_VER) && !defined(__clang__)
    #include <intrin.h>
    static __inline int desbench_lowest_bit(unsigned long long word) {
        unsigned long bit;
        _BitScanForward64(&bit, word);
        return (int)bit;
    }
    #else
    #define desbench_lowest_bit(word) __builtin_ctzll(word)
    #endif
    """
    int lowest_bit "desbench_lowest_bit" (uint64_t word) nogil

cdef inline void add_cell(cell_set_t* cells, index_t cell) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << (cell & 63)
    cells.count += not cells.words[cell >> 6] & bit
    cells.words[cell >> 6] |= bit

cdef inline void drop_cell(cell_set_t* cells, index_t cell) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << (cell & 63)
    cells.count -= (cells.words[cell >> 6] & bit) != 0
    cells.words[cell >> 6] &= ~bit

cdef inline void put_cell(cell_set_t* cells, index_t cell, bint present) noexcept nogil:
    """Add or drop, without a branch."""
    cdef uint64_t* word = &cells.words[cell >> 6]
    cdef uint64_t was = word[0] >> (cell & 63) & 1
    word[0] ^= (was ^ <uint64_t>present) << (cell & 63)
    cells.count += <index_t>present - <index_t>was

cdef inline index_t next_cell(const cell_set_t* cells, index_t first) noexcept nogil:
    """The lowest member from `first` on, or nobody."""
    cdef index_t i = first >> 6
    cdef uint64_t word
    if i == cells.size:
        return NOBODY
    word = cells.words[i] >> (first & 63) << (first & 63)
    while word == 0:
        i += 1
        if i == cells.size:
            return NOBODY
        word = cells.words[i]
    return 64 * i + lowest_bit(word)
