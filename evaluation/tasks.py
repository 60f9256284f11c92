"""Tasks of a benchmark: those without a stored result run on several processes, and each result is stored at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from segjt.evaluation.pool import Failure, outcomes
from segjt.evaluation.store import Store, StoredUnit
from segjt.evaluation.unit_of_work import UnitResult


class BenchmarkTask(Protocol):
    """A unit to be run on data: an image, or a data set."""

    @property
    def digest(self) -> str:
        """Identifies the data."""

    @property
    def unit(self) -> StoredUnit:
        """What is done with the data."""

    @property
    def title(self) -> str:
        """Data and unit in words."""


Task = TypeVar("Task", bound=BenchmarkTask)


@dataclass(frozen=True)
class Problem:
    """Data, or a unit of work on them, that had to be left out."""

    name: str
    message: str
    bad_input: bool


def missing_tasks(store: Store, benchmark: str, tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks that the store has no result of."""
    units = {task.unit.key(): task.unit for task in tasks}
    done = store.finished(benchmark, units.values())
    return [task for task in tasks if (task.digest, task.unit.key()) not in done]


def run_tasks(
    store: Store,
    benchmark: str,
    tasks: Sequence[Task],
    run: Callable[[Task], UnitResult],
    workers: int,
    quiet: bool,
) -> list[Problem]:
    """Run the tasks that the store has no result of, by `run`, a function of a module; return what failed."""
    from tqdm import tqdm

    missing = missing_tasks(store, benchmark, tasks)
    if not missing:
        return []

    def still_missing() -> Iterator[Task]:
        # Another run on the same store may have finished it by now.
        for task in missing:
            if store.get(benchmark, task.digest, task.unit) is None:
                yield task
            else:
                bar.update()

    problems = []
    bar = tqdm(
        total=len(tasks),
        initial=len(tasks) - len(missing),
        unit="unit",
        smoothing=0,  # units differ a lot: the overall mean is the best guess
        miniters=1,
        mininterval=0.2 if sys.stderr.isatty() else 30.0,
        maxinterval=30.0,
        disable=quiet,
    )
    with bar:
        for task, outcome in outcomes(run, still_missing(), min(workers, len(missing))):
            if isinstance(outcome, Failure):
                store.add_failure(benchmark, task.digest, task.unit, outcome.message)
                problems.append(Problem(task.title, outcome.message, outcome.bad_input))
            else:
                store.add(benchmark, task.digest, task.unit, outcome)
            bar.update()
    return problems
