"""Offers: what an agent may choose from, cut to the slots of a view, and the best of them."""

from desbench._engine.types cimport index_t, tick_t

cdef struct offer_t:
    index_t place  # natural order, in which offers stand in a view; equal ones go to the lower
    index_t subject  # job, or cell
    index_t machine  # machine, or mode
    index_t position  # of a pair: in the inbound buffer
    double cost  # rank, by which offers are kept where there are more than slots: cost, ..
    tick_t first  # .. then this, ..
    tick_t second  # .. then this, then the place
    double key  # of the rule: the least is chosen, ..
    double tie  # .. then this, then the place

cdef struct offers_t:
    offer_t* rows
    index_t count
    index_t capacity

cdef offer_t* add_offer(
    offers_t* offers, index_t place, index_t subject, index_t machine
) except NULL nogil
cdef void keep_best(offers_t* offers, index_t slots) noexcept nogil
cdef const offer_t* best_offer(const offers_t* offers) noexcept nogil  # there is one
