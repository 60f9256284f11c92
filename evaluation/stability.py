"""`segjt benchmark stability`: whether a picture that is flipped, moved or a little lighter gets the same segments.

The map of n_segments = auto before and after each of `segjt.evaluation.changes`, for segjt and other tools with their
defaults, compared by the adjusted Rand index.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from segjt import pipeline
from segjt.datasets import bsds, weizmann
from segjt.datasets.folders import by_stem, existing
from segjt.datasets.items import File, Item, Photo
from segjt.evaluation import peers, stability_report
from segjt.evaluation.changes import CHANGES, Change
from segjt.evaluation.image_benchmark import asked_count, chosen_images
from segjt.evaluation.pool import failure_of
from segjt.evaluation.stability_report import Agreement
from segjt.evaluation.store import Store
from segjt.evaluation.table_files import write_tables
from segjt.evaluation.tasks import Problem, run_tasks
from segjt.evaluation.unit_of_work import OURS, UnitResult
from segjt.evaluation.versions import STABILITY
from segjt.fields import suggestion
from segjt.runtime.arrays import Labels

IMAGES = 60
CONTENDERS = (OURS, "felzenszwalb", "slic_ncut")
DIGITS = 6


@dataclass(frozen=True)
class StabilityUnit:
    """One change, by one contender."""

    contender: str
    change: str

    @property
    def method(self) -> str:
        """Whose code it runs, for the store."""
        return f"{STABILITY} {self.contender}"

    def key(self) -> str:
        """Return the unit as JSON, the same for equal units."""
        return json.dumps([self.contender, self.change])


@dataclass(frozen=True)
class StabilityTask:
    """A unit to be run on an image."""

    item: Item
    digest: str
    unit: StabilityUnit

    @property
    def title(self) -> str:
        """The image, the contender and the change."""
        return f"{self.item.name}, {self.unit.contender}, {self.unit.change}"


@dataclass(frozen=True)
class Picture(Item):
    """An image without truth, in a folder."""

    def read_truth(self) -> NDArray[np.bool_]:
        raise FileNotFoundError(f"{self.path}: has no truth, and stability needs none")

    def expected_truth(self) -> str:
        return "stability needs none"


@dataclass(frozen=True)
class StabilityBenchmarkResult:
    """The result of a run: all agreements, what had to be left out, and the table as text."""

    agreements: list[Agreement]
    problems: list[Problem]
    text: str


def known_names(wanted: Sequence[str] | None, known: Sequence[str], kind: str) -> Sequence[str]:
    """Return the wanted names, or all if that is None; a name that is not known is an error."""
    for name in wanted or ():
        if name not in known:
            raise ValueError(f"no {kind} is called {name!r}{suggestion(name, known)}; choose from {', '.join(known)}")
    return known if wanted is None else wanted


def stability_images(data: str | None, folder: str | None, images: str | None) -> Sequence[Item]:
    """Return the images: those of a folder, or Weizmann's and Berkeley's in equal parts; see `evenly`."""
    sets: list[Sequence[Item]]
    if folder is not None:
        sets = [[Picture(path.stem, File(path), ()) for path in by_stem(existing(Path(folder))).values()]]
        if not sets[0]:
            raise FileNotFoundError(f"{folder}: holds no image")
    else:
        sets = [weizmann(data), bsds(data)]
    every = [item for items in sets for item in items]
    count = asked_count(IMAGES if images is None else images, {item.name for item in every})
    return chosen_images(every, images) if count is None else evenly(sets, count)


def evenly(sets: Sequence[Sequence[Item]], count: int) -> list[Item]:
    """Return so many items, as nearly as can be the same number of each set, evenly spaced in it."""
    chosen: list[Item] = []
    # The smallest set first: what it lacks comes from the larger ones.
    for place, items in sorted(enumerate(sorted(sets, key=len))):
        share = min(-(-(count - len(chosen)) // (len(sets) - place)), len(items))
        chosen += [items[(2 * k + 1) * len(items) // (2 * share)] for k in range(share)]
    return chosen


def run_stability_benchmark(
    items: Sequence[Item],
    changes: Sequence[str],
    contenders: Sequence[str],
    store: Store,
    folder: Path,
    workers: int,
    quiet: bool = False,
) -> StabilityBenchmarkResult:
    """Run all units that the store lacks and write the tables to the folder."""
    tasks, problems = plan_tasks(items, changes, contenders)
    problems += run_tasks(store, STABILITY, tasks, run_stability_task, workers, quiet)
    agreements = read_agreements(store, tasks)
    files = stability_report.table_contents(agreements)
    write_tables(folder, files, stability_report.stability_report(agreements, worst_pairs(tasks, agreements)))
    text = f"{files['table.md'].decode()}\n{stability_report.times_text(agreements)}\n"
    return StabilityBenchmarkResult(agreements, problems, text)


def plan_tasks(
    items: Sequence[Item], changes: Sequence[str], contenders: Sequence[str]
) -> tuple[list[StabilityTask], list[Problem]]:
    """Return the tasks, image by image and contender by contender, and the images that cannot be read."""
    tasks, problems = [], []
    for item in items:
        try:
            item.image()
            digest = item.digest()
        except (OSError, ValueError) as error:
            failure = failure_of(error)
            problems.append(Problem(item.name, failure.message, failure.bad_input))
            continue
        tasks += [
            StabilityTask(item, digest, StabilityUnit(contender, change))
            for contender in contenders
            for change in changes
            if can_show(contender, CHANGES[change])
        ]
    return tasks, problems


def can_show(contender: str, change: Change) -> bool:
    """Tell whether a change is one for a contender: other tools are run without a seed, and on RGB."""
    return contender == OURS or (change.seed == 0 and change.channels == 3)


def run_stability_task(task: StabilityTask) -> UnitResult:
    """Segment the changed picture and compare the maps, in the process of a worker."""
    start = time.perf_counter()
    change = CHANGES[task.unit.change]
    image, before = image_of(task.item), map_before(task.item, task.unit.contender, change.before)
    changed = change.after(image)
    cpu = time.process_time()
    after = label_map(changed, task.unit.contender, change.seed)
    seconds = round(time.process_time() - cpu, 4)
    scores = [round(change.agreement(before, after), DIGITS), float(before.max()), float(after.max())]
    return UnitResult([scores], [seconds], round(time.perf_counter() - start, 4))


@functools.lru_cache(maxsize=2)
def image_of(item: Item) -> Photo:
    """Return an image; the tasks of one follow one another."""
    return item.image()


@functools.lru_cache(maxsize=4)
def map_before(item: Item, contender: str, before: object) -> Labels:
    """Return the map before a change; most changes share it."""
    assert callable(before)
    return label_map(before(image_of(item)), contender, 0)


def label_map(image: Photo, contender: str, seed: int) -> Labels:
    """Return the map of an image by a contender with its defaults, on one core."""
    if contender != OURS:
        return peers.peer_labels(image, contender, {})
    with threadpool_limits(1):
        return pipeline.segment(image, rng=seed, workers=1)


def read_agreements(store: Store, tasks: Sequence[StabilityTask]) -> list[Agreement]:
    """Return what the store has of the tasks."""
    agreements = []
    for task in tasks:
        result = store.get(STABILITY, task.digest, task.unit)
        if result is not None:
            (ari, before, after), seconds = result.scores[0], result.seconds[0]
            unit = task.unit
            agreements.append(
                Agreement(unit.contender, unit.change, task.item.name, ari, int(before), int(after), seconds)
            )
    return agreements


def worst_pairs(
    tasks: Sequence[StabilityTask], agreements: Sequence[Agreement]
) -> list[tuple[Agreement, Photo, Labels, Labels]]:
    """Return for each image the change that segjt's map suffers most from: the picture, and both maps, made again."""
    worst: dict[str, Agreement] = {}
    for agreement in agreements:
        if agreement.contender == OURS:
            known = worst.setdefault(agreement.image, agreement)
            worst[agreement.image] = min(known, agreement, key=lambda one: one.ari)
    items = {task.item.name: task.item for task in tasks}
    pairs = []
    for name, agreement in worst.items():
        change, image = CHANGES[agreement.change], items[name].image()
        before = change.before(image)
        maps = label_map(before, OURS, 0), label_map(change.after(image), OURS, change.seed)
        pairs.append((agreement, before, maps[0], change.back(maps[1], before.shape[:2])))
    return pairs
