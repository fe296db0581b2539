"""The fields of options and the guidance of each kind: one place for views, docs and features."""

from __future__ import annotations

from functools import cache
from typing import Final

from desbench.protocol.decision import (
    AWARD,
    BID,
    BUDGET,
    COMMIT,
    DECLINES,
    DELEGATE,
    DISPATCH,
    INTERVENE,
    MODE,
    MONITOR,
    NOTIFY,
    RELEASE,
    REROUTE,
    RESPOND,
    ROUTE_AREA,
    ROUTE_CELL,
)

_CELL: Final = {
    "room": "items the cell may still be committed to",
    "committed": "items assigned to the cell and not yet dispatched, this one not counted",
    "machines_up": "its eligible machines that are up",
    "machines": "its eligible machines",
    "repair": "time until the first of them is expected back, 0 while one is up",
    "nominal": "shortest nominal duration on them",
    "travel": "time from where the item stands to the cell",
    "mode": "normal, eco or pause",
}
_AREA: Final = {
    "eligible_cells": "cells of the area that can do the operation",
    "cells": "cells of the area",
    "committed": "commitments of all its cells together",
    "machines_up": "its machines that are up",
    "machines": "its machines",
    "nominal": "shortest nominal duration in the area",
    "travel": "time from where the item stands to the nearest eligible cell",
    "wip": "items assigned to the area or standing in it",
    "power": "present power, watts",
    "power_cap": "its power cap, watts; null = none",
}

#: Fields of an option beside `action` and `target`, by kind; times in the suite's time unit.
FIELDS: Final[dict[str, dict[str, str]]] = {
    RELEASE: {
        "job": "job",
        "operation": "its current operation, from 0",
        "due": "due date of the job; null = none",
        "slack": "due - now - shortest nominal work left; null = none",
        "remaining_operations": "operations left, this one included",
        "remaining_work": "shortest nominal work left, this operation included",
        "release": "release time of the job",
        "weight": "weight of the job",
    },
    ROUTE_AREA: _AREA,
    ROUTE_CELL: _CELL,
    BID: {
        "promise": "promised finish of the operation",
        "duration": "the same from now",
    },
    AWARD: {
        "promise": "promised finish of the operation",
        "duration": "the same from now",
        "travel": _CELL["travel"],
    },
    COMMIT: {
        "promise": "promised finish of the operation; null = none is given",
        "duration": "the same from now; null = none",
        **_CELL,
    },
    REROUTE: {**_CELL, **_AREA},
    DISPATCH: {
        "machine": "machine",
        "job": "job",
        "operation": "its current operation, from 0",
        "setup": "setup time from the present family of the machine",
        "nominal": "nominal duration on the machine",
        "length": "setup + nominal",
        "due": "due date of the job; null = none",
        "slack": "due - now - shortest nominal work left; null = none",
        "remaining_operations": "operations left, this one included",
        "remaining_work": "shortest nominal work left, this operation included",
        "position": "place in the inbound buffer, 0 = first in",
        "weight": "weight of the job",
    },
    MODE: {
        "cell": "cell",
        "mode": "the mode it would change to",
        "present": "the mode it has",
        "busy": "its machines in setup or processing",
        "committed": "items assigned to it and not yet dispatched",
    },
    DELEGATE: {**_CELL, **_AREA},
    RESPOND: {
        "promise": "promised finish of the operation",
        "duration": "the same from now",
        "left": "cells that may still be asked; null = it is not the delegator who answers",
        **_CELL,
    },
    NOTIFY: _CELL,
    MONITOR: _CELL,
    BUDGET: {
        "changed": "areas whose cap changes",
        "moved": "watts that pass from some areas to others",
        "excess": "present power above these caps, areas together, watts",
    },
    INTERVENE: {
        "promise": "the later date that a revision offers; null = none",
        **_CELL,
    },
}

_FACTORS: Final = {
    RELEASE: (
        "which item is most urgent: slack, due date, work left",
        "hold closes all items offered until time moves",
    ),
    ROUTE_AREA: (
        "which area can finish the operation early: committed items per machine up, nominal",
        "travel to the area",
        "power against its cap",
    ),
    ROUTE_CELL: (
        "which cell can finish the operation early: committed items per machine up, nominal",
        "travel to the cell",
        "repair: how long until a machine is back",
    ),
    BID: (
        "a promise others rely on: optimistic, expected or cautious",
        "an early promise wins the item, a late one keeps the word",
    ),
    AWARD: ("the earliest promise", "travel to the bidder"),
    COMMIT: (
        "can the promise be kept: machines up, committed items, room",
        "a refusal sends the item back to who chose this cell",
    ),
    REROUTE: (
        "would another place finish the item earlier than waiting for the repair here",
        "travel to the other place",
    ),
    DISPATCH: (
        "which item is urgent: slack",
        "which pair is short: setup + nominal",
    ),
    DELEGATE: (
        "who can finish the operation early: committed items per machine up, nominal",
        "travel to the place",
        "who passes work on still answers for it",
    ),
    RESPOND: (
        "can the promise be kept: machines up, committed items, repair",
        "accept promises the expected finish, counter a cautious one that the other may turn down",
    ),
    NOTIFY: (
        "whoever relies on the promise can only act on what it knows",
        "how serious: repair, machines up",
    ),
    MONITOR: (
        "is a promise in danger that nobody spoke of: machines down, date passed",
        "a probe must be answered",
    ),
    INTERVENE: (
        "would another cell finish the item earlier than waiting here",
        "revise keeps the item and moves the date, replace asks two other cells at most",
        "terminate gives the item back to the plant",
    ),
    BUDGET: (
        "which areas will need the power: committed items, present power against the cap",
        "load shares by commitments + 1, uniform gives all the same; the sum stays",
    ),
    MODE: (
        "power of the area against its cap",
        "eco makes later phases longer and weaker, pause starts none",
    ),
}


@cache
def factors(kind: str, decline: str, slot: int) -> tuple[str, ...]:
    """Return the guidance of a kind, and what declining means where it is legal."""
    if not decline:
        return _FACTORS[kind]
    return (*_FACTORS[kind], f"action {slot} = {decline}: {DECLINES[decline]}")
