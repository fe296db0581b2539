"""Trace rows in growing C buffers, drained as NumPy columns.

A row is as small and as quickly written as it can be without a second look at the shop, 40 bytes:
a machine names its cell, a cell its area, a job where its operations begin, when the rows are taken.
"""

from cpython.object cimport PyObject

from desbench._engine.types cimport cause_t, index_t, int8_t, kind_t, tick_t

cdef enum scope_t:  # what `place` of a row is
    AT_CELL
    AT_MACHINE
    AT_AREA

cdef struct event_row_t:
    tick_t time
    tick_t amount
    index_t job
    index_t operation  # of all jobs together; within the job when the rows are taken
    index_t place
    index_t vehicle
    index_t epoch
    int8_t kind
    int8_t scope
    int8_t cause
    int8_t unused  # keeps the struct free of hidden padding

cdef struct interval_row_t:
    tick_t start
    tick_t end
    tick_t power
    index_t entity
    index_t job
    index_t operation
    int8_t state
    int8_t vehicle  # 1: the entity is a vehicle

cdef struct violation_row_t:
    tick_t start
    tick_t end
    tick_t magnitude
    index_t wip  # 1: a WIP cap; 0: a power cap
    index_t entity

cdef struct rows_t:
    event_row_t* events
    event_row_t* next_event  # where the next row goes
    event_row_t* events_end
    interval_row_t* intervals
    violation_row_t* violations
    index_t interval_count
    index_t interval_capacity
    index_t violation_count
    index_t violation_capacity
    PyObject* taker  # called without arguments when the event rows are full; NULL: they grow

cdef int grow_events(rows_t* rows) except -1 nogil
cdef interval_row_t* new_interval(rows_t* rows) except NULL nogil
cdef violation_row_t* new_violation(rows_t* rows) except NULL nogil
cdef int hand_over(rows_t* rows, index_t events, PyObject* taker) except -1
cdef void rows_begin(rows_t* rows) noexcept
cdef void rows_free(rows_t* rows) noexcept

cdef dict drain_events(
    rows_t* rows,
    const index_t* operation_offset,
    const index_t* machine_cell,
    const index_t* cell_area,
)
cdef dict drain_intervals(rows_t* rows)
cdef dict drain_violations(rows_t* rows)
