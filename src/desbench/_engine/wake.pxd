"""Conversations that sleep: the shop wakes them at a time, and a stop names them."""

from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, tick_t

cdef bint may_wake(const shop_t* shop, index_t conversation, tick_t time) noexcept nogil
cdef int schedule_wake(shop_t* shop, index_t conversation, tick_t time) except -1 nogil
cdef int wake_up(shop_t* shop, index_t conversation) except -1 nogil
