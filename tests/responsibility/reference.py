"""The table a second time, typed by hand from the page and independent of the code."""

from __future__ import annotations

from typing import NamedTuple

STATUSES = "none proposed accepted reported discharged rejected expired violated terminated".split()
KINDS = (
    "request accept reject counter inform probe report verify violate revise terminate expire"
).split()
GUARDS = (
    "identity state authority version evidence "
    "once terms parent cycle scope replaces bound dependencies"
).split()

ROWS = """
none      request    proposed    authority version parent cycle scope replaces
proposed  accept     accepted    authority version terms parent bound
proposed  reject     rejected    authority version
proposed  counter    proposed    authority version once terms
proposed  inform     proposed    version
proposed  probe      proposed    authority version
proposed  terminate  terminated  authority version
proposed  expire     expired     version
accepted  accept     accepted    authority version terms
accepted  reject     accepted    authority version
accepted  inform     accepted    version
accepted  probe      accepted    authority version
accepted  report     reported    authority version evidence dependencies
accepted  violate    violated    authority version evidence
accepted  revise     accepted    authority version terms
accepted  terminate  terminated  authority version
accepted  expire     accepted    version
reported  inform     reported    version
reported  probe      reported    authority version
reported  report     reported    authority version evidence
reported  verify     discharged  authority version evidence
reported  violate    violated    authority version evidence
reported  terminate  terminated  authority version
"""


class Row(NamedTuple):
    """Where a message leads, and the guards besides identity that can refuse it."""

    to: str
    guards: tuple[str, ...]


REFERENCE = {
    (words[0], words[1]): Row(words[2], tuple(words[3:]))
    for words in map(str.split, ROWS.strip().splitlines())
}
