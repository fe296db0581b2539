from desbench._engine.buffer cimport make_ready, run_out_of_patience
from desbench._engine.down cimport fall_due, repair, schedule_stop
from desbench._engine.ending cimport is_decidable, is_pending, test_end
from desbench._engine.fail cimport ENDLESS_INSTANT, fail
from desbench._engine.machine cimport complete_setup, finish
from desbench._engine.meter cimport close_meters, leave_instant, raise_alarms
from desbench._engine.queue cimport entity_of, event_t, heap_pop, heap_push, rank_of
from desbench._engine.rows cimport event_row_t, new_event
from desbench._engine.settle cimport settle
from desbench._engine.state cimport job_t, shop_t
from desbench._engine.transport cimport pick_up, unload
from desbench._engine.types cimport (
    ARRIVAL,
    BREAKDOWN,
    FINISH,
    IN_PROCESS,
    IN_SETUP,
    K_ARRIVAL,
    K_STAGE_RELEASE_READY,
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
    index_t,
    rank_t,
    status_t,
    tick_t,
)


cdef int begin(shop_t* shop) except -1 nogil:
    """Schedule what is known before time 0; the first advance() settles time 0."""
    cdef index_t machine
    schedule_arrival(shop)
    for machine in range(shop.case.machines):
        schedule_stop(shop, machine)
    shop.changed = 1
    return 0


cdef int advance(shop_t* shop) except -1 nogil:
    if shop.changed:
        shop.changed = 0
        run_instant(shop)
        if is_decidable(shop):
            return DECIDE
    while True:
        if raise_alarms(shop) > 0:
            return DECIDE
        shop.status = test_end(shop)
        if shop.status != RUNNING:
            close_meters(shop)
            return ENDED
        if not is_pending(shop):
            shop.stalls += 1
            return STALLED
        if move_time(shop):
            return ENDED
        run_instant(shop)
        if is_decidable(shop):
            return DECIDE


cdef int move_time(shop_t* shop) except -1 nogil:
    """Go to the next live event; 1 if that is the horizon, whose instant is run here."""
    cdef tick_t next = shop.case.horizon
    skip_cancelled(shop)
    leave_instant(shop)
    shop.rounds = 0
    if shop.queue.count > 0 and (next == NOBODY or <tick_t>shop.queue.events[0].time < next):
        shop.now = <tick_t>shop.queue.events[0].time
        return 0
    shop.now = next
    apply_events(shop)
    settle(shop)
    shop.status = S_DONE if shop.jobs_left == 0 else S_HORIZON
    close_meters(shop)
    return 1


cdef int run_instant(shop_t* shop) except -1 nogil:
    """Events, settle, and again while the settle creates events of this instant."""
    while True:
        shop.rounds += 1
        if shop.rounds > 1000 + 20 * <tick_t>shop.case.jobs:
            return fail(ENDLESS_INSTANT, shop.now)
        apply_events(shop)
        settle(shop)
        skip_cancelled(shop)
        if shop.queue.count == 0 or <tick_t>shop.queue.events[0].time != shop.now:
            return 0


cdef int apply_events(shop_t* shop) except -1 nogil:
    """All live events of this instant in key order; what they create now joins."""
    cdef event_t event
    while shop.queue.count > 0 and <tick_t>shop.queue.events[0].time == shop.now:
        event = shop.queue.events[0]
        heap_pop(&shop.queue)
        if is_live(shop, event):
            apply(shop, rank_of(event), entity_of(event))
    return 0


cdef void skip_cancelled(shop_t* shop) noexcept nogil:
    while shop.queue.count > 0 and not is_live(shop, shop.queue.events[0]):
        heap_pop(&shop.queue)


cdef bint is_live(const shop_t* shop, event_t event) noexcept nogil:
    """Only the end of a phase and patience can be cancelled."""
    cdef rank_t rank = rank_of(event)
    cdef index_t entity = entity_of(event)
    if rank == FINISH:
        return (
            shop.machines[entity].due == <tick_t>event.time
            and shop.machines[entity].phase == IN_PROCESS
        )
    if rank == SETUP_COMPLETE:
        return (
            shop.machines[entity].due == <tick_t>event.time
            and shop.machines[entity].phase == IN_SETUP
        )
    if rank == PATIENCE:
        return shop.jobs[entity].patience == <tick_t>event.time
    return True


cdef int apply(shop_t* shop, rank_t rank, index_t entity) except -1 nogil:
    if rank == FINISH:
        return finish(shop, entity)
    if rank == SETUP_COMPLETE:
        return complete_setup(shop, entity)
    if rank == TRANSPORT_COMPLETE:
        return unload(shop, entity)
    if rank == PICKUP:
        return pick_up(shop, entity)
    if rank == BREAKDOWN:
        return fall_due(shop, entity)
    if rank == REPAIR:
        return repair(shop, entity)
    if rank == ARRIVAL:
        return arrive(shop, entity)
    return run_out_of_patience(shop, entity)


cdef int schedule_arrival(shop_t* shop) except -1 nogil:
    """Arrivals enter the queue one after the other, in the order (release, job)."""
    cdef index_t job
    if shop.next_arrival == shop.case.jobs:
        return 0
    job = shop.case.arrival_order[shop.next_arrival]
    return heap_push(&shop.queue, shop.case.release[job], ARRIVAL, job)


cdef int arrive(shop_t* shop, index_t job) except -1 nogil:
    cdef event_row_t* row = new_event(&shop.rows, shop.now, K_ARRIVAL)
    row.job = job
    row = new_event(&shop.rows, shop.now, K_STAGE_RELEASE_READY)
    row.job = job
    row.operation = 0
    shop.jobs[job].place = SOURCE
    shop.next_arrival += 1
    make_ready(shop, job)
    return schedule_arrival(shop)
