"""The worked example of `docs/protocols.md`: four items, one breakdown, every paradigm."""

from __future__ import annotations

from desbench.instances.instance import Instance
from protocol.playing import messages, play
from shops import shop

PARADIGMS = (
    *("centralized_plant", "hierarchical_chain", "heterarchical_cnp", "holonic_hybrid"),
    "responsibility_rcm",
)


def four_items() -> Instance:
    """Area A0 with the cells C0 and C1, area A1 with C2; M0 is the fastest, and goes down at 2."""
    operation = {0: 4, 1: 5, 2: 6}
    return shop(
        [[operation]] * 4,
        areas=[[0, 1], [2]],
        release=[0, 0, 0, 1],
        travel=1,
        down={0: [(2, 42)]},
        mean_repair=40,
    )


def rows(paradigm: str) -> list[tuple[object, ...]]:
    """The messages of the example under a paradigm, in order."""
    columns = ("time", "conversation", "job", "sender", "receiver", "performative", "promise")
    return messages(play(four_items(), paradigm), *columns)


def tables() -> str:
    """The tables as they stand in the page."""
    parts = []
    for paradigm in PARADIGMS:
        found = rows(paradigm)
        lines = [f"`{paradigm}`, {len(found)} messages:", ""]
        lines += ["| time | conv. | job | sender | receiver | performative | promise |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for row in found:
            lines.append(
                "| " + " | ".join("" if cell is None else str(cell) for cell in row) + " |"
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
