"""Tasks on several processes: results as they come; a process that dies costs only its own task.

When the parent is killed its workers end at once, in the middle of a task: nothing is left running.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from segjt.cli.errors import INPUT_ERRORS

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """Why a task has no result; `bad_input` if its input is to blame."""

    message: str
    bad_input: bool


def failure_of(error: Exception) -> Failure:
    """Return an error as one line."""
    message = " ".join(str(error).split())
    expected = isinstance(error, (ValueError, TypeError, OSError)) and message
    return Failure(message if expected else f"{type(error).__name__}: {message}", isinstance(error, INPUT_ERRORS))


def attempt(function: Callable[[Task], Result], task: Task) -> Result | Failure:
    """Return the result of a function, or its failure."""
    try:
        return function(task)
    except Exception as error:
        return failure_of(error)


def outcomes(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[tuple[Task, Result | Failure]]:
    """Yield every task with its result, or its failure, in the order in which they finish.

    Parameters
    ----------
    function : callable
        A function of a module, which other processes can import.
    tasks : iterable
        Each is taken when a process is free for it.
    workers : int
        Number of processes; 1 is this one.
    """
    if workers == 1:
        for task in tasks:
            yield task, attempt(function, task)
        return
    waiting = iter(tasks)
    with Crew(function) as crew:
        for task in itertools.islice(waiting, workers):
            crew.start(task)
        while crew.at_work:
            connection, task, outcome = crew.receive()
            yield task, outcome
            crew.release(connection)
            for following in itertools.islice(waiting, 1):
                crew.start(following)


class Crew(Generic[Task, Result]):
    """Worker processes; on leaving the `with` statement all of them end at once."""

    def __init__(self, function: Callable[[Task], Result]) -> None:
        self.function = function
        # A worker is known by this end of its connection.
        self.at_work: dict[Connection, tuple[multiprocessing.process.BaseProcess, Task]] = {}
        self.idle: dict[Connection, multiprocessing.process.BaseProcess] = {}

    def __enter__(self) -> Crew[Task, Result]:
        return self

    def __exit__(self, *error: object) -> None:
        for connection, (process, _) in self.at_work.items():
            end(connection, process)
        for connection, process in self.idle.items():
            end(connection, process)

    def start(self, task: Task) -> None:
        """Give a task to an idle worker, or to a new one."""
        connection, process = self.idle.popitem() if self.idle else new_worker(self.function)
        connection.send(task)
        self.at_work[connection] = process, task

    def receive(self) -> tuple[Connection, Task, Result | Failure]:
        """Wait for a worker to finish; return its connection, its task and the outcome."""
        connection = wait(list(self.at_work))[0]
        assert isinstance(connection, Connection)
        process, task = self.at_work[connection]
        try:
            outcome: Result | Failure = connection.recv()
        except EOFError:
            process.join()
            outcome = Failure(f"the process that worked on it died (exit code {process.exitcode})", False)
        return connection, task, outcome

    def release(self, connection: Connection) -> None:
        """Make a worker idle, or bury it if it died."""
        process, _ = self.at_work.pop(connection)
        if process.is_alive():
            self.idle[connection] = process
        else:
            end(connection, process)


def new_worker(
    function: Callable[[Any], Any],
) -> tuple[Connection, multiprocessing.process.BaseProcess]:
    """Start a process that applies a function to the tasks it is sent."""
    # A fresh interpreter: a fork of one that has threads (numba, BLAS) can hang.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, function), daemon=True)
    process.start()
    theirs.close()
    return ours, process


def end(connection: Connection, process: multiprocessing.process.BaseProcess) -> None:
    """Stop a process at once."""
    connection.close()
    process.kill()
    process.join()


def serve(connection: Connection, function: Callable[[Any], Any]) -> None:
    """Work on the tasks that come through the connection until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    threading.Thread(target=end_with_parent, daemon=True).start()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(attempt(function, task))


def end_with_parent() -> None:
    """Wait for the parent to end, then end this process."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
