"""Yardsticks: what a makespan is measured against, a bound from the loads and a published value."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from desbench.instances.formats import Reference
    from desbench.instances.instance import I32, I64


class BelowReference(UserWarning):
    """A makespan below a published value: a new best, or something is wrong."""


def load_bound(
    release: I64,
    operation_offset: I32 | I64,
    eligible_offset: I32 | I64,
    eligible_machine: I32 | I64,
    realised: I64,
) -> int:
    """Return the larger of job load and machine load, in ticks; no makespan is below it.

    Job load: the largest release + sum over the operations of the job of the shortest realised
    duration among their eligible machines. Machine load: the largest sum of realised durations of
    the operations that only this machine can do, after the earliest release of their jobs. Travel,
    setups, stops, modes and buffers only add to it, so it holds with them too.

    Parameters
    ----------
    release, operation_offset, eligible_offset, eligible_machine, realised
        As in `Instance`: [J], [J + 1], [O + 1], [E], [E].
    """
    shortest = np.minimum.reduceat(realised, eligible_offset[:-1])
    jobs = release + np.add.reduceat(shortest, operation_offset[:-1])
    only = np.flatnonzero(np.diff(eligible_offset) == 1)
    alternative = eligible_offset[only]
    machine = eligible_machine[alternative]
    job = np.searchsorted(operation_offset, only, side="right") - 1
    machines = int(eligible_machine.max()) + 1
    loads = np.zeros(machines, dtype=np.int64)
    np.add.at(loads, machine, realised[alternative])
    first = np.full(machines, np.iinfo(np.int64).max)
    np.minimum.at(first, machine, release[job])
    return int(max(jobs.max(), (loads + np.where(loads > 0, first, 0)).max()))


def gap(makespan: float | None, reference: Reference | float | None) -> float | None:
    """Return makespan / reference - 1; None where either is missing.

    Parameters
    ----------
    makespan
        Of a run that is done, in the unit of the reference; None for any other.
    reference
        The best known makespan, or any other value to compare with.

    Warns
    -----
    BelowReference
        When the gap is negative: a new best, or, below a proved optimum, an error.
    """
    upper = reference if isinstance(reference, int | float | None) else reference.upper
    if makespan is None or not upper:
        return None
    found = makespan / upper - 1
    if found < 0:
        what = "the reference"
        if not isinstance(reference, int | float | None):
            proved = "proved optimum" if reference.kind == "optimum" else "best known makespan"
            what = f"the {proved} of {reference.name} ({reference.source}, {reference.date})"
        text = f"makespan {makespan:g} is below {what}, {upper:g}: a new best, or an error"
        warnings.warn(text, BelowReference, stacklevel=2)
    return found
