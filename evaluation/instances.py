"""The scores of object maps, such as those of nuclei: which true objects are found, and how many.

In an object map 0 is the background and every other label one object. An object that is found matches a true one if
their IoU = |S and T| / |S or T| is above a threshold. From 0.5 on no object has two matches, so the matches need not be
chosen: of two that share S, each T would hold more than half of S, and the T do not overlap.

At each of the thresholds 0.5, 0.55, ..., 0.95, with TP matches, FP objects without a match and FN true objects without
one, F1 = 2 TP / (2 TP + FP + FN), and the precision of the 2018 Data Science Bowl is TP / (TP + FP + FN). Its average
precision is the mean of the latter over the thresholds, then over images. Where nothing is to be found and nothing is
found, all of these are 1.

References
----------
Caicedo et al.: Nucleus segmentation across imaging experiments: the 2018 Data Science Bowl, Nature Methods 16 (2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from segjt.evaluation.scores import contingency, numbered
from segjt.runtime.arrays import Ints, Mask

# IoU in percent: whole numbers, so that an IoU of 11/20 is not above 0.55 by round-off.
THRESHOLDS = tuple(range(50, 100, 5))


@dataclass(frozen=True)
class InstanceScore:
    """How many objects an image has, how many were found, and how many of these match at each of `THRESHOLDS`."""

    true: int
    found: int
    matched: tuple[int, ...]

    def f1(self, threshold: int = THRESHOLDS[0]) -> float:
        """Return 2 TP / (2 TP + FP + FN) at a threshold, in percent."""
        matched = self.matched[THRESHOLDS.index(threshold)]
        return 2 * matched / (self.true + self.found) if self.true + self.found else 1.0

    @property
    def average_precision(self) -> float:
        """TP / (TP + FP + FN), averaged over the thresholds."""
        either = [self.true + self.found - matched for matched in self.matched]
        return float(np.mean([m / n if n else 1.0 for m, n in zip(self.matched, either, strict=True)]))

    @property
    def count_error(self) -> int:
        """By how much the number of objects is wrong."""
        return abs(self.found - self.true)

    @property
    def relative_count_error(self) -> float:
        """The same as a share of the true number; where there is no true object, the number that is found."""
        return self.count_error / max(self.true, 1)


def instance_score(labels: ArrayLike, truth: ArrayLike) -> InstanceScore:
    """Score an object map; both maps are (H, W), with 0 for the background."""
    _, _, common, found, true = pair_table(labels, truth)
    return score_of_table(common, found, true)


def matches(labels: ArrayLike, truth: ArrayLike, threshold: int = THRESHOLDS[0]) -> dict[int, int]:
    """Return the label of each found object that matches, and that of the true object that it matches.

    The threshold of the IoU is in percent, from 50 on.
    """
    if not THRESHOLDS[0] <= threshold < 100:
        raise ValueError(
            f"threshold = {threshold} is out of range: below 50 percent an object could match several; give 50 to 99"
        )
    names, true_names, common, found, true = pair_table(labels, truth)
    pairs = np.argwhere(above(threshold, common, found, true))
    return {int(names[one]): int(true_names[other]) for one, other in pairs}


def pair_table(labels: ArrayLike, truth: ArrayLike) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the labels of the objects in both maps, |S and T| of every pair, and |S| and |T|, without background."""
    found_map, true_map = np.asarray(labels), np.asarray(truth)
    if found_map.shape != true_map.shape:
        raise ValueError(
            f"labels have the shape {found_map.shape} and the truth {true_map.shape}; they must be of the same image"
        )
    table = contingency(found_map, true_map)
    names, true_names = numbered(found_map)[0], numbered(true_map)[0]
    rows, columns = names != 0, true_names != 0
    return names[rows], true_names[columns], table[rows][:, columns], table.sum(1)[rows], table.sum(0)[columns]


def score_of_table(common: Ints, found: Ints, true: Ints) -> InstanceScore:
    """Return the score of an object map, given |S and T| of every pair, |S| and |T|."""
    counts = [int(above(threshold, common, found, true).sum()) for threshold in THRESHOLDS]
    return InstanceScore(len(true), len(found), tuple(counts))


def above(threshold: int, common: Ints, found: Ints, true: Ints) -> Mask:
    """Tell for every pair whether its IoU is above a threshold in percent."""
    matched: Mask = 100 * common > threshold * (found[:, None] + true[None, :] - common)
    return matched
