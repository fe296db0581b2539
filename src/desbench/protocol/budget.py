"""Budget: at a review the plant may share the power caps of its areas out anew, their sum kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desbench.protocol import messages
from desbench.protocol.conversations import Step
from desbench.protocol.counts import area_committed
from desbench.protocol.decision import BUDGET, LOAD, UNIFORM
from desbench.protocol.steps import arrive, decide

if TYPE_CHECKING:
    from desbench.protocol.organisation import Organisation

Caps = dict[int, int]  #: by area, watts; areas without a cap are not in it


def budget(org: Organisation) -> Step[bool]:
    """Ask the plant how to share the caps out; tell each area whose cap changes, and move them."""
    now = present(org)
    shares = {word: caps for word in (LOAD, UNIFORM) if (caps := shared(org, now, word)) != now}
    if not shares:
        return False
    ask = org.ask(BUDGET, org.facts.plant, -1, [*shares], "keep")
    ask.extra = shares
    yield from decide(org, [ask])
    org.close(ask)
    if ask.declined:
        return False
    # Nobody else moves caps: until these have arrived the plant is not asked again.
    moved = {area: cap for area, cap in shares[ask.choice].items() if cap != now[area]}
    for area in moved:
        org.tell(org.facts.plant, org.facts.areas[area], messages.INFORM, -1)
    org.talks.present.areas.add(org.facts.plant.number)
    yield from arrive(org)
    for area, cap in moved.items():
        org.sim.set_cap(area, cap)
    return True


def present(org: Organisation) -> Caps:
    """Return the caps in force."""
    caps = {area.number: org.sim.cap(area.number) for area in org.facts.areas}
    return {area: cap for area, cap in caps.items() if cap >= 0}


def shared(org: Organisation, now: Caps, word: str) -> Caps:
    """Return the caps as they would be, by load (commitments + 1 of each area) or uniform."""
    weights = [area_committed(org, area) + 1 if word == LOAD else 1 for area in now]
    return dict(zip(now, share_out(sum(now.values()), weights), strict=True))


def share_out(total: int, weights: list[int]) -> list[int]:
    """Share a number out by weights in whole parts; the largest remainders get what is left over.

    >>> share_out(100, [1, 1, 1]), share_out(10, [3, 1])
    ([34, 33, 33], [8, 2])
    """
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda k: -(total * weights[k] % whole))
    for place in by_remainder[: total - sum(parts)]:
        parts[place] += 1
    return parts
