"""Machines: dispatch, setup, processing, finish, blocking."""

from desbench._engine.indexset cimport flip
from desbench._engine.meter cimport show_machine
from desbench._engine.pairs cimport match
from desbench._engine.queue cimport heap_push
from desbench._engine.state cimport machine_t, shop_t
from desbench._engine.types cimport (
    EMPTY,
    FINISH,
    IN_PROCESS,
    NOBODY,
    SETUP_COMPLETE,
    index_t,
    shown_t,
    tick_t,
)

cdef int dispatch(shop_t* shop, index_t job, index_t machine) except -1 nogil
cdef int complete_setup(shop_t* shop, index_t machine) except -1 nogil
cdef int finish(shop_t* shop, index_t machine) except -1 nogil
cdef int release_machine(shop_t* shop, index_t machine) except -1 nogil
cdef int block(shop_t* shop, index_t machine) except -1 nogil
cdef tick_t nominal_rest(const shop_t* shop, index_t machine) noexcept nogil

cdef inline bint is_free(const shop_t* shop, index_t machine) noexcept nogil:
    return shop.machines[machine].phase == EMPTY

cdef inline bint is_idle(const shop_t* shop, index_t machine) noexcept nogil:
    return is_free(shop, machine) and shop.machines[machine].down_since == NOBODY

cdef inline void turn_idle(shop_t* shop, index_t machine, int change) noexcept nogil:
    """The machine is up and empty from now on, or no longer is."""
    cdef index_t cell = shop.case.machine_cell[machine]
    flip(&shop.idle, shop.case.machine_row[machine])
    shop.cells[cell].idle += change
    match(shop, cell)

cdef inline int run_phase(
    shop_t* shop, index_t machine, tick_t left, tick_t nominal
) except -1 nogil:
    """Let the phase run for `left` ticks from now."""
    cdef machine_t* m = &shop.machines[machine]
    m.due = shop.now + left
    m.nominal_left = nominal
    m.nominal_since = shop.now
    shop.pending += 1
    heap_push(&shop.queue, m.due, FINISH if m.phase == IN_PROCESS else SETUP_COMPLETE, machine)
    return show_machine(shop, machine, <shown_t>m.phase)
