"""The region scores of the Berkeley sets: segmentation covering, probabilistic Rand index, variation of information.

Truth is what the items of `segjt.datasets.bsds` give: (people, H, W), one label map per person.

As Arbelaez, Maire, Fowlkes and Malik define them (Contour detection and hierarchical image segmentation, PAMI 2011),
and in what the paper leaves open as their code does (BSDS500's `evaluation_reg_image` and `collect_eval_reg`):

- an image's score is the mean over its people;
- ODS (optimal dataset scale) is the best mean over all images with one setting, OIS (optimal image scale) the mean over
  images at their own best settings; each score chooses for itself;
- the means over images are plain for PRI and VoI; for the covering all regions of all people and images are pooled, so
  the weight of an image is its pixels times people.

One difference: their code leaves out pixels with label 0; here 0 is a segment like any other. Berkeley's truth has no
0.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from segjt.labels import contingency, pairs
from segjt.runtime.arrays import Ints

SettingKey = TypeVar("SettingKey", bound=Hashable)
# What is best of several values of a score.
BEST: dict[str, Callable[..., Any]] = {"covering": max, "pri": max, "voi": min}


@dataclass(frozen=True)
class RegionScore:
    """Scores of one map against all people, or their means over images.

    Attributes
    ----------
    covering : float
        Segmentation covering of the people's regions by the map, in (0, 1].
    pri : float
        Probabilistic Rand index, in [0, 1].
    voi : float
        Variation of information in bits; 0 is best.
    weight : int
        Pixels times people: the weight of the image in the mean of coverings.
    """

    covering: float
    pri: float
    voi: float
    weight: int


@dataclass(frozen=True)
class ScaleScore(Generic[SettingKey]):
    """One score at `setting`, the best for the whole set (ODS), and at each image's best (OIS)."""

    ods: float
    ois: float
    setting: SettingKey


@dataclass(frozen=True)
class BerkeleyScore(Generic[SettingKey]):
    """ODS and OIS of the three scores."""

    covering: ScaleScore[SettingKey]
    pri: ScaleScore[SettingKey]
    voi: ScaleScore[SettingKey]
    images: int


def covering(table: Ints) -> float:
    """Return 1/N sum_T |T| max_S |S and T| / |S or T|; rows of the table are segments S, columns true regions T."""
    sizes, regions = table.sum(1), table.sum(0)
    overlap = table / (sizes[:, None] + regions[None, :] - table)
    return float((regions * overlap.max(0)).sum() / regions.sum())


def rand_index(table: Ints) -> float:
    """Return the share of pairs of pixels that are together in both maps, or apart in both."""
    both, segments, regions, every = (pairs(n) for n in (table, table.sum(1), table.sum(0), table.sum()))
    return (every + 2 * both - segments - regions) / every if every else 1.0


def variation_of_information(table: Ints) -> float:
    """Return H(S|T) + H(T|S) in bits: the sum over S and T of p log2(p_S p_T / p^2)."""
    rows, columns = np.nonzero(table)
    common = table[rows, columns]
    # log2 of a ratio of counts: equal maps give exactly 0.
    bits = np.log2(table.sum(1)[rows] / common) + np.log2(table.sum(0)[columns] / common)
    return float((common * bits).sum() / common.sum())


def region_score(labels: ArrayLike, truth: ArrayLike) -> RegionScore:
    """Score one map of an image against all people; truth is (people, H, W)."""
    segments, people = np.asarray(labels), np.asarray(truth)
    if people.ndim != segments.ndim + 1 or people.shape[1:] != segments.shape or not people.size:
        raise ValueError(
            f"labels have the shape {segments.shape} and the truth {people.shape}; give (H, W) and (people, H, W)"
        )
    return score_of_tables([contingency(segments, person) for person in people])


def score_of_tables(tables: Sequence[Ints]) -> RegionScore:
    """Score one map from its contingency tables with each person's map."""
    return RegionScore(
        covering=float(np.mean([covering(table) for table in tables])),
        pri=float(np.mean([rand_index(table) for table in tables])),
        voi=float(np.mean([variation_of_information(table) for table in tables])),
        weight=sum(int(table.sum()) for table in tables),
    )


def mean_score(scores: Sequence[RegionScore]) -> RegionScore:
    """Return the means over the images with one setting, from which ODS chooses."""
    weights = [score.weight for score in scores]
    return RegionScore(
        covering=float(np.average([score.covering for score in scores], weights=weights)),
        pri=float(np.mean([score.pri for score in scores])),
        voi=float(np.mean([score.voi for score in scores])),
        weight=sum(weights),
    )


def berkeley_score(scores: Mapping[SettingKey, Sequence[RegionScore]]) -> BerkeleyScore[SettingKey]:
    """Return ODS and OIS of images that were segmented with several settings.

    Parameters
    ----------
    scores : mapping of setting to sequence of RegionScore
        For each setting the scores of the same images in the same order. The cuts of a hierarchy at 2, 3, ... segments
        are settings too. The first setting wins a tie.
    """
    images = checked_images(scores)
    means = {setting: mean_score(of_setting) for setting, of_setting in scores.items()}
    best = [
        RegionScore(
            **{name: choose(getattr(score, name) for score in of_image) for name, choose in BEST.items()}, weight=weight
        )
        for of_image, weight in zip(zip(*scores.values(), strict=True), images, strict=True)
    ]
    ois = mean_score(best)

    def scale_score(name: str) -> ScaleScore[SettingKey]:
        setting = BEST[name](means, key=lambda setting: getattr(means[setting], name))
        return ScaleScore(getattr(means[setting], name), getattr(ois, name), setting)

    return BerkeleyScore(scale_score("covering"), scale_score("pri"), scale_score("voi"), len(images))


def checked_images(scores: Mapping[SettingKey, Sequence[RegionScore]]) -> tuple[int, ...]:
    """Return the weights of the images that all settings have scores of; other images are a ValueError."""
    lengths = {len(of_setting) for of_setting in scores.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"settings have scores of {sorted(lengths)} images; give every setting those of the same images"
        )
    weights = {tuple(score.weight for score in of_setting) for of_setting in scores.values()}
    if len(weights) != 1:
        raise ValueError(
            "settings have scores of different images; give every setting those of the same in the same order"
        )
    return weights.pop()
