from desbench._engine.alternatives cimport shortest
from desbench._engine.machine cimport nominal_rest
from desbench._engine.state cimport case_t, shop_t
from desbench._engine.transport cimport travel_left
from desbench._engine.types cimport NOBODY, index_t, tick_t


cdef estimate_t estimate(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """model.md, section 2, Finish estimate."""
    cdef const case_t* case = &shop.case
    cdef index_t operation = shop.jobs[job].operation, row, machine, up = 0, eligible = 0
    cdef tick_t travel, wait, repair = -1, work, best = -1
    cdef estimate_t result
    result.expected = result.optimistic = 0
    result.machine = NOBODY
    for row in range(case.eligible_offset[operation], case.eligible_offset[operation + 1]):
        machine = case.eligible_machine[row]
        if case.machine_cell[machine] != cell:
            continue
        eligible += 1
        if shop.machines[machine].down_since == NOBODY:
            up += 1
        else:
            wait = max(
                <tick_t>1,
                case.mean_repair[machine] - (shop.now - shop.machines[machine].down_since),
            )
            repair = wait if repair < 0 or wait < repair else repair
        work = case.nominal[row] + case.setup[
            (<tick_t>machine * (case.families + 1) + shop.machines[machine].family + 1)
            * case.families
            + case.family[operation]
        ]
        if best < 0 or work < best:
            best = work
            result.machine = machine
    if eligible == 0:
        return result
    travel = travel_left(shop, job, cell)
    result.optimistic = travel + best + (repair if up == 0 else 0)
    wait = backlog(shop, job, cell)
    up = eligible if up == 0 else up
    wait = (wait + up - 1) // up
    result.expected = result.optimistic + max(<tick_t>0, wait - travel)
    return result


cdef tick_t backlog(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    """Nominal work in the cell ahead of the item: promised items and the rest of running work."""
    cdef tick_t work = shop.cells[cell].backlog
    cdef index_t row
    if shop.jobs[job].assigned == cell:
        work -= shortest(shop, shop.jobs[job].operation, cell)
    for row in range(shop.case.cell_machine_offset[cell], shop.case.cell_machine_offset[cell + 1]):
        work += nominal_rest(shop, shop.case.cell_machine[row])
    return work
