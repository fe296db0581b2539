from desbench._engine.alternatives cimport count_waiting, shortest
from desbench._engine.buffer cimport (
    cell_of_place,
    end_stranding,
    free_commitment,
    insert_ready,
    is_counted,
    leave_place,
    location_of,
    pass_gate,
    reach_gate,
    room_of,
    schedule_patience,
    stop_patience,
)
from desbench._engine.indexset cimport add
from desbench._engine.journal cimport (
    log_command,
    log_delivered,
    log_item,
    log_move,
    log_send,
)
from desbench._engine.memory cimport vector_push
from desbench._engine.meter cimport show_vehicle
from desbench._engine.pairs cimport match
from desbench._engine.queue cimport heap_push
from desbench._engine.state cimport job_t, list_append, list_insert, list_remove, next_of, shop_t
from desbench._engine.types cimport (
    ALLOTTED,
    ASKED,
    BY_BREAKDOWN,
    BY_PATIENCE,
    BY_PROMISE,
    BY_WAIT,
    DONE,
    EMPTY_LEG,
    FINISHED,
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
    SPARED,
    STANDING,
    STAYS,
    TRANSPORT_COMPLETE,
    VEHICLE,
    index_t,
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
    if j.assigned == NOBODY or j.withdrawn == shop.instant:
        return False
    return j.move == ASKED or j.move == STAYS


cdef int assign(shop_t* shop, index_t job, index_t cell, index_t vehicle) except -1 nogil:
    """Commit the cell to a legal item; unless it stands there it asks for a vehicle, or this."""
    cdef job_t* j = &shop.jobs[job]
    cdef bint stands_there = is_counted(shop, job, cell)
    list_remove(&shop.ready, shop.jobs, BY_WAIT, job)
    log_command(shop, K_ASSIGN, job, cell, vehicle)
    count_assigned(shop, job, cell, 1)
    j.assigned = cell
    list_append(&shop.cells[cell].assigned, shop.jobs, BY_PROMISE, job)
    shop.cells[cell].backlog += shortest(shop, j.operation, cell)
    if shop.cells[cell].dark:
        j.stranding = SPARED
        shop.cells[cell].spared += 1
    if not stands_there:
        shop.cells[cell].committed += 1
        ask_vehicle(shop, job, vehicle)
        return 0
    j.move = STAYS
    if j.place == INBOUND:
        count_waiting(shop, job, 1)
        match(shop, cell)
        return 0
    add(&shop.touched, cell)
    return schedule_patience(shop, job, shop.now + shop.case.patience[job])


cdef inline void count_assigned(shop_t* shop, index_t job, index_t cell, int change) noexcept nogil:
    """WIP of the cell's area counts the item for its assignment, unless it stands there too."""
    cdef index_t area = shop.case.cell_area[cell], standing = cell_of_place(shop, job)
    cdef bint is_new = standing == NOBODY or shop.case.cell_area[standing] != area
    shop.areas[area].wip += change * is_new


cdef void ask_vehicle(shop_t* shop, index_t job, index_t vehicle) noexcept nogil:
    """Queue the request by (time of assignment, job)."""
    cdef job_t* j = &shop.jobs[job]
    cdef index_t follower = NOBODY, last = shop.requests.tail
    j.move = ASKED
    j.wanted = vehicle
    j.timer = shop.now
    while last != NOBODY and shop.jobs[last].timer == shop.now and last > job:
        follower = last
        last = shop.jobs[last].links[BY_WAIT].previous
    list_insert(&shop.requests, shop.jobs, BY_WAIT, job, follower)
    shop.open_requests = 1


cdef int unassign(shop_t* shop, index_t job) except -1 nogil:
    """Withdraw a legal item; it is ready where it stands."""
    cdef job_t* j = &shop.jobs[job]
    cdef index_t cell = j.assigned
    log_command(shop, K_UNASSIGN, job, cell, NOBODY)
    if j.move == ASKED:
        list_remove(&shop.requests, shop.jobs, BY_WAIT, job)
        j.timer = NOBODY
    elif j.place == INBOUND:
        count_waiting(shop, job, -1)
        match(shop, cell)
    list_remove(&shop.cells[cell].assigned, shop.jobs, BY_PROMISE, job)
    shop.cells[cell].backlog -= shortest(shop, j.operation, cell)
    end_stranding(shop, job, BY_BREAKDOWN | BY_PATIENCE)
    if j.stranding == SPARED:
        j.stranding = 0
        shop.cells[cell].spared -= 1
    j.assigned = NOBODY
    if not is_counted(shop, job, cell):
        free_commitment(shop, cell)
    stop_patience(shop, job)
    j.move = STAYS
    j.withdrawn = shop.instant
    count_assigned(shop, job, cell, -1)
    insert_ready(shop, job)
    return 0


cdef int serve_requests(shop_t* shop) except -1 nogil:
    """The vehicle pass of a settle, if a request is new or a vehicle has become idle."""
    cdef index_t job = shop.requests.head, next
    shop.open_requests = 0
    while job != NOBODY:
        next = next_of(shop, BY_WAIT, job)
        if cell_of_place(shop, job) == shop.jobs[job].assigned:
            move_within(shop, job)
        elif shop.case.vehicles == 0:
            close_request(shop, job)
            vector_push(&shop.pickups, job)
        elif shop.idle_vehicles > 0:
            allot(shop, job)
        job = next
    return 0


cdef int move_within(shop_t* shop, index_t job) except -1 nogil:
    list_remove(&shop.requests, shop.jobs, BY_WAIT, job)
    leave_place(shop, job)
    shop.jobs[job].move = STAYS
    reach_gate(shop, job, shop.jobs[job].assigned)
    return 0


cdef void close_request(shop_t* shop, index_t job) noexcept nogil:
    """A carrier is found: from here the move goes on by events."""
    list_remove(&shop.requests, shop.jobs, BY_WAIT, job)
    shop.jobs[job].move = ALLOTTED
    shop.pending += 1


cdef int allot(shop_t* shop, index_t job) except -1 nogil:
    """Let the vehicle that the request names, or the nearest idle one, set out; or none yet."""
    cdef index_t target = location_of(shop, job), vehicle = shop.jobs[job].wanted
    cdef tick_t travel
    if vehicle == NOBODY:
        vehicle = nearest_idle(shop, target)
    elif shop.vehicles[vehicle].state != STANDING:
        return 0
    close_request(shop, job)
    travel = travel_of(shop, vehicle, target)
    log_move(shop, K_VEHICLE_MOVE, job, target - 1, vehicle, travel)
    show_vehicle(shop, vehicle, EMPTY_LEG, job)
    shop.vehicles[vehicle].location = target
    return heap_push(&shop.queue, shop.now + travel, PICKUP, vehicle)


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
    cdef tick_t travel = travel_of(shop, vehicle, location)
    log_send(shop, vehicle, location - 1, travel)
    show_vehicle(shop, vehicle, EMPTY_LEG, NOBODY)
    shop.vehicles[vehicle].location = location
    shop.pending += 1
    return heap_push(&shop.queue, shop.now + travel, TRANSPORT_COMPLETE, vehicle)


cdef index_t item_of(const shop_t* shop, index_t carrier) noexcept nogil:
    """With an unlimited fleet the job stands for its vehicle."""
    return carrier if shop.case.vehicles == 0 else shop.vehicles[carrier].job


cdef int pick_up(shop_t* shop, index_t carrier) except -1 nogil:
    """The item leaves its place; the loaded leg starts."""
    cdef index_t job = item_of(shop, carrier)
    cdef job_t* j = &shop.jobs[job]
    cdef index_t origin = cell_of_place(shop, job), target = j.assigned
    cdef tick_t travel = shop.case.travel[(origin + 1) * (shop.case.cells + 1) + target + 1]
    leave_place(shop, job)
    j.place = VEHICLE
    j.where = NOBODY if shop.case.vehicles == 0 else carrier
    j.move = LOADED
    j.arrival = shop.now + travel
    count_departure(shop, origin, target)
    if shop.case.vehicles > 0:
        show_vehicle(shop, carrier, LOADED_LEG, job)
        shop.vehicles[carrier].location = target + 1
    log_move(shop, K_TRANSPORT_START, job, target, j.where, travel)
    return heap_push(&shop.queue, j.arrival, TRANSPORT_COMPLETE, carrier)


cdef inline void count_departure(shop_t* shop, index_t origin, index_t target) noexcept nogil:
    """WIP of the area that the item leaves, unless it is assigned there."""
    cdef const index_t* area = shop.case.cell_area
    if origin != NOBODY:
        shop.areas[area[origin]].wip -= target == NOBODY or area[origin] != area[target]


cdef int unload(shop_t* shop, index_t carrier) except -1 nogil:
    """The vehicle is idle; the item, if it carries one, stands at the gate or is delivered."""
    cdef index_t job = item_of(shop, carrier), cell
    shop.pending -= 1
    if shop.case.vehicles == 0:
        log_item(shop, K_TRANSPORT_COMPLETE, job, shop.jobs[job].assigned)
    else:
        cell = shop.vehicles[carrier].location - 1
        log_move(shop, K_TRANSPORT_COMPLETE, job, cell, carrier, NOBODY)
        show_vehicle(shop, carrier, STANDING, NOBODY)
        shop.open_requests = 1
        vector_push(&shop.newly_idle, carrier)
    return 0 if job == NOBODY else set_down(shop, job)


cdef inline int set_down(shop_t* shop, index_t job) except -1 nogil:
    cdef job_t* j = &shop.jobs[job]
    j.move = STAYS
    if j.assigned != NOBODY:
        return pass_gate(shop, job, j.assigned)
    log_delivered(shop, job)
    j.place = DONE
    j.where = NOBODY
    shop.jobs_left -= 1
    return 0


cdef tick_t travel_left(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Ticks from where the item stands to the cell; what is left of a trip under way."""
    if shop.jobs[job].place == VEHICLE:
        return shop.jobs[job].arrival - shop.now
    return shop.case.travel[location_of(shop, job) * (shop.case.cells + 1) + cell + 1]
