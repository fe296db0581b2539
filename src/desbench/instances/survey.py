"""Static properties of a suite, as a Markdown table: `python -m desbench.instances.survey SUITE..`.

Nothing is simulated: these numbers follow from the realised instances alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

import numpy as np

from desbench.instances.instance import Instance
from desbench.instances.suite import Suite, load_suite


def properties(instance: Instance) -> dict[str, float]:
    """Static properties of one case."""
    cells = [_cells(instance, o) for o in range(instance.operations)]
    areas = [{int(instance.cell_area[c]) for c in options} for options in cells]
    last = instance.operation_offset[1:] - 1
    steps = [o for o in range(instance.operations - 1) if o not in set(last.tolist())]
    return {
        "jobs": len(instance.job_names),
        "operations": instance.operations,
        "cells per operation": float(np.mean([len(options) for options in cells])),
        "areas per operation": float(np.mean([len(options) for options in areas])),
        "steps that must change area": _share(not areas[o] & areas[o + 1] for o in steps),
        "cells of last operations": len(set().union(*(cells[o] for o in last.tolist()))),
        "fastest cell in the commonest area": _clustered(instance),
        "load of a machine": _load(instance),
        "stops": _stops(instance),
    }


def table(suites: Iterable[Suite], split: str = "test") -> str:
    """Markdown: one row per profile, means over the cases of a split."""
    rows: list[tuple[str, dict[str, float]]] = []
    for suite in suites:
        for profile in suite.profiles:
            seeds = suite.seeds(split, profile) or suite.seeds("train", profile)
            cases = [case for case in suite.cases(seeds=seeds) if case.profile == profile]
            found = [properties(suite.realise(case)) for case in cases]
            means = {name: float(np.mean([f[name] for f in found])) for name in found[0]}
            rows.append((profile, {"cases": len(cases), **means}))
    names = list(rows[0][1])
    lines = ["| profile | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for profile, row in rows:
        lines.append(f"| {profile} | " + " | ".join(f"{row[name]:.4g}" for name in names) + " |")
    return "\n".join(lines)


def _cells(instance: Instance, operation: int) -> set[int]:
    """Cells that can do an operation."""
    first, last = instance.eligible_offset[operation], instance.eligible_offset[operation + 1]
    return set(instance.machine_cell[instance.eligible_machine[first:last]].tolist())


def _share(truths: Iterable[bool]) -> float:
    found = list(truths)
    return float(np.mean(found)) if found else 0.0


def _clustered(instance: Instance) -> float:
    """Share of operations whose nominally fastest machine stands in the area where most do."""
    fastest = []
    for operation in range(instance.operations):
        first, last = instance.eligible_offset[operation], instance.eligible_offset[operation + 1]
        best = first + int(np.argmin(instance.nominal[first:last]))
        machine = instance.eligible_machine[best]
        fastest.append(int(instance.cell_area[instance.machine_cell[machine]]))
    return float(np.bincount(fastest).max() / len(fastest))


def _load(instance: Instance) -> float:
    """Shortest nominal work over machine time until the last release."""
    shortest = np.minimum.reduceat(instance.nominal, instance.eligible_offset[:-1]).sum()
    time = int(instance.release.max()) * len(instance.machine_names)
    return float(shortest / time) if time else float("inf")


def _stops(instance: Instance) -> int:
    """Stops that begin before the last due date, or release where there is none."""
    until = max(int(instance.due.max()), int(instance.release.max()))
    return int((instance.down_start < until).sum())


if __name__ == "__main__":
    print(table(load_suite(name) for name in sys.argv[1:]))
