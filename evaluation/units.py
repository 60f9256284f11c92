"""A unit of work of a benchmark: one image with one setting of stage one, or with one peer, and all that follows.

Stage one runs once, the tree of merges is built once, the region graph once for each number of bins, and its merges
and eigenvectors once for each merge method, number of bins and power. The scores are those of `label_map` for each of
`Unit.settings`: parameters of `segjt.segment`, or with `height` instead of `n_segments` a cut of `segjt.hierarchy`.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import segjt
from segjt.evaluation import peers
from segjt.evaluation.scorers import Scorer, merged
from segjt.image import as_image
from segjt.parameters import Parameters
from segjt.pipeline import SmallSegments
from segjt.runtime.arrays import Groups
from segjt.superpixels.oversegmentation import oversegment_blocks

OURS = "segjt"
MERGE_NAMES = ("merge_method", "bins", "power")
Choices = dict[str, list[Any]]


@dataclass(frozen=True)
class Unit:
    """What is done with an image.

    Attributes
    ----------
    method : str
        "segjt", or the name of a peer.
    parameters : dict
        Parameters of stage one; empty for a peer.
    variants : tuple of dict
        Values of the other parameters: each dict stands for all combinations of its lists.
    """

    method: str
    parameters: dict[str, Any]
    variants: tuple[Choices, ...]

    def key(self) -> str:
        """Return the unit as JSON, the same for equal units."""
        return json.dumps([self.method, self.parameters, list(self.variants)], sort_keys=True)

    def settings(self) -> list[dict[str, Any]]:
        """Return the parameters of each label map that is scored, in the order of the scores."""
        return [self.parameters | choice for variant in self.variants for choice in combinations(variant)]


@dataclass(frozen=True)
class UnitResult:
    """What comes out: for every setting its scores and its seconds on one core, and how long all of it took."""

    scores: list[list[float]]
    seconds: list[float]
    total: float


def combinations(choices: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Yield every combination of the values, in an order that does not depend on that of the names."""
    names = sorted(choices)
    for values in itertools.product(*(choices[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def run_unit(image: NDArray[np.uint8], unit: Unit, scorer: Scorer) -> UnitResult:
    """Segment an image with all settings of a unit and score the maps."""
    start = time.perf_counter()
    with threadpool_limits(1):
        scored = list(run_ours(image, unit, scorer) if unit.method == OURS else run_peer(image, unit, scorer))
    return UnitResult(
        [scores for scores, _ in scored],
        [round(seconds, 4) for _, seconds in scored],
        round(time.perf_counter() - start, 4),
    )


def run_peer(image: NDArray[np.uint8], unit: Unit, scorer: Scorer) -> Iterator[tuple[list[float], float]]:
    """Yield scores and seconds of a peer's settings."""
    for setting in unit.settings():
        start = time.process_time()
        labels = peers.label_map(image, unit.method, setting)
        seconds = time.process_time() - start
        yield scorer.score(scorer.overlap(labels)), seconds


def run_ours(image: NDArray[np.uint8], unit: Unit, scorer: Scorer) -> Iterator[tuple[list[float], float]]:
    """Yield scores and seconds of the settings of segjt; merging counts as long as all numbers of segments take."""
    start = time.process_time()
    small = UnitSegments(image, unit.parameters)
    overlap = scorer.overlap(small.labels)
    seconds = time.process_time() - start
    settings = unit.settings()
    found: dict[int, tuple[list[float], float]] = {}
    # What settings that differ in nothing but the number of segments have in common is computed once.
    by_merge = sorted(range(len(settings)), key=lambda place: merge_key(settings[place]))
    for _, together in itertools.groupby(by_merge, lambda place: merge_key(settings[place])):
        start = time.process_time()
        places = list(together)
        groups = small.groups_of([settings[place] for place in places])
        merging_seconds = time.process_time() - start
        for place, group in zip(places, groups, strict=True):
            found[place] = scorer.score(merged(overlap, group)), seconds + merging_seconds
    yield from (found[place] for place in range(len(settings)))


def merge_key(setting: Mapping[str, Any]) -> tuple[str, int, float, bool]:
    """Return method, bins, power and whether a height is given, which settings share that are merged together."""
    parameters = Parameters(**{name: setting[name] for name in MERGE_NAMES if name in setting})
    return parameters.merge_method, parameters.bins, parameters.power, "height" in setting


class UnitSegments(SmallSegments):
    """The small segments of a unit; its settings may have a height at which the tree is cut in place of a number."""

    def __init__(self, image: NDArray[np.uint8], parameters: Mapping[str, Any]) -> None:
        checked, self.parameters = as_image(image), Parameters(**parameters, workers=1)
        super().__init__(checked, oversegment_blocks(checked, self.parameters))

    def groups_of(self, settings: Sequence[Mapping[str, Any]]) -> list[Groups]:
        """Return the group of each small segment, for settings that differ in the number of segments or the height."""
        if "height" in settings[0]:
            return [self.tree.groups_at(setting["height"]) for setting in settings]
        names = (*MERGE_NAMES, "n_segments")
        return self.groupings(
            [self.parameters.replace(**{name: each[name] for name in names if name in each}) for each in settings]
        )


def label_map(image: NDArray[np.uint8], method: str, setting: Mapping[str, Any]) -> NDArray[np.int32]:
    """Return the label map that a setting of a unit stands for; the labels are those of its scores."""
    if method != OURS:
        return peers.label_map(image, method, setting)
    if "height" in setting:
        others = {name: value for name, value in setting.items() if name != "height"}
        return segjt.hierarchy(image, **others).cut_at(setting["height"])
    return segjt.segment(image, **setting)
