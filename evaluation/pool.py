"""Tasks on several processes: results as they come, a process that dies costs its own task only.

When the parent is killed its workers end at once, in the middle of a task: nothing is left running.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """Why a task has no result; `bad_input` if what it was given is to blame."""

    message: str
    bad_input: bool


def failure_of(error: Exception) -> Failure:
    """Return an error as one line."""
    blamed = isinstance(error, (ValueError, TypeError, FileNotFoundError, FileExistsError, IsADirectoryError))
    message = " ".join(str(error).split())
    expected = isinstance(error, (ValueError, TypeError, OSError)) and message
    return Failure(message if expected else f"{type(error).__name__}: {message}", blamed)


def attempt(function: Callable[[Task], Result], task: Task) -> Result | Failure:
    """Return what a function gives, or its failure."""
    try:
        return function(task)
    except Exception as error:
        return failure_of(error)


def outcomes(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[tuple[Task, Result | Failure]]:
    """Yield every task with what the function gave for it, or its failure, in the order in which they finish.

    Parameters
    ----------
    function : callable
        A function of a module, which other processes can import.
    tasks : iterable
        Each is taken when there is a process for it.
    workers : int
        How many processes; 1 is this one.
    """
    if workers == 1:
        for task in tasks:
            yield task, attempt(function, task)
        return
    waiting = iter(tasks)
    crew: dict[Connection, tuple[multiprocessing.process.BaseProcess, Task]] = {}
    try:
        for task in (first for _, first in zip(range(workers), waiting, strict=False)):
            start(function, task, crew)
        while crew:
            connection = wait(list(crew))[0]
            assert isinstance(connection, Connection)
            process, task = crew[connection]
            try:
                outcome: Result | Failure = connection.recv()
            except EOFError:
                process.join()
                outcome = Failure(f"the process that worked on it died (exit code {process.exitcode})", False)
            yield task, outcome
            del crew[connection]
            following = next(waiting, None)
            if following is None or not process.is_alive():
                end(connection, process)
            if following is not None and process.is_alive():
                connection.send(following)
                crew[connection] = process, following
            elif following is not None:
                start(function, following, crew)
    finally:
        for connection, (process, _) in crew.items():
            end(connection, process)


def start(function: Callable[[Any], Any], task: Any, crew: dict[Connection, tuple[Any, Any]]) -> None:
    """Start a process with its first task."""
    # A fresh interpreter: a fork of one that has threads (numba, BLAS) can hang.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, function), daemon=True)
    process.start()
    theirs.close()
    ours.send(task)
    crew[ours] = process, task


def end(connection: Connection, process: multiprocessing.process.BaseProcess) -> None:
    """Stop a process at once."""
    connection.close()
    process.kill()
    process.join()


def serve(connection: Connection, function: Callable[[Any], Any]) -> None:
    """Work on what comes through the connection until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    threading.Thread(target=end_with_parent, daemon=True).start()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(attempt(function, task))


def end_with_parent() -> None:
    """Wait for the parent's end and end as well."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
