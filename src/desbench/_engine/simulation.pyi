"""The compiled shop. `docs/model.md` is its specification."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from desbench._engine.stop import Stop as Stop
from desbench.instances.instance import Instance

EVENT_KINDS: Final[tuple[str, ...]]
CAUSES: Final[tuple[str, ...]]  # of event rows: down causes, strandings, modes, limits
MACHINE_STATES: Final[tuple[str, ...]]  # idle, setup, processing, blocked, down
VEHICLE_STATES: Final[tuple[str, ...]]  # idle, empty, loaded
MODES: Final[tuple[str, ...]]  # normal, eco, pause
PLACES: Final[tuple[str, ...]]  # nowhere, source, vehicle, machine, gate, inbound, outbound, done
PLANT_RULES: Final[dict[str, tuple[str, ...]]]  # of run_plant, by kind, the default first

class Simulation:
    vehicle_stops: bool  # advance() also stops where a vehicle has become idle
    epoch: int  # set by the caller: epochs so far, written to the rows of commands

    def __init__(self, instance: Instance, *, trace: bool = True) -> None: ...  # without a trace no rows are written
    # time
    def advance(self) -> Stop: ...
    def run(self, dispatch: str = "fifo", routing: str = "earliest_finish") -> Stop: ...  # to the end by compiled rules; fifo, spt, edd
    def run_plant(self, **rules: str) -> Stop: ...  # to the end as centralized_plant with rules of PLANT_RULES
    def clone(self, *, trace: bool = True) -> Simulation: ...  # an independent copy in the same state; its rows begin here
    def memory(self) -> int: ...  # bytes of what changes during the episode, without the rows
    @property
    def time(self) -> int: ...
    @property
    def status(self) -> str: ...
    # commands: raise IllegalAction and leave the state untouched
    def assign(self, job: int, cell: int, vehicle: int = -1) -> None: ...
    def unassign(self, job: int) -> None: ...
    def dispatch(self, job: int, machine: int) -> None: ...
    def set_mode(self, cell: int, mode: str) -> None: ...
    def send(self, vehicle: int, location: int) -> None: ...
    def set_cap(self, area: int, cap: int) -> None: ...  # watts; from now on
    def wake(self, conversation: int, time: int) -> None: ...  # advance() stops then, and names it
    # would the command be accepted now
    def can_assign(self, job: int, cell: int, vehicle: int = -1) -> bool: ...
    def can_unassign(self, job: int) -> bool: ...
    def can_dispatch(self, job: int, machine: int) -> bool: ...
    def can_set_mode(self, cell: int, mode: str) -> bool: ...
    def can_send(self, vehicle: int, location: int) -> bool: ...
    def can_set_cap(self, area: int, cap: int) -> bool: ...
    def can_wake(self, conversation: int, time: int) -> bool: ...
    # live views, valid until the next command or advance
    def ready(self) -> list[int]: ...  # ascending
    def stranded(self) -> list[int]: ...  # ascending; stranded items that may be unassigned now
    def pairs(self, cell: int) -> list[tuple[int, int]]: ...  # (machine, job): machine ascending, then inbound order; [] if paused
    def gate(self, cell: int) -> list[int]: ...  # by (arrival, job), withdrawn ones included
    def inbound(self, cell: int) -> list[int]: ...  # in order of admission, withdrawn ones included
    def outbound(self, cell: int) -> list[int]: ...  # in order of entry
    def coming(self, cell: int) -> list[int]: ...  # assigned to the cell and not yet inbound there, ascending
    def committed(self, cell: int) -> int: ...
    def room(self, cell: int, job: int = -1) -> int: ...  # commitment - committed, `job` itself not counted
    def growth(self, cell: int) -> int: ...  # how often committed(cell) has decreased
    def mode(self, cell: int) -> str: ...
    def power(self, area: int) -> int: ...  # watts; area = -1: the plant, vehicles included
    def cap(self, area: int) -> int: ...  # present power cap, -1 = none; area = -1: the plant
    def wip(self, area: int) -> int: ...
    def operation(self, job: int) -> int: ...  # index of the current operation; the number of operations when done
    def place(self, job: int) -> tuple[str, int, int]: ...  # (place, cell, machine or vehicle; -1 where none)
    def assigned(self, job: int) -> int: ...  # cell, or -1
    def machine(self, machine: int) -> tuple[str, int, int, int]: ...  # (state, job or -1, family, down since or -1)
    def vehicle(self, vehicle: int) -> tuple[str, int, int]: ...  # (state, job or -1, location it stands at or drives to)
    def estimate(self, job: int, cell: int) -> tuple[int, int, int]: ...  # (expected, optimistic, machine)
    def energy(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...  # watt-ticks so far: [M, 5] by state, [V]
    def carbon(self) -> tuple[npt.NDArray[np.int64], int]: ...  # watt-ticks x g/kWh so far: areas, plant with vehicles
    # rows since the last call, as columns; -1 = empty; codes index the tuples above
    def event_rows(self) -> dict[str, npt.NDArray[np.int64]]: ...  # time kind job operation machine cell area vehicle epoch amount cause
    def interval_rows(self) -> dict[str, npt.NDArray[np.int64]]: ...  # vehicle(0/1) entity state job operation start end power
    def violation_rows(self) -> dict[str, npt.NDArray[np.int64]]: ...  # wip(0/1) entity start end magnitude
    def hand_over(self, take: Callable[[], object], events: int) -> None: ...  # call take() whenever so many event rows wait; it takes them

def build() -> dict[str, Any]: ...  # {"checked": bool, "cython": version}
