"""Scores of label maps against the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# The official Weizmann scorer skips segments of this many pixels or fewer.
SMALLEST_SEGMENT = 5


def f_measures(labels: ArrayLike, truth: ArrayLike) -> NDArray[np.float64]:
    """Return F = 2 |S and T| / (|S| + |T|) of every segment S with more than 5 pixels; T is where `truth` is True."""
    flat = np.asarray(labels).ravel()
    object_ = np.asarray(truth, dtype=bool).ravel()
    if flat.shape != object_.shape:
        raise ValueError(f"labels have {flat.size} pixels and the truth {object_.size}; they must be of the same image")
    if not object_.any():
        raise ValueError("the truth has no pixel that belongs to the object")
    segment = np.unique(flat, return_inverse=True)[1]
    sizes = np.bincount(segment)
    common = np.bincount(segment, object_)
    return np.where(sizes > SMALLEST_SEGMENT, 2 * common / (sizes + object_.sum()), 0.0)


def best_f_measure(labels: ArrayLike, truth: ArrayLike) -> float:
    """Return the one-segment test of the Weizmann benchmark: the best F of a single segment."""
    return float(f_measures(labels, truth).max())


def region_f_measures(labels: ArrayLike, truth: ArrayLike) -> dict[int, float]:
    """Return, for every region of a map of true segments, the best F of a single segment."""
    regions = np.asarray(truth)
    return {int(region): best_f_measure(labels, regions == region) for region in np.unique(regions)}
