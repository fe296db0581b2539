"""An external program that answers: one JSON object a line, both ways, started without a shell.

Out, to its standard input: `hello`, then for each episode `reset`, a `decision` an epoch, `end`.
In, from its standard output, one line for each decision:

    {"epoch": 42, "actions": {"area:A2": 1}, "usage": {"messages": 12, "cost": 0.002}}

`docs/controllers.md` states the protocol. What it prints to standard error goes to the log.
"""

from __future__ import annotations

import json
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

Line = str | None  #: None: the output has ended


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
        self._lines: queue.Queue[Line] = queue.Queue()

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
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if process.stdin is not None:
                process.stdin.close()
        except OSError:
            pass  # it has ended already
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> None:
        log = None if self._log is None else open(self._log, "ab")  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                bufsize=1,
            )
        except OSError as error:
            raise ControllerEnded(
                f"controller command {self.words[0]}: cannot be started ({error.strerror})"
            ) from None
        finally:
            if log is not None:
                log.close()
        self._lines = queue.Queue()
        output = self._process.stdout
        assert output is not None
        threading.Thread(target=_listen, args=(output, self._lines), daemon=True).start()

    def _say(self, content: Mapping[str, Any]) -> None:
        assert self._process is not None, "reset comes first"
        stdin = self._process.stdin
        assert stdin is not None, "opened as a pipe"
        try:
            stdin.write(json.dumps(content, allow_nan=False) + "\n")
            stdin.flush()
        except OSError:
            if content["type"] != "end":  # after its last answer a program may leave
                raise ControllerEnded(self._ending(content.get("epoch"))) from None

    def _without(self, asked: Mapping[str, Any], outcome: str) -> dict[str, Any]:
        self.notes = {agent: Note(EXTERNAL, outcome) for agent in asked}
        return {}

    def _take(self, usage: Any) -> None:
        if isinstance(usage, Mapping):
            told = {name: usage.get(name) for name in USAGE}
            self.usage.update({n: v for n, v in told.items() if type(v) in (int, float)})

    def _ending(self, epoch: Any) -> str:
        code = None if self._process is None else self._process.wait()
        when = "before the first decision" if epoch is None else f"in epoch {epoch}"
        where = "" if self._log is None else f"; what it said is in {self._log.name}"
        return f"controller command {self.words[0]}: ended with exit code {code} {when}{where}"


def _listen(output: IO[str], lines: queue.Queue[Line]) -> None:
    for line in output:
        lines.put(line)
    lines.put(None)


def _read(line: str) -> dict[str, Any] | None:
    """An answer, None if the line is none."""
    try:
        content = json.loads(line)
    except ValueError:
        return None
    if not isinstance(content, dict) or type(content.get("epoch")) is not int:
        return None
    return content if isinstance(content.get("actions"), dict) else None
