"""News: the event kinds of this instant and the last outcomes, as each agent is shown them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from desbench.protocol.decision import Agent
from desbench.protocol.facts import Facts

if TYPE_CHECKING:
    from desbench._engine.simulation import Simulation, Stop

EVENT_WORDS = ("arrival", "finish", "breakdown", "repair", "stranded", "alarm", "review", "stalled")
FEEDBACK = 3  #: outcomes an agent is shown


class News:
    """Event kinds by agent, each once, and a short memory of outcomes."""

    def __init__(self, sim: Simulation, facts: Facts) -> None:
        self._sim = sim
        self._facts = facts
        self._words: dict[str, list[str]] = {}
        self._outcomes: dict[str, deque[str]] = {}
        self._stalled = False

    def clear(self) -> None:
        """Forget the events: another instant begins."""
        self._words.clear()

    def read(self, stop: Stop) -> None:
        """Spread what a stop names: to the plant, and to the area and cell where it happened."""
        self._stalled = stop.stalled
        for job in stop.ready:
            place, cell = self._sim.place(job)[:2]
            if place in ("outbound", "machine"):
                self._spread("finish", cell)
            elif place == "source" and self._facts.release[job] == stop.time:
                self._spread("arrival", -1)
        for word, machines in (("breakdown", stop.breakdowns), ("repair", stop.repairs)):
            for machine in machines:
                self._spread(word, self._facts.cell_of_machine[machine])
        for job in stop.stranded:
            self._spread("stranded", self._sim.assigned(job))
        for _, area in stop.alarms:
            self._add(self._facts.plant, "alarm")
            if area >= 0:
                self._add(self._facts.areas[area], "alarm")

        if stop.review:
            self._add(self._facts.plant, "review")

    def _spread(self, word: str, cell: int) -> None:
        facts = self._facts
        self._add(facts.plant, word)
        if cell >= 0:
            self._add(facts.areas[facts.area_of_cell[cell]], word)
            self._add(facts.cells[cell], word)

    def _add(self, agent: Agent, word: str) -> None:
        words = self._words.setdefault(agent.id, [])
        if word not in words:
            words.append(word)

    def hear(self, agent: Agent, word: str) -> None:
        """Remember an outcome that the agent is shown when it is asked next."""
        outcomes = self._outcomes.get(agent.id)
        if outcomes is None:
            outcomes = self._outcomes[agent.id] = deque(maxlen=FEEDBACK)
        outcomes.append(word)

    def events(self, agent: Agent) -> list[str]:
        """Return the event kinds of this instant that concern an agent."""
        words = [*self._words.get(agent.id, ())]
        if self._stalled:
            words.append("stalled")
        return words

    def outcomes(self, agent: Agent) -> list[str]:
        """Return the last outcomes an agent was told, oldest first."""
        return [*self._outcomes.get(agent.id, ())]
