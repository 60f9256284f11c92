"""How two partitions of the same points compare: their table of common points, and the adjusted Rand index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def numbered(values: ArrayLike) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct values in rising order, and for every value its place among them, flat.

    The same as `np.unique` with `return_inverse`, but label maps are not sorted: their values are counted.
    """
    flat = np.asarray(values).ravel()
    if not np.can_cast(flat.dtype, np.int64) or not flat.size or int(flat.max()) - int(flat.min()) > 4 * flat.size:
        names, place = np.unique(flat, return_inverse=True)
        return names, place
    lowest = int(flat.min())
    offset = flat.astype(np.int64) - lowest
    there = np.bincount(offset) > 0
    return np.flatnonzero(there) + lowest, (np.cumsum(there) - 1)[offset]


def contingency(labels: ArrayLike, truth: ArrayLike) -> NDArray[np.int64]:
    """Return how many points each cluster (row) shares with each class (column)."""
    clusters, classes = np.asarray(labels).ravel(), np.asarray(truth).ravel()
    if clusters.size != classes.size:
        raise ValueError(f"labels have {clusters.size} points and the truth {classes.size}; give one of each a point")
    (rows, row), (columns, column) = numbered(clusters), numbered(classes)
    shape = (len(rows), len(columns))
    flat = np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1])
    return flat.reshape(shape).astype(np.int64)


def adjusted_rand_index(labels: ArrayLike, truth: ArrayLike) -> float:
    """Return ARI: the pairs of points that are together in both, 1 for equal partitions, 0 expected by chance.

    1 where it would be 0/0: both put all points together, or each on its own (`sklearn.metrics.adjusted_rand_score`).
    """
    table = contingency(labels, truth)
    # Python's whole numbers: products of pairs overflow 64 bits for images.
    both, clusters, classes, every = (pairs(n) for n in (table, table.sum(1), table.sum(0), table.sum()))
    if both == clusters == classes:
        return 1.0
    # (both - E) / ((clusters + classes) / 2 - E) with E = clusters classes / every, times 2 every
    numerator = 2 * (both * every - clusters * classes)
    return numerator / ((clusters + classes) * every - 2 * clusters * classes)


def pairs(counts: ArrayLike) -> int:
    """Return sum n (n - 1) / 2."""
    n = np.asarray(counts, dtype=np.int64)
    return int((n * (n - 1) // 2).sum())
