"""Trace rows in growing C buffers, drained as NumPy columns."""

from desbench._engine.types cimport cause_t, index_t, kind_t, tick_t

cdef struct event_row_t:
    tick_t time
    tick_t amount
    index_t kind
    index_t job
    index_t operation  # within the job
    index_t machine
    index_t cell
    index_t area
    index_t vehicle
    index_t epoch
    index_t cause
    index_t unused  # keeps the struct free of hidden padding

cdef struct interval_row_t:
    tick_t start
    tick_t end
    tick_t power
    index_t vehicle  # 1: the entity is a vehicle
    index_t entity
    index_t state
    index_t job
    index_t operation
    index_t unused

cdef struct violation_row_t:
    tick_t start
    tick_t end
    tick_t magnitude
    index_t wip  # 1: a WIP cap; 0: a power cap
    index_t entity

cdef struct rows_t:
    event_row_t* events
    index_t event_count
    index_t event_capacity
    interval_row_t* intervals
    index_t interval_count
    index_t interval_capacity
    violation_row_t* violations
    index_t violation_count
    index_t violation_capacity

cdef event_row_t* new_event(rows_t* rows, tick_t time, kind_t kind) except NULL nogil
cdef interval_row_t* new_interval(rows_t* rows) except NULL nogil
cdef violation_row_t* new_violation(rows_t* rows) except NULL nogil
cdef void rows_free(rows_t* rows) noexcept nogil

cdef dict drain_events(rows_t* rows)
cdef dict drain_intervals(rows_t* rows)
cdef dict drain_violations(rows_t* rows)
