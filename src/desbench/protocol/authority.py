"""AuthorityMode: the switches that say who may decide about an item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from desbench.errors import InputError

PLANT_DIRECT = "plant_direct"
PLANT_AREA_CELL = "plant_area_cell"
MEDIATED_CNP = "mediated_cnp"
HOLONIC_HYBRID = "holonic_hybrid"
RESPONSIBILITY = "responsibility"
CLASSIC_MODES = (PLANT_DIRECT, PLANT_AREA_CELL, MEDIATED_CNP, HOLONIC_HYBRID)
ROUTING_MODES = (*CLASSIC_MODES, RESPONSIBILITY)
#: The plant names an area, the area a cell.
AREA_ROUTED = (PLANT_AREA_CELL, HOLONIC_HYBRID, RESPONSIBILITY)

ACCEPT_ONLY = "accept_only"
ACCEPT_REJECT = "accept_reject"
CONTRACT_ACTIONS = (ACCEPT_ONLY, ACCEPT_REJECT)

BY_PLANT = "plant"
ALL_AREAS = "all_areas"
INITIALS = (BY_PLANT, ALL_AREAS)


@dataclass(frozen=True)
class AuthorityMode:
    """Who may decide, who may refuse, who repairs a failure. Any combination is legal.

    Raises
    ------
    InputError
        On a switch with an unknown value.

    Notes
    -----
    With `responsibility` cells answer by accept, counter or reject whatever `cell_contract_actions`
    says, failures are answered by commitments, and the three switches after it have no effect; the
    last four have an effect only there.

    Source: DESBench, Appendix F.3; the last four are the ablations of the RCM paper.
    """

    mode_id: str  #: public id, recorded with each decision
    routing_authority_mode: str  #: one of ROUTING_MODES
    cell_contract_actions: str = ACCEPT_ONLY  #: one of CONTRACT_ACTIONS
    area_local_reroute_enabled: bool = False  #: the area looks among sibling cells first
    plant_reroute_required: bool = False  #: then the plant is asked; else the item is withdrawn
    mediated_bid_round_enabled: bool = False  #: bids replace the choice of a cell
    monitor: bool = True  #: responsibility: areas may probe
    intervene: bool = True  #: responsibility: areas may revise, replace, terminate
    recursive: bool = True  #: responsibility: cells may pass on what they accepted
    #: responsibility: one of INITIALS, who is asked first about a job: an area the plant names, and
    #: again for each operation, or all areas, and later the area that has the job asks
    initial: str = BY_PLANT

    def __post_init__(self) -> None:
        if not str(self.mode_id).strip():
            raise InputError(f"mode_id={self.mode_id!r}, must be a name such as 'my_hybrid'")
        self._check("routing_authority_mode", ROUTING_MODES)
        self._check("cell_contract_actions", CONTRACT_ACTIONS)
        self._check("initial", INITIALS)
        for name in _SWITCHES:
            self._check(name, (False, True))

    def _check(self, name: str, allowed: tuple[Any, ...]) -> None:
        value = getattr(self, name)
        if type(value) is not type(allowed[0]) or value not in allowed:
            raise InputError(
                f"authority mode {self.mode_id}: {name}={value!r}, must be one of "
                f"{', '.join(map(str, allowed))}"
            )

    @property
    def may_reject(self) -> bool:
        """Whether a chosen cell may refuse."""
        return self.cell_contract_actions == ACCEPT_REJECT

    @property
    def by_area(self) -> bool:
        """Whether the plant names an area and the area a cell."""
        return self.routing_authority_mode in AREA_ROUTED

    def switches(self) -> dict[str, Any]:
        """Return the switches by name, as runners and manifests see them."""
        return asdict(self)


_SWITCHES = (
    *("area_local_reroute_enabled", "plant_reroute_required", "mediated_bid_round_enabled"),
    *("monitor", "intervene", "recursive"),
)


@dataclass(frozen=True)
class Summary:
    """The plant at the moment an authority function is asked: counts only, all of them exact."""

    time: float  #: in the unit of the suite
    job: str | None  #: the item asked about; None where the question is about no item
    operation: int | None  #: its current operation, from 0
    operations: int | None  #: how many its job has
    load: float  #: places taken in the commitments of all cells, as a share; 0.0 if unlimited
    ready: int  #: items that wait to be placed
    wip: int  #: jobs released and not done
    done: int  #: jobs done
    machines: int
    machines_down: int
    stranded: int  #: items stranded now
    strandings: int  #: so far
    conversations: int  #: that sleep now, where coordination takes time


AuthorityFunction = Callable[[Summary], AuthorityMode]


@dataclass(frozen=True)
class ShiftingAuthority:
    """Organisation that shifts: a function says for each item which mode is in force.

    It is asked when a conversation about the item begins, and its answer holds until that ends. It
    must be a function of the summary alone; `desbench verify` finds one that is not.
    """

    mode_id: str  #: name of the file or of the function
    choose: AuthorityFunction
    source: str | None = None  #: what was given where the function comes from a file
    digest: str = ""  #: of that file

    def __reduce__(self) -> tuple[Any, ...]:
        if self.source is None:
            return ShiftingAuthority, (self.mode_id, self.choose)
        return _of_source, (self.source,)  # another process imports the file itself

    def mode(self, summary: Summary) -> AuthorityMode:
        """Return the mode for an item.

        Raises
        ------
        InputError
            If the function gives anything but a mode of the four classic ways.
        """
        mode: object = self.choose(summary)
        if isinstance(mode, AuthorityMode) and mode.routing_authority_mode in CLASSIC_MODES:
            return mode
        told = mode.mode_id if isinstance(mode, AuthorityMode) else repr(mode)
        raise InputError(
            f"authority function {self.mode_id} gave {told} at {summary.time:g}, must be an "
            f"AuthorityMode with routing_authority_mode one of {', '.join(CLASSIC_MODES)}"
        )

    def switches(self) -> dict[str, Any]:
        """Return where the function comes from, as runners and manifests see it."""
        return {"mode_id": self.mode_id, "source": self.source, "digest": self.digest}


def _of_source(source: str) -> ShiftingAuthority:
    found: ShiftingAuthority = import_module("desbench.paradigms").paradigm(source)
    return found
