from desbench._engine.budget cimport review, schedule_review
from desbench._engine.buffer cimport make_ready, run_out_of_patience
from desbench._engine.carbon cimport emit
from desbench._engine.down cimport fall_due, repair, schedule_stop
from desbench._engine.ending cimport is_decidable, is_pending, test_end
from desbench._engine.fail cimport ENDLESS_INSTANT, fail
from desbench._engine.journal cimport log_arrival
from desbench._engine.machine cimport complete_setup, finish
from desbench._engine.meter cimport close_meters, leave_instant, raise_alarms
from desbench._engine.queue cimport entity_of, event_t, heap_pop, heap_push, rank_of
from desbench._engine.settle cimport is_unsettled, settle
from desbench._engine.state cimport has_events, machine_t, shop_t
from desbench._engine.transport cimport pick_up, unload
from desbench._engine.types cimport (
    ARRIVAL,
    BREAKDOWN,
    BUDGET_REVIEW,
    FINISH,
    GATE,
    IN_PROCESS,
    NOBODY,
    PATIENCE,
    PICKUP,
    REPAIR,
    RUNNING,
    S_DONE,
    S_HORIZON,
    SETUP_COMPLETE,
    SOURCE,
    TRANSPORT_COMPLETE,
    WAKE,
    index_t,
    rank_t,
    tick_t,
    uint64_t,
)
from desbench._engine.wake cimport wake_up


cdef int (*happen[10])(shop_t* shop, index_t entity) except -1 nogil  # by rank
happen[<int>FINISH] = finish
happen[<int>SETUP_COMPLETE] = complete_setup
happen[<int>TRANSPORT_COMPLETE] = unload
happen[<int>PICKUP] = pick_up
happen[<int>BREAKDOWN] = fall_due
happen[<int>REPAIR] = repair
happen[<int>ARRIVAL] = arrive
happen[<int>PATIENCE] = run_out_of_patience
happen[<int>WAKE] = wake_up
happen[<int>BUDGET_REVIEW] = review


cdef int begin(shop_t* shop) except -1 nogil:
    """Schedule what is known before time 0; the first advance() settles time 0."""
    cdef index_t machine
    schedule_arrival(shop)
    for machine in range(shop.case.machines):
        schedule_stop(shop, machine)
    schedule_review(shop)
    shop.changed = 1
    return 0


cdef int advance(shop_t* shop) except -1 nogil:
    if shop.changed:
        shop.changed = 0
        run_instant(shop)
        if is_decidable(shop):
            return DECIDE
    while True:
        if shop.limit_count > 0 and raise_alarms(shop) > 0:
            return DECIDE
        if may_end(shop):
            shop.status = test_end(shop)
            if shop.status != RUNNING:
                close_meters(shop)
                return ENDED
            if not is_pending(shop):
                shop.stalls += 1
                return STALLED
        if move_time(shop):
            return ENDED
        if is_due(shop):
            run_instant(shop)
        if is_decidable(shop):
            return DECIDE


cdef inline bint may_end(const shop_t* shop) noexcept nogil:
    """Whether the tests for the end are worth their time."""
    return (
        shop.pending == 0
        or shop.jobs_left == 0
        or shop.epoch >= shop.case.decision_limit
    )


cdef inline int move_time(shop_t* shop) except -1 nogil:
    """Go to the next live event and apply it; 1 at the horizon, whose instant is run here."""
    cdef event_t event
    while shop.cancelled > 0 and not is_live(shop, shop.queue.events[shop.queue.first]):
        heap_pop(&shop.queue)
        shop.cancelled -= 1
    if shop.limit_count > 0:
        leave_instant(shop)
    shop.rounds = 0
    shop.instant += 1
    if <uint64_t>shop.queue.next < <uint64_t>shop.case.horizon:  # -1, none, is after all times
        event = shop.queue.events[shop.queue.first]
        pass_time(shop, <tick_t>event.time)
        heap_pop(&shop.queue)
        happen[<int>rank_of(event)](shop, entity_of(event))
        return 0
    pass_time(shop, shop.case.horizon)
    apply_events(shop)
    settle(shop)
    shop.status = S_DONE if shop.jobs_left == 0 else S_HORIZON
    close_meters(shop)
    return 1


cdef inline int pass_time(shop_t* shop, tick_t until) except -1 nogil:
    if shop.case.carbon_steps > 0:
        emit(shop, until)
    shop.now = until
    return 0


cdef inline int run_instant(shop_t* shop) except -1 nogil:
    """Events, settle, and again while the settle creates events of this instant."""
    while True:
        if has_events(shop):
            apply_events(shop)
        if not is_unsettled(shop):
            return 0
        settle(shop)
        if not has_events(shop):
            return 0


cdef inline int apply_events(shop_t* shop) except -1 nogil:
    """All live events of this instant in key order; what they create now joins.

    Pickups by an unlimited fleet are due in the instant that asks for them: they stand in a list of
    their own, by job, and save the queue one push of four.
    """
    shop.rounds += 1
    if shop.rounds > 1000 + 20 * <tick_t>shop.case.jobs:
        return fail(ENDLESS_INSTANT, shop.now)
    while has_events(shop):
        if shop.pickups.count > 0 and not (
            shop.queue.next == shop.now
            and rank_of(shop.queue.events[shop.queue.first]) < PICKUP
        ):
            take_pickup(shop)
        else:
            take_event(shop)
    return 0


cdef inline int take_pickup(shop_t* shop) except -1 nogil:
    cdef index_t job = shop.pickups.values[shop.next_pickup]
    shop.next_pickup += 1
    if shop.next_pickup == shop.pickups.count:
        shop.pickups.count = shop.next_pickup = 0
    return pick_up(shop, job)


cdef int take_event(shop_t* shop) except -1 nogil:
    cdef event_t event = shop.queue.events[shop.queue.first]
    heap_pop(&shop.queue)
    if shop.cancelled == 0 or is_live(shop, event):
        return happen[<int>rank_of(event)](shop, entity_of(event))
    shop.cancelled -= 1
    return 0


cdef inline bint is_live(const shop_t* shop, event_t event) noexcept nogil:
    """Only the end of a phase and patience can be cancelled; nearly every event is live.

    Without branches for the end of a phase: whether the next event is one, nobody can predict.
    """
    cdef rank_t rank = rank_of(event)
    cdef bint ends_phase = rank <= SETUP_COMPLETE
    cdef index_t entity = entity_of(event)
    cdef const machine_t* m = &shop.machines[entity * ends_phase]
    cdef bint is_off = (m.due != <tick_t>event.time) | (m.phase != <int>IN_PROCESS - <int>rank)
    if rank == PATIENCE:
        return shop.jobs[entity].timer == <tick_t>event.time and shop.jobs[entity].place == GATE
    return not (ends_phase & is_off)


cdef int schedule_arrival(shop_t* shop) except -1 nogil:
    """Arrivals enter the queue one after the other, in the order (release, job)."""
    cdef index_t job
    if shop.next_arrival == shop.case.jobs:
        return 0
    job = shop.case.arrival_order[shop.next_arrival]
    return heap_push(&shop.queue, shop.case.release[job], ARRIVAL, job)


cdef int arrive(shop_t* shop, index_t job) except -1 nogil:
    log_arrival(shop, job)
    shop.jobs[job].place = SOURCE
    shop.next_arrival += 1
    make_ready(shop, job)
    return schedule_arrival(shop)
