"""What a suite file may say: a class per mapping, a field per key; `docs/suites.md` explains it.

Every class is strict: no unknown key, no text where a number belongs. Times are in the suite's
`time_unit`, powers in whole watts.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from desbench.errors import InputError
from desbench.instances import route
from desbench.instances.bounds import INT32_MAX, MAX_TICKS
from desbench.instances.distribution import Distribution, Number
from desbench.instances.draw import MAX_SEED
from desbench.instances.reading import MAX_MACHINES

MAX_COUNT = 1_000_000  #: jobs, seeds of a split


def _unlimited(value: Any) -> Any:
    return INT32_MAX if value == "unlimited" else value


def _no_fleet(value: Any) -> Any:
    return 0 if value == "unlimited" else value


def _name(value: str) -> str:
    if not 0 < len(value) <= 200 or not value.isprintable() or value != value.strip():
        raise ValueError("must be 1 to 200 printable characters without spaces around them")
    return value


def _factors(value: Any) -> Any:
    """`can: [cut, mill]` is short for factor 1 each."""
    if isinstance(value, list):
        if not all(isinstance(name, str) for name in value):
            raise ValueError("must list capabilities by name; quote a name that reads as a number")
        if len(set(value)) < len(value):
            raise ValueError("must name each capability once")
        return dict.fromkeys(value, 1.0)
    return value


def _seeds(value: Any) -> Any:
    """`"100:110"` is short for 100, 101, .. 109."""
    if not isinstance(value, str):
        return value
    first, colon, last = value.partition(":")
    if not (colon and first.strip().isdecimal() and last.strip().isdecimal()):
        raise ValueError('must be a list of whole numbers, or a range such as "100:110"')
    if not 0 < int(last) - int(first) <= MAX_COUNT:
        raise ValueError(f"must hold 1 .. {MAX_COUNT} seeds (the second number is not included)")
    return list(range(int(first), int(last)))


def _counted(value: Any) -> Any:
    """A valid count is written out before; what is left is out of range or no count."""
    if not isinstance(value, dict):
        raise ValueError(f"must be a whole number 0 .. {MAX_MACHINES}, or a mapping of names")
    return value


def _recorded(value: Any) -> Any:
    """Name the parts of `[start, end]` and `[start, end, interruption]`."""
    if not isinstance(value, list) or not 2 <= len(value) <= 3:
        raise ValueError("must be [start, end] or [start, end, interruption]")
    return dict(zip(("start", "end", "interruption"), value, strict=False))


def _steps(value: Any) -> Any:
    """One number is the intensity of all times; name the parts of `[start, g/kWh]`."""
    steps = value if isinstance(value, list) else [[0, value]]
    if not all(isinstance(step, list) and len(step) == 2 for step in steps):
        raise ValueError("must be g/kWh, or a list of [start, g/kWh] such as [[0, 380], [8, 210]]")
    return [dict(zip(("start", "g_per_kwh"), step, strict=True)) for step in steps]


def _measured(value: Any) -> Any:
    """`measured` is no mapping of roles."""
    if value == "measured":
        return None
    if not isinstance(value, dict):
        raise ValueError("must be measured, or a mapping such as {plant: 2, area: 1, cell: 1}")
    return value


def _mean_one(value: Distribution) -> Distribution:
    if value.is_cut or abs(value.mean() - 1) > 1e-9:
        raise ValueError("must have mean 1 and no min or max, such as {lognormal: [1, 0.2]}")
    return value


def _route(value: str) -> str:
    try:
        route.parse(value)
    except InputError as error:
        raise ValueError(str(error)) from None  # pydantic collects only these
    return value


Time = Number
Name = Annotated[str, AfterValidator(_name)]
Watts = Annotated[int, Field(ge=0, lt=MAX_TICKS)]
Count = Annotated[int, Field(ge=1, lt=MAX_TICKS)]
Places = Annotated[int, BeforeValidator(_unlimited), Field(ge=0, le=INT32_MAX)]
AtLeastOne = Annotated[int, BeforeValidator(_unlimited), Field(ge=1, le=INT32_MAX)]
Factor = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, lt=MAX_SEED)]
SeedList = Annotated[list[Seed], BeforeValidator(_seeds)]
Interruption = Literal["resume", "restart", "wait"]  #: what a stop does to running work
Fraction = Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Field(min_length=2, max_length=2)]


class Strict(BaseModel):
    """Base of all classes here."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Plant(Strict):
    """`plant:` limits of the whole plant."""

    power_cap: Watts | None = None


class Eco(Strict):
    """`eco:` phases begun in eco last longer and draw less; two whole numbers are a fraction."""

    duration: Fraction = [5, 4]
    power: Fraction = [3, 4]

    @model_validator(mode="after")
    def _check(self) -> Eco:
        if self.duration[1] < 1 or self.duration[0] < self.duration[1]:
            raise ValueError("duration must be a fraction >= 1 such as [5, 4]")
        if self.power[1] < 1 or self.power[0] > self.power[1]:
            raise ValueError("power must be a fraction <= 1 such as [3, 4]")
        return self


class DecisionDelay(Strict):
    """`coordination.decision_delay:` how long an agent takes for an answer, by role."""

    plant: Time = 0.0
    area: Time = 0.0
    cell: Time = 0.0


class Coordination(Strict):
    """`coordination:` how long it takes to agree while the plant goes on."""

    message_delay: Time = 0.0
    #: None = `measured`: as long as the controller took
    decision_delay: Annotated[DecisionDelay | None, BeforeValidator(_measured)] = DecisionDelay()
    deadline: Annotated[Number, Field(gt=0)] | None = None  #: of a call for proposals


class CarbonStep(Strict):
    """Intensity of the grid from a time on."""

    start: Time
    g_per_kwh: Annotated[int, Field(ge=0, lt=MAX_TICKS)]


class Carbon(Strict):
    """`carbon:` how dirty the power of the grid is, in steps that may come again."""

    intensity: Annotated[list[CarbonStep], BeforeValidator(_steps)]
    period: Annotated[Number, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Carbon:
        starts = [step.start for step in self.intensity]
        if not starts or starts != sorted({0.0, *starts}):
            raise ValueError("intensity must start at 0 and each step later than the one before")
        if self.period is not None and self.period <= starts[-1]:
            raise ValueError(f"period={self.period:g}, must be > {starts[-1]:g}, the last start")
        return self


class Vehicles(Strict):
    """`vehicles:` a fleet; without one it is unlimited."""

    count: Annotated[int, BeforeValidator(_no_fleet), Field(ge=0, le=100_000)] = 0  #: 0 = unlimited
    power: Watts = 0  #: while moving


class TravelPair(Strict):
    """One direction between two places."""

    start: Name = Field(alias="from")
    end: Name = Field(alias="to")
    time: Time


class Travel(Strict):
    """`travel:` the first that applies: pair, source, within_area or between_areas, default."""

    pairs: list[TravelPair] = []  #: places are cells and `source`
    source: Time | None = None  #: between the source and any cell, both ways
    within_area: Time | None = None
    between_areas: Time | None = None
    default: Time | None = None


class Setup(Strict):
    """`setup:` of a machine, from one family to the next."""

    initial: Time = 0.0  #: from no family
    same: Time = 0.0
    different: Time = 0.0
    pairs: dict[Name, dict[Name, Time]] = {}  #: {from: {to: time}}, before same and different


class Power(Strict):
    """`power:` of a machine by state."""

    idle: Watts = 0
    setup: Watts = 0
    processing: Watts = 0
    blocked: Watts = 0
    down: Watts = 0


class Breakdown(Strict):
    """Stops at random: up and repair time alternate from time 0 on, by calendar."""

    up: Distribution
    repair: Distribution
    interruption: Interruption = "resume"


class Periodic(Strict):
    """Stops at first, first + every, first + 2 every, ..."""

    first: Time
    every: Annotated[Number, Field(gt=0)]
    lasts: Annotated[Number, Field(gt=0)]
    interruption: Interruption = "resume"

    @model_validator(mode="after")
    def _check(self) -> Periodic:
        if self.lasts >= self.every:
            raise ValueError(f"lasts={self.lasts:g}, must be < every={self.every:g}")
        return self


class Recorded(Strict):
    """One stop that is known: `[start, end]`, or `[start, end, interruption]`."""

    start: Time
    end: Time
    interruption: Interruption = "resume"


class Down(Strict):
    """`down:` of a machine, by cause. Stops that overlap or touch become one."""

    breakdown: Breakdown | None = None
    maintenance: Periodic | None = None
    shift: Periodic | None = None
    recorded: list[Annotated[Recorded, BeforeValidator(_recorded)]] = []

    @model_validator(mode="after")
    def _check(self) -> Down:
        before = 0.0
        for stop in self.recorded:
            if not before <= stop.start < stop.end:
                raise ValueError(
                    f"recorded stop [{stop.start:g}, {stop.end:g}], must end after it starts and "
                    f"follow the one before, which ends at {before:g}"
                )
            before = stop.end
        return self


class Machine(Strict):
    """One machine, after `defaults.machine` and the cell's `can` are written into it."""

    can: Annotated[dict[Name, Factor], BeforeValidator(_factors)] = {}  #: capability: factor
    power: Power = Power()
    setup: Setup = Setup()
    initial_family: Name | None = None
    down: Down = Down()
    mean_repair: Time | None = None  #: default: mean repair, else mean length of its stops


class Cell(Strict):
    """One cell."""

    inbound: AtLeastOne = INT32_MAX
    outbound: Places = INT32_MAX
    commitment: AtLeastOne | None = None  #: default 2 x inbound
    can: None = None  #: default of its machines, written into them
    machines: Annotated[dict[Name, Machine], BeforeValidator(_counted)]  #: or their number


class Area(Strict):
    """One area."""

    power_cap: Watts | None = None
    wip_cap: Annotated[int, Field(ge=0, lt=MAX_TICKS)] | None = None
    cells: Annotated[dict[Name, Cell], Field(min_length=1)]


class CellDefaults(Strict):
    """`defaults.cell:` what every cell has unless it says otherwise."""

    inbound: AtLeastOne | None = None
    outbound: Places | None = None
    commitment: AtLeastOne | None = None
    can: Annotated[dict[Name, Factor], BeforeValidator(_factors)] | None = None
    machines: Annotated[int, Field(ge=0, le=MAX_MACHINES)] | None = None


class Defaults(Strict):
    """`defaults:` for all machines and cells."""

    machine: Machine = Machine()
    cell: CellDefaults = CellDefaults()


class Capability(Strict):
    """One kind of operation that routes may name."""

    duration: Distribution = Distribution(constant=1.0)  #: work content, times the machine's factor
    families: Annotated[list[Name], Field(min_length=1)] | None = None  #: one is drawn
    power: Watts | None = None  #: while processing, instead of the machine's


class Arrivals(Strict):
    """When jobs are released: `between` two jobs (from `first` on), or `at` stated times."""

    first: Time = 0.0
    between: Distribution = Distribution(constant=0.0)
    at: list[Time] | None = None


class Operation(Strict):
    """One operation of a listed job: `do` a capability for `time`, or `on` machines."""

    do: Name | None = None
    time: Time | None = None  #: work content, times the machine's factor
    on: Annotated[dict[Name, Time], Field(min_length=1)] | None = None  #: {machine: duration}
    realised: dict[Name, Time] | None = None  #: {machine: duration} where it differs
    family: Name | None = None
    power: Watts | None = None

    @model_validator(mode="after")
    def _check(self) -> Operation:
        if (self.do is None) == (self.on is None):
            raise ValueError("must state either do: CAPABILITY with time:, or on: {MACHINE: time}")
        if (self.do is None) != (self.time is None):
            raise ValueError("do and time belong together; with on: each machine has its own time")
        if self.realised is not None and not set(self.realised) <= set(self.on or {}):
            raise ValueError("realised must name machines of on:")
        return self


class ListedJob(Strict):
    """One job written out."""

    name: Name
    release: Time = 0.0
    due: Time | None = None
    weight: Number = 1.0
    patience: Time | None = None
    operations: Annotated[list[Operation], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> ListedJob:
        if self.due is not None and self.due < self.release:
            raise ValueError(f"due={self.due:g}, must be >= release={self.release:g}")
        return self


class Jobs(Strict):
    """`jobs:` drawn (count, route, arrivals, due, weight) or listed (list)."""

    count: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    route: Annotated[str, AfterValidator(_route)] | None = None
    arrivals: Arrivals = Arrivals()
    due: Distribution | None = None  #: due = release + this factor x work content; none = no due
    weight: Distribution = Distribution(constant=1.0)
    patience: Time = 0.0  #: wait at a gate before the item is stranded; 0 = never
    listed: Annotated[list[ListedJob], Field(min_length=1)] | None = Field(None, alias="list")

    @model_validator(mode="after")
    def _check(self) -> Jobs:
        if (self.listed is None) == (self.count is None):
            raise ValueError("must state either count and route, or list")
        if (self.count is None) != (self.route is None):
            raise ValueError("count and route belong together")
        return self


class Seeds(Strict):
    """`seeds:` the split; no seed in two parts."""

    train: SeedList = []
    validation: SeedList = []
    test: SeedList = []

    @model_validator(mode="after")
    def _check(self) -> Seeds:
        everything = [*self.train, *self.validation, *self.test]
        if not everything:
            raise ValueError("must hold at least one seed such as test: [0]")
        twice, times = Counter(everything).most_common(1)[0]
        if times > 1:
            raise ValueError(f"seed {twice} is given twice, must belong to one part of the split")
        return self


class Reference(Strict):
    """`reference:` what is known about this instance."""

    makespan: Number
    kind: Literal["optimum", "best_known", "upper_bound", "lower_bound"]
    source: str
    date: str


class Shop(Strict):
    """A whole suite for one profile: base, profile and defaults already merged."""

    about: str = ""
    time_unit: Literal["s", "min", "h"] = "s"
    ticks_per_unit: Annotated[int, Field(ge=1, le=1_000_000_000)] = 1000
    horizon: Annotated[Number, Field(gt=0)] | None = None
    options: Annotated[int, Field(ge=1, lt=2**16)] = 16
    decision_limit: Count | None = None  #: default 50 x operations
    no_progress_limit: Count = 30
    seeds: Seeds
    capabilities: dict[Name, Capability] = {}
    defaults: Defaults = Defaults()
    plant: Plant = Plant()
    eco: Eco = Eco()
    vehicles: Vehicles = Vehicles()
    travel: Travel
    deliver: bool = False  #: a job is done when it is back at the source
    coordination: Coordination = Coordination()
    review_period: Annotated[Number, Field(gt=0)] | None = None  #: of the areas' power caps
    carbon: Carbon | None = None  #: None = not counted
    areas: Annotated[dict[Name, Area], Field(min_length=1)]
    down_until: Time | None = None  #: last start of a drawn or periodic stop; default the horizon
    noise: Annotated[Distribution, AfterValidator(_mean_one)] = Distribution(constant=1.0)
    #: realised = nominal x noise
    jobs: Jobs
    reference: Reference | None = None


class Profile(Strict):
    """`profiles: {id: ...}` one stress on the shop."""

    about: str = ""
    paper: str = ""  #: the paper's name of it
    stream: Name | None = None  #: key of all chance, default the id
    overrides: dict[str, Any] = Field({}, alias="set")  #: laid on the suite
