"""Many runs, one after the other or on worker processes; a worker may die, the sweep goes on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for_end
from multiprocessing.context import SpawnProcess

from desbench.report.records import Record
from desbench.sweep.control import GRACE_S, Control
from desbench.sweep.folder import Folder
from desbench.sweep.plan import Run
from desbench.sweep.worker import Runner, play

SPAWN = multiprocessing.get_context("spawn")
POLL_S = 0.1


def execute(
    runs: Sequence[Run], folder: Folder, workers: int, control: Control, runner: Runner | None
) -> None:
    """Play all runs; `control` receives each as it finishes and may stop early.

    Parameters
    ----------
    workers
        1 plays in this process.
    runner
        A runner object of the caller instead of the named controllers; needs workers=1.
    """
    if workers == 1:
        _serial(runs, folder, control, runner)
        return
    waiting = deque(runs)
    while waiting and not control.is_stopped:
        for suspect in _pool(waiting, folder, workers, control):
            if not control.is_stopped:
                _alone(suspect, folder, control)


def _serial(runs: Sequence[Run], folder: Folder, control: Control, runner: Runner | None) -> None:
    control.is_serial = True
    try:
        for run in runs:
            if control.is_stopped:
                break
            control.take(*play(run, folder.path, runner))
    except KeyboardInterrupt:
        control.signal = control.signal or signal.SIGINT
    finally:
        control.is_serial = False


def _pool(waiting: deque[Run], folder: Folder, workers: int, control: Control) -> list[Run]:
    """Play until all is done or a worker dies; return the runs that may have killed it."""
    flying: dict[Future[tuple[Record, bool]], Run] = {}
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, SPAWN, _start_worker) as executor:
        while waiting or flying:
            # As few as keep every worker busy: each of them is a suspect when one dies.
            while waiting and len(flying) <= workers and not control.is_stopped:
                run = waiting.popleft()
                try:
                    with _shielded():
                        flying[executor.submit(play, run, folder.path)] = run
                except BrokenProcessPool:
                    waiting.appendleft(run)
                    break
            if not flying:
                break
            if control.is_stopped:
                _wind_down(flying, control, others)
                _collect(list(flying), flying, control)
                break
            finished, _ = wait(flying, timeout=POLL_S, return_when=FIRST_COMPLETED)
            broken = _collect(finished, flying, control)
            if broken:
                wait(flying)  # the pool fails all that it held
                broken += _collect(list(flying), flying, control)
                return _not_on_disk(broken, folder, control)
    return []


def _collect(
    finished: Sequence[Future[tuple[Record, bool]]] | set[Future[tuple[Record, bool]]],
    flying: dict[Future[tuple[Record, bool]], Run],
    control: Control,
) -> list[Run]:
    """Take over what is finished; return the runs whose worker died."""
    broken = []
    for future in finished:
        run = flying.pop(future)
        if future.cancelled() or not future.done():
            continue
        if isinstance(future.exception(), BrokenProcessPool):
            broken.append(run)
        else:
            control.take(*future.result())
    return broken


def _wind_down(
    flying: dict[Future[tuple[Record, bool]], Run],
    control: Control,
    others: set[multiprocessing.process.BaseProcess],
) -> None:
    """Let running cases finish: for a while after a signal, at once on a second one."""
    for future in flying:
        future.cancel()
    deadline = time.monotonic() + GRACE_S
    while any(not future.done() for future in flying):
        wait(flying, timeout=POLL_S)
        if control.signal and (control.presses > 1 or time.monotonic() > deadline):
            for process in set(multiprocessing.active_children()) - others:
                process.kill()
            wait(flying)


def _not_on_disk(broken: Sequence[Run], folder: Folder, control: Control) -> list[Run]:
    """Take over runs that were finished when the pool broke; return the others."""
    lost = []
    for run in broken:
        record = folder.previous(run.digest)
        if record is not None and record.attempts == run.attempt:
            control.take(record)
        else:
            lost.append(run)
    return lost


def _alone(run: Run, folder: Folder, control: Control) -> None:
    """Play a suspect in a process of its own: if that dies too, it is this run that kills."""
    process: SpawnProcess = SPAWN.Process(target=_play_alone, args=(run, folder.path))
    with _shielded():
        process.start()
    deadline = None
    while process.is_alive():
        process.join(POLL_S)
        if control.signal and deadline is None:
            deadline = time.monotonic() + GRACE_S
        if deadline and (control.presses > 1 or time.monotonic() > deadline):
            process.kill()
    if not _not_on_disk([run], folder, control):
        return
    if not control.signal:
        record = run.record(
            "killed", f"its worker process died twice ({_ending(process.exitcode)}); set aside"
        )
        folder.write_record(record)
        control.take(record)


def _play_alone(run: Run, path: os.PathLike[str]) -> None:
    _start_worker()
    play(run, path)


def _ending(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        try:
            return signal.Signals(-exitcode).name
        except ValueError:
            return f"signal {-exitcode}"
    return f"exit code {exitcode}"


@contextmanager
def _shielded() -> Iterator[None]:
    """Start processes with Ctrl-C blocked, so that it cannot hit one before it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, its output to itself, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    sys.stdout.flush()
    os.dup2(2, 1)  # whoever reads the parent's output must not wait for its workers
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for_end([parent.sentinel])
        os._exit(1)
