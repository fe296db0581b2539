"""The door of the engine: every bound that the fields of an Instance promise, checked once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from desbench.errors import InstanceError

if TYPE_CHECKING:
    from desbench.instances.instance import Instance

Mask = npt.NDArray[np.bool_]

MAX_TICKS = 2**62  #: no time in an episode may reach this
MAX_WATT_TICKS = 2**63  #: no energy may reach this
MAX_ENTITY = 2**28  #: entities of one kind
INT32_MAX = 2**31 - 1

# Expected dtype and shape of every array; letters are the counts of `Instance`, P1 = P + 1.
LAYOUT: dict[str, tuple[type, str]] = {
    "release": (np.int64, "J"),
    "due": (np.int64, "J"),
    "weight": (np.float64, "J"),
    "patience": (np.int64, "J"),
    "operation_offset": (np.int32, "J1"),
    "family": (np.int32, "O"),
    "eligible_offset": (np.int32, "O1"),
    "eligible_machine": (np.int32, "E"),
    "nominal": (np.int64, "E"),
    "realised": (np.int64, "E"),
    "processing_power": (np.int64, "E"),
    "machine_cell": (np.int32, "M"),
    "power_idle": (np.int64, "M"),
    "power_setup": (np.int64, "M"),
    "power_blocked": (np.int64, "M"),
    "power_down": (np.int64, "M"),
    "initial_family": (np.int32, "M"),
    "mean_repair": (np.int64, "M"),
    "setup": (np.int64, "M F1 F"),
    "down_offset": (np.int32, "M1"),
    "down_start": (np.int64, "D"),
    "down_end": (np.int64, "D"),
    "down_cause": (np.int32, "D"),
    "down_interruption": (np.int32, "D"),
    "cell_area": (np.int32, "C"),
    "inbound": (np.int32, "C"),
    "outbound": (np.int32, "C"),
    "commitment": (np.int32, "C"),
    "power_cap": (np.int64, "A"),
    "wip_cap": (np.int64, "A"),
    "vehicle_power": (np.int64, "V"),
    "travel": (np.int64, "C1 C1"),
}
NAMED = {"job": "J", "machine": "M", "cell": "C", "area": "A", "vehicle": "V"}


def validate(instance: Instance) -> None:
    """Check all bounds documented on the fields of `instance`.

    Raises
    ------
    InstanceError
        For the first bound that does not hold, naming entity, value and rule.
    """
    _Check(instance).run()


class _Check:
    """One pass over one instance; each method covers the fields of one kind of entity."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.counts: dict[str, int] = {}

    def run(self) -> None:
        self.names()
        self.layout()
        self.settings()
        self.jobs()
        self.operations()
        self.machines()
        self.downs()
        self.cells()
        self.transport()
        self.overflow()

    # Reporting

    def fail(self, where: str, name: str, value: Any, rule: str) -> None:
        if isinstance(value, np.generic):
            value = value.item()
        raise InstanceError(f"case {self.instance.case}, {where}: {name}={value}, must be {rule}.")

    def refuse(self, bad: Mask, kind: str, name: str, rule: str) -> None:
        """Fail for the first entity of `kind` for which `bad` holds."""
        if bad.any():
            index = int(np.argmax(bad))
            self.fail(self.label(kind, index), name, getattr(self.instance, name)[index], rule)

    def label(self, kind: str, index: int) -> str:
        """Say which entity: its name, or for an operation (alternative, stop) that of its owner."""
        i = self.instance
        if kind == "alternative":
            operation = int(np.searchsorted(i.eligible_offset, index, side="right")) - 1
            machine = int(i.eligible_machine[index])
            known = 0 <= machine < len(i.machine_names)
            name = i.machine_names[machine] if known else str(machine)
            return f"{self.label('operation', operation)} on machine {name}"
        if kind == "operation":
            job = int(np.searchsorted(i.operation_offset, index, side="right")) - 1
            return f"job {i.job_names[job]}, operation {index - int(i.operation_offset[job])}"
        if kind == "stop":
            machine = int(np.searchsorted(i.down_offset, index, side="right")) - 1
            return f"machine {i.machine_names[machine]}, stop {index - int(i.down_offset[machine])}"
        return f"{kind} {getattr(i, kind + '_names')[index]}"

    # Shapes

    def names(self) -> None:
        for kind, letter in NAMED.items():
            names = getattr(self.instance, kind + "_names")
            if not isinstance(names, tuple) or not all(isinstance(n, str) and n for n in names):
                self.fail("instance", kind + "_names", names, "a tuple of non-empty texts")
            if len(names) > MAX_ENTITY or (not names and kind != "vehicle"):
                self.fail("instance", f"number of {kind}s", len(names), f"1 .. {MAX_ENTITY}")
            if len(set(names)) < len(names):
                twice = Counter(names).most_common(1)[0][0]
                self.fail("instance", f"{kind} name", twice, "unique among its kind")
            self.counts[letter] = len(names)

    def layout(self) -> None:
        for name, (dtype, _) in LAYOUT.items():
            value = getattr(self.instance, name)
            if not isinstance(value, np.ndarray) or value.dtype != dtype:
                found = getattr(value, "dtype", type(value).__name__)
                self.fail("instance", f"dtype of {name}", found, np.dtype(dtype).name)
        counts = self.counts
        counts["O"], counts["E"] = len(self.instance.family), len(self.instance.eligible_machine)
        counts["D"] = len(self.instance.down_start)
        counts["F"] = self.instance.setup.shape[-1] if self.instance.setup.ndim == 3 else -1
        for letter in ("J", "O", "M", "C", "F"):
            counts[letter + "1"] = counts[letter] + 1
        for name, (_, shape) in LAYOUT.items():
            expected = tuple(counts[letter] for letter in shape.split())
            if getattr(self.instance, name).shape != expected:
                found = getattr(self.instance, name).shape
                self.fail("instance", f"shape of {name}", found, str(expected))
        self.offsets("operation_offset", "job", counts["O"], 1)
        self.offsets("eligible_offset", "operation", counts["E"], 1)
        self.offsets("down_offset", "machine", counts["D"], 0)

    def offsets(self, name: str, kind: str, total: int, least: int) -> None:
        offset = getattr(self.instance, name)
        if offset[0] != 0 or offset[-1] != total:
            self.fail("instance", name, f"{offset[0]} .. {offset[-1]}", f"0 .. {total}")
        size = np.diff(offset)
        if (size < least).any():
            index = int(np.argmax(size < least))
            what = {"job": "operations", "operation": "eligible machines", "machine": "stops"}[kind]
            self.fail(self.label(kind, index), what, size[index], f">= {least}")

    # Values

    def settings(self) -> None:
        i = self.instance
        if i.time_unit not in ("s", "min", "h"):
            self.fail("instance", "time_unit", i.time_unit, "s, min or h")
        for name, least, most in (
            ("ticks_per_unit", 1, 2**31),
            ("plant_power_cap", -1, MAX_TICKS),
            ("horizon", -1, MAX_TICKS),
            ("decision_limit", 1, MAX_TICKS),
            ("no_progress_limit", 1, MAX_TICKS),
            ("options", 1, 2**16),
        ):
            value = getattr(i, name)
            if type(value) is not int or not least <= value < most:
                self.fail("instance", name, value, f"a whole number >= {least} and < {most}")
        if i.horizon == 0:
            self.fail("instance", "horizon", 0, "> 0, or -1 for none")
        deliver: Any = i.deliver
        if type(deliver) is not bool:
            self.fail("instance", "deliver", deliver, "True or False")
        self.coordination()
        self.review()
        self.carbon()
        for name, slower in (("eco_duration", True), ("eco_power", False)):
            value = getattr(i, name)
            if len(value) != 2 or not all(type(v) is int and 0 <= v < 2**31 for v in value):
                self.fail("instance", name, value, "two whole numbers >= 0")
            numerator, denominator = value
            if denominator < 1 or (numerator < denominator if slower else numerator > denominator):
                rule = "a fraction >= 1" if slower else "a fraction between 0 and 1"
                self.fail("instance", name, f"{numerator}/{denominator}", rule)

    def coordination(self) -> None:
        for name, value in self.instance.coordination._asdict().items():
            if name == "is_measured":
                if type(value) is not bool:
                    self.fail("instance", f"coordination.{name}", value, "True or False")
            elif type(value) is not int or not -(name == "deadline") <= value < MAX_TICKS:
                rule = f"a whole number >= {-(name == 'deadline')} and < 2**62"
                self.fail("instance", f"coordination.{name}", value, rule)

    def review(self) -> None:
        i = self.instance
        period: Any = i.review_period
        if type(period) is not int or not (period == -1 or 1 <= period < MAX_TICKS):
            rule = "a whole number >= 1 and < 2**62, or -1 for none"
            self.fail("instance", "review_period", period, rule)
        capped = int((i.power_cap != -1).sum())
        if period != -1 and capped < 2:
            rule = "-1 where fewer than two areas have a power cap to share out"
            self.fail("instance", "review_period", period, rule)

    def carbon(self) -> None:
        start, intensity, period = self.instance.carbon
        for name, values in (("start", start), ("intensity", intensity)):
            if not all(type(v) is int and 0 <= v < MAX_TICKS for v in values):
                rule = "whole numbers >= 0 and < 2**62"
                self.fail("instance", f"carbon.{name}", values, rule)
        if len(start) != len(intensity):
            self.fail("instance", "carbon.intensity", intensity, f"one value for each of {start}")
        if list(start) != sorted({0, *start}) and start:
            self.fail("instance", "carbon.start", start, "0 first, then strictly ascending")
        last = start[-1] if start else 0
        if type(period) is not int or not (period == -1 or last < period < MAX_TICKS):
            rule = f"a whole number > {last} and < 2**62, or -1 for none"
            self.fail("instance", "carbon.period", period, rule)

    def jobs(self) -> None:
        i = self.instance
        self.ticks("release", "job")
        self.ticks("due", "job", -1)
        late = (i.due != -1) & (i.due < i.release)
        if late.any():
            index = int(np.argmax(late))
            rule = f">= release={i.release[index]}, or -1 for none"
            self.fail(self.label("job", index), "due", i.due[index], rule)
        self.refuse(~(np.isfinite(i.weight) & (i.weight >= 0)), "job", "weight", "finite and >= 0")
        self.ticks("patience", "job")

    def operations(self) -> None:
        i = self.instance
        self.index("family", "operation", self.counts["F"])
        self.index("eligible_machine", "alternative", self.counts["M"])
        falls = np.zeros(self.counts["E"], dtype=bool)
        falls[1:] = i.eligible_machine[1:] <= i.eligible_machine[:-1]
        falls[i.eligible_offset[:-1]] = False  # each operation starts anew
        self.refuse(falls, "alternative", "eligible_machine", "strictly ascending")
        for name in ("nominal", "realised", "processing_power"):
            self.ticks(name, "alternative")

    def machines(self) -> None:
        i = self.instance
        self.index("machine_cell", "machine", self.counts["C"])
        for name in ("power_idle", "power_setup", "power_blocked", "power_down", "mean_repair"):
            self.ticks(name, "machine")
        self.index("initial_family", "machine", self.counts["F"], -1)
        bad = (i.setup < 0) | (i.setup >= MAX_TICKS)
        if bad.any():
            machine, row, to = (int(k) for k in np.unravel_index(int(np.argmax(bad)), bad.shape))
            name = f"setup from family {row - 1} to {to}"
            value = i.setup[machine, row, to]
            self.fail(self.label("machine", machine), name, value, ">= 0 and < 2**62")

    def downs(self) -> None:
        i = self.instance
        self.ticks("down_start", "stop")
        self.ticks("down_end", "stop")
        self.index("down_cause", "stop", 4)
        self.index("down_interruption", "stop", 3)
        self.refuse(i.down_end <= i.down_start, "stop", "down_end", "> its down_start")
        touches = np.zeros(self.counts["D"], dtype=bool)
        touches[1:] = i.down_start[1:] <= i.down_end[:-1]
        first = i.down_offset[:-1]
        touches[first[first < self.counts["D"]]] = False  # each machine starts anew
        rule = "at least one tick after the end of the stop before"
        self.refuse(touches, "stop", "down_start", rule)

    def cells(self) -> None:
        i = self.instance
        self.index("cell_area", "cell", self.counts["A"])
        self.refuse(i.inbound < 1, "cell", "inbound", ">= 1")
        self.refuse(i.outbound < 0, "cell", "outbound", ">= 0")
        self.refuse(i.commitment < i.inbound, "cell", "commitment", ">= inbound of the cell")
        self.ticks("power_cap", "area", -1)
        self.ticks("wip_cap", "area", -1)

    def transport(self) -> None:
        i = self.instance
        self.ticks("vehicle_power", "vehicle")
        bad = (i.travel < 0) | (i.travel >= MAX_TICKS)
        np.fill_diagonal(bad, np.diagonal(i.travel) != 0)
        if bad.any():
            start, end = (int(k) for k in np.unravel_index(int(np.argmax(bad)), bad.shape))
            places = ("source", *i.cell_names)
            rule = "0 from a place to itself" if start == end else ">= 0 and < 2**62"
            where = f"travel from {places[start]} to {places[end]}"
            self.fail(where, "ticks", i.travel[start, end], rule)

    def ticks(self, name: str, kind: str, least: int = 0) -> None:
        value = getattr(self.instance, name)
        self.refuse((value < least) | (value >= MAX_TICKS), kind, name, f">= {least} and < 2**62")

    def index(self, name: str, kind: str, count: int, least: int = 0) -> None:
        value = getattr(self.instance, name)
        self.refuse((value < least) | (value >= count), kind, name, f"{least} .. {count - 1}")

    # Overflow

    def overflow(self) -> None:
        time, watts = time_bound(self.instance), peak_power(self.instance)
        self.limit("longest possible episode in ticks", time, MAX_TICKS)
        self.limit("largest possible energy in watt-ticks", time * watts, MAX_WATT_TICKS)
        dirtiest = time * max(self.instance.carbon.intensity, default=0)
        self.limit("largest possible intensity in g/kWh x ticks", dirtiest, MAX_TICKS)
        carbon = dirtiest * watts
        self.limit("largest possible carbon in watt-ticks x g/kWh", carbon, MAX_WATT_TICKS)
        # The engine multiplies before it divides.
        self.limit("ticks times eco_duration", time * self.instance.eco_duration[0], MAX_TICKS)
        self.limit("watts times eco_power", watts * max(1, self.instance.eco_power[0]), MAX_TICKS)

    def limit(self, name: str, value: int, bound: int) -> None:
        if value >= bound:
            remedy = "use larger ticks (ticks_per_unit), a shorter horizon or less power"
            self.fail("instance", name, value, f"< 2**{bound.bit_length() - 1}; {remedy}")


def time_bound(instance: Instance) -> int:
    """Bound from above every time and every sum of durations in an episode, in ticks.

    Time passes only while something arrives, works, moves, stands still or waits for its patience.
    An operation works once, and once more for each stop that makes it start again; an item moves
    at most once an operation, once to its delivery and once an epoch, each move with an empty leg
    before it; vehicles are sent once an epoch. A stop that waits for work or for another stop
    begins later than its calendar says, but what it waits for is counted itself. After an epoch
    agents may think, write and wait for a deadline, with four messages in a row at most.
    """
    i = instance
    numerator, denominator = i.eco_duration
    setup, travel = int(i.setup.max()), int(i.travel.max())
    longest = np.maximum.reduceat(np.maximum(i.nominal, i.realised), i.eligible_offset[:-1])
    rounds = int((i.down_interruption == 1).sum())
    work = exact_sum(longest) + len(longest) * setup + rounds * (int(longest.max()) + setup)
    work = work * numerator // denominator + len(longest) + rounds
    stops = int(i.down_end.max(initial=0)) + exact_sum(i.down_end - i.down_start)
    talk = (
        4 * i.coordination.message_delay
        + max(i.coordination[1:4])
        + max(0, i.coordination.deadline)
    )
    if i.horizon > 0:
        return i.horizon + work + 2 * travel + int(i.patience.max()) + stops + talk
    moves = len(longest) + int(i.deliver) * len(i.release) + i.decision_limit
    waits = moves * (2 * travel + int(i.patience.max())) + i.decision_limit * (travel + talk)
    return int(i.release.max()) + stops + work + waits


def peak_power(instance: Instance) -> int:
    """Watts if every machine and vehicle drew its most at once."""
    i = instance
    most = np.maximum.reduce([i.power_idle, i.power_setup, i.power_blocked, i.power_down])
    most = most.copy()
    np.maximum.at(most, i.eligible_machine, i.processing_power)
    return exact_sum(most) + exact_sum(i.vehicle_power)


def exact_sum(values: npt.NDArray[np.int64]) -> int:
    """Sum of non-negative int64 that cannot overflow."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())
