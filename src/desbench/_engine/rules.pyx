from libc.stdlib cimport calloc, free
from libc.string cimport memset

from desbench._engine.alternatives cimport is_wanted, shortest
from desbench._engine.advance cimport ENDED, advance, is_due
from desbench._engine.buffer cimport room_of
from desbench._engine.indexset cimport next_member
from desbench._engine.ending cimport may_dispatch
from desbench._engine.estimate cimport estimate
from desbench._engine.fail cimport OUT_OF_MEMORY, fail
from desbench._engine.machine cimport dispatch
from desbench._engine.queue cimport (
    entity_of,
    event_t,
    heap_free,
    heap_pop,
    heap_push,
    heap_size,
    rank_of,
)
from desbench._engine.state cimport next_of, shop_t
from desbench._engine.transport cimport assign
from desbench._engine.types cimport BY_PLACE, BY_WAIT, NOBODY, index_t, rank_t, tick_t

cdef tick_t NO_DUE = <tick_t>1 << 62  # later than any time of an episode


cdef int run(shop_t* shop, dispatch_t dispatch) except -1 nogil:
    cdef rules_t rules
    cdef index_t cell
    rules.dispatch = dispatch
    rules.inbound = <heap_t*>calloc(shop.case.cells, sizeof(heap_t))
    rules.admitted = <index_t*>calloc(shop.case.cells, sizeof(index_t))
    try:
        if rules.inbound == NULL or rules.admitted == NULL:
            return fail(OUT_OF_MEMORY, shop.case.cells * sizeof(heap_t))
        return play(shop, &rules)
    finally:
        for cell in range(shop.case.cells if rules.inbound != NULL else 0):
            heap_free(&rules.inbound[cell])
        free(rules.inbound)
        free(rules.admitted)


cdef int play(shop_t* shop, rules_t* rules) except -1 nogil:
    """Advance to the end; at each stop dispatch, then assign unless the dispatches set off more."""
    shop.heard = 0
    while advance(shop) != ENDED:
        shop.newly_idle.count = shop.woken.count = shop.review = 0
        if dispatch_all(shop, rules) > 0:
            shop.changed = 1
            shop.stalls = 0
            if is_due(shop):
                continue
        if assign_all(shop) > 0:
            shop.changed = 1
            shop.stalls = 0
    return 0


cdef index_t dispatch_all(shop_t* shop, rules_t* rules) except -1 nogil:
    """Cells ascending, machines ascending: each idle machine takes the first item by the rule."""
    cdef index_t cell, row, machine, job, count = 0
    while shop.paired.count > 0:
        cell = next_member(&shop.paired, 0)
        row = next_member(&shop.idle, shop.case.cell_machine_offset[cell])
        while not is_wanted(shop, shop.case.cell_machine[row], cell):
            row = next_member(&shop.idle, row + 1)
        machine = shop.case.cell_machine[row]
        if rules.dispatch == FIFO:
            job = first_admitted(shop, cell, machine)
        else:
            job = first_by_priority(shop, rules, cell, machine)
        dispatch(shop, job, machine)
        count += 1
    return count


cdef index_t first_admitted(const shop_t* shop, index_t cell, index_t machine) noexcept nogil:
    """The first inbound item that may be dispatched on the machine; there is one."""
    cdef index_t job = shop.cells[cell].inbound.head
    cdef bint mixed = shop.case.is_mixed[cell]
    while shop.jobs[job].assigned != cell or (mixed and not may_dispatch(shop, job, machine)):
        job = next_of(shop, BY_PLACE, job)
    return job


cdef index_t first_by_priority(
    shop_t* shop, rules_t* rules, index_t cell, index_t machine
) except -1 nogil:
    """The same by (priority, admission), out of the heap of the cell.

    Priorities do not depend on the machine. Items for other machines only are put aside and back:
    that costs where machines of a cell differ, and nothing where they are alike.
    """
    cdef heap_t* heap = &rules.inbound[cell]
    cdef heap_t aside
    cdef event_t event
    memset(&aside, 0, sizeof(heap_t))
    add_admitted(shop, rules, cell)
    while True:
        event = heap.events[heap.first]
        heap_pop(heap)
        if may_dispatch(shop, entity_of(event), machine):
            break
        push_event(&aside, event)
    while heap_size(&aside) > 0:
        push_event(heap, aside.events[aside.first])
        heap_pop(&aside)
    heap_free(&aside)
    return entity_of(event)


cdef int push_event(heap_t* heap, event_t event) except -1 nogil:
    return heap_push(heap, <tick_t>event.time, rank_of(event), entity_of(event))


cdef int add_admitted(shop_t* shop, rules_t* rules, index_t cell) except -1 nogil:
    """Inbound items that are not in the heap yet are the last ones: only dispatch takes any out."""
    cdef heap_t* heap = &rules.inbound[cell]
    cdef index_t job = shop.cells[cell].inbound.tail, known, i
    known = heap_size(heap)
    if known == shop.cells[cell].inbound.count:
        return 0
    for i in range(shop.cells[cell].inbound.count - known - 1):
        job = shop.jobs[job].links[BY_PLACE].previous
    while job != NOBODY:
        heap_push(heap, priority_of(shop, rules, job, cell), <rank_t>rules.admitted[cell], job)
        rules.admitted[cell] += 1
        job = next_of(shop, BY_PLACE, job)
    return 0


cdef tick_t priority_of(
    const shop_t* shop, const rules_t* rules, index_t job, index_t cell
) noexcept nogil:
    if rules.dispatch == SPT:
        return shortest(shop, shop.jobs[job].operation, cell)
    return shop.case.due[job] if shop.case.due[job] != NOBODY else NO_DUE


cdef index_t assign_all(shop_t* shop) except -1 nogil:
    """Ready items by (release, job): each to the cell with room that would finish it first."""
    cdef index_t job = shop.ready.head, next, cell, count = 0
    while job != NOBODY:
        next = next_of(shop, BY_WAIT, job)
        cell = best_cell(shop, job)
        if cell != NOBODY:
            assign(shop, job, cell, NOBODY)
            count += 1
        job = next
    return count


cdef index_t best_cell(const shop_t* shop, index_t job) noexcept nogil:
    """Ties go to the lowest cell; a cell that is the only choice needs no estimate."""
    cdef index_t operation = shop.jobs[job].operation, i, cell, best = NOBODY
    cdef tick_t least = NOBODY, expected
    for i in range(shop.case.choice_offset[operation], shop.case.choice_offset[operation + 1]):
        cell = <index_t>shop.case.choice[i].cell
        if room_of(shop, cell, job) <= 0:
            continue
        if best == NOBODY:
            best = cell
            continue
        if least == NOBODY:
            least = estimate(shop, job, best).expected
        expected = estimate(shop, job, cell).expected
        if expected < least or (expected == least and cell < best):
            best = cell
            least = expected
    return best
