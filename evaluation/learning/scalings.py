"""Ways to scale the columns of a table; the papers rarely say which one they used, so experiments try several."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from segjt.datasets.vectors import VectorSet, complete_rows, unit_range, without_constants
from segjt.runtime.arrays import Floats


def as_given(X: Floats) -> Floats:
    """Leave the values as they are."""
    return X


def each_largest(X: Floats) -> Floats:
    """Divide each column by its largest value: 0 stays 0, and columns without negative values end up in [0, 1]."""
    scaled: Floats = X / X.max(0)
    return scaled


def one_range(X: Floats) -> Floats:
    """Map the whole table to [0, 1], so that columns in the same unit keep their ratios."""
    scaled: Floats = (X - X.min()) / np.ptp(X)
    return scaled


def standard(X: Floats) -> Floats:
    """Centre each column and divide it by its standard deviation."""
    scaled: Floats = (X - X.mean(0)) / X.std(0)
    return scaled


SCALINGS: dict[str, Callable[[Floats], Floats]] = {
    "none": as_given,
    "range": unit_range,
    "largest": each_largest,
    "one range": one_range,
    "standard": standard,
}


def scaled_set(points: VectorSet, scaling: str) -> VectorSet:
    """Return the points without missing values and constant columns, scaled by the rule of that name."""
    kept = without_constants(complete_rows(points))
    return dataclasses.replace(kept, X=SCALINGS[scaling](kept.X))
