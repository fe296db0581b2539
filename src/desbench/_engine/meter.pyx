from desbench._engine.memory cimport vector_push
from desbench._engine.rows cimport (
    event_row_t,
    interval_row_t,
    new_event,
    new_interval,
    new_violation,
    violation_row_t,
)
from desbench._engine.state cimport (
    area_t,
    case_t,
    job_t,
    limit_t,
    machine_t,
    shop_t,
    vehicle_t,
)
from desbench._engine.types cimport (
    BLOCKED,
    C_POWER,
    C_WIP,
    DOWN,
    FINISHED,
    GATE,
    IDLE,
    IN_PROCESS,
    IN_SETUP,
    INBOUND,
    K_ALARM,
    MACHINE,
    NOBODY,
    OUTBOUND,
    PROCESSING,
    SETUP,
    STANDING,
    index_t,
    shown_t,
    tick_t,
)


cdef int show_machine(shop_t* shop, index_t machine) except -1 nogil:
    """Close the interval of what the machine showed, if it shows something else now."""
    cdef const case_t* case = &shop.case
    cdef machine_t* m = &shop.machines[machine]
    cdef area_t* area = &shop.areas[case.cell_area[case.machine_cell[machine]]]
    cdef shown_t state = state_of(m)
    cdef tick_t power = power_of(case, m, machine, state)
    cdef index_t job = NOBODY, operation = NOBODY
    if state != IDLE and m.job != NOBODY:
        job = m.job
        operation = m.operation - case.operation_offset[m.job]
    if (
        <int>state == m.shown and power == m.power
        and job == m.shown_job and operation == m.shown_operation
    ):
        return 0
    close_machine(shop, machine)
    area.power += power - m.power
    shop.plant_power += power - m.power
    area.working += is_working(state) - is_working(<shown_t>m.shown)
    m.shown = state
    m.power = power
    m.shown_job = job
    m.shown_operation = operation
    return 0


cdef shown_t state_of(const machine_t* m) noexcept nogil:
    if m.down_since != NOBODY:
        return DOWN
    if m.phase == IN_SETUP:
        return SETUP
    if m.phase == IN_PROCESS:
        return PROCESSING
    if m.phase == FINISHED and m.blocked:
        return BLOCKED
    return IDLE


cdef tick_t power_of(
    const case_t* case, const machine_t* m, index_t machine, shown_t state
) noexcept nogil:
    cdef tick_t power
    if state == IDLE:
        return case.power_idle[machine]
    if state == BLOCKED:
        return case.power_blocked[machine]
    if state == DOWN:
        return case.power_down[machine]
    if state == SETUP:
        power = case.power_setup[machine]
    else:
        power = case.processing_power[m.alternative]
    return power * case.eco_power_num // case.eco_power_den if m.eco else power


cdef int is_working(shown_t state) noexcept nogil:
    return state == SETUP or state == PROCESSING


cdef int close_machine(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef interval_row_t* row
    if shop.now > m.since:
        row = new_interval(&shop.rows)
        row.vehicle = 0
        row.entity = machine
        row.state = m.shown
        row.job = m.shown_job
        row.operation = m.shown_operation
        row.start = m.since
        row.end = shop.now
        row.power = m.power
        m.energy[m.shown] += m.power * (shop.now - m.since)
    m.since = shop.now
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
    if shop.now > v.since:
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


cdef void recount_wip(shop_t* shop, index_t job) noexcept nogil:
    """Count the item where it is assigned and where it stands, each area once."""
    cdef job_t* j = &shop.jobs[job]
    cdef const case_t* case = &shop.case
    cdef index_t assigned = NOBODY, standing = NOBODY
    if j.assigned != NOBODY:
        assigned = case.cell_area[j.assigned]
    if j.place == MACHINE:
        standing = case.cell_area[case.machine_cell[j.where]]
    elif j.place == GATE or j.place == INBOUND or j.place == OUTBOUND:
        standing = case.cell_area[j.where]
    if standing == assigned:
        standing = NOBODY
    if j.wip_assigned != NOBODY:
        shop.areas[j.wip_assigned].wip -= 1
    if j.wip_standing != NOBODY:
        shop.areas[j.wip_standing].wip -= 1
    if assigned != NOBODY:
        shop.areas[assigned].wip += 1
    if standing != NOBODY:
        shop.areas[standing].wip += 1
    j.wip_assigned = assigned
    j.wip_standing = standing


cdef tick_t excess(const shop_t* shop, index_t limit) noexcept nogil:
    """What stands above a limit now; 0 without a cap."""
    cdef index_t areas = shop.case.areas
    cdef tick_t value
    if shop.limits[limit].cap < 0:
        return 0
    if limit < areas:
        value = shop.areas[limit].power
    elif limit == areas:
        value = shop.plant_power
    else:
        value = shop.areas[limit - areas - 1].wip
    return max(<tick_t>0, value - shop.limits[limit].cap)


cdef index_t raise_alarms(shop_t* shop) except -1 nogil:
    """Log each new excess, at most once an instant; return how many."""
    cdef index_t areas = shop.case.areas, limit, raised = 0
    cdef limit_t* l
    cdef tick_t over
    cdef event_row_t* row
    for limit in range(2 * areas + 1):
        l = &shop.limits[limit]
        over = excess(shop, limit)
        if over == 0 or l.onset != NOBODY or l.alarmed == shop.now:
            continue
        l.alarmed = shop.now
        row = new_event(&shop.rows, shop.now, K_ALARM)
        row.area = area_of_limit(areas, limit)
        row.amount = over
        row.cause = C_POWER if limit <= areas else C_WIP
        vector_push(&shop.alarms, limit)
        raised += 1
    return raised


cdef index_t area_of_limit(index_t areas, index_t limit) noexcept nogil:
    if limit == areas:
        return NOBODY
    return limit if limit < areas else limit - areas - 1


cdef int leave_instant(shop_t* shop) except -1 nogil:
    """Time is about to move: what excess stands now is a violation."""
    cdef index_t limit
    cdef limit_t* l
    cdef tick_t over
    for limit in range(2 * shop.case.areas + 1):
        l = &shop.limits[limit]
        if l.cap < 0:
            continue
        over = excess(shop, limit)
        if over > 0:
            if l.onset == NOBODY:
                l.onset = shop.now
                l.peak = 0
            l.peak = max(l.peak, over)
        elif l.onset != NOBODY:
            close_violation(shop, limit)
    return 0


cdef int close_violation(shop_t* shop, index_t limit) except -1 nogil:
    cdef limit_t* l = &shop.limits[limit]
    cdef violation_row_t* row = new_violation(&shop.rows)
    row.wip = limit > shop.case.areas
    row.entity = area_of_limit(shop.case.areas, limit)
    row.start = l.onset
    row.end = shop.now
    row.magnitude = l.peak
    l.onset = NOBODY
    return 0


cdef int close_meters(shop_t* shop) except -1 nogil:
    """The episode ends now: close everything that is open."""
    cdef index_t i
    for i in range(shop.case.machines):
        close_machine(shop, i)
    for i in range(shop.case.vehicles):
        close_vehicle(shop, i)
    for i in range(2 * shop.case.areas + 1):
        if shop.limits[i].onset != NOBODY:
            close_violation(shop, i)
    return 0
