from libc.stdlib cimport qsort

from desbench._engine.memory cimport grow
from desbench._engine.types cimport index_t


cdef offer_t* add_offer(
    offers_t* offers, index_t place, index_t subject, index_t machine
) except NULL nogil:
    cdef offer_t* offer
    if offers.count == offers.capacity:
        offers.rows = <offer_t*>grow(offers.rows, &offers.capacity, sizeof(offer_t))
    offer = &offers.rows[offers.count]
    offers.count += 1
    offer.place = place
    offer.subject = subject
    offer.machine = machine
    offer.position = 0
    offer.cost = offer.key = offer.tie = 0
    offer.first = offer.second = 0
    return offer


cdef void keep_best(offers_t* offers, index_t slots) noexcept nogil:
    """Drop all but so many by rank; the rest stays in no order, for places are known."""
    if offers.count > slots:
        qsort(offers.rows, offers.count, sizeof(offer_t), &by_rank)
        offers.count = slots


cdef int by_rank(const void* left, const void* right) noexcept nogil:
    cdef const offer_t* a = <const offer_t*>left
    cdef const offer_t* b = <const offer_t*>right
    if a.cost != b.cost:
        return -1 if a.cost < b.cost else 1
    if a.first != b.first:
        return -1 if a.first < b.first else 1
    if a.second != b.second:
        return -1 if a.second < b.second else 1
    return -1 if a.place < b.place else 1


cdef const offer_t* best_offer(const offers_t* offers) noexcept nogil:
    cdef const offer_t* best = &offers.rows[0]
    cdef index_t i
    for i in range(1, offers.count):
        if is_better(&offers.rows[i], best):
            best = &offers.rows[i]
    return best


cdef inline bint is_better(const offer_t* a, const offer_t* b) noexcept nogil:
    if a.key != b.key:
        return a.key < b.key
    if a.tie != b.tie:
        return a.tie < b.tie
    return a.place < b.place
