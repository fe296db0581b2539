"""The breakdown told in `docs/rcm.md`: a cell with three accepted operations goes down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from desbench.instances.instance import Instance
from desbench.paradigms import AuthorityMode, paradigm
from protocol.playing import play
from shops import shop

BROKEN_AT = 2
COLUMNS = ("seq", "sender", "receiver", "kind", "commitment", "version", "after", "forced")


def four_cells() -> Instance:
    """Cells C0, C1, C2 in area A0, C3 in A1. J0, J1, J2 are fastest on M0, which is down 2-62."""
    fast: dict[int, Any] = {0: 5, 1: 17, 2: 18}
    return shop(
        [[fast], [fast], [fast], [{3: 9}]],
        areas=[[0, 1, 2], [3]],
        travel=1,
        down={0: [(BROKEN_AT, 62)]},
        mean_repair=60,
    )


def mode(**switches: bool | str) -> AuthorityMode:
    """The paradigm with some of its switches off."""
    return replace(paradigm("rcm"), mode_id="_".join(("rcm", *switches)), **switches)


def minute(**switches: bool) -> list[dict[str, Any]]:
    """Rows of the commitments at the instant of the breakdown."""
    trace = play(four_cells(), mode(**switches)).trace
    return [row for row in trace.commitments.to_pylist() if row["time"] == BROKEN_AT]


def story() -> str:
    """The rows as the page shows them, without sub-delegation."""
    lines = [
        "C0 has accepted J0, which runs on M0, and J1 and J2, which wait inbound; J3 is with C3.",
        "M0 goes down at 2 for 60. Without `recursive`, the whole of that instant:",
        "",
        "| job | sender | receiver | message | commitment | version | leads to | forced |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in minute(recursive=False):
        cells = [f"J{row['job']}", *(row[name] for name in COLUMNS[1:4]), f"c{row['commitment']}"]
        cells += [row["version"], row["after"], "yes" if row["forced"] else ""]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)
