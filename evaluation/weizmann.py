"""The scores of the Weizmann database: how well one segment, or several together, match the object of an image.

Every score says how it deals with several maps of one image, so that a table cannot mix them up (`Mode`):

- `fixed`: one setting for all images, one map per image: what a user gets without tuning;
- `hierarchy`: one setting for all images, the maps of one nested hierarchy;
- `tuned`: the best of several settings, chosen for each image with knowledge of the truth, as papers often print it.

The truth is that of the items of `segjt.datasets.weizmann` and `segjt.datasets.folder`: (objects, H, W) bool.

References
----------
Alpert, Galun, Basri, Brandt: Image segmentation by probabilistic bottom-up aggregation and cue integration, CVPR 2007,
and the MATLAB scorer that comes with the database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.evaluation.scores import numbered, object_overlap, segment_f
from segjt.runtime.arrays import Ints, Mask

Mode = Literal["fixed", "hierarchy", "tuned"]


@dataclass(frozen=True)
class SegmentScore:
    """How well one segment matches the object.

    Attributes
    ----------
    f, precision, recall : float
        2 |S and T| / (|S| + |T|), |S and T| / |S|, |S and T| / |T|. The official scorer swaps the last two.
    label : int or None
        Label of the segment; None if no segment of more than 5 pixels touches the object.
    place : int
        Which of several maps, or settings, the segment is from, counted from 0.
    """

    f: float
    precision: float
    recall: float
    label: int | None
    place: int = 0


@dataclass(frozen=True)
class FragmentationScore:
    """How well all segments that lie mostly in the object together match it, and how many they are."""

    f: float
    precision: float
    recall: float
    segments: int


@dataclass(frozen=True)
class ImageScore:
    """The one-segment test of an image: the best segment for each of its objects."""

    mode: Mode
    objects: tuple[SegmentScore, ...]

    @property
    def f(self) -> float:
        """Mean F of the objects."""
        return float(np.mean([segment.f for segment in self.objects]))


@dataclass(frozen=True)
class DatabaseScore:
    """Mean F over images, with its standard error (nan for one image)."""

    mode: Mode
    f: float
    standard_error: float
    images: int


def one_segment(labels: ArrayLike, truth: ArrayLike) -> SegmentScore:
    """Return the best single segment of a map; truth is the mask of one object.

    Segments of 5 pixels or fewer are skipped; the lowest label wins a tie.
    """
    return one_segment_of(*object_overlap(labels, truth))


def one_segment_of(names: NDArray[Any], sizes: Ints, common: Ints) -> SegmentScore:
    """Return the best single segment of a map, given the labels, |S| and |S and T| of its segments."""
    f = segment_f(sizes, common)
    best = int(f.argmax())
    if f[best] == 0:
        return SegmentScore(0.0, 0.0, 0.0, None)
    precision, recall = common[best] / sizes[best], common[best] / common.sum()
    return SegmentScore(float(f[best]), float(precision), float(recall), int(names[best]))


def best_segment(maps: Iterable[ArrayLike], truth: ArrayLike) -> SegmentScore:
    """Return the best single segment of several maps of one image; the first map wins a tie."""
    return best_of(one_segment(labels, truth) for labels in maps)


def best_of(scores: Iterable[SegmentScore]) -> SegmentScore:
    """Return the best of several scores, with its place among them."""
    placed = [replace(score, place=place) for place, score in enumerate(scores)]
    if not placed:
        raise ValueError("there is nothing to choose the best of; give at least one label map or score")
    return max(placed, key=lambda score: score.f)


def fragmentation(labels: ArrayLike, truth: ArrayLike) -> FragmentationScore:
    """Return the fragmentation test of a map: the union of all segments with |S and T| / |S| > 0.5.

    Segments of any size count: the limit of 5 pixels is that of the one-segment test.
    """
    return fragmentation_of(*object_overlap(labels, truth)[1:])


def fragmentation_of(sizes: Ints, common: Ints) -> FragmentationScore:
    """Return the fragmentation test of a map, given |S| and |S and T| of its segments."""
    inside = 2 * common > sizes
    if not inside.any():
        return FragmentationScore(0.0, 0.0, 0.0, 0)
    size, shared, object_size = sizes[inside].sum(), common[inside].sum(), common.sum()
    f = 2 * shared / (size + object_size)
    return FragmentationScore(float(f), float(shared / size), float(shared / object_size), int(inside.sum()))


def score_fixed(labels: ArrayLike, truth: ArrayLike) -> ImageScore:
    """Score the one map of an image; truth is (objects, H, W)."""
    return ImageScore("fixed", tuple(one_segment(labels, mask) for mask in masks(truth)))


def score_hierarchy(maps: Sequence[ArrayLike], truth: ArrayLike) -> ImageScore:
    """Score the maps of one nested hierarchy, given in any order; maps that are not nested are a ValueError."""
    check_nested(maps)
    return ImageScore("hierarchy", tuple(best_segment(maps, mask) for mask in masks(truth)))


def score_tuned(scores: Sequence[ImageScore]) -> ImageScore:
    """Return the best of several settings for one image, chosen for each object; `place` says which setting."""
    if len({len(score.objects) for score in scores}) > 1:
        raise ValueError("the scores are of images with different numbers of objects; give the scores of one image")
    settings = zip(*(score.objects for score in scores), strict=True)
    return ImageScore("tuned", tuple(best_of(of_object) for of_object in settings))


def database_score(scores: Sequence[ImageScore]) -> DatabaseScore:
    """Return mean and standard error over the images of a database; scores of different modes are a ValueError."""
    modes = {score.mode for score in scores}
    if len(modes) != 1:
        mixed = ", ".join(sorted(modes)) or "none"
        raise ValueError(f"a mean needs scores of one mode (fixed, hierarchy or tuned); these are of {mixed}")
    f = np.array([score.f for score in scores])
    error = float(f.std(ddof=1) / np.sqrt(f.size)) if f.size > 1 else float("nan")
    return DatabaseScore(modes.pop(), float(f.mean()), error, f.size)


def masks(truth: ArrayLike) -> Mask:
    """Return the truth as (objects, H, W), or raise an error."""
    checked = np.asarray(truth)
    if checked.dtype != bool or checked.ndim != 3 or not len(checked):
        raise ValueError(
            f"the truth is {checked.dtype} of shape {checked.shape}; give bool masks of shape (objects, H, W), "
            "as the items of segjt.datasets.weizmann and segjt.datasets.folder do"
        )
    return checked


def check_nested(maps: Sequence[ArrayLike]) -> None:
    """Raise a ValueError unless each map joins whole segments of every finer one."""
    by_detail = sorted((numbered(labels) for labels in maps), key=lambda pair: -len(pair[0]))
    for (names, finer), (_, coarser) in pairwise(by_detail):
        if finer.size != coarser.size:
            raise ValueError(f"maps have {finer.size} and {coarser.size} pixels; give the maps of one image")
        joined = np.empty(len(names), np.intp)
        joined[finer] = coarser
        if (joined[finer] != coarser).any():
            raise ValueError(
                "the maps are not a hierarchy: a segment of a finer map lies in several of a coarser one; "
                "score maps of different settings with score_fixed, and choose among them with score_tuned"
            )
