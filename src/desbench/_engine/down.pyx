from libc.stdlib cimport qsort

from desbench._engine.alternatives cimport all_down, alternative_of
from desbench._engine.buffer cimport begin_stranding, end_stranding, name_stranded
from desbench._engine.journal cimport log_stop
from desbench._engine.machine cimport is_free, run_phase, turn_idle
from desbench._engine.memory cimport vector_push
from desbench._engine.meter cimport show_machine
from desbench._engine.queue cimport heap_push
from desbench._engine.state cimport machine_t, next_of, shop_t
from desbench._engine.types cimport (
    BLOCKED,
    BREAKDOWN,
    BY_BREAKDOWN,
    BY_PROMISE,
    C_BREAKDOWN,
    DOWN,
    FINISHED,
    IDLE,
    IN_PROCESS,
    IN_SETUP,
    K_BREAKDOWN,
    K_REPAIR,
    NOBODY,
    REPAIR,
    RESTART,
    SPARED,
    WAIT,
    index_t,
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


cdef int break_down(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef tick_t length = shop.case.down_end[m.next_down] - shop.case.down_start[m.next_down]
    log_stop(shop, K_BREAKDOWN, machine, shop.case.down_cause[m.next_down], length)
    if m.phase == IN_SETUP or m.phase == IN_PROCESS:
        shop.pending -= 1
        shop.cancelled += 1
        if shop.case.down_interruption[m.next_down] == RESTART:
            m.left = m.length
            m.nominal_left = m.nominal
        else:
            m.left = m.due - shop.now
            m.nominal_left = max(<tick_t>0, m.nominal_left - (shop.now - m.nominal_since))
        m.due = NOBODY
    m.down_since = shop.now
    if is_free(shop, machine):
        turn_idle(shop, machine, -1)
    heap_push(&shop.queue, shop.now + length, REPAIR, machine)
    if shop.heard:
        vector_push(&shop.breakdowns, machine)
    show_machine(shop, machine, DOWN)
    return strand_promised(shop, machine)


cdef int strand_promised(shop_t* shop, index_t machine) except -1 nogil:
    """Items of the cell that have just lost their last machine, by job index.

    Where all machines can do all work they are stranded as one, and a long queue costs nothing
    unless it must be named.
    """
    cdef index_t cell = shop.case.machine_cell[machine], i
    cdef bint mixed = shop.case.is_mixed[cell]
    if not mixed:
        if any_up(shop, cell):
            return 0
        shop.cells[cell].dark = 1
        shop.stranded += 1
        if not shop.traced and not shop.heard:
            return 0
    collect_losers(shop, cell, machine)
    qsort(shop.losers.values, shop.losers.count, sizeof(index_t), ascending)
    for i in range(shop.losers.count):
        if mixed:
            begin_stranding(shop, shop.losers.values[i], BY_BREAKDOWN)
        name_stranded(shop, shop.losers.values[i], C_BREAKDOWN)
    return 0


cdef bint any_up(const shop_t* shop, index_t cell) noexcept nogil:
    cdef index_t row
    for row in range(shop.case.cell_machine_offset[cell], shop.case.cell_machine_offset[cell + 1]):
        if shop.machines[shop.case.cell_machine[row]].down_since == NOBODY:
            return True
    return False


cdef int collect_losers(shop_t* shop, index_t cell, index_t machine) except -1 nogil:
    cdef index_t job = shop.cells[cell].assigned.head
    shop.losers.count = 0
    while job != NOBODY:
        if not shop.case.is_mixed[cell] or loses(shop, shop.jobs[job].operation, machine, cell):
            vector_push(&shop.losers, job)
        job = next_of(shop, BY_PROMISE, job)
    return 0


cdef inline bint loses(
    const shop_t* shop, index_t operation, index_t machine, index_t cell
) noexcept nogil:
    """The machine was the last one for the operation."""
    return alternative_of(shop, operation, machine) != NOBODY and all_down(shop, operation, cell)


cdef int ascending(const void* left, const void* right) noexcept nogil:
    return (<const index_t*>left)[0] - (<const index_t*>right)[0]


cdef int repair(shop_t* shop, index_t machine) except -1 nogil:
    cdef machine_t* m = &shop.machines[machine]
    cdef index_t cell = shop.case.machine_cell[machine]
    log_stop(shop, K_REPAIR, machine, shop.case.down_cause[m.next_down], NOBODY)
    m.down_since = NOBODY
    if is_free(shop, machine):
        turn_idle(shop, machine, 1)
    if shop.heard:
        vector_push(&shop.repairs, machine)
    m.next_down += 1
    if shop.cells[cell].dark:
        lighten(shop, cell)
    elif shop.case.is_mixed[cell] and shop.cells[cell].stranded > 0:
        recover(shop, cell, machine)
    if m.phase == IN_SETUP or m.phase == IN_PROCESS:
        run_phase(shop, machine, m.left, m.nominal_left)
    else:
        show_machine(shop, machine, BLOCKED if m.phase == FINISHED and m.blocked else IDLE)
    return begin_due_stop(shop, machine)


cdef void lighten(shop_t* shop, index_t cell) noexcept nogil:
    """A machine of a dark cell is up again."""
    cdef index_t job = shop.cells[cell].assigned.tail
    shop.cells[cell].dark = 0
    shop.stranded -= 1
    while shop.cells[cell].spared > 0:
        shop.jobs[job].stranding &= ~SPARED
        shop.cells[cell].spared -= 1
        job = shop.jobs[job].links[BY_PROMISE].previous


cdef void recover(shop_t* shop, index_t cell, index_t machine) noexcept nogil:
    """Items that the machine can do are no longer stranded."""
    cdef index_t job = shop.cells[cell].assigned.head
    while job != NOBODY:
        if alternative_of(shop, shop.jobs[job].operation, machine) != NOBODY:
            end_stranding(shop, job, BY_BREAKDOWN)
        job = next_of(shop, BY_PROMISE, job)
