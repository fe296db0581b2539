from desbench._engine.alternatives cimport alternative_of, count_waiting, shortest
from desbench._engine.buffer cimport (
    end_stranding,
    free_commitment,
    leave_inbound,
    make_ready,
    store_outbound,
)
from desbench._engine.indexset cimport add
from desbench._engine.down cimport begin_due_stop
from desbench._engine.journal cimport log_machine, log_phase
from desbench._engine.memory cimport prefetch, vector_push
from desbench._engine.meter cimport show_machine
from desbench._engine.state cimport case_t, job_t, list_remove, machine_t, shop_t
from desbench._engine.transport cimport ask_vehicle
from desbench._engine.types cimport (
    BLOCKED,
    BY_BREAKDOWN,
    BY_PATIENCE,
    BY_PROMISE,
    DONE,
    DOWN,
    ECO,
    EMPTY,
    FINISHED,
    IDLE,
    IN_PROCESS,
    IN_SETUP,
    K_BLOCKING_RELEASE,
    K_BLOCKING_START,
    K_DISPATCH,
    K_FINISH,
    K_JOB_COMPLETE,
    K_SETUP_COMPLETE,
    K_SETUP_START,
    K_STAGE_RELEASE_READY,
    K_START,
    MACHINE,
    NOBODY,
    index_t,
    tick_t,
)


cdef int dispatch(shop_t* shop, index_t job, index_t machine) except -1 nogil:
    """Take a legal inbound item; setup or processing starts at once."""
    cdef job_t* j = &shop.jobs[job]
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t cell = j.assigned
    cdef tick_t setup
    m.alternative = alternative_of(shop, j.operation, machine)
    count_waiting(shop, job, -1)
    leave_inbound(shop, job)
    shop.cells[cell].backlog -= shortest(shop, j.operation, cell)
    list_remove(&shop.cells[cell].assigned, shop.jobs, BY_PROMISE, job)
    free_commitment(shop, cell)
    end_stranding(shop, job, BY_BREAKDOWN | BY_PATIENCE)
    j.assigned = NOBODY
    j.place = MACHINE
    j.where = machine
    m.job = job
    m.operation = j.operation
    log_phase(shop, K_DISPATCH, machine, shop.epoch, NOBODY)
    fetch_processing(&shop.case, m.alternative)
    setup = setup_ticks(&shop.case, m, machine)
    if setup == 0:
        m.family = shop.case.family[m.operation]
        start_processing(shop, machine, shop.epoch)
    else:
        start_setup(shop, machine, setup)
    run_phase(shop, machine, m.length, m.nominal)
    turn_idle(shop, machine, -1)
    return 0


cdef inline void fetch_processing(const case_t* case, index_t alternative) noexcept nogil:
    """Into the cache what processing will read: after the setup, mostly."""
    prefetch(&case.realised[alternative])
    prefetch(&case.nominal[alternative])
    prefetch(&case.processing_power[alternative])


cdef inline tick_t setup_ticks(const case_t* case, const machine_t* m, index_t machine) noexcept nogil:
    cdef index_t families = case.families
    return case.setup[
        (<tick_t>machine * (families + 1) + m.family + 1) * families + case.family[m.operation]
    ]


cdef inline int start_setup(shop_t* shop, index_t machine, tick_t setup) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    m.eco = shop.cells[shop.case.machine_cell[machine]].mode == ECO
    m.length = in_mode(&shop.case, setup, m.eco)
    m.nominal = m.length
    m.phase = IN_SETUP
    return log_phase(shop, K_SETUP_START, machine, shop.epoch, m.length)


cdef inline int start_processing(shop_t* shop, index_t machine, index_t epoch) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    m.eco = shop.cells[shop.case.machine_cell[machine]].mode == ECO
    m.length = in_mode(&shop.case, shop.case.realised[m.alternative], m.eco)
    m.nominal = in_mode(&shop.case, shop.case.nominal[m.alternative], m.eco)
    m.phase = IN_PROCESS
    return log_phase(shop, K_START, machine, epoch, m.length)


cdef inline tick_t in_mode(const case_t* case, tick_t duration, bint eco) noexcept nogil:
    if not eco:
        return duration
    return (
        duration * case.eco_duration_num + case.eco_duration_den - 1
    ) // case.eco_duration_den


cdef int complete_setup(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    shop.pending -= 1
    m.family = shop.case.family[m.operation]
    log_machine(shop, K_SETUP_COMPLETE, machine)
    start_processing(shop, machine, NOBODY)
    return run_phase(shop, machine, m.length, m.nominal)


cdef int finish(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t job = m.job
    cdef job_t* j = &shop.jobs[job]
    cdef bint is_last
    shop.pending -= 1
    log_machine(shop, K_FINISH, machine)
    m.due = NOBODY
    is_last = j.operation + 1 == shop.case.operation_offset[job + 1]
    if is_last and not shop.case.deliver:
        log_machine(shop, K_JOB_COMPLETE, machine)
        j.operation += 1
        complete(shop, job)
    else:
        j.operation += 1
        if not is_last:
            log_machine(shop, K_STAGE_RELEASE_READY, machine)
        put_out(shop, machine)
        if is_last:
            ask_vehicle(shop, job, NOBODY)
        else:
            make_ready(shop, job)
    show_machine(shop, machine, IDLE)
    return begin_due_stop(shop, machine) if m.next_down != m.next_due else 0


cdef inline int put_out(shop_t* shop, index_t machine) except -1 nogil:
    """Into the outbound buffer, or hold the item until the settle, or longer, moves it.

    With room and nobody before it the settle could do nothing else, and no row would tell; unless
    a machine with a lower index starts and finishes at this very instant, which is the first then.
    """
    cdef index_t cell = shop.case.machine_cell[machine], job = shop.machines[machine].job
    if (
        shop.case.zero_work
        or shop.cells[cell].finished > 0
        or shop.cells[cell].outbound.count >= shop.case.outbound[cell]
    ):
        return hold_finished(shop, machine)
    empty(shop, machine)
    store_outbound(shop, job, cell)
    return 0


cdef void complete(shop_t* shop, index_t job) noexcept nogil:
    """The item is done and leaves its machine and the plant."""
    cdef job_t* j = &shop.jobs[job]
    cdef index_t area = shop.case.cell_area[shop.case.machine_cell[j.where]]
    empty(shop, j.where)
    j.place = DONE
    j.where = NOBODY
    shop.areas[area].wip -= 1
    shop.jobs_left -= 1


cdef inline void empty(shop_t* shop, index_t machine) noexcept nogil:
    shop.machines[machine].job = NOBODY
    shop.machines[machine].phase = EMPTY
    if shop.machines[machine].down_since == NOBODY:
        turn_idle(shop, machine, 1)


cdef int hold_finished(shop_t* shop, index_t machine) except -1 nogil:
    """The item stays on the machine until the settle, or longer, moves it."""
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t cell = shop.case.machine_cell[machine]
    m.phase = FINISHED
    m.blocked = 0
    m.finish_time = shop.now
    shop.cells[cell].finished += 1
    shop.unblocked += 1
    shop.held += 1
    add(&shop.touched, cell)
    return vector_push(&shop.finishers, machine)


cdef int release_machine(shop_t* shop, index_t machine) except -1 nogil:
    """The finished item leaves the machine."""
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t cell = shop.case.machine_cell[machine]
    if m.blocked:
        log_machine(shop, K_BLOCKING_RELEASE, machine)
    else:
        shop.unblocked -= 1
    shop.cells[cell].finished -= 1
    shop.held -= 1
    empty(shop, machine)
    if m.blocked == 0 and m.down_since == NOBODY:
        return 0  # it has shown idle since the finish
    m.blocked = 0
    return show_machine(shop, machine, DOWN if m.down_since != NOBODY else IDLE)


cdef int block(shop_t* shop, index_t machine) except -1 nogil:
    shop.machines[machine].blocked = 1
    shop.unblocked -= 1
    log_machine(shop, K_BLOCKING_START, machine)
    if shop.machines[machine].down_since != NOBODY:
        return 0
    return show_machine(shop, machine, BLOCKED)


cdef tick_t nominal_rest(const shop_t* shop, index_t machine) noexcept nogil:
    """What agents know is left of the running work, in ticks."""
    cdef const machine_t* m = &shop.machines[machine]
    cdef tick_t rest
    if m.phase != IN_SETUP and m.phase != IN_PROCESS:
        return 0
    rest = m.nominal_left
    if m.down_since == NOBODY:
        rest = max(<tick_t>0, rest - (shop.now - m.nominal_since))
    if m.phase == IN_SETUP:
        rest += shop.case.nominal[m.alternative]
    return rest
