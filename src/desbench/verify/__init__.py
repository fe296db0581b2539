"""Verify: the laws a trace must keep, and the same episode played once more.

A law is a function of a trace; its docstring is the law, its result the sentences that say where
the trace breaks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from desbench.errors import LawBroken
from desbench.trace.trace import Trace
from desbench.verify import (
    budget,
    columns,
    commitments,
    limits,
    places,
    protocol,
    rows,
    stops,
    stranding,
    travel,
    work,
)
from desbench.verify.again import reexecute
from desbench.verify.columns import UNJUDGED, Law

if TYPE_CHECKING:
    from desbench.instances.instance import Instance
    from desbench.paradigms import Paradigm

__all__ = ["LAWS", "Finding", "Law", "Report", "reexecute", "verify"]

LAWS: tuple[Law, ...] = (
    columns.columns_fit,
    rows.time_never_falls,
    rows.epochs_are_instants,
    rows.jobs_are_conserved,
    rows.arrivals_are_releases,
    stops.stops_are_the_calendar,
    rows.intervals_leave_no_gap,
    work.route_is_followed,
    work.rows_name_the_present_operation,
    work.jobs_complete_at_their_last_finish,
    work.processing_takes_its_time,
    work.setups_follow_the_matrix,
    travel.travel_follows_the_matrix,
    places.nothing_holds_too_much,
    stranding.strandings_have_their_cause,
    limits.states_follow_events,
    limits.power_is_that_of_the_state,
    limits.violations_are_what_stood,
    limits.alarms_announce_violations,
    limits.modes_change,
    budget.reviews_are_periodic,
    budget.caps_are_shared_out,
    protocol.actions_are_legal,
    protocol.agents_keep_their_authority,
    protocol.commands_follow_decisions,
    protocol.messages_have_their_roles,
    protocol.calls_are_answered,
    commitments.commitments_follow_the_table,
    commitments.answers_keep_their_deadline,
    commitments.commitments_have_their_messages,
    commitments.evidence_is_a_finish,
)


class Finding(NamedTuple):
    """Where a trace breaks a law."""

    law: str  #: name of the function, or hash, case, reexecute
    text: str

    def __str__(self) -> str:
        return f"{self.law}: {self.text}"


class Report(NamedTuple):
    """What `verify` found; empty is good."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether the trace keeps every law."""
        return not self.findings

    def raise_if_broken(self) -> None:
        """Raise LawBroken with the first finding, if there is one."""
        if self.findings:
            more = len(self.findings) - 1
            raise LawBroken(f"{self.findings[0]}" + (f" (and {more} more)" if more else ""))


def verify(
    trace: Trace,
    instance: Instance | None = None,
    paradigm: Paradigm | None = None,
    trace_hash: str | None = None,
) -> Report:
    """Check a trace against all laws, and what else is known about its run.

    Parameters
    ----------
    instance
        The case it claims to play; then the recorded actions are executed again and compared.
    paradigm
        Of the re-execution; default the one the trace names.
    trace_hash
        The hash that was stored when the episode ended.
    """
    told = ((law.__name__, text) for law in LAWS for text in law(trace))
    # Where a row makes no sense, columns_fit says so; that others cannot judge adds nothing.
    findings = [Finding(law, text) for law, text in told if not text.startswith(UNJUDGED)]
    if trace_hash is not None and trace_hash != trace.hash:
        findings.append(Finding("hash", f"{trace.hash}, stored was {trace_hash}"))
    if instance is not None:
        findings += [Finding("reexecute", text) for text in reexecute(trace, instance, paradigm)]
    return Report(tuple(findings))
