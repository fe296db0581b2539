from libc.math cimport trunc

from desbench._engine.alternatives cimport alternative_of, shortest
from desbench._engine.buffer cimport location_of
from desbench._engine.plant cimport (
    CR,
    EARLIEST_FINISH,
    EDD,
    FIFO,
    FIRST_RELEASED,
    LEAST_SETUP,
    LEAST_WORK,
    LIFO,
    LPT,
    LWKR,
    MOPNR,
    MWKR,
    NEAREST,
    SLACK,
    SPT,
    dispatch_t,
)
from desbench._engine.state cimport case_t
from desbench._engine.types cimport NOBODY, PROCESSING, SETUP, tick_t

cdef double NEVER = float("inf")
cdef double GRAIN = 1e6  # of protocol/estimate.py: closer estimates tie
cdef tick_t NO_DATE = (1 << 63) - 1

cdef struct counts_t:  # of a cell, as far as they concern an item
    tick_t travel
    tick_t nominal
    tick_t repair
    index_t committed
    index_t machines  # that are up; all, if none is


# items to release


cdef tick_t slack_of(const shop_t* shop, const desk_t* desk, index_t job) noexcept nogil:
    """Of a job with a due date."""
    return shop.case.due[job] - shop.now - desk.rest[shop.jobs[job].operation]


cdef void rank_item(const shop_t* shop, const desk_t* desk, offer_t* offer) noexcept nogil:
    """Latest start, none last; then release, then job."""
    cdef index_t job = offer.subject
    offer.first = NO_DATE
    if shop.case.due[job] != NOBODY:
        offer.first = shop.case.due[job] - desk.rest[shop.jobs[job].operation]
    offer.second = shop.case.release[job]


cdef void rate_item(const shop_t* shop, const desk_t* desk, offer_t* offer) noexcept nogil:
    cdef double release = <double>shop.case.release[offer.subject] / desk.policy.unit
    if desk.policy.release == FIRST_RELEASED:
        offer.key = release
        return
    offer.key = slack_in_units(shop, desk, offer.subject)
    offer.tie = release


cdef double slack_in_units(const shop_t* shop, const desk_t* desk, index_t job) noexcept nogil:
    if shop.case.due[job] == NOBODY:
        return NEVER
    return <double>slack_of(shop, desk, job) / desk.policy.unit


# pairs to dispatch


cdef tick_t setup_of(const shop_t* shop, const offer_t* offer) noexcept nogil:
    cdef const case_t* case = &shop.case
    return case.setup[
        (<tick_t>offer.machine * (case.families + 1) + shop.machines[offer.machine].family + 1)
        * case.families
        + case.family[shop.jobs[offer.subject].operation]
    ]


cdef tick_t nominal_of(const shop_t* shop, const offer_t* offer) noexcept nogil:
    cdef index_t operation = shop.jobs[offer.subject].operation
    return shop.case.nominal[alternative_of(shop, operation, offer.machine)]


cdef void rank_pair(const shop_t* shop, offer_t* offer) noexcept nogil:
    offer.first = setup_of(shop, offer) + nominal_of(shop, offer)


cdef void rate_pair(const shop_t* shop, const desk_t* desk, offer_t* offer) noexcept nogil:
    cdef dispatch_t rule = desk.policy.dispatch
    cdef double unit = desk.policy.unit
    cdef index_t job = offer.subject, operation = shop.jobs[job].operation
    cdef double work = <double>desk.rest[operation] / unit
    if rule == FIFO:
        offer.key = offer.position
    elif rule == LIFO:
        offer.key = -offer.position
    elif rule == SPT:
        offer.key = <double>nominal_of(shop, offer) / unit
    elif rule == LPT:
        offer.key = -(<double>nominal_of(shop, offer) / unit)
    elif rule == EDD:
        offer.key = <double>shop.case.due[job] / unit if shop.case.due[job] != NOBODY else NEVER
    elif rule == MWKR:
        offer.key = -work
    elif rule == LWKR:
        offer.key = work
    elif rule == MOPNR:
        offer.key = operation - shop.case.operation_offset[job + 1]
    elif rule == SLACK:
        offer.key = slack_in_units(shop, desk, job)
    elif rule == CR:
        offer.key = slack_in_units(shop, desk, job)
        if work != 0:
            offer.key = offer.key / work
    elif rule == LEAST_SETUP:
        offer.key = <double>setup_of(shop, offer) / unit
        offer.tie = offer.position
    else:
        offer.key = shop.case.due[job] == NOBODY or slack_of(shop, desk, job) >= 0
        offer.tie = <double>(setup_of(shop, offer) + nominal_of(shop, offer)) / unit


# cells for an item


cdef counts_t counts_of(const shop_t* shop, index_t job, index_t cell) noexcept nogil:
    cdef const case_t* case = &shop.case
    cdef index_t operation = shop.jobs[job].operation, row, machine, up = 0, all = 0
    cdef tick_t back, repair = -1
    cdef counts_t found
    for row in range(case.eligible_offset[operation], case.eligible_offset[operation + 1]):
        machine = case.eligible_machine[row]
        if case.machine_cell[machine] != cell:
            continue
        all += 1
        if shop.machines[machine].down_since == NOBODY:
            up += 1
            continue
        back = case.mean_repair[machine] - (shop.now - shop.machines[machine].down_since)
        back = max(<tick_t>1, back)
        repair = back if repair < 0 or back < repair else repair
    found.machines = up if up > 0 else all
    found.repair = 0 if up > 0 else repair
    found.nominal = shortest(shop, operation, cell)
    found.committed = shop.cells[cell].committed - (shop.jobs[job].assigned == cell)
    found.travel = case.travel[
        <tick_t>location_of(shop, job) * (case.cells + 1) + cell + 1
    ]
    return found


cdef void rank_place(const shop_t* shop, index_t job, offer_t* offer) noexcept nogil:
    """The estimate from counts, in ticks."""
    cdef counts_t counts = counts_of(shop, job, offer.subject)
    cdef double wait = <double>(counts.committed * counts.nominal) / counts.machines
    offer.cost = max(<double>counts.travel, wait) + counts.nominal + counts.repair


cdef double tied(double estimate) noexcept nogil:
    return trunc(estimate * GRAIN + 0.5)


cdef double queue_of(const counts_t* counts, double unit) noexcept nogil:
    return <double>counts.committed * (<double>counts.nominal / unit) / <double>counts.machines


cdef double estimate_of(const counts_t* counts, double unit) noexcept nogil:
    cdef double travel = <double>counts.travel / unit, wait = queue_of(counts, unit)
    wait = wait if wait > travel else travel
    return tied(wait + <double>counts.nominal / unit + <double>counts.repair / unit)


cdef double finish_estimate(
    const shop_t* shop, const desk_t* desk, index_t job, index_t cell
) noexcept nogil:
    cdef counts_t counts = counts_of(shop, job, cell)
    return estimate_of(&counts, desk.policy.unit)


cdef void rate_place(
    const shop_t* shop, const desk_t* desk, index_t job, offer_t* offer
) noexcept nogil:
    cdef double unit = desk.policy.unit
    cdef counts_t counts = counts_of(shop, job, offer.subject)
    if desk.policy.routing == EARLIEST_FINISH:
        offer.key = estimate_of(&counts, unit)
    elif desk.policy.routing == LEAST_WORK:
        offer.key = tied(queue_of(&counts, unit))
        offer.tie = <double>counts.nominal / unit
    elif desk.policy.routing == NEAREST:
        offer.key = <double>counts.travel / unit
        offer.tie = estimate_of(&counts, unit)
    else:
        offer.key = <double>counts.nominal / unit


cdef index_t busy(const shop_t* shop, index_t cell) noexcept nogil:
    """Machines of the cell that show setup or processing."""
    cdef index_t row, shown, count = 0
    for row in range(shop.case.cell_machine_offset[cell], shop.case.cell_machine_offset[cell + 1]):
        shown = shop.machines[shop.case.cell_machine[row]].shown
        count += shown == SETUP or shown == PROCESSING
    return count
