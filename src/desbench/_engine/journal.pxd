"""What happened, as event rows; nothing where the trace is off.

Inline, with the test in front: ten rows an operation, and without a trace each costs one test.
"""

from desbench._engine.rows cimport (
    AT_AREA,
    AT_CELL,
    AT_MACHINE,
    event_row_t,
    grow_events,
    scope_t,
)
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport (
    K_ALARM,
    K_ARRIVAL,
    K_BUDGET_REVIEW,
    K_CAP,
    K_JOB_COMPLETE,
    K_MODE,
    K_STAGE_RELEASE_READY,
    K_STRANDED,
    K_VEHICLE_MOVE,
    NOBODY,
    cause_t,
    index_t,
    int8_t,
    kind_t,
    tick_t,
)

cdef inline event_row_t* new_row(
    shop_t* shop, kind_t kind, scope_t scope, index_t place, index_t job
) except NULL nogil:
    """A row with the rest of its columns empty; the operation is the item's."""
    cdef event_row_t* row
    if shop.rows.next_event == shop.rows.events_end:
        grow_events(&shop.rows)
    row = shop.rows.next_event
    shop.rows.next_event = &row[1]
    row.time = shop.now
    row.amount = NOBODY
    row.job = job
    row.operation = NOBODY
    if job != NOBODY:
        row.operation = shop.jobs[job].operation
    row.place = place
    row.vehicle = NOBODY
    row.epoch = NOBODY
    row.kind = <int8_t>kind
    row.scope = <int8_t>scope
    row.cause = NOBODY
    row.unused = 0
    return row

cdef inline int log_item(shop_t* shop, kind_t kind, index_t job, index_t cell) except -1 nogil:
    """The item of a job, at a cell or nowhere."""
    if shop.traced:
        new_row(shop, kind, AT_CELL, cell, job)
    return 0

cdef inline int log_machine(shop_t* shop, kind_t kind, index_t machine) except -1 nogil:
    """A machine with the item on it."""
    if shop.traced:
        new_row(shop, kind, AT_MACHINE, machine, shop.machines[machine].job)
    return 0

cdef inline int log_phase(
    shop_t* shop, kind_t kind, index_t machine, index_t epoch, tick_t amount
) except -1 nogil:
    """The same with an epoch and a length."""
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, kind, AT_MACHINE, machine, shop.machines[machine].job)
        row.epoch = epoch
        row.amount = amount
    return 0

cdef inline int log_stop(
    shop_t* shop, kind_t kind, index_t machine, index_t cause, tick_t amount
) except -1 nogil:
    """A machine alone, with a cause and a length."""
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, kind, AT_MACHINE, machine, NOBODY)
        row.cause = <int8_t>cause
        row.amount = amount
    return 0

cdef inline int log_move(
    shop_t* shop, kind_t kind, index_t job, index_t cell, index_t vehicle, tick_t amount
) except -1 nogil:
    """An item, or none, and its vehicle."""
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, kind, AT_CELL, cell, job)
        row.vehicle = vehicle
        row.amount = amount
    return 0

cdef inline int log_send(
    shop_t* shop, index_t vehicle, index_t cell, tick_t amount
) except -1 nogil:
    """A vehicle that is sent empty by a command."""
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, K_VEHICLE_MOVE, AT_CELL, cell, NOBODY)
        row.vehicle = vehicle
        row.epoch = shop.epoch
        row.amount = amount
    return 0

cdef inline int log_arrival(shop_t* shop, index_t job) except -1 nogil:
    if shop.traced:
        new_row(shop, K_ARRIVAL, AT_CELL, NOBODY, NOBODY).job = job
        new_row(shop, K_STAGE_RELEASE_READY, AT_CELL, NOBODY, job)
    return 0

cdef inline int log_delivered(shop_t* shop, index_t job) except -1 nogil:
    """The job is complete; its operation is past the last one."""
    if shop.traced:
        new_row(shop, K_JOB_COMPLETE, AT_CELL, NOBODY, job).operation -= 1
    return 0

cdef inline int log_command(
    shop_t* shop, kind_t kind, index_t job, index_t cell, index_t vehicle
) except -1 nogil:
    """A command about an item."""
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, kind, AT_CELL, cell, job)
        row.vehicle = vehicle
        row.epoch = shop.epoch
    return 0

cdef inline int log_stranded(shop_t* shop, index_t job, cause_t cause) except -1 nogil:
    if shop.traced:
        new_row(shop, K_STRANDED, AT_CELL, shop.jobs[job].assigned, job).cause = <int8_t>cause
    return 0

cdef inline int log_mode(shop_t* shop, index_t cell, cause_t mode, index_t epoch) except -1 nogil:
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, K_MODE, AT_CELL, cell, NOBODY)
        row.cause = <int8_t>mode
        row.epoch = epoch
    return 0

cdef inline int log_alarm(
    shop_t* shop, index_t area, cause_t cause, tick_t excess
) except -1 nogil:
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, K_ALARM, AT_AREA, area, NOBODY)
        row.cause = <int8_t>cause
        row.amount = excess
    return 0

cdef inline int log_review(shop_t* shop) except -1 nogil:
    if shop.traced:
        new_row(shop, K_BUDGET_REVIEW, AT_AREA, NOBODY, NOBODY)
    return 0

cdef inline int log_cap(shop_t* shop, index_t area, tick_t cap) except -1 nogil:
    cdef event_row_t* row
    if shop.traced:
        row = new_row(shop, K_CAP, AT_AREA, area, NOBODY)
        row.epoch = shop.epoch
        row.amount = cap
    return 0
