"""Organisation that shifts: what an authority function is told, and what it has answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from desbench.errors import InputError
from desbench.instances.bounds import INT32_MAX as UNLIMITED
from desbench.protocol.authority import AuthorityMode, ShiftingAuthority, Summary

if TYPE_CHECKING:
    from desbench.instances.instance import Instance
    from desbench.protocol.organisation import Organisation


class Shifting:
    """The modes of one episode, asked for item by item."""

    def __init__(self, org: Organisation, authority: ShiftingAuthority, instance: Instance) -> None:
        self._org = org
        self._authority = authority
        self._modes: dict[str, AuthorityMode] = {}
        limits = instance.commitment.tolist()
        self._places = sum(limits) if max(limits) < UNLIMITED else 0  #: 0 = unlimited

    def mode_of(self, job: int) -> AuthorityMode:
        """Return the mode in force for an item: that of its conversation, else the one of now."""
        talk = self._org.talks.about(job)
        if talk is not None and talk.mode is not None:
            return talk.mode
        mode = self._authority.mode(self.summary(job))
        if self._modes.setdefault(mode.mode_id, mode) != mode:
            raise InputError(
                f"authority function {self._authority.mode_id}: two modes are called "
                f"{mode.mode_id!r}; give each its own mode_id"
            )
        return mode

    def switches(self) -> dict[str, Any]:
        """Return what a trace says: the function, and every mode it gave."""
        modes = {name: mode.switches() for name, mode in sorted(self._modes.items())}
        return {**self._authority.switches(), "modes": modes}

    def summary(self, job: int) -> Summary:
        """Return the plant as it is now, for a question about an item (-1 = none)."""
        org, sim, facts = self._org, self._org.sim, self._org.facts
        places = [sim.place(other)[0] for other in range(len(facts.job_ids))]
        committed = sum(sim.committed(cell) for cell in range(len(facts.cells)))
        done = places.count("done")
        return Summary(
            time=org.now / facts.unit,
            job=facts.job_ids[job].removeprefix("job:") if job >= 0 else None,
            operation=sim.operation(job) if job >= 0 else None,
            operations=facts.length(job) if job >= 0 else None,
            load=committed / self._places if self._places else 0.0,
            ready=len(sim.ready()),
            wip=len(places) - done - places.count("nowhere"),
            done=done,
            machines=len(org.up),
            machines_down=org.up.count(False),
            stranded=len(sim.stranded()),
            strandings=org.strandings,
            conversations=len(org.talks.all_asleep()),
        )
