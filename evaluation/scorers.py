"""Scores of many groupings of the same small segments: overlaps with the truth are counted once and then added up.

The overlap of a map is a table of pixel counts with one row per segment; the overlap of merged segments is the sum of
their rows, so that only a scorer of boundaries visits pixels again. `ObjectScorer` is for masks of objects (Weizmann,
SOD), `RegionScorer` for the maps of several people (Berkeley), `InstanceScorer` for maps of many objects (nuclei).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.datasets.items import Item, TruthKind
from segjt.evaluation.berkeley import score_of_tables
from segjt.evaluation.boundaries import BoundaryTruth
from segjt.evaluation.instances import THRESHOLDS, score_of_table
from segjt.evaluation.scores import contingency, numbered, object_overlap
from segjt.evaluation.weizmann import fragmentation_of, masks, one_segment_of
from segjt.labels import regroup
from segjt.runtime.arrays import Groups, Indices, Ints, Labels

# Scores are rounded to more digits than any table prints, and fewer than round-off reaches.
DIGITS = 6


@dataclass(frozen=True)
class CountedMap:
    """A label map as scorers see it.

    Attributes
    ----------
    overlap : (segments, parts of the truth) array
        How many pixels each segment, by rising label, shares with each part of the truth.
    small : (H, W) int32 array
        The map, or the small segments 1..K that it was merged from.
    groups : (K,) array or None
        The number, from 0, of the segment that each small one belongs to.
    """

    overlap: Ints
    small: Labels
    groups: Groups | None = None

    def merged(self, groups: Groups) -> CountedMap:
        """Return the map in which small segments are merged."""
        return CountedMap(merged(self.overlap, groups), self.small, groups)

    @property
    def labels(self) -> Labels:
        """The label map, drawn when it is asked for: most scores are read off the overlap."""
        return self.small if self.groups is None else regroup(self.small, self.groups)


class Scorer(ABC):
    """Scores label maps against the truth of one image.

    Attributes
    ----------
    columns : tuple of str
        Names of the numbers that `score` returns.
    """

    columns: tuple[str, ...]

    @abstractmethod
    def overlap(self, labels: ArrayLike) -> Ints:
        """Return how many pixels each segment, by rising label, shares with each part of the truth."""

    @abstractmethod
    def score(self, counted: CountedMap) -> list[float]:
        """Return the scores of a map, whose segments have the labels 1, 2, ..."""

    def count(self, labels: Labels) -> CountedMap:
        """Return a map with its overlap."""
        return CountedMap(self.overlap(labels), labels)

    def score_objects(self, labels: Labels) -> list[float]:
        """Return the scores of an object map, in which 0 is background: a segment like any other, unless overridden."""
        return self.score(self.count(labels))


class ObjectScorer(Scorer):
    """One-segment and fragmentation test of every object; the label is 0 if no segment touches it."""

    NAMES = ("f", "precision", "recall", "label", "fragmentation", "fragments")

    def __init__(self, truth: ArrayLike) -> None:
        self.masks = masks(truth)
        self.columns = tuple(f"{name}_{k}" for k in range(len(self.masks)) for name in self.NAMES)

    def overlap(self, labels: ArrayLike) -> Ints:
        counts = [object_overlap(labels, mask) for mask in self.masks]
        return np.stack([counts[0][1], *(common for _, _, common in counts)], axis=1)

    def score(self, counted: CountedMap) -> list[float]:
        overlap = counted.overlap
        sizes, names = overlap[:, 0], np.arange(1, len(overlap) + 1)
        values: list[float] = []
        for common in overlap.T[1:]:
            best, pieces = one_segment_of(names, sizes, common), fragmentation_of(sizes, common)
            values += [best.f, best.precision, best.recall, best.label or 0, pieces.f, pieces.segments]
        return [round(value, DIGITS) for value in values]


class RegionScorer(Scorer):
    """Covering, probabilistic Rand index and variation of information, and the counts of boundary pixels.

    `weight` is pixels times people; for the counts see `segjt.evaluation.boundaries.BoundaryCounts`.
    """

    REGIONS = ("covering", "pri", "voi", "weight")
    BOUNDARIES = ("precise", "drawn", "recalled", "true")
    columns = REGIONS + BOUNDARIES

    def __init__(self, truth: NDArray[Any]) -> None:
        self.people, self.boundaries = truth, BoundaryTruth(truth)
        self.ends = np.cumsum([len(np.unique(person)) for person in truth])[:-1]

    def overlap(self, labels: ArrayLike) -> Ints:
        return np.concatenate([contingency(labels, person) for person in self.people], axis=1)

    def score(self, counted: CountedMap) -> list[float]:
        regions = score_of_tables(np.split(counted.overlap, self.ends, axis=1))
        boundaries = self.boundaries.counts(counted.labels)
        values = [getattr(regions, name) for name in self.REGIONS]
        values += [getattr(boundaries, name) for name in self.BOUNDARIES]
        return [round(value, DIGITS) for value in values]


class InstanceScorer(Scorer):
    """Numbers of true and of found objects, and of matches at each threshold of the IoU.

    A map of segments has no background; its largest segment is taken for it.
    """

    columns = ("true", "found", *(f"matched_{threshold}" for threshold in THRESHOLDS))

    def __init__(self, truth: NDArray[Any]) -> None:
        (self.truth,) = truth
        names, place = numbered(self.truth)
        self.objects = names != 0
        self.sizes = np.bincount(place)[self.objects]

    def overlap(self, labels: ArrayLike) -> Ints:
        return contingency(labels, self.truth)

    def score(self, counted: CountedMap) -> list[float]:
        return self.score_rows(np.delete(counted.overlap, counted.overlap.sum(1).argmax(), axis=0))

    def score_objects(self, labels: Labels) -> list[float]:
        return self.score_rows(self.overlap(labels)[numbered(labels)[0] != 0])

    def score_rows(self, overlap: Ints) -> list[float]:
        """Return the scores of objects with this overlap."""
        score = score_of_table(overlap[:, self.objects], overlap.sum(1), self.sizes)
        return [score.true, score.found, *score.matched]


SCORERS: dict[TruthKind, Callable[[NDArray[Any]], Scorer]] = {
    "objects": ObjectScorer,
    "regions": RegionScorer,
    "instances": InstanceScorer,
}


def scorer_of(item: Item) -> Scorer:
    """Return the scorer for the truth of an item of `segjt.datasets`."""
    return SCORERS[item.truth_kind](item.truth())


def merged(overlap: Ints, groups: Indices) -> Ints:
    """Return the overlap after segments are merged; groups are numbered in the order of their first segments."""
    first = np.full(int(groups.max(initial=-1)) + 1, len(groups))
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    number = np.empty(len(first), np.intp)
    number[np.argsort(first, kind="stable")] = np.arange(len(first))
    occurring = int((first < len(groups)).sum())
    columns = [np.bincount(number[groups], counts, occurring) for counts in overlap.T]
    return np.stack(columns, axis=1).astype(np.int64)
