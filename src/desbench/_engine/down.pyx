from desbench._engine.buffer cimport end_stranding, strand
from desbench._engine.machine cimport all_down, alternative_of, run_phase
from desbench._engine.memory cimport vector_push
from desbench._engine.meter cimport show_machine
from desbench._engine.queue cimport heap_push
from desbench._engine.rows cimport event_row_t, new_event
from desbench._engine.state cimport machine_t, shop_t
from desbench._engine.types cimport (
    BREAKDOWN,
    BY_BREAKDOWN,
    IN_PROCESS,
    IN_SETUP,
    K_BREAKDOWN,
    K_REPAIR,
    NOBODY,
    REPAIR,
    RESTART,
    WAIT,
    index_t,
    kind_t,
    tick_t,
)


cdef int schedule_stop(shop_t* shop, index_t machine) except -1 nogil:
    """Schedule the next stop of the calendar, if there is one."""
    cdef machine_t* m = &shop.machines[machine]
    if m.next_due == shop.case.down_offset[machine + 1]:
        return 0
    return heap_push(&shop.queue, shop.case.down_start[m.next_due], BREAKDOWN, machine)


cdef int fall_due(shop_t* shop, index_t machine) except -1 nogil:
    """A stop of the calendar begins now, or waits for the work or the stop before it to end."""
    shop.machines[machine].next_due += 1
    schedule_stop(shop, machine)
    return begin_due_stop(shop, machine)


cdef int begin_due_stop(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    if m.next_down == m.next_due or m.down_since != NOBODY:
        return 0
    if shop.case.down_interruption[m.next_down] == WAIT and (
        m.phase == IN_SETUP or m.phase == IN_PROCESS
    ):
        return 0
    return break_down(shop, machine)


cdef event_row_t* stop_row(shop_t* shop, index_t machine, kind_t kind) except NULL nogil:
    cdef event_row_t* row = new_event(&shop.rows, shop.now, kind)
    row.machine = machine
    row.cell = shop.case.machine_cell[machine]
    row.area = shop.case.cell_area[row.cell]
    row.cause = shop.case.down_cause[shop.machines[machine].next_down]
    return row


cdef int break_down(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef tick_t length = shop.case.down_end[m.next_down] - shop.case.down_start[m.next_down]
    stop_row(shop, machine, K_BREAKDOWN).amount = length
    if m.phase == IN_SETUP or m.phase == IN_PROCESS:
        shop.pending -= 1
        if shop.case.down_interruption[m.next_down] == RESTART:
            m.left = m.length
            m.nominal_left = m.nominal
        else:
            m.left = m.due - shop.now
            m.nominal_left = max(<tick_t>0, m.nominal_left - (shop.now - m.nominal_since))
        m.due = NOBODY
    m.down_since = shop.now
    heap_push(&shop.queue, shop.now + length, REPAIR, machine)
    vector_push(&shop.breakdowns, machine)
    show_machine(shop, machine)
    return strand_promised(shop, machine)


cdef int strand_promised(shop_t* shop, index_t machine) except -1 nogil:
    """Items of the cell that have just lost their last machine, by job index."""
    cdef index_t cell = shop.case.machine_cell[machine]
    cdef index_t last = NOBODY, job, lowest
    while True:  # few items: the next lowest job each time
        lowest = NOBODY
        job = shop.cells[cell].assigned.head
        while job != NOBODY:
            if (
                job > last
                and (lowest == NOBODY or job < lowest)
                and alternative_of(shop, shop.jobs[job].operation, machine) != NOBODY
                and all_down(shop, shop.jobs[job].operation, cell)
            ):
                lowest = job
            job = shop.promised[job].next
        if lowest == NOBODY:
            return 0
        strand(shop, lowest, BY_BREAKDOWN)
        last = lowest


cdef int repair(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t job = shop.cells[shop.case.machine_cell[machine]].assigned.head
    stop_row(shop, machine, K_REPAIR)
    vector_push(&shop.repairs, machine)
    m.down_since = NOBODY
    m.next_down += 1
    while job != NOBODY:
        if alternative_of(shop, shop.jobs[job].operation, machine) != NOBODY:
            end_stranding(shop, job, BY_BREAKDOWN)
        job = shop.promised[job].next
    if m.phase == IN_SETUP or m.phase == IN_PROCESS:
        run_phase(shop, machine, m.left, m.nominal_left)
    show_machine(shop, machine)
    return begin_due_stop(shop, machine)
