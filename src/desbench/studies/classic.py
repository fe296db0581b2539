"""Classic: dispatching rules on the published shops, against the best known makespans.

`desbench study classic --data DIR` plays ft06, ft10, la01-la40 and mk01-mk10 under every
dispatching rule; `--all` plays every job shop and flexible job shop of the folder and looks for a
makespan that cannot be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from desbench.bounds import lower_bound
from desbench.errors import InputError
from desbench.instances import formats
from desbench.instances.formats import Refused, Shop
from desbench.instances.instance import Instance
from desbench.studies.page import markdown

PARADIGM = "centralized_plant"
ROUTING = "earliest_finish"
RULES = (
    *("fifo", "lifo", "spt", "lpt", "mwkr", "lwkr"),
    *("mopnr", "edd", "slack", "cr", "atc", "least_setup"),
)
COLLECTIONS = ("jsp", "fjsp", "fjsp_onebased")  #: folders of the shops without transport and setups
FAMOUS = (
    *("jsp/ft06.txt", "jsp/ft10.txt"),
    *(f"jsp/la{number:02d}.txt" for number in range(1, 41)),
    *(f"fjsp/brandimarte/mk{number:02d}.txt" for number in range(1, 11)),
)
MOST_OPTIONS = 2**16
CHECKED = ("fifo", "spt")  #: rules of `--all`
RANDOM = "random"
SEEDS, DRAWN = 20, 40  #: of random: seeds, and on how many shops


@dataclass(frozen=True)
class Play:
    """One shop to be played under some rules."""

    file: Path
    rules: tuple[str, ...]  #: dispatching rules, or RANDOM
    seeds: int = 1  #: of RANDOM


@dataclass(frozen=True)
class Outcome:
    """One episode on one shop."""

    shop: str
    collection: str
    rule: str
    status: str
    makespan: int | None  #: None unless done
    lower: int  #: `desbench.bounds.lower_bound`
    optimum: int | None  #: None where none is proved
    best: int | None  #: best known makespan

    @property
    def gap(self) -> float | None:
        """Distance to the best known makespan, None where there is none."""
        if self.makespan is None or self.best is None:
            return None
        return self.makespan / self.best - 1

    @property
    def is_impossible(self) -> bool:
        """Whether the makespan is below what is proved."""
        least = self.lower if self.optimum is None else self.optimum
        return self.makespan is not None and self.makespan < least


def play(asked: Play) -> list[Outcome]:
    """Play one shop under each of the rules."""
    shop = formats.read_one(asked.file)
    instance = formats.to_instance(shop)
    # every item may be offered: with 16 slots a long queue would be cut to the 16 shortest
    longest = max(len(shop.jobs), shop.machines)
    instance = replace(instance, options=max(instance.options, min(longest, MOST_OPTIONS)))
    lower = lower_bound(instance)
    runs = [(rule, seed) for rule in asked.rules for seed in range(asked.seeds)]
    return [
        _outcome(shop, asked.file, lower, rule, *run(instance, rule, seed)) for rule, seed in runs
    ]


def run(instance: Instance, rule: str, seed: int = 0) -> tuple[str, int | None]:
    """Status and makespan in ticks of one episode; the makespan None unless it is done."""
    from desbench.controllers.backends.random import RandomBackend
    from desbench.controllers.backends.rules import Rules
    from desbench.controllers.frameworks.native import Native
    from desbench.episode import Episode

    chosen = {"dispatch": rule, "route_cell": ROUTING}
    episode = Episode(instance, paradigm=PARADIGM)
    episode.play(Native(RandomBackend(seed) if rule == RANDOM else Rules(chosen)))
    end = int(episode.trace.info["time"])
    return episode.status, end if episode.status == "done" else None


def _outcome(
    shop: Shop, file: Path, lower: int, rule: str, status: str, makespan: int | None
) -> Outcome:
    known = formats.reference_of(shop)
    best = None if known is None else known.upper
    optimum = best if known is not None and known.kind == "optimum" else None
    return Outcome(shop.name, file.parent.name, rule, status, makespan, lower, optimum, best)


def famous(folder: Path) -> list[Play]:
    """The shops of the table under every rule.

    Raises
    ------
    InputError
        When one is missing.
    """
    missing = [name for name in FAMOUS if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder}: lacks {', '.join(missing[:3])}; name the folder with --data")
    return [Play(folder / name, RULES) for name in FAMOUS]


def everything(folder: Path) -> list[Play]:
    """Every shop of the collections under the checked rules, some at random too."""
    files = [path for name in COLLECTIONS for path in sorted((folder / name).rglob("*.*"))]
    shops = [path for path in files if path.is_file() and _is_shop(path)]
    if not shops:
        raise InputError(f"{folder}: holds no shop; name the folder with --data")
    drawn = [path for path in shops if path.parent.name == "jsp"][:DRAWN]
    return [Play(path, CHECKED) for path in shops] + [
        Play(path, (RANDOM,), SEEDS) for path in drawn
    ]


def _is_shop(path: Path) -> bool:
    try:
        formats.read_one(path)
    except Refused:
        return False
    return True


def outcomes(
    plays: Sequence[Play], workers: int = 1, said: Callable[[int, int], None] | None = None
) -> list[Outcome]:
    """Play all, in the order given whatever the number of processes."""
    found: list[Outcome] = []
    for number, some in enumerate(_played(plays, workers), 1):
        found += some
        if said is not None:
            said(number, len(plays))
    return found


def _played(plays: Sequence[Play], workers: int) -> Iterator[list[Outcome]]:
    if workers == 1:
        yield from map(play, plays)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(play, plays)


# Tables


def rule_table(found: Iterable[Outcome]) -> list[list[str]]:
    """A row a shop: best known, then makespan and gap in per cent of each rule; means below."""
    shops: dict[str, dict[str, Outcome]] = defaultdict(dict)
    for outcome in found:
        shops[outcome.shop][outcome.rule] = outcome
    rows = [["shop", "best known", *RULES]]
    for shop, by_rule in shops.items():
        first = next(iter(by_rule.values()))
        mark = "" if first.optimum is not None else " (open)"
        cells = [_cell(by_rule[rule]) for rule in RULES]
        rows.append([shop, f"{first.best}{mark}", *cells])
    means = [_mean([by_rule[rule].gap for by_rule in shops.values()]) for rule in RULES]
    rows.append(["mean gap", "", *means])
    wins = [sum(_is_best(by_rule, rule) for by_rule in shops.values()) for rule in RULES]
    rows.append(["best of the rules", "", *map(str, wins)])
    return rows


def _cell(outcome: Outcome) -> str:
    if outcome.makespan is None:
        return outcome.status
    return f"{outcome.makespan} ({_percent(outcome.gap)})"


def _percent(gap: float | None) -> str:
    return "-" if gap is None else f"{100 * gap:.1f}"


def _mean(gaps: Iterable[float | None]) -> str:
    known = [gap for gap in gaps if gap is not None]
    return _percent(sum(known) / len(known)) if known else "-"


def _is_best(by_rule: Mapping[str, Outcome], rule: str) -> bool:
    made = [one.makespan for one in by_rule.values() if one.makespan is not None]
    return by_rule[rule].makespan == min(made, default=-1)


def check_table(found: Iterable[Outcome]) -> list[list[str]]:
    """A row a collection and rule: runs, how many are done, what is proved, what is impossible."""
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in found:
        for collection in (outcome.collection, "all"):
            groups[collection, outcome.rule].append(outcome)
    rows = [
        [
            *("collection", "rule", "shops", "runs", "done", "proved optimum", "impossible"),
            *("mean gap %", "smallest gap %"),
        ]
    ]
    for (collection, rule), members in sorted(groups.items(), key=lambda item: _last_all(item[0])):
        gaps = [one.gap for one in members if one.gap is not None]
        counts = (
            len({(one.collection, one.shop) for one in members}),
            len(members),
            sum(one.status == "done" for one in members),
            sum(one.optimum is not None for one in members),
            sum(one.is_impossible for one in members),
        )
        smallest = _percent(min(gaps, default=None))
        rows.append([collection, rule, *map(str, counts), _mean(gaps), smallest])
    return rows


def _last_all(group: tuple[str, str]) -> tuple[str, bool, str]:
    collection, rule = group
    return rule, collection == "all", collection


PAGE = """\
# Dispatching rules on the classic shops

Written by `desbench study classic --data DIR --all --output docs/classic.md`; do not edit.

Each shop is the published file, each machine a cell of its own, buffers unlimited. Paradigm
`{paradigm}`, routing `{routing}`, one dispatching rule a column: makespan, and in
brackets its distance to the best known makespan in per cent. Equal values go to the item that came
first. No item has a due date and no machine a setup, so edd, slack, cr and least_setup are fifo
here, and atc is spt. Rules dispatch as soon as a machine and an item meet, so they reach no optimum
that needs waiting. Items are released one by one and dispatch comes before the next release, so the
first of several that are there at one instant takes an idle machine, whatever the rule. `(open)`:
the best known makespan is not proved to be optimal.

{table}
"""
CHECK = """\
## Every published shop

No makespan may be below a proved optimum, nor, where none is proved, below the larger of job load
and machine load (`desbench.bounds.lower_bound`). `random` takes any legal action, {seeds} seeds on
{drawn} shops.

{table}
"""


def page(table: Sequence[Sequence[str]], check: Sequence[Sequence[str]] | None) -> str:
    """The text of docs/classic.md."""
    text = PAGE.format(paradigm=PARADIGM, routing=ROUTING, table=markdown(table).rstrip())
    if check is not None:
        text += "\n" + CHECK.format(seeds=SEEDS, drawn=DRAWN, table=markdown(check).rstrip())
    return text
