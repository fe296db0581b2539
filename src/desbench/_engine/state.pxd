"""Everything a running shop is: the case (borrowed arrays) and what changes."""

from desbench._engine.indexset cimport index_set_t
from desbench._engine.memory cimport vector_t
from desbench._engine.queue cimport heap_t
from desbench._engine.rows cimport rows_t
from desbench._engine.types cimport NOBODY, index_t, int8_t, tick_t, uint32_t

cdef struct choice_t:  # a cell in which an operation can be done
    tick_t shortest  # nominal duration there
    tick_t cell

cdef struct case_t:  # arrays of the Instance, never written
    index_t jobs, operations, machines, cells, areas, vehicles, families, carbon_steps
    const tick_t* release
    const tick_t* patience
    const index_t* operation_offset
    const index_t* family
    const index_t* eligible_offset
    const index_t* eligible_machine
    const index_t* choice_offset
    const choice_t* choice  # of each operation, in the order of eligible_machine
    const tick_t* nominal
    const tick_t* realised
    const tick_t* processing_power
    const index_t* machine_cell
    const index_t* machine_area
    const tick_t* power  # [machine, state]; of processing, by alternative instead
    const index_t* initial_family
    const tick_t* mean_repair
    const tick_t* setup  # [machine, from + 1, to]
    const index_t* down_offset
    const tick_t* down_start
    const tick_t* down_end
    const index_t* down_cause
    const index_t* down_interruption
    const index_t* cell_area
    const index_t* inbound
    const index_t* outbound
    const index_t* commitment
    const tick_t* power_cap
    const tick_t* wip_cap
    const tick_t* vehicle_power
    const tick_t* travel  # [from, to]
    const index_t* arrival_order  # jobs by (release, job)
    const tick_t* due
    const tick_t* carbon_start  # [carbon_steps]
    const tick_t* carbon_intensity
    const index_t* cell_machine_offset  # machines of a cell, ascending
    const index_t* cell_machine
    const index_t* machine_row  # of cell_machine
    const index_t* is_mixed  # cells that have operations eligible on some machines only
    tick_t plant_power_cap
    tick_t eco_duration_num, eco_duration_den, eco_power_num, eco_power_den
    tick_t carbon_period  # or -1
    tick_t review_period  # or -1
    tick_t horizon
    tick_t decision_limit
    tick_t no_progress_limit
    int8_t deliver
    int8_t zero_work  # some operation takes no time

cdef struct link_t:
    index_t next
    index_t previous

cdef struct list_t:
    index_t head
    index_t tail
    index_t count

cdef enum:  # of job_t.timer
    NEWCOMER = -2  # reached a gate since the last settle

cdef struct job_t:  # 64 bytes: a line of the cache
    tick_t arrival  # at the gate; while on a vehicle, when it will arrive
    tick_t timer  # while asked, the time of assignment; else of the live patience event
    link_t links[3]  # BY_PLACE .. BY_PROMISE
    index_t operation  # index over all operations; that of the next job's first when done
    index_t where  # the cell, machine or vehicle, by place
    index_t assigned  # cell, or -1; ends at dispatch
    index_t wanted  # the vehicle that the request names, or -1
    uint32_t withdrawn  # instant of the last unassign, or 0
    int8_t place
    int8_t move
    int8_t stranding
    int8_t newly_ready  # already named in the coming stop

cdef struct machine_t:
    tick_t due  # live event of the phase, or -1
    tick_t since  # of the shown state
    tick_t power
    tick_t length  # of the phase, realised
    tick_t nominal  # length of the phase as agents know it
    tick_t nominal_left  # at nominal_since; while down, now
    tick_t nominal_since
    tick_t finish_time  # of the finished item
    tick_t left  # of the phase, while down
    tick_t down_since  # or -1 while up
    tick_t energy[5]  # by shown state
    index_t job  # the item on the machine, or -1
    index_t operation  # in work or just finished, over all operations
    index_t alternative  # row of eligible_machine
    index_t family
    index_t waiting  # in a mixed cell, inbound items assigned to it that are eligible here
    index_t next_down  # row of down_start: the present stop, or the next to begin
    index_t next_due  # the next to fall due by the calendar; stops between have waited
    index_t shown_job
    index_t shown_operation
    int8_t phase
    int8_t eco  # the phase began in eco
    int8_t blocked  # blocking_start was logged
    int8_t shown

cdef struct cell_t:
    list_t gate  # by (arrival, job)
    list_t inbound  # in order of admission
    list_t outbound  # in order of entry
    list_t assigned  # items assigned to the cell and not yet dispatched
    tick_t backlog  # shortest nominal durations of `assigned`
    index_t committed
    index_t growth  # how often committed has decreased
    index_t finished  # finished items still on machines
    index_t idle  # machines that are up and empty
    index_t waiting  # inbound items that are assigned here
    index_t stranded  # of `assigned`, each by itself
    index_t spared  # while dark, of `assigned`: the last ones, which came after the breakdown
    int8_t mode
    int8_t mode_before  # the pause
    int8_t dark  # all machines are down, and all can do all that is assigned

cdef struct area_t:
    tick_t power
    tick_t carbon  # watt-ticks x g/kWh
    index_t limit  # row of its power cap, or -1
    index_t wip

cdef struct vehicle_t:
    tick_t since  # of the present state
    tick_t energy
    index_t location  # where it stands or drives to
    index_t job
    int8_t state

cdef struct limit_t:
    tick_t cap
    tick_t onset  # of the open violation, or -1
    tick_t peak
    tick_t alarmed  # instant of the last alarm, or -1
    index_t number  # power of each area, power of the plant, WIP of each area

cdef struct shop_t:
    case_t case
    job_t* jobs
    machine_t* machines
    cell_t* cells
    area_t* areas
    vehicle_t* vehicles
    limit_t* limits  # those with a cap, by number
    list_t ready  # by (release, job)
    list_t requests  # by (asked, job)
    heap_t queue
    rows_t rows
    index_set_t touched  # where the settle may move something
    index_set_t idle  # machines that are up and empty, as rows of cell_machine; not counted
    index_set_t paired  # where an idle machine meets an eligible inbound item
    index_set_t arrived  # whose gates items may have reached since the last settle
    vector_t finishers  # machines that took on a finished item since the last settle
    vector_t pickups  # of this instant by an unlimited fleet, by job
    vector_t newly_ready  # since the last stop, as are the next six
    vector_t newly_stranded
    vector_t breakdowns
    vector_t repairs
    vector_t alarms  # numbers of limits
    vector_t newly_idle  # vehicles
    vector_t woken  # conversations
    vector_t losers  # of a breakdown: items to strand
    tick_t now
    tick_t carbon_until  # end of the step in force
    tick_t plant_power
    tick_t plant_carbon
    uint32_t instant  # counts the instants, from 1
    index_t limit_count
    index_t exceeded  # limits, when the alarms were looked at
    index_t violations  # open ones
    index_t epoch
    index_t jobs_left
    index_t next_arrival  # row of arrival_order
    index_t pending  # live events that can move an item
    index_t cancelled  # events in the queue that are no longer live
    index_t held  # finished items on machines
    index_t unblocked  # finished items whose machine is not blocked yet
    index_t idle_vehicles
    index_t stranded  # items by themselves, and dark cells
    index_t paused
    index_t stalls  # consecutive stalled stops
    index_t rounds  # of the present instant
    index_t next_pickup  # of pickups
    index_t carbon_step  # in force now
    int8_t open_requests  # one could be served: it is new, or a vehicle has become idle
    int8_t vehicle_stops  # also stop where a vehicle has become idle
    int8_t traced  # rows are written
    int8_t review  # a budget review has fallen due since the last stop
    int8_t heard  # somebody reads what the stops name
    int8_t changed  # commands were accepted since the last advance
    int8_t status

# Inline: twelve steps an operation, each no longer than a call.

cdef inline void list_insert(
    list_t* items, job_t* jobs, int chain, index_t item, index_t follower
) noexcept nogil:
    """Put `item` before `follower`, or last if that is nobody."""
    cdef index_t previous = (
        items.tail if follower == NOBODY else jobs[follower].links[chain].previous
    )
    jobs[item].links[chain].next = follower
    jobs[item].links[chain].previous = previous
    if previous == NOBODY:
        items.head = item
    else:
        jobs[previous].links[chain].next = item
    if follower == NOBODY:
        items.tail = item
    else:
        jobs[follower].links[chain].previous = item
    items.count += 1

cdef inline void list_append(
    list_t* items, job_t* jobs, int chain, index_t item
) noexcept nogil:
    list_insert(items, jobs, chain, item, NOBODY)

cdef inline void list_remove(
    list_t* items, job_t* jobs, int chain, index_t item
) noexcept nogil:
    cdef index_t next = jobs[item].links[chain].next
    cdef index_t previous = jobs[item].links[chain].previous
    if previous == NOBODY:
        items.head = next
    else:
        jobs[previous].links[chain].next = next
    if next == NOBODY:
        items.tail = previous
    else:
        jobs[next].links[chain].previous = previous
    items.count -= 1

cdef inline bint has_events(const shop_t* shop) noexcept nogil:
    """Events of this instant are left."""
    return shop.queue.next == shop.now or shop.pickups.count > 0

cdef inline index_t next_of(const shop_t* shop, int chain, index_t job) noexcept nogil:
    return shop.jobs[job].links[chain].next

cdef shop_t* new_shop(case_t case, bint traced) except NULL
cdef shop_t* clone_shop(const shop_t* shop) except NULL
cdef void free_shop(shop_t* shop) noexcept
cdef size_t memory_of(shop_t* shop) noexcept  # bytes of what changes, without the rows
