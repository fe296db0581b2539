from desbench._engine.budget cimport power_cap
from desbench._engine.journal cimport log_mode
from desbench._engine.pairs cimport match
from desbench._engine.state cimport cell_t, shop_t
from desbench._engine.types cimport (
    C_NORMAL,
    NOBODY,
    PAUSE,
    PROCESSING,
    SETUP,
    cause_t,
    index_t,
    mode_t,
)


cdef bint may_set_mode(const shop_t* shop, index_t cell, mode_t mode) noexcept nogil:
    cdef index_t area = shop.case.cell_area[cell]
    if shop.cells[cell].mode == <int>mode:
        return False
    if mode != PAUSE:
        return True
    return power_cap(shop, area) >= 0 and shop.areas[area].power > power_cap(shop, area)


cdef int set_mode(shop_t* shop, index_t cell, mode_t mode, index_t epoch) except -1 nogil:
    cdef cell_t* c = &shop.cells[cell]
    log_mode(shop, cell, <cause_t>(C_NORMAL + mode), epoch)
    if mode == PAUSE:
        c.mode_before = c.mode
        shop.paused += 1
    elif c.mode == PAUSE:
        shop.paused -= 1
    c.mode = mode
    match(shop, cell)
    return 0


cdef int lift_pauses(shop_t* shop) except -1 nogil:
    """Return paused cells to their mode where the area is within its cap or nothing runs in it."""
    cdef index_t cell, area
    for cell in range(shop.case.cells):
        area = shop.case.cell_area[cell]
        if shop.cells[cell].mode == PAUSE and (
            shop.areas[area].power <= power_cap(shop, area) or not is_working(shop, area)
        ):
            set_mode(shop, cell, <mode_t>shop.cells[cell].mode_before, NOBODY)
    return 0


cdef bint is_working(const shop_t* shop, index_t area) noexcept nogil:
    """Some machine of the area shows setup or processing."""
    cdef index_t machine
    for machine in range(shop.case.machines):
        if shop.case.machine_area[machine] == area and (
            shop.machines[machine].shown == SETUP or shop.machines[machine].shown == PROCESSING
        ):
            return True
    return False
