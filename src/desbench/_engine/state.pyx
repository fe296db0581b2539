from libc.stdlib cimport calloc, free

from desbench._engine.queue cimport heap_free
from desbench._engine.rows cimport rows_free
from desbench._engine.types cimport IDLE, NOBODY, index_t


cdef void list_append(list_t* items, link_t* links, index_t item) noexcept nogil:
    list_insert(items, links, item, NOBODY)


cdef void list_insert(list_t* items, link_t* links, index_t item, index_t follower) noexcept nogil:
    """Put `item` before `follower`, or last if that is nobody."""
    cdef index_t previous = items.tail if follower == NOBODY else links[follower].previous
    links[item].next = follower
    links[item].previous = previous
    if previous == NOBODY:
        items.head = item
    else:
        links[previous].next = item
    if follower == NOBODY:
        items.tail = item
    else:
        links[follower].previous = item
    items.count += 1


cdef void list_remove(list_t* items, link_t* links, index_t item) noexcept nogil:
    cdef index_t next = links[item].next, previous = links[item].previous
    if previous == NOBODY:
        items.head = next
    else:
        links[previous].next = next
    if next == NOBODY:
        items.tail = previous
    else:
        links[next].previous = previous
    items.count -= 1


cdef shop_t* new_shop(case_t case) except NULL:
    """The shop before time 0 has begun: nothing scheduled, nothing logged."""
    cdef shop_t* shop = <shop_t*>calloc(1, sizeof(shop_t))
    if shop == NULL:
        raise MemoryError("the engine could not get memory for a shop")
    shop.case = case
    shop.jobs = <job_t*>calloc(case.jobs + 1, sizeof(job_t))
    shop.machines = <machine_t*>calloc(case.machines + 1, sizeof(machine_t))
    shop.cells = <cell_t*>calloc(case.cells + 1, sizeof(cell_t))
    shop.areas = <area_t*>calloc(case.areas + 1, sizeof(area_t))
    shop.vehicles = <vehicle_t*>calloc(case.vehicles + 1, sizeof(vehicle_t))
    shop.limits = <limit_t*>calloc(2 * case.areas + 1, sizeof(limit_t))
    shop.standing = <link_t*>calloc(case.jobs + 1, sizeof(link_t))
    shop.waiting = <link_t*>calloc(case.jobs + 1, sizeof(link_t))
    shop.promised = <link_t*>calloc(case.jobs + 1, sizeof(link_t))
    if (
        shop.jobs == NULL or shop.machines == NULL or shop.cells == NULL or shop.areas == NULL
        or shop.vehicles == NULL or shop.limits == NULL or shop.standing == NULL
        or shop.waiting == NULL or shop.promised == NULL
    ):
        free_shop(shop)
        raise MemoryError("the engine could not get memory for a shop")
    reset(shop)
    return shop


cdef void reset(shop_t* shop) noexcept:
    cdef const case_t* case = &shop.case
    cdef index_t i
    for i in range(case.jobs):
        shop.jobs[i].operation = case.operation_offset[i]
        shop.jobs[i].withdrawn = shop.jobs[i].patience = NOBODY
        shop.jobs[i].where = shop.jobs[i].assigned = shop.jobs[i].vehicle = NOBODY
        shop.jobs[i].wanted = NOBODY
        shop.jobs[i].wip_assigned = shop.jobs[i].wip_standing = NOBODY
    for i in range(case.machines):
        shop.machines[i].due = shop.machines[i].down_since = NOBODY
        shop.machines[i].job = shop.machines[i].operation = NOBODY
        shop.machines[i].family = case.initial_family[i]
        shop.machines[i].next_down = shop.machines[i].next_due = case.down_offset[i]
        shop.machines[i].shown = IDLE
        shop.machines[i].shown_job = shop.machines[i].shown_operation = NOBODY
        shop.machines[i].power = case.power_idle[i]
        shop.areas[case.cell_area[case.machine_cell[i]]].power += case.power_idle[i]
        shop.plant_power += case.power_idle[i]
    for i in range(case.cells):
        clear(&shop.cells[i].gate)
        clear(&shop.cells[i].inbound)
        clear(&shop.cells[i].outbound)
        clear(&shop.cells[i].assigned)
    for i in range(case.vehicles):
        shop.vehicles[i].job = NOBODY
    for i in range(2 * case.areas + 1):
        shop.limits[i].onset = shop.limits[i].alarmed = NOBODY
        if i < case.areas:
            shop.limits[i].cap = case.power_cap[i]
        elif i > case.areas:
            shop.limits[i].cap = case.wip_cap[i - case.areas - 1]
        else:
            shop.limits[i].cap = case.plant_power_cap
    clear(&shop.ready)
    clear(&shop.requests)
    shop.jobs_left = case.jobs
    shop.idle_vehicles = case.vehicles


cdef inline void clear(list_t* items) noexcept nogil:
    items.head = items.tail = NOBODY
    items.count = 0


cdef void free_shop(shop_t* shop) noexcept:
    if shop == NULL:
        return
    heap_free(&shop.queue)
    rows_free(&shop.rows)
    free(shop.newcomers.values)
    free(shop.newly_ready.values)
    free(shop.newly_stranded.values)
    free(shop.breakdowns.values)
    free(shop.repairs.values)
    free(shop.alarms.values)
    free(shop.newly_idle.values)
    free(shop.jobs)
    free(shop.machines)
    free(shop.cells)
    free(shop.areas)
    free(shop.vehicles)
    free(shop.limits)
    free(shop.standing)
    free(shop.waiting)
    free(shop.promised)
    free(shop)
