"""The finish estimate as far as counts allow, and the order in which options are offered.

A cell knows its queue and uses the estimate of the shop (`docs/model.md`, Finish estimate). All
others see counts, and the default rules and the choice of the best K options share this form.
"""

from __future__ import annotations

GRAIN = 1e6  #: estimates closer than 1 / GRAIN units tie, so float dust decides nothing


def from_counts(
    travel: float,
    committed: float,
    nominal: float,
    machines_up: int,
    machines: int,
    repair: float = 0,
) -> float:
    """Return the time from now to the finish of an item, from counts only.

    travel + max(0, committed x nominal / machines - travel) + nominal + repair, with the machines
    that are up (all, if none is). The setup counts 0; the quotient is not rounded up to ticks.

    Parameters
    ----------
    travel, nominal, repair
        Times in one unit; `repair` is 0 while a machine is up.
    committed
        Items ahead, each taken to last as long as this one.
    machines_up, machines
        Machines that share them; `machines` >= 1.
    """
    return max(travel, committed * nominal / (machines_up or machines)) + nominal + repair


def tied(estimate: float) -> int:
    """Return an estimate on the grid on which estimates are compared."""
    return int(estimate * GRAIN + 0.5)


def cautious(expected: int) -> int:
    """Return ceil(1.3 x expected), in ticks."""
    return -(-13 * expected // 10)
