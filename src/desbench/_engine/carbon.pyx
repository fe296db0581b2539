from desbench._engine.state cimport case_t, shop_t
from desbench._engine.types cimport NOBODY, index_t, tick_t

cdef tick_t NEVER = <tick_t>1 << 62  # no time of an episode reaches this


cdef int emit(shop_t* shop, tick_t until) except -1 nogil:
    """From now to a later time every power stands still; the grid need not."""
    cdef tick_t now = shop.now, end, grams
    cdef index_t area
    while now < until:
        if now == shop.carbon_until:
            begin_step(shop)
        end = min(until, shop.carbon_until)
        grams = shop.case.carbon_intensity[shop.carbon_step] * (end - now)
        for area in range(shop.case.areas):
            shop.areas[area].carbon += shop.areas[area].power * grams
        shop.plant_carbon += shop.plant_power * grams
        now = end
    return 0


cdef int begin_step(shop_t* shop) except -1 nogil:
    """Go on to the next step of the grid; after the last one comes the first again."""
    cdef const case_t* case = &shop.case
    cdef index_t step = shop.carbon_step + 1
    if step == case.carbon_steps:
        step = 0
    shop.carbon_step = step
    if step + 1 < case.carbon_steps:
        shop.carbon_until += case.carbon_start[step + 1] - case.carbon_start[step]
    elif case.carbon_period == NOBODY:
        shop.carbon_until = NEVER
    else:
        shop.carbon_until += case.carbon_period - case.carbon_start[step]
    return 0
