from desbench._engine.budget cimport power_cap, set_cap
from desbench._engine.modes cimport may_set_mode, set_mode
from desbench._engine.offers cimport add_offer, best_offer, keep_best, offer_t
from desbench._engine.plant cimport BY_LOAD, KEEP_MODE, UNIFORM
from desbench._engine.rating cimport busy
from desbench._engine.types cimport ECO, NOBODY, NORMAL, PAUSE, mode_t, tick_t

cdef double NEVER = float("inf")


cdef bint change_mode(shop_t* shop, desk_t* desk, index_t area) except -1 nogil:
    """One epoch after a power alarm of an area: one of its cells may save power."""
    cdef index_t i, cell
    cdef const offer_t* best
    offer_modes(shop, desk, area)
    if desk.offers.count == 0:
        return False
    shop.epoch += 1
    keep_best(&desk.offers, desk.policy.slots)
    if desk.policy.mode == KEEP_MODE:
        return False
    for i in range(desk.offers.count):
        cell = desk.offers.rows[i].subject
        desk.offers.rows[i].key = NEVER
        if desk.offers.rows[i].machine == ECO and shop.cells[cell].mode == NORMAL:
            if busy(shop, cell) > 0:
                desk.offers.rows[i].key = -busy(shop, cell)
    best = best_offer(&desk.offers)
    if best.key == NEVER:
        return False
    set_mode(shop, best.subject, ECO, shop.epoch)
    return True


cdef int offer_modes(shop_t* shop, desk_t* desk, index_t area) except -1 nogil:
    """Cells ascending, modes normal, eco, pause; kept are eco, then pause, where most is promised.
    """
    cdef index_t cell, place = 0
    cdef int mode
    cdef offer_t* offer
    desk.offers.count = 0
    for cell in range(shop.case.cells):
        if shop.case.cell_area[cell] != area:
            continue
        for mode in range(NORMAL, PAUSE + 1):
            if not may_set_mode(shop, cell, <mode_t>mode):
                continue
            offer = add_offer(&desk.offers, place, cell, mode)
            offer.first = 2 if mode == NORMAL else mode - ECO
            offer.second = -shop.cells[cell].committed
            place += 1
    return 0


cdef bint share_caps(shop_t* shop, desk_t* desk) except -1 nogil:
    """One epoch at a review, if some share is not what is: the caps of the areas, their sum kept."""
    cdef index_t areas = shop.case.areas, area
    cdef tick_t* now = desk.caps
    cdef tick_t* load = desk.caps + areas
    cdef tick_t* uniform = desk.caps + 2 * areas
    cdef tick_t* chosen = NULL
    cdef bint has_load, has_uniform
    for area in range(areas):
        now[area] = power_cap(shop, area)
    has_load = share_out(shop, now, load, True)
    has_uniform = share_out(shop, now, uniform, False)
    if not has_load and not has_uniform:
        return False
    shop.epoch += 1
    if desk.policy.budget == BY_LOAD and has_load:
        chosen = load
    elif desk.policy.budget == UNIFORM and has_uniform:
        chosen = uniform
    if chosen == NULL:
        return False
    for area in range(areas):
        if chosen[area] != now[area]:
            set_cap(shop, area, chosen[area])
    return True


cdef bint share_out(
    const shop_t* shop, const tick_t* now, tick_t* parts, bint by_load
) noexcept nogil:
    """Whole parts by weight, the largest remainders get what is left; False if nothing changes."""
    cdef index_t area
    cdef tick_t total = 0, whole = 0, left
    cdef bint is_new = False
    for area in range(shop.case.areas):
        if now[area] != NOBODY:
            total += now[area]
            whole += weight_of(shop, area, by_load)
    left = total
    for area in range(shop.case.areas):
        parts[area] = now[area]
        if now[area] != NOBODY:  # total x weight // whole, without the large product
            parts[area] = total // whole * weight_of(shop, area, by_load)
            parts[area] += total % whole * weight_of(shop, area, by_load) // whole
            left -= parts[area]
    if left > 0:
        give_rest(shop, parts, total % whole, whole, left, by_load)
    for area in range(shop.case.areas):
        is_new |= parts[area] != now[area]
    return is_new


cdef void give_rest(
    const shop_t* shop, tick_t* parts, tick_t rest, tick_t whole, tick_t left, bint by_load
) noexcept nogil:
    """One more for each of the largest remainders; of equal ones the lower area is first."""
    cdef index_t area, best, given = NOBODY
    cdef tick_t remainder, most, limit = whole
    while left > 0:
        best, most = NOBODY, -1
        for area in range(shop.case.areas):
            if parts[area] == NOBODY:
                continue
            remainder = rest * weight_of(shop, area, by_load) % whole
            if remainder < limit or (remainder == limit and area > given):
                if remainder > most:
                    best, most = area, remainder
        parts[best] += 1
        given, limit = best, most
        left -= 1


cdef tick_t weight_of(const shop_t* shop, index_t area, bint by_load) noexcept nogil:
    """Commitments of the cells of the area + 1."""
    cdef tick_t weight = 1
    cdef index_t cell
    if by_load:
        for cell in range(shop.case.cells):
            if shop.case.cell_area[cell] == area:
                weight += shop.cells[cell].committed
    return weight
