"""An external program that answers: one JSON object a line, both ways, started without a shell.

Out, to its standard input: `hello`, then for each episode `reset`, a `decision` an epoch, `end`.
In, from its standard output, one line for each decision:

    {"epoch": 42, "actions": {"area:A2": 1}, "usage": {"messages": 12, "cost": 0.002}}

`docs/controllers.md` states the protocol. What it prints to standard error goes to the log.
"""

from __future__ import annotations

import contextlib
import json
import math
import queue
import subprocess
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from desbench.errors import ControllerEnded
from desbench.protocol.decision import EXTERNAL, Note

PROTOCOL = 1
GRACE_S = 5.0  #: for the program to end by itself after the last line
USAGE = ("messages", "input_tokens", "output_tokens", "cost")

Line = str | None  #: None: no line follows


class Command:
    """A runner that asks a program of the user.

    Parameters
    ----------
    words
        Program and arguments.
    timeout_s
        How long a decision may take; later it counts as late and the contract-safe rule answers.
    log
        File for the program's standard error; None leaves it to the caller's.
    """

    source = EXTERNAL

    def __init__(
        self, words: Sequence[str], timeout_s: float = 120.0, log: Path | None = None
    ) -> None:
        self.words = tuple(words)
        self.notes: dict[str, Note] = {}
        self.usage: Counter[str] = Counter()  #: summed over the episodes, as the program told it
        self._timeout_s = timeout_s
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[Line] = queue.Queue()  #: from the program
        self._told: queue.Queue[Line] = queue.Queue()  #: to it

    def reset(self, info: Mapping[str, Any]) -> None:
        """Start the program before its first episode, and tell it of this one."""
        if self._process is None:
            self._start()
            self._say({"type": "hello", "protocol": PROTOCOL})
        self._say({"type": "reset", **info})

    def select_actions(self, decision: Mapping[str, Any]) -> dict[str, Any]:
        """Ask for the actions of an epoch; what does not count is noted by its outcome."""
        self._say({"type": "decision", **decision})
        asked, epoch = decision["active_agents"], decision["epoch"]
        while True:
            try:
                line = self._lines.get(timeout=self._timeout_s)
            except queue.Empty:
                return self._without(asked, "late")
            if line is None:
                raise ControllerEnded(self._ending(epoch))
            answer = _read(line)
            if answer is None:
                return self._without(asked, "malformed")
            if answer["epoch"] == epoch:
                break
            if answer["epoch"] > epoch:
                raise ControllerEnded(
                    f"controller command {self.words[0]}: answered epoch {answer['epoch']} in "
                    f"epoch {epoch}, must repeat the epoch it was asked"
                )
            # An answer that came too late for an earlier epoch: that one has been decided.
        self._take(answer.get("usage"))
        self.notes = {}
        return dict(answer["actions"])

    def end(self, info: Mapping[str, Any]) -> None:
        """Tell the program how the episode ended."""
        self._say({"type": "end", **info})

    def close(self) -> None:
        """End the program: its input closes; one that stays is killed."""
        if self._process is not None:
            self._told.put(None)
            _ended(self._process)
            self._process = None

    def _start(self) -> None:
        log = None if self._log is None else open(self._log, "ab")  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except OSError as error:
            raise ControllerEnded(
                f"controller command {self.words[0]}: cannot be started ({error.strerror})"
            ) from None
        finally:
            if log is not None:
                log.close()
        self._lines, self._told = queue.Queue(), queue.Queue()
        for work, pipe, lines in (
            (_listen, self._process.stdout, self._lines),
            (_tell, self._process.stdin, self._told),
        ):
            threading.Thread(target=work, args=(pipe, lines), daemon=True).start()

    def _say(self, content: Mapping[str, Any]) -> None:
        self._told.put(json.dumps(content, allow_nan=False) + "\n")

    def _without(self, asked: Mapping[str, Any], outcome: str) -> dict[str, Any]:
        self.notes = {agent: Note(EXTERNAL, outcome) for agent in asked}
        return {}

    def _take(self, usage: Any) -> None:
        if isinstance(usage, Mapping):
            told = {name: usage.get(name) for name in USAGE}
            self.usage.update({name: v for name, v in told.items() if _counts(v)})

    def _ending(self, epoch: int) -> str:
        assert self._process is not None, "reset comes first"
        code = _ended(self._process)
        where = "" if self._log is None else f"; what it said is in {self._log.name}"
        program = f"controller command {self.words[0]}"
        return f"{program}: ended with exit code {code} in epoch {epoch}{where}"


def _counts(value: Any) -> bool:
    """Whether a value can be added up: a number, finite and not negative."""
    return type(value) in (int, float) and 0 <= value < math.inf


def _ended(process: subprocess.Popen[str]) -> int:
    """Return the exit code of a program that has been told to end; one that stays is killed."""
    try:
        return process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _listen(output: IO[str], lines: queue.Queue[Line]) -> None:
    for line in output:
        lines.put(line)
    lines.put(None)


def _tell(stdin: IO[str], lines: queue.Queue[Line]) -> None:
    """Write lines in a thread: a program that does not read must not hold up its limit of time."""
    with contextlib.suppress(OSError, ValueError):  # it has ended; its output will say so
        while (line := lines.get()) is not None:
            stdin.write(line)
            stdin.flush()
    with contextlib.suppress(OSError):
        stdin.close()


def _read(line: str) -> dict[str, Any] | None:
    """An answer, None if the line is none."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or type(content.get("epoch")) is not int:
        return None
    return content if isinstance(content.get("actions"), dict) else None
