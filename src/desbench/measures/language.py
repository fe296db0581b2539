"""Language models: what their answers were worth and what they took. Kept answers count in full."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from desbench.measures.definition import Value, add, secondary
from desbench.trace.trace import Trace

#: Outcomes of replies, each with a measure of its own.
OUTCOMES = (
    "ok",
    "illegal",
    "malformed",
    "wrong_type",
    "truncated",
    "refusal",
    "empty",
    "late",
)


@secondary()
def fallback_share(trace: Trace) -> Value:
    """Fallbacks among the actions that were not forced; null without such actions."""
    agents = int(np.count_nonzero(~trace.mask("decisions", "source", "forced")))
    fallbacks = int(np.count_nonzero(trace.mask("decisions", "source", "fallback")))
    return fallbacks / agents if agents else None


@secondary()
def llm_calls(trace: Trace) -> Value:
    """Requests to language models, re-asks and kept answers included."""
    return int(trace.llm_calls.num_rows)


@secondary()
def llm_cached(trace: Trace) -> Value:
    """Requests answered from the cache file."""
    return int(np.count_nonzero(trace.ints("llm_calls", "cached") == 1))


@secondary()
def llm_retries(trace: Trace) -> Value:
    """Attempts of the client beyond the first of each request."""
    return int(trace.ints("llm_calls", "retries").sum())


@secondary()
def input_tokens(trace: Trace) -> Value:
    """Prompt tokens as counted by the server; null where it never counted."""
    return _total(trace, "input_tokens")


@secondary()
def output_tokens(trace: Trace) -> Value:
    """Generated tokens as counted by the server; null where it never counted."""
    return _total(trace, "output_tokens")


@secondary("s")
def llm_latency(trace: Trace) -> Value:
    """Time from request to answer, summed over requests; retries included, our queue not."""
    return _total(trace, "latency_s")


@secondary("s")
def llm_latency_mean(trace: Trace) -> Value:
    """Mean time from request to answer; null without requests."""
    value = pc.mean(trace.llm_calls.column("latency_s")).as_py()
    return None if value is None else float(value)


@secondary("money")
def llm_cost(trace: Trace) -> Value:
    """Cost by the price file; null without prices."""
    return _total(trace, "cost")


@secondary("money")
def llm_cost_per_call(trace: Trace) -> Value:
    """Mean cost of a request; null without prices."""
    value = pc.mean(trace.llm_calls.column("cost")).as_py()
    return None if value is None else float(value)


def _total(trace: Trace, column: str) -> Value:
    value: Value = pc.sum(trace.llm_calls.column(column)).as_py()
    return value


def _by_outcome(outcome: str) -> None:
    def count(trace: Trace) -> Value:
        return int(np.count_nonzero(trace.mask("llm_calls", "outcome", outcome)))

    sentence = f"Replies of language models with the outcome {outcome}."
    add("", f"llm_{outcome}", sentence, "1", count)


for _outcome in OUTCOMES:
    _by_outcome(_outcome)
