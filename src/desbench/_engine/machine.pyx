from desbench._engine.buffer cimport end_stranding, free_commitment, make_ready
from desbench._engine.down cimport begin_due_stop
from desbench._engine.meter cimport recount_wip, show_machine
from desbench._engine.queue cimport heap_push
from desbench._engine.rows cimport event_row_t, new_event
from desbench._engine.state cimport case_t, job_t, list_remove, machine_t, shop_t
from desbench._engine.transport cimport ask_vehicle
from desbench._engine.types cimport (
    BY_BREAKDOWN,
    BY_PATIENCE,
    DONE,
    ECO,
    EMPTY,
    FINISH,
    FINISHED,
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
    SETUP_COMPLETE,
    index_t,
    kind_t,
    tick_t,
)


cdef index_t alternative_of(const shop_t* shop, index_t operation, index_t machine) noexcept nogil:
    """The row of eligible_machine, or nobody: machines of an operation are few and ascending."""
    cdef index_t row
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        if shop.case.eligible_machine[row] == machine:
            return row
    return NOBODY


cdef bint is_free(const shop_t* shop, index_t machine) noexcept nogil:
    return shop.machines[machine].phase == EMPTY


cdef bint is_idle(const shop_t* shop, index_t machine) noexcept nogil:
    return is_free(shop, machine) and shop.machines[machine].down_since == NOBODY


cdef bint all_down(const shop_t* shop, index_t operation, index_t cell) noexcept nogil:
    """No machine of the cell that is eligible for the operation is up."""
    cdef index_t row, machine
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        machine = shop.case.eligible_machine[row]
        if shop.case.machine_cell[machine] == cell and shop.machines[machine].down_since == NOBODY:
            return False
    return True


cdef tick_t shortest(const shop_t* shop, index_t operation, index_t cell) noexcept nogil:
    """Shortest nominal duration of the operation in the cell; -1 if it has no eligible machine."""
    cdef index_t row
    cdef tick_t best = -1, nominal
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        if shop.case.machine_cell[shop.case.eligible_machine[row]] == cell:
            nominal = shop.case.nominal[row]
            if best < 0 or nominal < best:
                best = nominal
    return best


cdef event_row_t* machine_row(shop_t* shop, index_t machine, kind_t kind) except NULL nogil:
    """A row that names the machine, its cell and area, and the item on it with its operation."""
    cdef machine_t* m = &shop.machines[machine]
    cdef event_row_t* row = new_event(&shop.rows, shop.now, kind)
    row.machine = machine
    row.cell = shop.case.machine_cell[machine]
    row.area = shop.case.cell_area[row.cell]
    row.job = m.job
    if m.job != NOBODY:
        row.operation = shop.jobs[m.job].operation - shop.case.operation_offset[m.job]
    return row


cdef int dispatch(shop_t* shop, index_t job, index_t machine) except -1 nogil:
    """Take a legal inbound item; setup or processing starts at once."""
    cdef job_t* j = &shop.jobs[job]
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t cell = j.assigned
    cdef tick_t setup
    list_remove(&shop.cells[cell].inbound, shop.standing, job)
    list_remove(&shop.cells[cell].assigned, shop.promised, job)
    shop.cells[cell].backlog -= shortest(shop, j.operation, cell)
    free_commitment(shop, cell)
    end_stranding(shop, job, BY_BREAKDOWN | BY_PATIENCE)
    j.assigned = NOBODY
    j.place = MACHINE
    j.where = machine
    recount_wip(shop, job)
    m.job = job
    m.operation = j.operation
    m.alternative = alternative_of(shop, j.operation, machine)
    machine_row(shop, machine, K_DISPATCH).epoch = shop.epoch
    setup = setup_ticks(&shop.case, m, machine)
    if setup == 0:
        m.family = shop.case.family[m.operation]
        return start_processing(shop, machine, shop.epoch)
    return start_setup(shop, machine, setup)


cdef tick_t setup_ticks(const case_t* case, const machine_t* m, index_t machine) noexcept nogil:
    cdef index_t families = case.families
    return case.setup[
        (<tick_t>machine * (families + 1) + m.family + 1) * families + case.family[m.operation]
    ]


cdef int start_setup(shop_t* shop, index_t machine, tick_t setup) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef event_row_t* row
    m.eco = shop.cells[shop.case.machine_cell[machine]].mode == ECO
    m.length = in_mode(&shop.case, setup, m.eco)
    m.nominal = m.length
    m.phase = IN_SETUP
    row = machine_row(shop, machine, K_SETUP_START)
    row.epoch = shop.epoch
    row.amount = m.length
    return run_phase(shop, machine, m.length, m.length)


cdef int start_processing(shop_t* shop, index_t machine, index_t epoch) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef event_row_t* row
    m.eco = shop.cells[shop.case.machine_cell[machine]].mode == ECO
    m.length = in_mode(&shop.case, shop.case.realised[m.alternative], m.eco)
    m.nominal = in_mode(&shop.case, shop.case.nominal[m.alternative], m.eco)
    m.phase = IN_PROCESS
    row = machine_row(shop, machine, K_START)
    row.epoch = epoch
    row.amount = m.length
    return run_phase(shop, machine, m.length, m.nominal)


cdef tick_t in_mode(const case_t* case, tick_t duration, bint eco) noexcept nogil:
    if not eco:
        return duration
    return (
        duration * case.eco_duration_num + case.eco_duration_den - 1
    ) // case.eco_duration_den


cdef int run_phase(shop_t* shop, index_t machine, tick_t left, tick_t nominal) except -1 nogil:
    """Let the phase run for `left` ticks from now."""
    cdef machine_t* m = &shop.machines[machine]
    m.due = shop.now + left
    m.nominal_left = nominal
    m.nominal_since = shop.now
    shop.pending += 1
    heap_push(&shop.queue, m.due, FINISH if m.phase == IN_PROCESS else SETUP_COMPLETE, machine)
    return show_machine(shop, machine)


cdef int complete_setup(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    shop.pending -= 1
    m.family = shop.case.family[m.operation]
    machine_row(shop, machine, K_SETUP_COMPLETE)
    return start_processing(shop, machine, NOBODY)


cdef int finish(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t job = m.job
    cdef job_t* j = &shop.jobs[job]
    shop.pending -= 1
    machine_row(shop, machine, K_FINISH)
    m.due = NOBODY
    if j.operation + 1 < shop.case.operation_offset[job + 1]:
        j.operation += 1
        machine_row(shop, machine, K_STAGE_RELEASE_READY)
        hold_finished(shop, machine)
        make_ready(shop, job)
    elif shop.case.deliver:
        j.operation += 1
        hold_finished(shop, machine)
        ask_vehicle(shop, job, NOBODY)
    else:
        machine_row(shop, machine, K_JOB_COMPLETE)
        j.operation += 1
        j.place = DONE
        j.where = NOBODY
        m.job = NOBODY
        m.phase = EMPTY
        shop.jobs_left -= 1
    recount_wip(shop, job)
    show_machine(shop, machine)
    return begin_due_stop(shop, machine)


cdef void hold_finished(shop_t* shop, index_t machine) noexcept nogil:
    """The item stays on the machine until the settle, or longer, moves it."""
    cdef machine_t* m = &shop.machines[machine]
    m.phase = FINISHED
    m.blocked = 0
    m.finish_time = shop.now
    shop.cells[shop.case.machine_cell[machine]].finished += 1
    shop.unblocked += 1


cdef int release_machine(shop_t* shop, index_t machine) except -1 nogil:
    """The finished item leaves the machine."""
    cdef machine_t* m = &shop.machines[machine]
    if m.blocked:
        machine_row(shop, machine, K_BLOCKING_RELEASE)
    else:
        shop.unblocked -= 1
    shop.cells[shop.case.machine_cell[machine]].finished -= 1
    m.job = NOBODY
    m.phase = EMPTY
    m.blocked = 0
    return show_machine(shop, machine)


cdef int block(shop_t* shop, index_t machine) except -1 nogil:
    shop.machines[machine].blocked = 1
    shop.unblocked -= 1
    machine_row(shop, machine, K_BLOCKING_START)
    return show_machine(shop, machine)


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
