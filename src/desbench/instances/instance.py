"""Instance: one realised case as frozen arrays. The engine trusts what `validate` let through."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from desbench.instances.bounds import INT32_MAX, MAX_ENTITY, MAX_TICKS, validate
from desbench.instances.carbon import UNCOUNTED, Carbon
from desbench.instances.coordination import FROZEN_CLOCK, Coordination

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "CAUSES",
    "INTERRUPTIONS",
    "MAX_ENTITY",
    "MAX_TICKS",
    "NONE",
    "TIME_UNITS",
    "UNLIMITED",
    "Instance",
    "validate",
]

I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]
F64 = npt.NDArray[np.float64]

UNLIMITED = INT32_MAX  #: a buffer or commitment without a limit
NONE = -1  #: no due date, no cap, no family, no horizon
TIME_UNITS = ("s", "min", "h")
CAUSES = ("breakdown", "maintenance", "shift", "recorded")  #: of a down interval, by code
INTERRUPTIONS = ("resume", "restart", "wait")  #: what a stop does to running work, by code

LATER = ("coordination", "review_period", "carbon")  #: fields that came after the first cases


@dataclass(frozen=True, eq=False)
class Instance:
    """One case: everything the engine needs and nothing it draws.

    J jobs, O operations, E alternatives (operation, machine), M machines, C cells, A areas,
    V vehicles, F setup families, D down intervals; L = C + 1 locations, 0 the source and sink,
    c + 1 the cell c. Times are int64 ticks, powers int64 watts; -1 means "none" where stated.
    Names are unique within their kind and are used for reports only.
    """

    case: str  #: case id, `<profile>-s<seed>`
    time_unit: str  #: s, min or h
    ticks_per_unit: int
    # jobs
    job_names: tuple[str, ...]  #: [J]
    release: I64  #: [J] >= 0
    due: I64  #: [J] >= release; -1 = no due date
    weight: F64  #: [J] >= 0
    patience: I64  #: [J] wait at a gate before the item is stranded; 0 = never
    operation_offset: I32  #: [J + 1] operations of job j are offset[j] .. offset[j + 1] - 1
    # operations
    family: I32  #: [O] setup family, 0 .. F - 1
    eligible_offset: I32  #: [O + 1] alternatives of operation o
    eligible_machine: I32  #: [E] strictly ascending within an operation
    nominal: I64  #: [E] duration that agents and rules see, >= 0
    realised: I64  #: [E] duration that happens, >= 0
    processing_power: I64  #: [E]
    # machines
    machine_names: tuple[str, ...]  #: [M]
    machine_cell: I32  #: [M]
    power_idle: I64  #: [M]
    power_setup: I64  #: [M]
    power_blocked: I64  #: [M]
    power_down: I64  #: [M]
    initial_family: I32  #: [M] -1 = none
    mean_repair: I64  #: [M] mean length of a stop, for estimates
    setup: I64  #: [M, F + 1, F] ticks from family f (row f + 1; row 0 = from none) to g
    down_offset: I32  #: [M + 1] down intervals of machine m
    down_start: I64  #: [D] disjoint and at least one tick apart within a machine, ascending, >= 0
    down_end: I64  #: [D] > start
    down_cause: I32  #: [D] index into CAUSES
    down_interruption: I32  #: [D] index into INTERRUPTIONS
    # cells
    cell_names: tuple[str, ...]  #: [C]
    cell_area: I32  #: [C]
    inbound: I32  #: [C] >= 1; UNLIMITED
    outbound: I32  #: [C] >= 0; 0 = hand-over only
    commitment: I32  #: [C] >= inbound
    # areas and plant
    area_names: tuple[str, ...]  #: [A]
    power_cap: I64  #: [A] -1 = none
    wip_cap: I64  #: [A] -1 = none
    plant_power_cap: int  #: -1 = none
    # transport
    vehicle_names: tuple[str, ...]  #: [V]; V = 0 means an unlimited fleet
    vehicle_power: I64  #: [V] while moving, counted to the plant alone
    travel: I64  #: [L, L] diagonal 0, may be asymmetric
    # modes and limits
    eco_duration: tuple[int, int]  #: eco phases last ceil(d * num / den), num >= den
    eco_power: tuple[int, int]  #: and draw floor(p * num / den), num <= den
    horizon: int  #: -1 = none
    decision_limit: int  #: epochs
    no_progress_limit: int  #: consecutive stall rounds without an accepted shop command
    options: int  #: K, option slots of a view
    deliver: bool = False  #: a job is done when it is back at location 0
    coordination: Coordination = FROZEN_CLOCK  #: what agreeing costs in time
    review_period: int = NONE  #: ticks between two reviews of the areas' power caps; -1 = none
    carbon: Carbon = UNCOUNTED  #: intensity of the grid

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = np.ascontiguousarray(value).copy()
                value.setflags(write=False)
                object.__setattr__(self, field.name, value)
        validate(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)  # pickling forgets the flag
        self.__dict__.update(state)

    @property
    def operations(self) -> int:
        """Number of operations of all jobs together."""
        return len(self.family)

    @property
    def families(self) -> int:
        """Number of setup families, at least 1."""
        return int(self.setup.shape[2])

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) over every field but `case`: what is simulated, not what it is called."""
        sha = hashlib.sha256()
        for field in fields(self):
            value = getattr(self, field.name)
            # Without what came later a case is what it was before that existed.
            if field.name != "case" and not (field.name in LATER and value == field.default):
                sha.update(_field_bytes(field.name, value))
        return sha.hexdigest()

    def tables(self) -> dict[str, pa.Table]:
        """Case tables as Arrow: `case`, `jobs`, `operations`, `machines`, `cells`, `areas`, ...

        Integers are int64, times in ticks, powers in watts; "none" and "unlimited" are null.
        """
        from desbench.instances.case_tables import build

        return build(self)


def _field_bytes(name: str, value: Any) -> bytes:
    """Unambiguous bytes of one field: name, dtype, shape, content (little-endian)."""
    if isinstance(value, np.ndarray):
        head = f"{name}|{value.dtype.name}|{value.shape}|"
        return head.encode() + value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes()
    if isinstance(value, tuple):
        parts = [str(part).encode() for part in value]
        sizes = ",".join(str(len(part)) for part in parts)
        return f"{name}|tuple|{sizes}|".encode() + b"".join(parts)
    return f"{name}|{value}|".encode()
