"""Rules: no network, no memory; one small function of the view per kind of decision.

A rule returns an action. `RULES[kind]` lists the rules of a kind by name, the default first. To
add one, write a function and list it; it is then known to `--rule KIND=NAME`.

All rules share one finish estimate (`desbench.protocol.estimate`) and differ only in the counts
the view feeds it. Equal values go to the lower action.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from desbench.errors import InputError
from desbench.protocol.estimate import from_counts, tied

View = Mapping[str, Any]
Option = Mapping[str, Any]
Rule = Callable[[View], int]

LOOK_AHEAD = 2.0  #: atc: slack counts in units of so many mean durations
NEVER = float("inf")


def estimate(option: Option) -> int:
    """Finish estimate of a place from its counts, on the grid on which estimates tie."""
    return tied(
        from_counts(
            option["travel"],
            option.get("committed", 0),  # not told of the cell a plant hears of from an area
            option["nominal"],
            option["machines_up"],
            option["machines"],
            option.get("repair", 0.0),  # sums of an area do not show it
        )
    )


def decline(view: View) -> int:
    """The last slot."""
    return len(view["action_mask"]) - 1


def _slack(option: Option) -> float:
    return NEVER if option["slack"] is None else float(option["slack"])


def _due(option: Option) -> float:
    return NEVER if option["due"] is None else float(option["due"])


def _least(view: View, key: Callable[[Option], Any]) -> int:
    """Action of the first option with the least key."""
    return int(min(view["options"], key=key)["action"])


# release


def least_slack(view: View) -> int:
    """The item with the least slack, then the one released first. Never hold."""
    return _least(view, lambda option: (_slack(option), option["release"]))


def first_released(view: View) -> int:
    """The item whose job was released first."""
    return _least(view, lambda option: option["release"])


# route_area, route_cell


def earliest_finish(view: View) -> int:
    """The place with the earliest estimated finish; escalate or defer only without a place."""
    options = view["options"]
    return _least(view, estimate) if options else decline(view)


def shortest_processing(view: View) -> int:
    """The place with the shortest nominal duration, whatever its load."""
    return _least(view, lambda option: option["nominal"]) if view["options"] else decline(view)


def _queue(option: Option) -> float:
    """Work ahead of the item by counts: each committed item taken to last as long as this one."""
    machines = option["machines_up"] or option["machines"]
    return float(option.get("committed", 0) * option["nominal"] / machines)


def least_work(view: View) -> int:
    """The place with the least work ahead by counts, then the shortest nominal duration."""
    if not view["options"]:
        return decline(view)
    return _least(view, lambda option: (tied(_queue(option)), option["nominal"]))


def nearest(view: View) -> int:
    """The place with the least travel, then the earliest estimate."""
    if not view["options"]:
        return decline(view)
    return _least(view, lambda option: (option["travel"], estimate(option)))


def random_place(view: View) -> int:
    """Any place with equal chance, drawn by a hash of job and operation."""
    options, item = view["options"], view["context"]["item"]
    if not options:
        return decline(view)
    drawn = hashlib.sha256(f"{item['job']}|{item['operation']}".encode()).digest()
    return int(options[int.from_bytes(drawn[:8], "big") % len(options)]["action"])


def bottleneck(view: View) -> int:
    """Earliest finish, where the work ahead counts twice in a cell that a later operation of the
    item needs because no other can do it. Needs sight of routes: the plant in plant_direct.
    """
    if not view["options"]:
        return decline(view)
    needed = _needed_later(view)

    def cost(option: Option) -> int:
        again = _queue(option) if option["target"] in needed else 0.0
        return estimate(option) + tied(again)

    return _least(view, cost)


def _needed_later(view: View) -> set[str]:
    """Targets that are the only place for one of the operations after this one."""
    observed, item = view["observation"], view["context"]["item"]
    route = next(
        (row["route"] for row in observed.get("jobs", ()) if row["job"] == item["job"]), ()
    )
    only = {row["cells"][0]["cell"] for row in route[1:] if len(row["cells"]) == 1}
    return {f"cell:{row['name']}" for row in observed.get("cells", ()) if row["cell"] in only}


# bid, award, commit


def expected(_: View) -> int:
    """Promise the expected finish."""
    return 1


def earliest_promise(_: View) -> int:
    """Bids are offered by (promise, cell): the first."""
    return 0


def refuse_when_down(view: View) -> int:
    """Refuse while no eligible machine is up; but accept an awarded bid, for its promise counts
    the repair, and accept in a stall, when nothing else moves.
    """
    context = view["context"]
    bound = "awarded" in context["feedback"] or "stalled" in context["recent_events"]
    may_refuse = view["action_mask"][-1] == 1
    down = view["options"][0]["machines_up"] == 0
    return decline(view) if may_refuse and down and not bound else 0


def always_accept(_: View) -> int:
    """Accept."""
    return 0


# reroute


def better_elsewhere(view: View) -> int:
    """The place with the earliest estimate if it beats waiting here, else keep.

    A fresh refusal (no `here` in the context) takes the best sibling. With no sibling left, an
    area escalates if the repair here takes longer than the work itself.
    """
    places = [option for option in view["options"] if "nominal" in option]
    best = min(places, key=estimate, default=None)
    here = view["context"].get("here")
    if here is None:
        return decline(view) if best is None else int(best["action"])
    if best is not None:
        return int(best["action"]) if estimate(best) < estimate(here) else decline(view)
    escalate = view["options"][-1:]
    if escalate and here["repair"] > here["nominal"]:
        return int(escalate[0]["action"])
    return decline(view)


# dispatch


def urgent_then_shortest(view: View) -> int:
    """Among the pairs whose item is late by its slack (all, if none is) the shortest setup +
    processing; never wait.
    """
    return _least(view, lambda option: (_slack(option) >= 0, option["length"]))


def fifo(view: View) -> int:
    """The item that entered the inbound buffer first."""
    return _least(view, lambda option: option["position"])


def lifo(view: View) -> int:
    """The item that entered the inbound buffer last."""
    return _least(view, lambda option: -option["position"])


def spt(view: View) -> int:
    """The shortest nominal duration."""
    return _least(view, lambda option: option["nominal"])


def lpt(view: View) -> int:
    """The longest nominal duration."""
    return _least(view, lambda option: -option["nominal"])


def edd(view: View) -> int:
    """The earliest due date."""
    return _least(view, _due)


def mwkr(view: View) -> int:
    """The most work remaining."""
    return _least(view, lambda option: -option["remaining_work"])


def lwkr(view: View) -> int:
    """The least work remaining."""
    return _least(view, lambda option: option["remaining_work"])


def mopnr(view: View) -> int:
    """The most operations remaining."""
    return _least(view, lambda option: -option["remaining_operations"])


def slack(view: View) -> int:
    """The least slack; items without a due date last."""
    return _least(view, _slack)


def cr(view: View) -> int:
    """The smallest critical ratio, (due - now) / work remaining; without a due date last."""

    def ratio(option: Option) -> float:
        # (due - now) / work = slack / work + 1; without work left only the slack counts
        spare, work = _slack(option), option["remaining_work"]
        return spare / work if work else spare

    return _least(view, ratio)


def atc(view: View) -> int:
    """The largest apparent tardiness cost, weight / nominal x exp(-max(0, slack) / (2 x mean
    nominal)); without due dates the largest weight / nominal.
    """
    options = view["options"]
    mean = sum(option["nominal"] for option in options) / len(options) or 1.0

    def cost(option: Option) -> float:
        spare = max(0.0, option["slack"] or 0.0) / (LOOK_AHEAD * mean)
        urgency = float(option["weight"] * math.exp(-spare))
        return -urgency / option["nominal"] if option["nominal"] else -NEVER

    return _least(view, cost)


def least_setup(view: View) -> int:
    """The shortest setup, then first in."""
    return _least(view, lambda option: (option["setup"], option["position"]))


# delegate, respond, notify, monitor, intervene


def pass_on_if_better(view: View) -> int:
    """Plant and area: the place with the earliest estimate. A cell passes a stranded item on only
    where it is finished earlier than by waiting here.
    """
    return better_elsewhere(view) if view["role"] == "cell" else earliest_finish(view)


def promise_what_holds(view: View) -> int:
    """A cell accepts; with all machines down it counters by its cautious finish. A delegator takes
    a counter when it has nobody left to ask, or in a stall. A revision is agreed to.
    """
    first = view["options"][0]
    if first["left"] is not None:
        stalled = "stalled" in view["context"]["recent_events"]
        return 0 if stalled or not first["left"] else decline(view)
    return min(len(view["options"]) - 1, int(first["machines_up"] == 0))


def tell(_: View) -> int:
    """Tell."""
    return 0


def stay_silent(view: View) -> int:
    """Tell nobody."""
    return decline(view)


def probe(_: View) -> int:
    """Probe."""
    return 0


def trust(view: View) -> int:
    """Do not ask."""
    return decline(view)


def replace_if_better(view: View) -> int:
    """Replace where another cell is estimated to finish the item earlier; terminate a stranded
    item that nobody else in the area can take while the repair is longer than the work; else
    revise.
    """
    option = {option["target"]: option for option in view["options"]}
    here = view["context"]["here"]
    if "replace" in option:
        if estimate(option["replace"]) < estimate(here):
            return int(option["replace"]["action"])
    elif "terminate" in option and here["repair"] > here["nominal"]:
        return int(option["terminate"]["action"])
    return int(option["revise"]["action"])


def let_stand(view: View) -> int:
    """Let every commitment stand."""
    return decline(view)


# mode


def eco_for_the_busiest(view: View) -> int:
    """Eco for the cell with the most machines at work among those in normal mode, else keep."""
    candidates = [
        option
        for option in view["options"]
        if option["mode"] == "eco" and option["present"] == "normal" and option["busy"]
    ]
    best = max(candidates, key=lambda option: option["busy"], default=None)
    return decline(view) if best is None else int(best["action"])


def keep(view: View) -> int:
    """Leave everything as it is."""
    return decline(view)


# budget


def by_load(view: View) -> int:
    """Share the caps out by load; keep them where they are shared so already."""
    return _share(view, "load")


def uniform(view: View) -> int:
    """Give every capped area the same; keep the caps where they are the same already."""
    return _share(view, "uniform")


def _share(view: View, word: str) -> int:
    options = view["options"]
    return next((int(o["action"]) for o in options if o["target"] == word), decline(view))


def _named(*rules: Rule) -> dict[str, Rule]:
    return {getattr(rule, "__name__", ""): rule for rule in rules}


PLACE_RULES = _named(earliest_finish, least_work, nearest)
PLACE_RULES |= {"spt": shortest_processing, "random": random_place}
#: Rules by kind and name; the first of a kind is its default.
RULES: dict[str, dict[str, Rule]] = {
    "release": _named(least_slack, first_released),
    "route_area": PLACE_RULES,
    "route_cell": PLACE_RULES | _named(bottleneck),
    "bid": _named(expected),
    "award": _named(earliest_promise),
    "commit": _named(refuse_when_down, always_accept),
    "reroute": _named(better_elsewhere, keep),
    "dispatch": _named(
        *(urgent_then_shortest, fifo, lifo, spt, lpt, mwkr, lwkr, mopnr),
        *(edd, slack, cr, atc, least_setup),
    ),
    "mode": _named(eco_for_the_busiest, keep),
    "budget": _named(by_load, uniform, keep),
    "delegate": _named(pass_on_if_better) | PLACE_RULES,
    "respond": _named(promise_what_holds, always_accept),
    "notify": _named(tell, stay_silent),
    "monitor": _named(probe, trust),
    "intervene": _named(replace_if_better, let_stand),
}


#: One word for the kinds that choose a place; a rule counts for those of them that know it.
ROUTING = ("route_area", "route_cell", "delegate")


def named(kind: str) -> dict[str, Rule]:
    """Return the rules of a kind, or of `routing`, by name; the default first.

    Raises
    ------
    InputError
        For a kind that has no rules.
    """
    if kind == "routing":
        return {name: rule for one in ROUTING for name, rule in RULES[one].items()}
    if kind not in RULES:
        raise InputError(f"rule for kind={kind!r}, must be one of routing, {', '.join(RULES)}")
    return RULES[kind]


def combinations(texts: Iterable[str]) -> list[dict[str, str]]:
    """Return every combination of rules that `KIND=NAME` texts name; repeated kinds multiply.

    Raises
    ------
    InputError
        For a text of another form, an unknown kind or an unknown rule.
    """
    asked: dict[str, list[str]] = {}
    for text in texts:
        kind, equals, name = text.partition("=")
        if not equals:
            raise InputError(f"rule {text!r}, must be KIND=NAME, such as dispatch=spt")
        Rules({kind: name})
        asked.setdefault(kind, []).append(name)
    return [dict(zip(asked, names, strict=True)) for names in product(*asked.values())]


class Rules:
    """The default controller.

    Parameters
    ----------
    chosen
        Names of rules by kind where not the default, e.g. `{"dispatch": "spt"}`; `routing` stands
        for all kinds of `ROUTING`.
    """

    source = "rule"
    takes_rules = True

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        self._rules = {kind: next(iter(rules.values())) for kind, rules in RULES.items()}
        for kind, name in (chosen or {}).items():
            known = named(kind)
            if name not in known:
                raise InputError(f"rule {kind}={name!r}, must be one of {', '.join(known)}")
            for one in ROUTING if kind == "routing" else (kind,):
                self._rules[one] = RULES[one].get(name, self._rules[one])

    def decide(self, view: View) -> int:
        """Return the action of the rule of this kind."""
        return self._rules[view["kind"]](view)


BACKEND = Rules
