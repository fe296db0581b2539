"""Message delay: does the better of two organisations stay the better one when talking takes time?

`desbench study message_delay` plays the test cases of a suite under a contract net and a hierarchy,
with rules, while the message delay grows from nothing to a tenth of the mean processing time, and
prints Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from desbench.report.intervals import Interval, paired
from desbench.report.text import number

if TYPE_CHECKING:
    from desbench.instances.instance import Instance

SUITE = "intercell_a5c12_harder"
ONE, OTHER = "hierarchical_chain", "heterarchical_cnp"
SHARES = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)  #: of the mean processing time of the case
#: tardiness_done: tardiness_all of the cases that both finish; a jam weighs more than any delay.
COMPARED = ("tardiness_all", "tardiness_done", "cmax", "mean_flow_time")
ASIDE = ("messages", "stale_decisions")

Measures = Mapping[str, Any]
Plays = dict[tuple[float, str], list[Measures]]  #: by share and paradigm, in the order of cases


def main(suite: str = SUITE, shares: Sequence[float] = SHARES) -> str:
    """Play the test cases of a suite and return the report as Markdown."""
    from desbench.instances.suite import load_suite

    loaded = load_suite(suite)
    cases = loaded.cases("test")
    instances = [loaded.realise(case) for case in cases]
    found = plays(instances, shares)
    profiles = [case.profile for case in cases]
    lines = [f"{OTHER} less {ONE}, paired over {len(cases)} cases, with 95 % intervals:", ""]
    lines += [*_differences(found, shares), "", "Means over the cases:", ""]
    lines += [*_means(found, shares), "", f"{COMPARED[1]}, the same difference by profile:", ""]
    lines += [*_by_profile(found, shares, profiles), ""]
    lines += [verdict(found, shares, measure) for measure in COMPARED]
    return "\n".join(lines) + "\n"


def plays(instances: Sequence[Instance], shares: Sequence[float]) -> Plays:
    """Measures of each case, by share of its mean processing time and by paradigm."""
    from desbench.controllers.backends.rules import Rules
    from desbench.controllers.frameworks.native import Native
    from desbench.episode import Episode

    found: Plays = {}
    for share in shares:
        for name in (ONE, OTHER):
            found[share, name] = []
            for instance in instances:
                episode = Episode(delayed(instance, share), paradigm=name)
                episode.play(Native(Rules()), strict=True)
                found[share, name].append({**episode.measures, **_done(episode.measures)})
    return found


def _done(measures: Measures) -> Measures:
    return {"tardiness_done": None if measures["truncated"] else measures["tardiness_all"]}


def delayed(instance: Instance, share: float) -> Instance:
    """The case with a message delay that is a share of its mean nominal duration."""
    delay = round(share * float(instance.nominal.mean()))
    return replace(instance, coordination=instance.coordination._replace(message_delay=delay))


def verdict(found: Plays, shares: Sequence[float], measure: str) -> str:
    """Say whether the order of the two turns, as far as intervals tell them apart."""
    first = [(share, _better(_over(found, share, measure))) for share in shares]
    told = [(share, name) for share, name in first if name]
    if not told:
        return f"*{measure}*: no delay tells the two apart."
    spans = []
    for name in dict.fromkeys(name for _, name in told):
        at = ", ".join(f"{share:.0%}" for share, better in told if better == name)
        spans.append(f"{name} is better at {at}")
    turns = "the order turns" if len(spans) > 1 else "the order does not turn"
    return f"*{measure}*: {'; '.join(spans)}; {turns}."


def _better(over: Interval) -> str:
    """The paradigm with the lower measure; empty where the interval holds zero."""
    if not over.excludes_zero or over.mean is None:
        return ""
    return ONE if over.mean > 0 else OTHER


def _over(found: Plays, share: float, measure: str, chosen: Sequence[int] = ()) -> Interval:
    values = []
    for name in (ONE, OTHER):
        cases = found[share, name]
        values.append([cases[at][measure] for at in (chosen or range(len(cases)))])
    return paired(*values)


def _differences(found: Plays, shares: Sequence[float]) -> Iterator[str]:
    yield "| message delay | " + " | ".join(COMPARED) + " |"
    yield "|---" * (len(COMPARED) + 1) + "|"
    for share in shares:
        cells = [_shown(_over(found, share, measure)) for measure in COMPARED]
        yield f"| {share:.0%} | " + " | ".join(cells) + " |"


def _means(found: Plays, shares: Sequence[float]) -> Iterator[str]:
    names = (*COMPARED, *ASIDE)
    yield "| message delay | paradigm | done | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 3) + "|"
    for share in shares:
        for name in (ONE, OTHER):
            cases = found[share, name]
            done = sum(not measures["truncated"] for measures in cases)
            cells = [_mean([measures[column] for measures in cases]) for column in names]
            head = f"| {share:.0%} | {name} | {done} of {len(cases)} | "
            yield head + " | ".join(cells) + " |"


def _by_profile(found: Plays, shares: Sequence[float], profiles: Sequence[str]) -> Iterator[str]:
    known = list(dict.fromkeys(profiles))
    yield "| message delay | " + " | ".join(known) + " |"
    yield "|---" * (len(known) + 1) + "|"
    for share in shares:
        cells = []
        for profile in known:
            chosen = [at for at, one in enumerate(profiles) if one == profile]
            cells.append(_shown(_over(found, share, COMPARED[1], chosen)))
        yield f"| {share:.0%} | " + " | ".join(cells) + " |"


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return number(sum(known) / len(known)) if known else ""


def _shown(over: Interval) -> str:
    told = f"{number(over.mean)} ({number(over.low)} .. {number(over.high)})"
    return told if over.n else ""
