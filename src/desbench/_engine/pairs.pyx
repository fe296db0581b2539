from desbench._engine.machine cimport is_idle
from desbench._engine.state cimport shop_t
from desbench._engine.types cimport index_t


cdef bint has_mixed_pair(const shop_t* shop, index_t cell) noexcept nogil:
    """The same where items are eligible on some machines only."""
    cdef index_t row, machine
    for row in range(shop.case.cell_machine_offset[cell], shop.case.cell_machine_offset[cell + 1]):
        machine = shop.case.cell_machine[row]
        if shop.machines[machine].waiting > 0 and is_idle(shop, machine):
            return True
    return False
