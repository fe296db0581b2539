"""Sets of cells or machines, walked in ascending order."""

from desbench._engine.types cimport NOBODY, index_t, uint64_t

cdef struct index_set_t:
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

cdef inline void add(index_set_t* members, index_t index) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << (index & 63)
    members.count += not members.words[index >> 6] & bit
    members.words[index >> 6] |= bit

cdef inline void drop(index_set_t* members, index_t index) noexcept nogil:
    cdef uint64_t bit = <uint64_t>1 << (index & 63)
    members.count -= (members.words[index >> 6] & bit) != 0
    members.words[index >> 6] &= ~bit

cdef inline void put(index_set_t* members, index_t index, bint present) noexcept nogil:
    """Add or drop, without a branch."""
    cdef uint64_t* word = &members.words[index >> 6]
    cdef uint64_t was = word[0] >> (index & 63) & 1
    word[0] ^= (was ^ <uint64_t>present) << (index & 63)
    members.count += <index_t>present - <index_t>was

cdef inline void flip(index_set_t* members, index_t index) noexcept nogil:
    """Add or drop where nobody asks for the count."""
    members.words[index >> 6] ^= <uint64_t>1 << (index & 63)

cdef inline index_t next_member(const index_set_t* members, index_t first) noexcept nogil:
    """The lowest member from `first` on, or nobody."""
    cdef index_t i = first >> 6
    cdef uint64_t word
    if i == members.size:
        return NOBODY
    word = members.words[i] >> (first & 63) << (first & 63)
    while word == 0:
        i += 1
        if i == members.size:
            return NOBODY
        word = members.words[i]
    return 64 * i + lowest_bit(word)
