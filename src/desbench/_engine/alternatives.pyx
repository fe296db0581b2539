from desbench._engine.state cimport shop_t
from desbench._engine.types cimport NOBODY, index_t


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


cdef void count_waiting_for(
    shop_t* shop, index_t operation, index_t cell, int change
) noexcept nogil:
    cdef index_t row, machine
    for row in range(
        shop.case.eligible_offset[operation], shop.case.eligible_offset[operation + 1]
    ):
        machine = shop.case.eligible_machine[row]
        if shop.case.machine_cell[machine] == cell:
            shop.machines[machine].waiting += change
