from cpython.object cimport PyObject
from libc.stdlib cimport free, realloc
from libc.string cimport memset

cimport cython
import numpy as np

from desbench._engine.fail cimport OUT_OF_MEMORY, fail
from desbench._engine.memory cimport grow
from desbench._engine.types cimport NOBODY, index_t, int64_t

EVENT_COLUMNS = (
    "time", "amount", "kind", "job", "operation", "machine", "cell", "area", "vehicle", "epoch",
    "cause",
)
INTERVAL_COLUMNS = ("start", "end", "power", "vehicle", "entity", "state", "job", "operation")
VIOLATION_COLUMNS = ("start", "end", "magnitude", "wip", "entity")

cdef enum:
    KEPT = 1_000_000  # event rows, 40 MB: longer traces are given back to the system

cdef rows_t spare  # empty blocks of an earlier episode, guarded by the GIL


@cython.overflowcheck(False)  # which takes a difference of addresses for one of bytes
cdef inline index_t distance(const event_row_t* begin, const event_row_t* end) noexcept nogil:
    return <index_t>(end - begin)


cdef int grow_events(rows_t* rows) except -1 nogil:
    """Make room for a row: whoever takes rows during the episode takes them now, or they grow."""
    cdef index_t count, capacity
    if rows.taker != NULL:
        with gil:
            (<object>rows.taker)()
        if rows.next_event < rows.events_end:
            return 0
    count = capacity = distance(rows.events, rows.next_event)
    rows.events = <event_row_t*>grow(rows.events, &capacity, sizeof(event_row_t))
    rows.next_event = &rows.events[count]
    rows.events_end = &rows.events[capacity]
    return 0


cdef interval_row_t* new_interval(rows_t* rows) except NULL nogil:
    if rows.interval_count == rows.interval_capacity:
        rows.intervals = <interval_row_t*>grow(
            rows.intervals, &rows.interval_capacity, sizeof(interval_row_t)
        )
    rows.interval_count += 1
    return &rows.intervals[rows.interval_count - 1]


cdef violation_row_t* new_violation(rows_t* rows) except NULL nogil:
    if rows.violation_count == rows.violation_capacity:
        rows.violations = <violation_row_t*>grow(
            rows.violations, &rows.violation_capacity, sizeof(violation_row_t)
        )
    rows.violation_count += 1
    return &rows.violations[rows.violation_count - 1]


cdef int hand_over(rows_t* rows, index_t events, PyObject* taker) except -1:
    """From now on call `taker` whenever so many event rows wait: one block, used over and over."""
    cdef index_t count = distance(rows.events, rows.next_event), wanted = max(events, count)
    cdef void* block = realloc(rows.events, wanted * sizeof(event_row_t))
    if block == NULL:
        return fail(OUT_OF_MEMORY, wanted * sizeof(event_row_t))
    rows.events = <event_row_t*>block
    rows.next_event = &rows.events[count]
    rows.events_end = &rows.events[wanted]
    rows.taker = taker
    return 0


cdef void rows_begin(rows_t* rows) noexcept:
    """Begin with blocks of an earlier episode: fresh pages cost more than writing the rows."""
    rows[0] = spare
    memset(&spare, 0, sizeof(rows_t))


cdef void rows_free(rows_t* rows) noexcept:
    """Give the blocks back, or keep them for the next episode if they are larger than the spare."""
    global spare
    cdef rows_t smaller = spare
    cdef index_t capacity = distance(rows.events, rows.events_end)
    rows.taker = NULL
    if distance(smaller.events, smaller.events_end) < capacity <= KEPT:
        spare = rows[0]
        spare.next_event = spare.events
        spare.interval_count = spare.violation_count = 0
        rows[0] = smaller
    free(rows.events)
    free(rows.intervals)
    free(rows.violations)


cdef dict drain_events(
    rows_t* rows,
    const index_t* operation_offset,
    const index_t* machine_cell,
    const index_t* cell_area,
):
    """All columns at once; a row of a machine names its cell, a row of a cell its area."""
    cdef Py_ssize_t i, count = distance(rows.events, rows.next_event)
    block = np.empty((len(EVENT_COLUMNS), count), dtype=np.int64)
    cdef int64_t[:, ::1] into = block
    cdef const event_row_t* row
    cdef index_t machine, cell, area, first
    with nogil:
        for i in range(count):
            row = &rows.events[i]
            machine = row.place if row.scope == AT_MACHINE else NOBODY
            cell = row.place if row.scope == AT_CELL else NOBODY
            cell = machine_cell[machine] if machine != NOBODY else cell
            area = row.place if row.scope == AT_AREA else NOBODY
            area = cell_area[cell] if cell != NOBODY else area
            first = operation_offset[row.job] if row.operation != NOBODY else 0
            into[0, i] = row.time
            into[1, i] = row.amount
            into[2, i] = row.kind
            into[3, i] = row.job
            into[4, i] = row.operation - first
            into[5, i] = machine
            into[6, i] = cell
            into[7, i] = area
            into[8, i] = row.vehicle
            into[9, i] = row.epoch
            into[10, i] = row.cause
    rows.next_event = rows.events
    return dict(zip(EVENT_COLUMNS, block))


cdef dict drain_intervals(rows_t* rows):
    cdef Py_ssize_t i, count = rows.interval_count
    block = np.empty((len(INTERVAL_COLUMNS), count), dtype=np.int64)
    cdef int64_t[:, ::1] into = block
    cdef const interval_row_t* row
    for i in range(count):
        row = &rows.intervals[i]
        into[0, i] = row.start
        into[1, i] = row.end
        into[2, i] = row.power
        into[3, i] = row.vehicle
        into[4, i] = row.entity
        into[5, i] = row.state
        into[6, i] = row.job
        into[7, i] = row.operation
    rows.interval_count = 0
    return dict(zip(INTERVAL_COLUMNS, block))


cdef dict drain_violations(rows_t* rows):
    cdef Py_ssize_t i, count = rows.violation_count
    block = np.empty((len(VIOLATION_COLUMNS), count), dtype=np.int64)
    cdef int64_t[:, ::1] into = block
    cdef const violation_row_t* row
    for i in range(count):
        row = &rows.violations[i]
        into[0, i] = row.start
        into[1, i] = row.end
        into[2, i] = row.magnitude
        into[3, i] = row.wip
        into[4, i] = row.entity
    rows.violation_count = 0
    return dict(zip(VIOLATION_COLUMNS, block))
