"""A unit of work of a benchmark: one image with one setting of stage one, or with one peer, and all that follows.

Stage one runs once, the region graph is made once for each number of bins, the merges and eigenvectors once for each
merge method, number of bins and power. The scores are those of `segjt.segment(image, **setting)` for each of
`Unit.settings`.
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
from segjt import merging, pipeline
from segjt.evaluation import peers
from segjt.evaluation.scorers import Scorer, merged
from segjt.images import as_image
from segjt.parameters import Parameters
from segjt.regions import RegionGraph, region_graph

OURS = "segjt"
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
    checked, stage_one = as_image(image), Parameters(**unit.parameters, workers=1)
    settings = [stage_one.replace(**setting) for setting in unit.settings()]
    start = time.process_time()
    initial = pipeline.cut_blocks(checked, stage_one)
    seconds = time.process_time() - start
    overlap = scorer.overlap(initial)
    graphs: dict[int, RegionGraph] = {}
    found: dict[Parameters, tuple[list[float], float]] = {}
    # What settings that differ in nothing but the number of segments have in common is computed once.
    for same, together in itertools.groupby(sorted(settings, key=merge_key), merge_key):
        start = time.process_time()
        method, bins, power = same
        several = list(together)
        if bins not in graphs:
            graphs[bins] = region_graph(checked, initial, bins)
        numbers = [setting.n_segments for setting in several]
        groups = merging.groupings(graphs[bins], method, numbers, power, stage_one.rng)
        merging_seconds = time.process_time() - start
        for setting, group in zip(several, groups, strict=True):
            found[setting] = scorer.score(merged(overlap, group)), seconds + merging_seconds
    yield from (found[setting] for setting in settings)


def merge_key(setting: Parameters) -> tuple[str, int, float]:
    """Return what settings of one stage one must share to be merged together."""
    return setting.merge_method, setting.bins, setting.power


def label_map(image: NDArray[np.uint8], method: str, setting: Mapping[str, Any]) -> NDArray[np.int32]:
    """Return the label map that a setting of a unit stands for; the labels are those of its scores."""
    if method != OURS:
        return peers.label_map(image, method, setting)
    return segjt.segment(image, **setting)
