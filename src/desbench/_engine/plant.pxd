"""The plant that decides: `centralized_plant` with rules, to its end without Python.

The steps are those of `protocol/instants.py`, the rules those of `controllers/backends/rules.py`, number
for number: events are the same, epochs included. Nobody is told anything and no action is recorded.
"""

from desbench._engine.memory cimport vector_t
from desbench._engine.offers cimport offers_t
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t, int8_t, tick_t

cdef enum release_t:
    LEAST_SLACK
    FIRST_RELEASED

cdef enum routing_t:
    EARLIEST_FINISH
    LEAST_WORK
    NEAREST
    SHORTEST_PROCESSING

cdef enum reroute_t:
    BETTER_ELSEWHERE
    KEEP_PLACE

cdef enum dispatch_t:
    URGENT_THEN_SHORTEST
    FIFO
    LIFO
    SPT
    LPT
    MWKR
    LWKR
    MOPNR
    EDD
    SLACK
    CR
    LEAST_SETUP

cdef enum switch_t:  # rules of mode
    ECO_FOR_THE_BUSIEST
    KEEP_MODE

cdef enum share_t:  # rules of budget
    BY_LOAD
    UNIFORM
    KEEP_CAPS

cdef struct policy_t:
    release_t release
    routing_t routing
    reroute_t reroute
    dispatch_t dispatch
    switch_t mode
    share_t budget
    double unit  # ticks in a unit of time: rules compare times in units, as views show them
    index_t slots  # options of a view

cdef struct desk_t:  # what the plant remembers
    policy_t policy
    offers_t offers
    vector_t alarms  # areas above their cap in this instant, answered up to next_alarm
    index_t next_alarm
    tick_t now  # of the last stop
    int8_t review  # fell due in this instant, not answered yet
    int8_t* kept  # by job: its stranding was answered by keep
    tick_t* rest  # by operation: shortest nominal work from it to the last of its job
    tick_t* caps  # three rows of areas: as they are, by load, uniform

cdef int run_plant(shop_t* shop, policy_t policy) except -1 nogil
