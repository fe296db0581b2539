from desbench._engine.journal cimport log_alarm
from desbench._engine.memory cimport vector_push
from desbench._engine.rows cimport (
    interval_row_t,
    new_interval,
    new_violation,
    violation_row_t,
)
from desbench._engine.state cimport limit_t, machine_t, shop_t, vehicle_t
from desbench._engine.types cimport C_POWER, C_WIP, NOBODY, STANDING, index_t, tick_t


cdef int log_machine_interval(shop_t* shop, index_t machine) except -1 nogil:
    """What the machine has shown until now, if that was for some time."""
    cdef const machine_t* m = &shop.machines[machine]
    cdef interval_row_t* row
    if shop.now == m.since:
        return 0
    row = new_interval(&shop.rows)
    row.vehicle = 0
    row.entity = machine
    row.state = m.shown
    row.job = m.shown_job
    row.operation = NOBODY
    if m.shown_job != NOBODY:
        row.operation = m.shown_operation - shop.case.operation_offset[m.shown_job]
    row.start = m.since
    row.end = shop.now
    row.power = m.power
    return 0


cdef int show_vehicle(shop_t* shop, index_t vehicle, int state, index_t job) except -1 nogil:
    """Put the vehicle into a state for a job; its power counts to the plant alone."""
    cdef vehicle_t* v = &shop.vehicles[vehicle]
    close_vehicle(shop, vehicle)
    if v.state == STANDING and state != STANDING:
        shop.plant_power += shop.case.vehicle_power[vehicle]
        shop.idle_vehicles -= 1
    elif v.state != STANDING and state == STANDING:
        shop.plant_power -= shop.case.vehicle_power[vehicle]
        shop.idle_vehicles += 1
    v.state = state
    v.job = job
    return 0


cdef int close_vehicle(shop_t* shop, index_t vehicle) except -1 nogil:
    cdef vehicle_t* v = &shop.vehicles[vehicle]
    cdef tick_t power = shop.case.vehicle_power[vehicle] if v.state != STANDING else 0
    cdef interval_row_t* row
    if shop.now == v.since:
        return 0
    if shop.traced:
        row = new_interval(&shop.rows)
        row.vehicle = 1
        row.entity = vehicle
        row.state = v.state
        row.job = v.job
        row.operation = NOBODY
        if v.job != NOBODY:
            row.operation = shop.jobs[v.job].operation - shop.case.operation_offset[v.job]
        row.start = v.since
        row.end = shop.now
        row.power = power
    v.energy += power * (shop.now - v.since)
    v.since = shop.now
    return 0


cdef tick_t excess(const shop_t* shop, const limit_t* limit) noexcept nogil:
    """What stands above a limit now."""
    cdef index_t areas = shop.case.areas
    cdef tick_t value
    if limit.number < areas:
        value = shop.areas[limit.number].power
    elif limit.number == areas:
        value = shop.plant_power
    else:
        value = shop.areas[limit.number - areas - 1].wip
    return max(<tick_t>0, value - limit.cap)


cdef index_t raise_alarms(shop_t* shop) except -1 nogil:
    """Log each new excess, at most once an instant; return how many. Counts all of them."""
    cdef index_t areas = shop.case.areas, i, area, raised = 0
    cdef limit_t* limit
    cdef tick_t over
    shop.exceeded = 0
    for i in range(shop.limit_count):
        limit = &shop.limits[i]
        over = excess(shop, limit)
        if over == 0:
            continue
        shop.exceeded += 1
        if limit.onset != NOBODY or limit.alarmed == shop.now:
            continue
        limit.alarmed = shop.now
        area = area_of_limit(areas, limit.number)
        log_alarm(shop, area, C_POWER if limit.number <= areas else C_WIP, over)
        if shop.heard:
            vector_push(&shop.alarms, limit.number)
        raised += 1
    return raised


cdef index_t area_of_limit(index_t areas, index_t limit) noexcept nogil:
    if limit == areas:
        return NOBODY
    return limit if limit < areas else limit - areas - 1


cdef int leave_instant(shop_t* shop) except -1 nogil:
    """Time is about to move: what excess stands now is a violation.

    The alarms have just been looked at; where they found no excess and none was open, none is.
    """
    cdef index_t i
    cdef limit_t* limit
    cdef tick_t over
    if shop.exceeded + shop.violations == 0:
        return 0
    for i in range(shop.limit_count):
        limit = &shop.limits[i]
        over = excess(shop, limit)
        if over > 0:
            if limit.onset == NOBODY:
                limit.onset = shop.now
                limit.peak = 0
                shop.violations += 1
            limit.peak = max(limit.peak, over)
        elif limit.onset != NOBODY:
            close_violation(shop, limit)
    return 0


cdef int close_violation(shop_t* shop, limit_t* limit) except -1 nogil:
    cdef violation_row_t* row
    if shop.traced:
        row = new_violation(&shop.rows)
        row.wip = limit.number > shop.case.areas
        row.entity = area_of_limit(shop.case.areas, limit.number)
        row.start = limit.onset
        row.end = shop.now
        row.magnitude = limit.peak
    limit.onset = NOBODY
    shop.violations -= 1
    return 0


cdef int close_meters(shop_t* shop) except -1 nogil:
    """The episode ends now: close everything that is open."""
    cdef index_t i
    for i in range(shop.case.machines):
        close_machine(shop, i)
    for i in range(shop.case.vehicles):
        close_vehicle(shop, i)
    for i in range(shop.limit_count):
        if shop.limits[i].onset != NOBODY:
            close_violation(shop, &shop.limits[i])
    return 0
