from desbench._engine.buffer cimport (
    cell_of_place,
    end_stranding,
    free_commitment,
    is_counted,
    leave_place,
    location_of,
    reach_gate,
    room_of,
    schedule_patience,
    stop_patience,
)
from desbench._engine.machine cimport shortest
from desbench._engine.meter cimport recount_wip, show_vehicle
from desbench._engine.queue cimport heap_push
from desbench._engine.rows cimport event_row_t, new_event
from desbench._engine.state cimport (
    case_t,
    job_t,
    list_append,
    list_insert,
    list_remove,
    shop_t,
    vehicle_t,
)
from desbench._engine.types cimport (
    ALLOTTED,
    ASKED,
    BY_BREAKDOWN,
    BY_PATIENCE,
    DONE,
    EMPTY_LEG,
    FINISHED,
    GATE,
    INBOUND,
    K_ASSIGN,
    K_TRANSPORT_COMPLETE,
    K_TRANSPORT_START,
    K_UNASSIGN,
    K_VEHICLE_MOVE,
    LOADED,
    LOADED_LEG,
    MACHINE,
    NOBODY,
    NOWHERE,
    PICKUP,
    STANDING,
    STAYS,
    TRANSPORT_COMPLETE,
    VEHICLE,
    index_t,
    kind_t,
    tick_t,
)


cdef bint is_ready(const shop_t* shop, index_t job) noexcept nogil:
    cdef const job_t* j = &shop.jobs[job]
    if j.place == NOWHERE or j.place == DONE or j.assigned != NOBODY:
        return False
    return j.place != MACHINE or shop.machines[j.where].phase == FINISHED


cdef bint may_assign(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    return (
        is_ready(shop, job)
        and shortest(shop, shop.jobs[job].operation, cell) >= 0
        and room_of(shop, cell, job) > 0
    )


cdef bint may_unassign(const shop_t* shop, index_t job) noexcept nogil:
    cdef const job_t* j = &shop.jobs[job]
    if j.assigned == NOBODY or j.withdrawn == shop.now:
        return False
    return j.move == ASKED or j.move == STAYS


cdef event_row_t* item_row(shop_t* shop, index_t job, kind_t kind, index_t cell) except NULL nogil:
    cdef event_row_t* row = new_event(&shop.rows, shop.now, kind)
    row.job = job
    row.operation = shop.jobs[job].operation - shop.case.operation_offset[job]
    row.cell = cell
    if cell != NOBODY:
        row.area = shop.case.cell_area[cell]
    return row


cdef int assign(shop_t* shop, index_t job, index_t cell) except -1 nogil:
    """Commit the cell to a legal item; unless it stands there already it asks for a vehicle."""
    cdef job_t* j = &shop.jobs[job]
    cdef bint stands_there = is_counted(shop, job, cell)
    list_remove(&shop.ready, shop.waiting, job)
    item_row(shop, job, K_ASSIGN, cell).epoch = shop.epoch
    j.assigned = cell
    list_append(&shop.cells[cell].assigned, shop.promised, job)
    shop.cells[cell].backlog += shortest(shop, j.operation, cell)
    recount_wip(shop, job)
    if not stands_there:
        shop.cells[cell].committed += 1
        return ask_vehicle(shop, job)
    j.move = STAYS
    if j.place == GATE:
        schedule_patience(shop, job, shop.now + shop.case.patience[job])
    return 0


cdef int ask_vehicle(shop_t* shop, index_t job) except -1 nogil:
    """Queue the request by (time of assignment, job)."""
    cdef job_t* j = &shop.jobs[job]
    cdef index_t follower = NOBODY, last = shop.requests.tail
    j.move = ASKED
    j.asked = shop.now
    while last != NOBODY and shop.jobs[last].asked == shop.now and last > job:
        follower = last
        last = shop.waiting[last].previous
    list_insert(&shop.requests, shop.waiting, job, follower)
    return 0


cdef int unassign(shop_t* shop, index_t job) except -1 nogil:
    """Withdraw a legal item; it is ready where it stands."""
    cdef job_t* j = &shop.jobs[job]
    cdef index_t cell = j.assigned
    item_row(shop, job, K_UNASSIGN, cell).epoch = shop.epoch
    if j.move == ASKED:
        list_remove(&shop.requests, shop.waiting, job)
    list_remove(&shop.cells[cell].assigned, shop.promised, job)
    shop.cells[cell].backlog -= shortest(shop, j.operation, cell)
    j.assigned = NOBODY
    if not is_counted(shop, job, cell):
        free_commitment(shop, cell)
    stop_patience(shop, job)
    end_stranding(shop, job, BY_BREAKDOWN | BY_PATIENCE)
    j.move = STAYS
    j.withdrawn = shop.now
    recount_wip(shop, job)
    list_append(&shop.ready, shop.waiting, job)
    return 0


cdef index_t serve_requests(shop_t* shop) except -1 nogil:
    """The vehicle pass of a settle; returns how many items moved within their cell."""
    cdef index_t job = shop.requests.head, next, moved = 0
    while job != NOBODY:
        next = shop.waiting[job].next
        if cell_of_place(shop, job) == shop.jobs[job].assigned:
            move_within(shop, job)
            moved += 1
        elif shop.case.vehicles == 0:
            close_request(shop, job)
            heap_push(&shop.queue, shop.now, PICKUP, job)
        elif shop.idle_vehicles > 0:
            close_request(shop, job)
            send_nearest(shop, job)
        job = next
    return moved


cdef int move_within(shop_t* shop, index_t job) except -1 nogil:
    list_remove(&shop.requests, shop.waiting, job)
    leave_place(shop, job)
    shop.jobs[job].move = STAYS
    reach_gate(shop, job, shop.jobs[job].assigned)
    recount_wip(shop, job)
    return 0


cdef void close_request(shop_t* shop, index_t job) noexcept nogil:
    """A carrier is found: from here the move goes on by events."""
    list_remove(&shop.requests, shop.waiting, job)
    shop.jobs[job].move = ALLOTTED
    shop.pending += 1


cdef int send_nearest(shop_t* shop, index_t job) except -1 nogil:
    """The idle vehicle with the shortest travel to the item sets out; ties to the lowest."""
    cdef const case_t* case = &shop.case
    cdef index_t target = location_of(shop, job), vehicle, nearest = NOBODY
    cdef tick_t travel, shortest_travel = 0
    cdef event_row_t* row
    for vehicle in range(case.vehicles):
        if shop.vehicles[vehicle].state != STANDING:
            continue
        travel = case.travel[shop.vehicles[vehicle].location * (case.cells + 1) + target]
        if nearest == NOBODY or travel < shortest_travel:
            nearest = vehicle
            shortest_travel = travel
    shop.jobs[job].vehicle = nearest
    show_vehicle(shop, nearest, EMPTY_LEG, job)
    shop.vehicles[nearest].location = target
    row = item_row(shop, job, K_VEHICLE_MOVE, target - 1)
    row.vehicle = nearest
    row.amount = shortest_travel
    return heap_push(&shop.queue, shop.now + shortest_travel, PICKUP, nearest)


cdef index_t item_of(const shop_t* shop, index_t carrier) noexcept nogil:
    """With an unlimited fleet the job stands for its vehicle."""
    return carrier if shop.case.vehicles == 0 else shop.vehicles[carrier].job


cdef int pick_up(shop_t* shop, index_t carrier) except -1 nogil:
    """The item leaves its place; the loaded leg starts."""
    cdef index_t job = item_of(shop, carrier)
    cdef job_t* j = &shop.jobs[job]
    cdef index_t origin = location_of(shop, job), target = j.assigned + 1
    cdef tick_t travel = shop.case.travel[origin * (shop.case.cells + 1) + target]
    cdef event_row_t* row
    leave_place(shop, job)
    j.place = VEHICLE
    j.where = NOBODY if shop.case.vehicles == 0 else carrier
    j.move = LOADED
    j.arrival = shop.now + travel
    recount_wip(shop, job)
    if shop.case.vehicles > 0:
        show_vehicle(shop, carrier, LOADED_LEG, job)
        shop.vehicles[carrier].location = target
    row = item_row(shop, job, K_TRANSPORT_START, j.assigned)
    row.vehicle = j.where
    row.amount = travel
    return heap_push(&shop.queue, j.arrival, TRANSPORT_COMPLETE, carrier)


cdef int unload(shop_t* shop, index_t carrier) except -1 nogil:
    """The item stands at the gate, the vehicle is idle."""
    cdef index_t job = item_of(shop, carrier)
    cdef job_t* j = &shop.jobs[job]
    shop.pending -= 1
    item_row(shop, job, K_TRANSPORT_COMPLETE, j.assigned).vehicle = j.where
    j.move = STAYS
    j.vehicle = NOBODY
    if shop.case.vehicles > 0:
        show_vehicle(shop, carrier, STANDING, NOBODY)
    reach_gate(shop, job, j.assigned)
    recount_wip(shop, job)
    return 0


cdef tick_t travel_left(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Ticks from where the item stands to the cell; what is left of a trip under way."""
    if shop.jobs[job].place == VEHICLE:
        return shop.jobs[job].arrival - shop.now
    return shop.case.travel[location_of(shop, job) * (shop.case.cells + 1) + cell + 1]
