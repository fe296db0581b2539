from libc.stdlib cimport calloc, free
from libc.string cimport memset

from desbench._engine.advance cimport ENDED, STALLED, advance
from desbench._engine.buffer cimport is_stranded, room_of
from desbench._engine.indexset cimport next_member
from desbench._engine.ending cimport has_room_elsewhere, may_dispatch
from desbench._engine.fail cimport OUT_OF_MEMORY, fail
from desbench._engine.machine cimport dispatch, is_idle
from desbench._engine.memory cimport vector_push
from desbench._engine.offers cimport add_offer, best_offer, keep_best, offer_t
from desbench._engine.rating cimport (
    finish_estimate,
    rank_item,
    rank_pair,
    rank_place,
    rate_item,
    rate_pair,
    rate_place,
)
from desbench._engine.saving cimport change_mode, share_caps
from desbench._engine.state cimport case_t, next_of
from desbench._engine.transport cimport assign, may_unassign, unassign
from desbench._engine.types cimport BY_PLACE, BY_PROMISE, BY_WAIT, NOBODY


cdef int run_plant(shop_t* shop, policy_t policy) except -1 nogil:
    cdef desk_t desk
    cdef const case_t* case = &shop.case
    cdef size_t areas = case.areas
    memset(&desk, 0, sizeof(desk_t))
    desk.policy = policy
    desk.now = NOBODY
    desk.kept = <int8_t*>calloc(case.jobs, 1)
    desk.rest = <tick_t*>calloc(case.operations, sizeof(tick_t))
    desk.caps = <tick_t*>calloc(3 * areas, sizeof(tick_t))
    try:
        if desk.kept == NULL or desk.rest == NULL or desk.caps == NULL:
            return fail(OUT_OF_MEMORY, case.operations * sizeof(tick_t))
        sum_work(case, desk.rest)
        return play(shop, &desk)
    finally:
        free(desk.kept)
        free(desk.rest)
        free(desk.caps)
        free(desk.offers.rows)
        free(desk.alarms.values)


cdef void sum_work(const case_t* case, tick_t* rest) noexcept nogil:
    """Shortest nominal work from each operation to the last of its job."""
    cdef index_t job, operation, row
    cdef tick_t work, fastest
    for job in range(case.jobs):
        work = 0
        operation = case.operation_offset[job + 1]
        while operation > case.operation_offset[job]:
            operation -= 1
            fastest = case.nominal[case.eligible_offset[operation]]
            for row in range(case.eligible_offset[operation], case.eligible_offset[operation + 1]):
                fastest = min(fastest, case.nominal[row])
            work += fastest
            rest[operation] = work


cdef int play(shop_t* shop, desk_t* desk) except -1 nogil:
    cdef int outcome = advance(shop)
    while outcome != ENDED:
        look(shop, desk, outcome == STALLED)
        instant(shop, desk)
        outcome = advance(shop)
    return 0


cdef int look(shop_t* shop, desk_t* desk, bint is_stalled) except -1 nogil:
    """Take note of the stop, as `Organisation.look` does."""
    cdef index_t i
    if shop.now != desk.now:
        desk.now = shop.now
        desk.alarms.count = desk.next_alarm = 0
        desk.review = 0
    if is_stalled:
        memset(desk.kept, 0, shop.case.jobs)
    for i in range(shop.newly_stranded.count):
        desk.kept[shop.newly_stranded.values[i]] = 0
    for i in range(shop.newly_ready.count):
        shop.jobs[shop.newly_ready.values[i]].newly_ready = 0
    for i in range(shop.alarms.count):
        if shop.alarms.values[i] < shop.case.areas:
            vector_push(&desk.alarms, shop.alarms.values[i])
    desk.review |= shop.review
    shop.newly_ready.count = shop.newly_stranded.count = shop.alarms.count = 0
    shop.breakdowns.count = shop.repairs.count = shop.newly_idle.count = shop.woken.count = 0
    shop.review = 0
    return 0


cdef int instant(shop_t* shop, desk_t* desk) except -1 nogil:
    """What is decided until the shop changes or nothing is open any more."""
    cdef index_t job
    while True:
        job = NOBODY
        if desk.review:
            desk.review = 0
            if share_caps(shop, desk):
                break
        elif desk.next_alarm < desk.alarms.count:
            desk.next_alarm += 1
            if change_mode(shop, desk, desk.alarms.values[desk.next_alarm - 1]):
                break
        elif stranded_item(shop, desk, &job):
            if reroute(shop, desk, job):
                shop.stalls = 0
                break
        elif shop.paired.count > 0:
            dispatch_each(shop, desk)
            shop.stalls = 0
            break
        elif offer_items(shop, desk):
            release(shop, desk)
            shop.stalls = 0
            break
        else:
            return 0
    shop.changed = 1
    return 0


# release and route_cell


cdef bint offer_items(shop_t* shop, desk_t* desk) except -1 nogil:
    """Ready items that some cell has room for."""
    cdef index_t job = shop.ready.head
    desk.offers.count = 0
    while job != NOBODY:
        if has_room_elsewhere(shop, job, NOBODY):
            add_offer(&desk.offers, job, job, NOBODY)
        job = next_of(shop, BY_WAIT, job)
    return desk.offers.count > 0


cdef int release(shop_t* shop, desk_t* desk) except -1 nogil:
    """One epoch to name an item, one to name its cell; the cell obeys."""
    cdef index_t i, job
    shop.epoch += 1
    if desk.offers.count > desk.policy.slots:
        for i in range(desk.offers.count):
            rank_item(shop, desk, &desk.offers.rows[i])
        keep_best(&desk.offers, desk.policy.slots)
    for i in range(desk.offers.count):
        rate_item(shop, desk, &desk.offers.rows[i])
    job = best_offer(&desk.offers).subject
    shop.epoch += 1
    offer_cells(shop, desk, job, NOBODY)
    for i in range(desk.offers.count):
        rate_place(shop, desk, job, &desk.offers.rows[i])
    return assign(shop, job, best_offer(&desk.offers).subject, NOBODY)


cdef int offer_cells(shop_t* shop, desk_t* desk, index_t job, index_t but) except -1 nogil:
    """Eligible cells with room, as far as there are slots."""
    cdef index_t operation = shop.jobs[job].operation, i, cell
    desk.offers.count = 0
    for i in range(shop.case.choice_offset[operation], shop.case.choice_offset[operation + 1]):
        cell = <index_t>shop.case.choice[i].cell
        if cell != but and room_of(shop, cell, job) > 0:
            add_offer(&desk.offers, cell, cell, NOBODY)
    if desk.offers.count > desk.policy.slots:
        for i in range(desk.offers.count):
            rank_place(shop, job, &desk.offers.rows[i])
        keep_best(&desk.offers, desk.policy.slots)
    return 0


# reroute


cdef bint stranded_item(const shop_t* shop, const desk_t* desk, index_t* lowest) noexcept nogil:
    """The lowest stranded item that may be unassigned and is not kept."""
    cdef index_t cell, job
    lowest[0] = NOBODY
    if shop.stranded == 0:
        return False
    for cell in range(shop.case.cells):
        if shop.cells[cell].stranded == 0 and not shop.cells[cell].dark:
            continue
        job = shop.cells[cell].assigned.head
        while job != NOBODY:
            if (
                not desk.kept[job]
                and (lowest[0] == NOBODY or job < lowest[0])
                and is_stranded(shop, job)
                and may_unassign(shop, job)
            ):
                lowest[0] = job
            job = next_of(shop, BY_PROMISE, job)
    return lowest[0] != NOBODY


cdef bint reroute(shop_t* shop, desk_t* desk, index_t job) except -1 nogil:
    """One epoch: to the cell that is expected to finish the item first, if it beats waiting."""
    cdef index_t old = shop.jobs[job].assigned, i
    cdef offer_t* offer
    cdef const offer_t* best
    shop.epoch += 1
    offer_cells(shop, desk, job, old)
    if desk.policy.reroute == BETTER_ELSEWHERE and desk.offers.count > 0:
        for i in range(desk.offers.count):
            offer = &desk.offers.rows[i]
            offer.key = finish_estimate(shop, desk, job, offer.subject)
        best = best_offer(&desk.offers)
        if best.key < finish_estimate(shop, desk, job, old):
            unassign(shop, job)
            assign(shop, job, best.subject, NOBODY)
            return True
    desk.kept[job] = 1
    return False


# dispatch


cdef int dispatch_each(shop_t* shop, desk_t* desk) except -1 nogil:
    """One epoch: each cell with a pair dispatches one."""
    cdef index_t cell = next_member(&shop.paired, 0)
    shop.epoch += 1
    while cell != NOBODY:
        dispatch_one(shop, desk, cell)
        cell = next_member(&shop.paired, cell + 1)
    return 0


cdef int dispatch_one(shop_t* shop, desk_t* desk, index_t cell) except -1 nogil:
    cdef index_t i
    cdef const offer_t* best
    offer_pairs(shop, desk, cell)
    if desk.offers.count > desk.policy.slots:
        for i in range(desk.offers.count):
            rank_pair(shop, &desk.offers.rows[i])
        keep_best(&desk.offers, desk.policy.slots)
    for i in range(desk.offers.count):
        rate_pair(shop, desk, &desk.offers.rows[i])
    best = best_offer(&desk.offers)
    return dispatch(shop, best.subject, best.machine)


cdef int offer_pairs(shop_t* shop, desk_t* desk, index_t cell) except -1 nogil:
    """Machine ascending, then inbound order."""
    cdef index_t row, machine, job, position, place = 0
    desk.offers.count = 0
    for row in range(shop.case.cell_machine_offset[cell], shop.case.cell_machine_offset[cell + 1]):
        machine = shop.case.cell_machine[row]
        if not is_idle(shop, machine):
            continue
        job, position = shop.cells[cell].inbound.head, 0
        while job != NOBODY:
            if may_dispatch(shop, job, machine):
                add_offer(&desk.offers, place, job, machine).position = position
                place += 1
            position += 1
            job = next_of(shop, BY_PLACE, job)
    return 0
