"""Runs a unit of work of a benchmark: one image with one setting of stage one, or with one peer, and all that follows.

Stage one runs once, the tree of merges is built once, the region graph once for each number of bins, and its merges
and eigenvectors once for each merge method, number of bins, affinity and power. The scores are those of `label_map` for
each of `Unit.settings`: parameters of `segjt.segment`, or with `height` instead of `n_segments` a cut of
`segjt.hierarchy`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

from segjt import pipeline
from segjt.datasets.items import Photo
from segjt.evaluation import peers
from segjt.evaluation.scorers import Scorer
from segjt.evaluation.unit_of_work import OBJECTS, OURS, Unit, UnitResult
from segjt.image import as_image
from segjt.merging.registry import merge_method
from segjt.parameters import Parameters
from segjt.runtime.arrays import Floats, Groups, Labels
from segjt.superpixels.oversegmentation import oversegment_blocks
from segjt.trees.merge_tree import MergeTree

MERGE_NAMES = ("merge_method", "bins", "merge_affinity", "power")


def run_unit(image: Photo | Floats, unit: Unit, scorer: Scorer) -> UnitResult:
    """Segment what `peers.input_of` gives of an image with all settings of a unit, on one core, and score the maps."""
    start = time.perf_counter()
    with threadpool_limits(1):
        scored = list(RUNS.get(unit.method, peers.run_peer)(image, unit, scorer))
    return UnitResult(
        [scores for scores, _ in scored],
        [round(seconds, 4) for _, seconds in scored],
        round(time.perf_counter() - start, 4),
    )


def run_ours(image: Photo | Floats, unit: Unit, scorer: Scorer) -> Iterator[tuple[list[float], float]]:
    """Yield scores and seconds of the settings of segjt; merging counts as long as all numbers of segments take."""
    start = time.process_time()
    small = UnitSegments(image, unit.parameters)
    seconds = time.process_time() - start
    counted = {id(small.labels): scorer.count(small.labels)}
    settings = unit.settings()
    scored: dict[int, tuple[list[float], float]] = {}
    # What settings that differ in nothing but the number of segments have in common is computed once.
    by_merge = sorted(range(len(settings)), key=lambda place: merge_key(settings[place]))
    for _, together in itertools.groupby(by_merge, lambda place: merge_key(settings[place])):
        start = time.process_time()
        places = list(together)
        labels, groups = small.groups_of([settings[place] for place in places])
        merging_seconds = time.process_time() - start
        if id(labels) not in counted:
            counted[id(labels)] = scorer.count(labels)
        for place, group in zip(places, groups, strict=True):
            scored[place] = scorer.score(counted[id(labels)].merged(group)), seconds + merging_seconds
    yield from (scored[place] for place in range(len(settings)))


def run_objects(image: Photo | Floats, unit: Unit, scorer: Scorer) -> Iterator[tuple[list[float], float]]:
    """Yield scores and seconds of `segjt.objects` with each setting of a unit."""
    for setting in unit.settings():
        start = time.process_time()
        labels = pipeline.objects(image, **setting, workers=1)
        seconds = time.process_time() - start
        yield scorer.score_objects(labels), seconds


RUNS: dict[str, Callable[[Photo | Floats, Unit, Scorer], Iterator[tuple[list[float], float]]]] = {
    OURS: run_ours,
    OBJECTS: run_objects,
}


def merge_key(setting: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what settings share that can be merged together: the parameters of merging, and if a height is given."""
    return (*(setting.get(name, getattr(Parameters, name)) for name in MERGE_NAMES), "height" in setting)


class UnitSegments(pipeline.SmallSegments):
    """The small segments of a unit; its settings may have a height at which the tree is cut in place of a number."""

    def __init__(self, image: Photo | Floats, parameters: Mapping[str, Any]) -> None:
        checked, self.parameters = as_image(image), Parameters(**parameters, workers=1)
        super().__init__(checked, oversegment_blocks(checked, self.parameters))
        self.trees: dict[tuple[str, int], MergeTree] = {}

    def groups_of(self, settings: Sequence[Mapping[str, Any]]) -> tuple[Labels, list[Groups]]:
        """Return small segments and their groups, for settings that differ in the number of segments or the height.

        Those of a tree have their outlines refined.
        """
        shared = {name: settings[0][name] for name in MERGE_NAMES if name in settings[0]}
        parameters = self.parameters.replace(**shared)
        numbers = [setting.get("n_segments", Parameters.n_segments) for setting in settings]
        if not merge_method(parameters.merge_method).makes_tree:
            return self.labels, self.groupings(parameters, numbers)
        tree = self.tree_of(parameters)
        if "height" in settings[0]:
            return tree.initial, [tree.groups_at(setting["height"]) for setting in settings]
        return tree.initial, [tree.groups(n, parameters.find) for n in numbers]

    def tree_of(self, parameters: Parameters) -> MergeTree:
        """Return the tree of a way to merge, which settings share."""
        key = (parameters.merge_method, parameters.bins)
        if key not in self.trees:
            method = merge_method(parameters.merge_method)
            self.trees[key] = pipeline.merge_tree(
                self.image, self.labels, method, parameters.bins, parameters.outline_sweeps
            )
        return self.trees[key]


def label_map(image: Photo | Floats, method: str, setting: Mapping[str, Any]) -> Labels:
    """Return the label map of one setting of a unit; the labels are those of its scores."""
    if method == OBJECTS:
        return pipeline.objects(image, **setting)
    if method != OURS:
        return peers.peer_labels(image, method, setting)
    if "height" in setting:
        others = {name: value for name, value in setting.items() if name != "height"}
        return pipeline.hierarchy(image, **others).cut_at(setting["height"])
    return pipeline.segment(image, **setting)
