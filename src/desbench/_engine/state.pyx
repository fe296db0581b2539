from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from desbench._engine.indexset cimport flip
from desbench._engine.memory cimport vector_t
from desbench._engine.queue cimport event_t, heap_free
from desbench._engine.rows cimport rows_free, rows_t
from desbench._engine.types cimport IDLE, NOBODY, STATES, index_t, tick_t, uint64_t


cdef enum:
    VECTORS = 10


cdef shop_t* new_shop(case_t case, bint traced) except NULL:
    """The shop before time 0 has begun: nothing scheduled, nothing logged."""
    cdef shop_t* shop = <shop_t*>calloc(1, sizeof(shop_t))
    cdef char* arena
    if shop == NULL:
        raise MemoryError("the engine could not get memory for a shop")
    shop.case = case
    shop.traced = traced
    shop.heard = 1
    arena = <char*>calloc(1, lay_out(shop, NULL))
    if arena == NULL:
        free(shop)
        raise MemoryError("the engine could not get memory for a shop")
    lay_out(shop, arena)
    reset(shop)
    return shop


cdef shop_t* clone_shop(const shop_t* shop) except NULL:
    """An independent shop in the same state that shares the case and has no rows yet."""
    cdef shop_t* twin = <shop_t*>malloc(sizeof(shop_t))
    cdef index_t i
    cdef size_t size
    cdef bint complete
    if twin == NULL:
        raise MemoryError("the engine could not get memory for a copy of a shop")
    twin[0] = shop[0]
    memset(&twin.rows, 0, sizeof(rows_t))
    size = lay_out(twin, NULL)
    twin.jobs = <job_t*>copied(shop.jobs, size)
    complete = twin.jobs != NULL
    for i in range(VECTORS):
        complete &= copy_vector(vector_of(twin, i))
    twin.queue.events = <event_t*>copied(shop.queue.events, shop.queue.capacity * sizeof(event_t))
    if not complete or twin.queue.events == NULL:
        free_shop(twin)
        raise MemoryError("the engine could not get memory for a copy of a shop")
    lay_out(twin, <char*>twin.jobs)
    return twin


cdef size_t lay_out(shop_t* shop, char* arena) noexcept:
    """Give each array its part of one block, which begins with the jobs; return its size."""
    cdef const case_t* case = &shop.case
    cdef index_t words = (case.cells + 63) // 64, idle_words = (case.machines + 63) // 64
    cdef size_t size = case.jobs * sizeof(job_t)
    shop.jobs = <job_t*>arena
    shop.machines = <machine_t*>(arena + size)
    size += case.machines * sizeof(machine_t)
    shop.cells = <cell_t*>(arena + size)
    size += case.cells * sizeof(cell_t)
    shop.areas = <area_t*>(arena + size)
    size += case.areas * sizeof(area_t)
    shop.vehicles = <vehicle_t*>(arena + size)
    size += case.vehicles * sizeof(vehicle_t)
    shop.limits = <limit_t*>(arena + size)
    size += (2 * case.areas + 1) * sizeof(limit_t)
    shop.touched.size = shop.paired.size = shop.arrived.size = words
    shop.touched.words = <uint64_t*>(arena + size)
    shop.paired.words = shop.touched.words + words
    shop.arrived.words = shop.paired.words + words
    shop.idle.words = shop.arrived.words + words
    shop.idle.size = idle_words
    return size + (3 * words + idle_words) * sizeof(uint64_t)


cdef void* copied(const void* block, size_t size) noexcept:
    cdef void* copy = malloc(size)
    if copy != NULL:
        memcpy(copy, block, size)
    return copy


cdef bint copy_vector(vector_t* vector) noexcept:
    """Let the vector own a copy of its values; False without memory for it."""
    if vector.capacity > 0:
        vector.values = <index_t*>copied(vector.values, vector.capacity * sizeof(index_t))
    return vector.values != NULL or vector.capacity == 0


cdef vector_t* vector_of(shop_t* shop, index_t i) noexcept:
    cdef vector_t* vectors[10]
    vectors[:] = [
        &shop.finishers, &shop.pickups, &shop.newly_ready, &shop.newly_stranded,
        &shop.breakdowns, &shop.repairs, &shop.alarms, &shop.newly_idle,
        &shop.woken, &shop.losers,
    ]
    return vectors[i]


cdef void reset(shop_t* shop) noexcept:
    cdef const case_t* case = &shop.case
    cdef index_t i
    for i in range(case.jobs):
        shop.jobs[i].operation = case.operation_offset[i]
        shop.jobs[i].where = shop.jobs[i].assigned = shop.jobs[i].wanted = NOBODY
        shop.jobs[i].timer = NOBODY
    for i in range(case.machines):
        shop.machines[i].due = shop.machines[i].down_since = NOBODY
        shop.machines[i].job = shop.machines[i].operation = NOBODY
        shop.machines[i].family = case.initial_family[i]
        shop.machines[i].next_down = shop.machines[i].next_due = case.down_offset[i]
        shop.machines[i].shown = IDLE
        shop.machines[i].shown_job = shop.machines[i].shown_operation = NOBODY
        shop.machines[i].power = case.power[i * <index_t>STATES + <index_t>IDLE]
        shop.areas[case.machine_area[i]].power += shop.machines[i].power
        shop.plant_power += shop.machines[i].power
        shop.cells[case.machine_cell[i]].idle += 1
        flip(&shop.idle, i)
    for i in range(case.cells):
        clear(&shop.cells[i].gate)
        clear(&shop.cells[i].inbound)
        clear(&shop.cells[i].outbound)
        clear(&shop.cells[i].assigned)
    for i in range(case.vehicles):
        shop.vehicles[i].job = NOBODY
    for i in range(case.areas):
        shop.areas[i].limit = NOBODY
    for i in range(2 * case.areas + 1):
        set_limit(shop, i, cap_of(case, i))
    clear(&shop.ready)
    clear(&shop.requests)
    shop.jobs_left = case.jobs
    shop.idle_vehicles = case.vehicles
    shop.instant = 1
    shop.carbon_step = NOBODY
    shop.queue.next = NOBODY


cdef tick_t cap_of(const case_t* case, index_t number) noexcept nogil:
    if number < case.areas:
        return case.power_cap[number]
    if number > case.areas:
        return case.wip_cap[number - case.areas - 1]
    return case.plant_power_cap


cdef void set_limit(shop_t* shop, index_t number, tick_t cap) noexcept nogil:
    cdef limit_t* limit = &shop.limits[shop.limit_count]
    if cap < 0:
        return
    if number < shop.case.areas:
        shop.areas[number].limit = shop.limit_count
    limit.cap = cap
    limit.number = number
    limit.onset = limit.alarmed = NOBODY
    shop.limit_count += 1


cdef inline void clear(list_t* items) noexcept nogil:
    items.head = items.tail = NOBODY
    items.count = 0


cdef void free_shop(shop_t* shop) noexcept:
    cdef index_t i
    if shop == NULL:
        return
    free(shop.jobs)  # and all that lies behind them
    for i in range(VECTORS):
        free(vector_of(shop, i).values)
    heap_free(&shop.queue)
    rows_free(&shop.rows)
    free(shop)


cdef size_t memory_of(shop_t* shop) noexcept:
    """Bytes of everything that changes, without the rows."""
    cdef size_t size = lay_out(shop, <char*>shop.jobs) + sizeof(shop_t)
    cdef index_t i
    for i in range(VECTORS):
        size += vector_of(shop, i).capacity * sizeof(index_t)
    return size + shop.queue.capacity * sizeof(event_t)
