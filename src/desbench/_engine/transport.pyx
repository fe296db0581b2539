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
from desbench._engine.memory cimport vector_push
from desbench._engine.meter cimport recount_wip, show_vehicle
from desbench._engine.queue cimport heap_push
from desbench._engine.rows cimport event_row_t, new_event
from desbench._engine.state cimport (
    job_t,
    list_append,
    list_insert,
    list_remove,
    shop_t,
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
    K_ASSIGN,
    K_JOB_COMPLETE,
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
    if j.place == NOWHERE or j.assigned != NOBODY:
        return False
    if j.operation == shop.case.operation_offset[job + 1]:  # done, or waits for delivery
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
    name_item(shop, row, job)
    name_cell(shop, row, cell)
    return row


cdef void name_item(const shop_t* shop, event_row_t* row, index_t job) noexcept nogil:
    row.job = job
    row.operation = shop.jobs[job].operation - shop.case.operation_offset[job]


cdef void name_cell(const shop_t* shop, event_row_t* row, index_t cell) noexcept nogil:
    row.cell = cell
    if cell != NOBODY:
        row.area = shop.case.cell_area[cell]


cdef int assign(shop_t* shop, index_t job, index_t cell, index_t vehicle) except -1 nogil:
    """Commit the cell to a legal item; unless it stands there it asks for a vehicle, or this."""
    cdef job_t* j = &shop.jobs[job]
    cdef bint stands_there = is_counted(shop, job, cell)
    cdef event_row_t* row
    list_remove(&shop.ready, shop.waiting, job)
    row = item_row(shop, job, K_ASSIGN, cell)
    row.epoch = shop.epoch
    row.vehicle = vehicle
    j.assigned = cell
    list_append(&shop.cells[cell].assigned, shop.promised, job)
    shop.cells[cell].backlog += shortest(shop, j.operation, cell)
    recount_wip(shop, job)
    if not stands_there:
        shop.cells[cell].committed += 1
        return ask_vehicle(shop, job, vehicle)
    j.move = STAYS
    if j.place == GATE:
        schedule_patience(shop, job, shop.now + shop.case.patience[job])
    return 0


cdef int ask_vehicle(shop_t* shop, index_t job, index_t vehicle) except -1 nogil:
    """Queue the request by (time of assignment, job)."""
    cdef job_t* j = &shop.jobs[job]
    cdef index_t follower = NOBODY, last = shop.requests.tail
    j.move = ASKED
    j.wanted = vehicle
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
            allot(shop, job)
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


cdef int allot(shop_t* shop, index_t job) except -1 nogil:
    """Let the vehicle that the request names, or the nearest idle one, set out; or none yet."""
    cdef index_t target = location_of(shop, job), vehicle = shop.jobs[job].wanted
    cdef event_row_t* row
    if vehicle == NOBODY:
        vehicle = nearest_idle(shop, target)
    elif shop.vehicles[vehicle].state != STANDING:
        return 0
    close_request(shop, job)
    shop.jobs[job].vehicle = vehicle
    row = item_row(shop, job, K_VEHICLE_MOVE, target - 1)
    row.vehicle = vehicle
    row.amount = travel_of(shop, vehicle, target)
    show_vehicle(shop, vehicle, EMPTY_LEG, job)
    shop.vehicles[vehicle].location = target
    return heap_push(&shop.queue, shop.now + row.amount, PICKUP, vehicle)


cdef index_t nearest_idle(const shop_t* shop, index_t target) noexcept nogil:
    """The idle vehicle with the shortest travel to the target; ties to the lowest index."""
    cdef index_t vehicle, nearest = NOBODY
    for vehicle in range(shop.case.vehicles):
        if shop.vehicles[vehicle].state == STANDING and (
            nearest == NOBODY
            or travel_of(shop, vehicle, target) < travel_of(shop, nearest, target)
        ):
            nearest = vehicle
    return nearest


cdef tick_t travel_of(const shop_t* shop, index_t vehicle, index_t target) noexcept nogil:
    return shop.case.travel[
        <tick_t>shop.vehicles[vehicle].location * (shop.case.cells + 1) + target
    ]


cdef bint may_send(const shop_t* shop, index_t vehicle, index_t location) noexcept nogil:
    return (
        shop.vehicles[vehicle].state == STANDING and shop.vehicles[vehicle].location != location
    )


cdef int send(shop_t* shop, index_t vehicle, index_t location) except -1 nogil:
    """Drive an idle vehicle empty to a location, where it waits."""
    cdef event_row_t* row = new_event(&shop.rows, shop.now, K_VEHICLE_MOVE)
    row.vehicle = vehicle
    row.epoch = shop.epoch
    row.amount = travel_of(shop, vehicle, location)
    name_cell(shop, row, location - 1)
    show_vehicle(shop, vehicle, EMPTY_LEG, NOBODY)
    shop.vehicles[vehicle].location = location
    shop.pending += 1
    return heap_push(&shop.queue, shop.now + row.amount, TRANSPORT_COMPLETE, vehicle)


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
    """The vehicle is idle; the item, if it carries one, stands at the gate or is delivered."""
    cdef index_t job = item_of(shop, carrier), cell
    cdef event_row_t* row = new_event(&shop.rows, shop.now, K_TRANSPORT_COMPLETE)
    shop.pending -= 1
    if shop.case.vehicles > 0:
        row.vehicle = carrier
        name_cell(shop, row, shop.vehicles[carrier].location - 1)
    if job != NOBODY:
        name_item(shop, row, job)
        name_cell(shop, row, shop.jobs[job].assigned)
    if shop.case.vehicles > 0:
        show_vehicle(shop, carrier, STANDING, NOBODY)
        vector_push(&shop.newly_idle, carrier)
    return 0 if job == NOBODY else set_down(shop, job)


cdef int set_down(shop_t* shop, index_t job) except -1 nogil:
    cdef job_t* j = &shop.jobs[job]
    cdef event_row_t* row
    j.move = STAYS
    j.vehicle = NOBODY
    if j.assigned != NOBODY:
        reach_gate(shop, job, j.assigned)
        recount_wip(shop, job)
        return 0
    j.place = DONE
    j.where = NOBODY
    shop.jobs_left -= 1
    row = item_row(shop, job, K_JOB_COMPLETE, NOBODY)
    row.operation -= 1  # the last one
    return 0


cdef tick_t travel_left(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Ticks from where the item stands to the cell; what is left of a trip under way."""
    if shop.jobs[job].place == VEHICLE:
        return shop.jobs[job].arrival - shop.now
    return shop.case.travel[location_of(shop, job) * (shop.case.cells + 1) + cell + 1]
