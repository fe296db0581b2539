"""Laws about budget reviews and the power caps they move."""

from __future__ import annotations

from collections import Counter

from desbench.protocol import messages as say
from desbench.trace.trace import Trace
from desbench.verify.case import NONE, events_of, followed
from desbench.verify.columns import law

PLANT = "plant"


@law
def reviews_are_periodic(trace: Trace) -> list[str]:
    """Reviews fall due at every multiple of the period up to the end, and at no other time."""
    period = trace.setting("review_period")
    due = [] if period is None else list(range(period, trace.end + 1, period))
    found = [event.time for event in events_of(trace) if event.kind == "budget_review"]
    return [] if found == due else [f"reviews at {found}, must be at {due}"]


@law
def caps_are_shared_out(trace: Trace) -> list[str]:
    """A cap row moves a cap there is; agents keep the sum, and tell each area of its cap once."""
    caps = dict(enumerate(trace.ints("areas", "power_cap").tolist()))
    total, broken = sum(caps.values()), []
    moves = [event for event in events_of(trace) if event.kind == "cap"]
    for event, after in followed(moves):
        if caps[event.area] in (NONE, event.amount):
            broken.append(f"{event}: the cap of area {event.area} is {caps[event.area]}")
        caps[event.area] = event.amount
        is_whole = after is None or (after.time, after.epoch) != (event.time, event.epoch)
        if trace.decisions.num_rows and is_whole and sum(caps.values()) != total:
            broken.append(f"{event}: the caps are {sum(caps.values())} together, not {total}")
    if trace.decisions.num_rows:
        told, names = _told(trace), trace.texts("areas", "name")
        moved = Counter((event.epoch, f"area:{names[event.area]}") for event in moves)
        broken += [f"{move} was not told" for move in sorted(moved - told)]
    return broken


def _told(trace: Trace) -> Counter[tuple[int, str]]:
    """Return by epoch and area what the plant told of caps."""
    spoken = (trace.texts("messages", n) for n in ("sender", "receiver", "performative"))
    epochs = trace.ints("messages", "epoch").tolist()
    return Counter(
        (epoch, receiver or "")
        for epoch, sender, receiver, word in zip(epochs, *spoken, strict=True)
        if (sender, word) == (PLANT, say.INFORM)
    )
