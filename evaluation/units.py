"""Runs a unit of work of a benchmark: one image with one setting of stage one, or with one peer, and all that follows.

Stage one runs once, the tree of merges is built once, the region graph once for each number of bins, and its merges
and eigenvectors once for each merge method, number of bins and power. The scores are those of `label_map` for each of
`Unit.settings`: parameters of `segjt.segment`, or with `height` instead of `n_segments` a cut of `segjt.hierarchy`.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

from segjt import pipeline
from segjt.datasets.items import Photo
from segjt.evaluation import peers
from segjt.evaluation.scorers import Scorer, merged
from segjt.evaluation.unit_of_work import OURS, Unit, UnitResult
from segjt.image import as_image
from segjt.merging import grouping as merging
from segjt.parameters import Parameters
from segjt.region_graph.regions import RegionGraph, region_graph
from segjt.runtime.arrays import Labels
from segjt.trees.merge_tree import MergeTree


def run_unit(image: Photo, unit: Unit, scorer: Scorer) -> UnitResult:
    """Segment an image with all settings of a unit, on one core, and score the maps."""
    start = time.perf_counter()
    with threadpool_limits(1):
        scored = list(run_ours(image, unit, scorer) if unit.method == OURS else peers.run_peer(image, unit, scorer))
    return UnitResult(
        [scores for scores, _ in scored],
        [round(seconds, 4) for _, seconds in scored],
        round(time.perf_counter() - start, 4),
    )


def run_ours(image: Photo, unit: Unit, scorer: Scorer) -> Iterator[tuple[list[float], float]]:
    """Yield scores and seconds of the settings of segjt; merging counts as long as all numbers of segments take."""
    start = time.process_time()
    small = SmallSegments(image, unit.parameters)
    overlap = scorer.overlap(small.labels)
    seconds = time.process_time() - start
    settings = unit.settings()
    found: dict[int, tuple[list[float], float]] = {}
    # What settings that differ in nothing but the number of segments have in common is computed once.
    by_merge = sorted(range(len(settings)), key=lambda place: merge_key(settings[place]))
    for same, together in itertools.groupby(by_merge, lambda place: merge_key(settings[place])):
        start = time.process_time()
        places = list(together)
        groups = small.groupings(*same, [settings[place] for place in places])
        merging_seconds = time.process_time() - start
        for place, group in zip(places, groups, strict=True):
            found[place] = scorer.score(merged(overlap, group)), seconds + merging_seconds
    yield from (found[place] for place in range(len(settings)))


def merge_key(setting: Mapping[str, Any]) -> tuple[str, int, float]:
    """Return method, bins and power: settings that share them can be merged together."""
    names = ("merge_method", "bins", "power")
    parameters = Parameters(**{name: setting[name] for name in names if name in setting})
    return parameters.merge_method, parameters.bins, parameters.power


class SmallSegments:
    """What stage one makes of an image, with all that different ways to merge share."""

    def __init__(self, image: Photo, parameters: Mapping[str, Any]) -> None:
        self.image = as_image(image)
        self.parameters = Parameters(**parameters, workers=1)
        self.labels = pipeline.cut_blocks(self.image, self.parameters)
        self.graphs: dict[int, RegionGraph] = {}

    @functools.cached_property
    def tree(self) -> MergeTree:
        """The tree of the method "cues", which also chooses the number of segments for the others."""
        return pipeline.merge_tree(self.image, self.labels)

    def groupings(
        self, method: str, bins: int, power: float, settings: Sequence[Mapping[str, Any]]
    ) -> list[merging.Groups]:
        """Return the group of each small segment, for settings that differ in the number of segments or the height."""
        if method == "cues":
            return [
                self.tree.groups_at(setting["height"])
                if "height" in setting
                else self.tree.groups(setting.get("n_segments", "auto"))
                for setting in settings
            ]
        numbers = [setting.get("n_segments", "auto") for setting in settings]
        if bins not in self.graphs:
            self.graphs[bins] = region_graph(self.image, self.labels, bins)
        counts = [self.tree.n_auto if n == "auto" else n for n in numbers]
        return merging.groupings(self.graphs[bins], method, counts, power, self.parameters.rng)


def label_map(image: Photo, method: str, setting: Mapping[str, Any]) -> Labels:
    """Return the label map of one setting of a unit; the labels are those of its scores."""
    if method != OURS:
        return peers.peer_labels(image, method, setting)
    if "height" in setting:
        others = {name: value for name, value in setting.items() if name != "height"}
        return pipeline.hierarchy(image, **others).cut_at(setting["height"])
    return pipeline.segment(image, **setting)
