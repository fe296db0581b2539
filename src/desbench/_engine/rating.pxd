"""What an offer is worth by a rule, and its rank where there are more offers than slots.

In double precision and in the order of `controllers/backends/rules.py`, so that ties are the same.
"""

from desbench._engine.offers cimport offer_t
from desbench._engine.plant cimport desk_t
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t

cdef void rank_item(const shop_t* shop, const desk_t* desk, offer_t* offer) noexcept nogil
cdef void rate_item(const shop_t* shop, const desk_t* desk, offer_t* offer) noexcept nogil
cdef void rank_pair(const shop_t* shop, offer_t* offer) noexcept nogil
cdef void rate_pair(const shop_t* shop, const desk_t* desk, offer_t* offer) noexcept nogil
cdef void rank_place(const shop_t* shop, index_t job, offer_t* offer) noexcept nogil
cdef void rate_place(
    const shop_t* shop, const desk_t* desk, index_t job, offer_t* offer
) noexcept nogil
cdef double finish_estimate(
    const shop_t* shop, const desk_t* desk, index_t job, index_t cell
) noexcept nogil
cdef index_t busy(const shop_t* shop, index_t cell) noexcept nogil
