"""Stop: why advance() returned."""

from __future__ import annotations


class Stop:
    """Why advance() returned, and what changed since the stop before. Lists are in row order."""

    __slots__ = (
        "alarms",
        "breakdowns",
        "cells",
        "cycle",
        "ready",
        "repairs",
        "review",
        "stalled",
        "status",
        "stranded",
        "time",
        "vehicles",
        "woken",
    )

    def __init__(self, time: int, status: str, stalled: bool) -> None:
        self.time = time
        self.status = status  #: "" while the episode runs
        self.stalled = stalled  #: nothing is pending, but a command could be given
        self.ready: list[int] = []  #: items that an event made ready
        self.cells: list[int] = []  #: where an idle machine meets an eligible inbound item, now
        self.stranded: list[int] = []  #: items
        self.alarms: list[tuple[str, int]] = []  #: (power or wip, area); -1 = the plant
        self.breakdowns: list[int] = []  #: machines
        self.repairs: list[int] = []  #: machines
        self.vehicles: list[int] = []  #: that became idle
        self.woken: list[int] = []  #: conversations
        self.review = False  #: a budget review has fallen due
        self.cycle: list[tuple[str, int]] = []  #: of a deadlock: who waits for what

    def __repr__(self) -> str:
        what = self.status or ("stalled" if self.stalled else "decide")
        return f"Stop(time={self.time}, {what}, ready={self.ready}, cells={self.cells})"
