"""Label maps: numbering their segments, joining them, and comparing two partitions of the same points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.runtime.compiled import compiled

# Labels up to this, or the number of pixels beyond it, are looked up in a table.
SMALL_TABLE = 2**16


def compact(labels: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return labels renumbered 1..K in the order in which they first occur; 0 stays 0."""
    # Labels far from one another, or below 0, are brought close together first.
    if labels.min(initial=0) < 0 or labels.max(initial=0) > labels.size + SMALL_TABLE:
        labels = np.where(labels == 0, 0, np.unique(labels, return_inverse=True)[1].reshape(labels.shape) + 1)
    return regroup(labels, np.arange(int(labels.max(initial=0))))


def regroup(labels: NDArray[np.integer], groups: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return the label map of the groups, from 0, that segments 1..K belong to, compact; 0 stays 0."""
    if labels.dtype != np.int32:
        labels = labels.astype(np.int64)
    numbers = np.zeros(int(groups.max(initial=-1)) + 1, np.int32)
    return number_by_first(labels.reshape(-1), groups.astype(np.int64), numbers).reshape(labels.shape)


@compiled
def number_by_first(
    labels: NDArray[np.integer], groups: NDArray[np.int64], numbers: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the number of the group of each label, in the order in which groups occur; `numbers` comes with zeros."""
    result = np.zeros(len(labels), np.int32)
    used = 0
    for pixel, label in enumerate(labels):
        if label != 0:
            group = groups[label - 1]
            if numbers[group] == 0:
                used += 1
                numbers[group] = used
            result[pixel] = numbers[group]
    return result


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
