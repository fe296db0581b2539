"""Power, energy, WIP, limits: what is integrated over time."""

from desbench._engine.state cimport area_t, case_t, machine_t, shop_t
from desbench._engine.types cimport IDLE, NOBODY, PROCESSING, SETUP, STATES, index_t, shown_t, tick_t

cdef int log_machine_interval(shop_t* shop, index_t machine) except -1 nogil
cdef int show_vehicle(shop_t* shop, index_t vehicle, int state, index_t job) except -1 nogil
cdef index_t raise_alarms(shop_t* shop) except -1 nogil
cdef int leave_instant(shop_t* shop) except -1 nogil
cdef int close_meters(shop_t* shop) except -1 nogil

# Inline: once an event, and nearly always for a state known where it is called.

cdef inline tick_t power_of(
    const case_t* case, const machine_t* m, index_t machine, shown_t state
) noexcept nogil:
    cdef tick_t power
    if state == PROCESSING:
        power = case.processing_power[m.alternative]
    else:
        power = case.power[machine * <Py_ssize_t>STATES + <int>state]
    if (state == PROCESSING or state == SETUP) and m.eco:
        return power * case.eco_power_num // case.eco_power_den
    return power

cdef inline int close_machine(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    if shop.traced:
        log_machine_interval(shop, machine)
    m.energy[m.shown] += m.power * (shop.now - m.since)
    m.since = shop.now
    return 0

cdef inline int show_machine(shop_t* shop, index_t machine, shown_t state) except -1 nogil:
    """From now on the machine shows another state, or the same with another item."""
    cdef machine_t* m = &shop.machines[machine]
    cdef tick_t power = power_of(&shop.case, m, machine, state), change = power - m.power
    close_machine(shop, machine)
    shop.areas[shop.case.machine_area[machine]].power += change
    shop.plant_power += change
    m.power = power
    m.shown = state
    m.shown_job = NOBODY if state == IDLE else m.job
    m.shown_operation = m.operation
    return 0
