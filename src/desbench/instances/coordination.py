"""Coordination: how long messages and decisions take, in ticks; nothing unless a suite says so."""

from __future__ import annotations

from typing import NamedTuple


class Coordination(NamedTuple):
    """What it costs in time to agree. All zero is the frozen clock: agents agree within an instant.

    >>> Coordination().takes_time, Coordination(message_delay=5).takes_time
    (False, True)
    """

    message_delay: int = 0  #: from sender to receiver
    plant: int = 0  #: a decision of the plant
    area: int = 0  #: a decision of an area
    cell: int = 0  #: a decision of a cell
    is_measured: bool = False  #: decisions take as long as the controller took, instead
    deadline: int = -1  #: of a call for proposals, from the call on; -1 = none

    @property
    def takes_time(self) -> bool:
        """Whether anything here makes the plant go on while agents talk."""
        return self.is_measured or max(self[:4]) > 0


FROZEN_CLOCK = Coordination()
