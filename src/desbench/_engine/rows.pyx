from libc.stdlib cimport free

import numpy as np

from desbench._engine.memory cimport grow
from desbench._engine.types cimport NOBODY, index_t, kind_t, tick_t

EVENT_DTYPE = np.dtype(
    [("time", "<i8"), ("amount", "<i8")]
    + [
        (name, "<i4")
        for name in (
            "kind", "job", "operation", "machine", "cell", "area", "vehicle", "epoch", "cause",
            "unused",
        )
    ]
)
INTERVAL_DTYPE = np.dtype(
    [("start", "<i8"), ("end", "<i8"), ("power", "<i8")]
    + [(name, "<i4") for name in ("vehicle", "entity", "state", "job", "operation", "unused")]
)
VIOLATION_DTYPE = np.dtype(
    [("start", "<i8"), ("end", "<i8"), ("magnitude", "<i8"), ("wip", "<i4"), ("entity", "<i4")]
)


cdef event_row_t* new_event(rows_t* rows, tick_t time, kind_t kind) except NULL nogil:
    """A row with every column but time and kind empty."""
    cdef event_row_t* row
    if rows.event_count == rows.event_capacity:
        rows.events = <event_row_t*>grow(rows.events, &rows.event_capacity, sizeof(event_row_t))
    row = &rows.events[rows.event_count]
    rows.event_count += 1
    row.time = time
    row.amount = NOBODY
    row.kind = kind
    row.job = row.operation = row.machine = row.cell = row.area = NOBODY
    row.vehicle = row.epoch = row.cause = NOBODY
    row.unused = 0
    return row


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


cdef void rows_free(rows_t* rows) noexcept nogil:
    free(rows.events)
    free(rows.intervals)
    free(rows.violations)


cdef dict drain_events(rows_t* rows):
    cdef dict taken = columns(<char*>rows.events, rows.event_count, EVENT_DTYPE)
    rows.event_count = 0
    return taken


cdef dict drain_intervals(rows_t* rows):
    cdef dict taken = columns(<char*>rows.intervals, rows.interval_count, INTERVAL_DTYPE)
    rows.interval_count = 0
    return taken


cdef dict drain_violations(rows_t* rows):
    cdef dict taken = columns(<char*>rows.violations, rows.violation_count, VIOLATION_DTYPE)
    rows.violation_count = 0
    return taken


cdef dict columns(char* start, index_t count, object dtype):
    """Copy `count` structs into one int64 array a field."""
    cdef Py_ssize_t size = count * dtype.itemsize
    block = np.frombuffer(start[:size] if size else b"", dtype=dtype)
    return {
        name: block[name].astype(np.int64) for name in dtype.names if name != "unused"
    }
