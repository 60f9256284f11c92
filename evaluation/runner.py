"""The images of a benchmark and their units: reading, running, and estimating what is left to do."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segjt.datasets.items import Item, Photo
from segjt.evaluation.grid import Row
from segjt.evaluation.peers import OF_CONTOURS, has_input
from segjt.evaluation.pool import failure_of
from segjt.evaluation.scorers import Scorer, scorer_of
from segjt.evaluation.store import Store
from segjt.evaluation.tasks import Problem, missing_tasks, run_tasks
from segjt.evaluation.unit_of_work import Unit, UnitResult
from segjt.evaluation.units import run_unit


@dataclass(frozen=True)
class Subject:
    """An image of the benchmark that can be read; digests are of the image with its truth, and of its contours, too."""

    item: Item
    digest: str
    pixels: int
    digest_with_contours: str

    def digest_for(self, unit: Unit) -> str:
        """Return the digest of what decides the results of a unit."""
        return self.digest_with_contours if unit.method in OF_CONTOURS else self.digest


@dataclass(frozen=True)
class ImageTask:
    """A unit to be run on an image."""

    subject: Subject
    unit: Unit

    @property
    def digest(self) -> str:
        """The digest of what decides its result."""
        return self.subject.digest_for(self.unit)

    @property
    def title(self) -> str:
        """The image and the method with its parameters."""
        return f"{self.subject.item.name}, {self.unit.method} {self.unit.parameters or ''}".rstrip()


def read_subjects(store: Store, benchmark: str, items: Sequence[Item]) -> tuple[list[Subject], list[Problem]]:
    """Read every image with its truth; return those that can be used, and the problems of the others."""
    subjects, problems = [], []
    for item in items:
        try:
            subjects.append(Subject(item, item.digest(), item.truth()[0].size, item.digest(contours=True)))
        except (OSError, ValueError) as error:
            failure = failure_of(error)
            store.add_failure(benchmark, str(item.path), None, failure.message)
            problems.append(Problem(item.name, failure.message, failure.bad_input))
        else:
            store.forget_failure(benchmark, str(item.path))
    return subjects, problems


def all_tasks(subjects: Sequence[Subject], rows: Sequence[Row]) -> list[ImageTask]:
    """Return every unit of every image, image by image: an interrupted run has all units of the same images.

    Units of methods that are given what an image lacks are left out.
    """
    tasks = {
        (subject.digest, unit.key()): ImageTask(subject, unit)
        for subject in subjects
        for row in rows
        for unit in row.units
        if has_input(subject.item, unit.method)
    }
    return list(tasks.values())


def run_missing(store: Store, benchmark: str, tasks: Sequence[ImageTask], workers: int, quiet: bool) -> list[Problem]:
    """Run the tasks that the store has no results of; return what failed."""
    return run_tasks(store, benchmark, tasks, run_image_task, workers, quiet)


def run_image_task(task: ImageTask) -> UnitResult:
    """Run one unit, in the process of a worker."""
    image, scorer = image_and_scorer(task.subject.item)
    if task.unit.method in OF_CONTOURS:
        return run_unit(task.subject.item.contours(), task.unit, scorer)
    return run_unit(image, task.unit, scorer)


@functools.lru_cache(maxsize=2)
def image_and_scorer(item: Item) -> tuple[Photo, Scorer]:
    """Return an image and the scorer of its truth; units of the same image follow one another."""
    return item.image(), scorer_of(item)


@dataclass(frozen=True)
class RowEstimate:
    """How many units a row has, how many of them are missing, and the seconds these would take on one core."""

    row: Row
    units: int
    missing: int
    seconds: float


def estimate(store: Store, benchmark: str, subjects: Sequence[Subject], rows: Sequence[Row]) -> list[RowEstimate]:
    """Estimate the missing units of each row from those in the store; of a row without any, up to three are run."""
    estimates = []
    for row in rows:
        able = [subject for subject in subjects if has_input(subject.item, row.method)]
        if not able:
            continue
        rates = measured(store, benchmark, subjects, row)
        if not rates:
            # Parameters at both ends of their ranges can take several times as long as those in the middle.
            last = len(row.units) - 1
            some = [ImageTask(able[0], row.units[place]) for place in sorted({0, (last + 1) // 2, last})]
            run_missing(store, benchmark, some, workers=1, quiet=True)
            rates = measured(store, benchmark, subjects, row)
        tasks = all_tasks(subjects, [row])
        missing = missing_tasks(store, benchmark, tasks)
        rate = float(np.mean(rates)) if rates else float("nan")
        estimates.append(
            RowEstimate(row, len(tasks), len(missing), rate * sum(task.subject.pixels for task in missing))
        )
    return estimates


def measured(store: Store, benchmark: str, subjects: Sequence[Subject], row: Row) -> list[float]:
    """Return the seconds per pixel of the units of a row that are in the store."""
    rates = []
    for unit in row.units:
        pixels = {subject.digest_for(unit): subject.pixels for subject in subjects}
        totals = store.totals(benchmark, unit).items()
        rates += [seconds / pixels[image] for image, seconds in totals if image in pixels]
    return rates
