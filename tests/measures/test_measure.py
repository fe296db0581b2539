"""The list of measures as a whole."""

from __future__ import annotations

import json
import time

import numpy as np

from desbench.measures import PRIMARY, SECONDARY, measure
from desbench.trace import Trace, schema
from measures.handmade import small_case, small_trace


def test_the_fifteen_in_the_order_of_the_paper() -> None:
    """Summaries, papers and comparisons rely on names and order."""
    assert [d.symbol for d in PRIMARY] == [
        *("G_mk", "G_td", "G_cj"),
        *("G_vc", "G_eo", "G_ed", "G_en"),
        *("G_ds", "G_cm", "G_fb", "G_llm"),
        *("G_tr", "G_dj", "G_ut", "G_do"),
    ]
    assert [d.column for d in PRIMARY] == [
        *("makespan", "total_tardiness", "completed_jobs"),
        *("violations", "energy_overshoot", "overshoot_duration", "energy"),
        *("decision_steps", "messages", "fallback_decisions", "llm_decisions"),
        *("truncated", "unfinished_jobs", "unfinished_tardiness", "remaining_operations"),
    ]


def test_every_measure_says_what_it_is() -> None:
    """The docs and `desbench list measures` print these sentences."""
    definitions = (*PRIMARY, *SECONDARY)
    assert all(d.definition.endswith(".") and d.unit for d in definitions)
    assert len({d.column for d in definitions}) == len(definitions)


def test_an_empty_trace_has_every_column_and_strict_json() -> None:
    """A run in which nothing happened still fills its row of the summary, with null, not NaN."""
    result = measure(small_trace(time=0, status="decision_limit"))
    assert list(result) == [d.column for d in (*PRIMARY, *SECONDARY)]
    json.dumps(result, allow_nan=False)
    assert (result["makespan"], result["remaining_operations"]) == (0.0, 4)


def test_a_million_rows_take_seconds() -> None:
    """Sweeps recompute measures; a Python loop over rows would take minutes."""
    n = 300_000
    instance = small_case(plant_power_cap=100)
    small = small_trace(instance, time=2 * n)
    start = np.arange(n) * 2
    column = np.zeros(n, dtype=np.int64)
    rows = {
        "entity_kind": (column, ("machine",)),
        "entity": column,
        "state": (column, ("processing",)),
        "job": column,
        "operation": column,
        "start": start,
        "end": start + 1,
        "power": column + 110,
    }
    names = schema.SCHEMAS["events"].names
    events = {name: np.arange(n) % 7 for name in names}
    events |= {"kind": (np.arange(n) % 3, ("finish", "transport_start", "buffer_wait"))}
    events |= {"cause": (column - 1, ("power",)), "time": start}
    tables = {name: small.raw(name) for name in schema.ROW_TABLES}
    tables |= {"intervals": schema.build("intervals", rows)}
    tables |= {"events": schema.build("events", events)}
    trace = Trace(case=small.case, info=small.info, **tables)
    before = time.perf_counter()
    assert measure(trace)["overshoot_duration"] == n / 10
    assert time.perf_counter() - before < 5.0
