"""The error tree. Everything desbench raises on purpose is a DesbenchError.

DesbenchError
├── InputError          a suite, file, name or option that cannot be accepted (exit code 2)
│   └── InstanceError   arrays that contradict each other or a bound
├── IllegalAction       a command or action the state does not allow; the state is untouched
├── TraceError          a run folder or trace that cannot be read
│   └── LawBroken       a trace that contradicts a law (`desbench verify`)
├── MissingExtra        an optional library is needed; the message is the install line
├── ControllerEnded     the user's own program ended or broke the protocol; the case is no result
├── InfraError          a model server that gave no answer; the case is no result
└── BudgetReached       the calls or cost a run may spend are spent; the run stops cleanly
"""

from __future__ import annotations


class DesbenchError(Exception):
    """Base of all errors raised on purpose; `str(error)` is one sentence for the user."""


class InputError(DesbenchError):
    """Input refused at the door: where, what value, what is allowed, what to do."""


class InstanceError(InputError):
    """An instance whose arrays contradict each other or exceed a bound."""


class IllegalAction(DesbenchError):
    """A command or action that the present state or the agent's mask does not allow."""


class TraceError(DesbenchError):
    """A run folder or trace file that is missing, short or unreadable."""


class LawBroken(TraceError):
    """A trace that breaks a law of the model."""


class MissingExtra(DesbenchError):
    """An optional dependency that is not installed."""


class ControllerEnded(DesbenchError):
    """An external program that ended, could not be started or broke the protocol."""


class InfraError(DesbenchError):
    """A server that could not be reached or refused, after all retries."""

    status = "infra_error"


class BudgetReached(DesbenchError):
    """The number of calls, or their cost, has reached the limit of the run."""

    status = "cancelled"
