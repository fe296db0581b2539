"""What several formats share: the header, how machines are numbered, rows of jobs, matrices."""

from __future__ import annotations

from desbench.instances.formats.shop import Job, Matrix, Operation
from desbench.instances.formats.source import MAX_COUNT, MAX_MACHINES, Reader


def header(reader: Reader) -> tuple[int, int]:
    """Take `jobs machines` from the first row; more may follow in it."""
    reader.row("the header: jobs machines")
    return (
        reader.whole("number of jobs", 1, MAX_COUNT),
        reader.whole("number of machines", 1, MAX_MACHINES),
    )


class Numbering:
    """Whether a file counts its machines from 0 or from 1, found over the whole file.

    A machine 0 tells that it counts from 0; a file without one counts from 1. That is also right
    where the last machines are not used, and wrong only where a file from 0 never uses machine 0,
    which `notes` points out.

    Parameters
    ----------
    asked
        0 or 1 where the user or the format says so, None to find out.
    """

    def __init__(self, machines: int, asked: int | None) -> None:
        self.machines = machines
        self.asked = asked
        self._zero_line = 0  #: where machine 0 was met first
        self._most = 0

    def machine(self, reader: Reader) -> int:
        """Take a machine number as it is written."""
        least, most = self.asked or 0, self.machines - (self.asked == 0)
        value = reader.whole("machine", least, most)
        if value == 0 and not self._zero_line:
            self._zero_line = reader.line
        self._most = max(self._most, value)
        if self._zero_line and self._most == self.machines:
            raise reader.refuse(
                f"machines 0 (line {self._zero_line}) and {self.machines} in a file of "
                f"{self.machines} machines, must count from 0 or from 1"
            )
        return value

    @property
    def base(self) -> int:
        """Number of the first machine."""
        if self.asked is not None:
            return self.asked
        return 0 if self._zero_line else 1

    @property
    def notes(self) -> tuple[str, ...]:
        """What speaks against the base that was found."""
        if self.asked is not None or self._zero_line or self._most == self.machines:
            return ()
        return (
            f"neither machine 0 nor machine {self.machines} occurs, so machines are taken to count "
            "from 1; --base 0 if they count from 0",
        )

    def from_zero(self, jobs: list[Job]) -> list[Job]:
        """Renumber the machines of all jobs to count from 0."""
        base = self.base
        if base == 0:
            return jobs
        return [[[(m - base, ticks) for m, ticks in o] for o in job] for job in jobs]


def pairs(reader: Reader, numbering: Numbering) -> Job:
    """Take a job from its row: `machine duration` for each operation."""
    job: Job = []
    while reader.tokens_left or not job:
        machine = numbering.machine(reader)
        job.append([(machine, reader.ticks("duration"))])
    return job


def alternatives(reader: Reader, numbering: Numbering) -> Job:
    """Take a job from its row: the number of operations, and for each the number of machines and
    `machine duration` for each of these.
    """
    count = reader.whole("number of operations", 1, MAX_COUNT)
    job: Job = []
    for _ in range(count):
        able = reader.whole("number of machines of an operation", 1, numbering.machines)
        operation: Operation = []
        for _ in range(able):
            machine = numbering.machine(reader)
            if any(machine == other for other, _ in operation):
                raise reader.refuse("a machine must be named once in an operation")
            operation.append((machine, reader.ticks("duration")))
        job.append(operation)
    reader.end_row(f"the {count} operations it announces")
    return job


def matrix(reader: Reader, size: int, what: str) -> Matrix:
    """Take `size` rows of `size` times."""
    rows = []
    for index in range(size):
        reader.row(f"row {index} of {size} of the {what}")
        rows.append([reader.ticks(f"time in the {what}") for _ in range(size)])
        reader.end_row(f"{size} times, a row of the {what}")
    return rows


def travel(reader: Reader, machines: int) -> Matrix:
    """Take the travel times between the source and all machines."""
    rows = matrix(reader, machines + 1, "travel matrix")
    for place, row in enumerate(rows):
        if row[place] != 0:
            raise reader.refuse(f"travel from place {place} to itself is {row[place]}, must be 0")
    return rows
