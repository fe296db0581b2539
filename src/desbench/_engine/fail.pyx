from desbench._engine.types cimport int64_t


cdef int fail(failure_t what, int64_t value) except -1 with gil:
    if what == OUT_OF_MEMORY:
        raise MemoryError(f"the engine could not get {value} bytes")
    raise RuntimeError(
        f"the instant {value} does not end: this is a bug in desbench, please report the case"
    )
