"""The region scores of the Berkeley sets: segmentation covering, probabilistic Rand index, variation of information.

Truth is what the items of `segjt.datasets.bsds` give: (people, H, W), one label map a person.

As Arbelaez, Maire, Fowlkes and Malik define them (Contour detection and hierarchical image segmentation, PAMI 2011),
and in what the paper leaves open as their code does (BSDS500's `evaluation_reg_image` and `collect_eval_reg`):

- an image's score is the mean over its people;
- ODS (optimal dataset scale) is the best mean over all images that one setting has, OIS (optimal image scale) the mean
  of what each image has at its own best setting; each score chooses for itself;
- the means over images are plain for PRI and VoI; for the covering all regions of all people and images are pooled, so
  an image weighs as much as it has pixels times people.

One thing differs: their code leaves pixels with label 0 out; here 0 is a segment like any other. Berkeley's truth has
none.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from segjt.labels import contingency, pairs
from segjt.runtime.arrays import Ints

SettingKey = TypeVar("SettingKey", bound=Hashable)


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
        Pixels times people: what the image counts for in the mean of coverings.
    """

    covering: float
    pri: float
    voi: float
    weight: int


@dataclass(frozen=True)
class ScaleScore(Generic[SettingKey]):
    """One score at the best setting for the whole set (ODS), which is `setting`, and at each image's best (OIS)."""

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
    # log2 of a ratio of counts: what is the same in both maps gives exactly 0.
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
    """Return the same from the tables of the map against each person."""
    return RegionScore(
        covering=float(np.mean([covering(table) for table in tables])),
        pri=float(np.mean([rand_index(table) for table in tables])),
        voi=float(np.mean([variation_of_information(table) for table in tables])),
        weight=sum(int(table.sum()) for table in tables),
    )


def mean_score(scores: Sequence[RegionScore]) -> RegionScore:
    """Return the means over images with one setting: what a fixed setting has, and what ODS chooses from."""
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
        are settings, too. The first setting wins a tie.
    """
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
    means = {setting: mean_score(of_setting) for setting, of_setting in scores.items()}
    best = [
        RegionScore(
            covering=max(score.covering for score in of_image),
            pri=max(score.pri for score in of_image),
            voi=min(score.voi for score in of_image),
            weight=of_image[0].weight,
        )
        for of_image in zip(*scores.values(), strict=True)
    ]
    ois = mean_score(best)
    for_covering = max(means, key=lambda setting: means[setting].covering)
    for_pri = max(means, key=lambda setting: means[setting].pri)
    for_voi = min(means, key=lambda setting: means[setting].voi)
    return BerkeleyScore(
        covering=ScaleScore(means[for_covering].covering, ois.covering, for_covering),
        pri=ScaleScore(means[for_pri].pri, ois.pri, for_pri),
        voi=ScaleScore(means[for_voi].voi, ois.voi, for_voi),
        images=lengths.pop(),
    )
