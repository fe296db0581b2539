"""Exhaustive exploration: every state that can be reached, and whether each can still end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)


@dataclass
class Exploration(Generic[State]):
    """All reachable states, numbered in the order of discovery."""

    numbers: dict[State, int] = field(default_factory=dict)
    came_from: list[set[int]] = field(default_factory=list)
    steps: int = 0

    def stuck(self, has_ended: Callable[[State], bool]) -> list[State]:
        """The states from which no path leads to an ended one."""
        states = list(self.numbers)
        ending = [number for number, state in enumerate(states) if has_ended(state)]
        able = set(ending)
        while ending:
            new = self.came_from[ending.pop()] - able
            able |= new
            ending += new
        return [state for number, state in enumerate(states) if number not in able]


def explore(
    start: State, successors: Callable[[State], Iterable[State]], limit: int = 2_000_000
) -> Exploration[State]:
    """Breadth first, no choice left out; `successors` asserts what must hold of a step."""
    found = Exploration[State]({start: 0}, [set()])
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        here = found.numbers[state]
        for after in successors(state):
            found.steps += 1
            number = found.numbers.get(after)
            if number is None:
                number = found.numbers[after] = len(found.came_from)
                found.came_from.append(set())
                waiting.append(after)
                assert number < limit, "the exploration does not end"
            found.came_from[number].add(here)
    return found
