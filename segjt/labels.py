"""Label maps: numbering their segments, joining them, and comparing two partitions of the same points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.runtime.arrays import Indices, Ints, Labels, Mask
from segjt.runtime.compiled import compiled

# Labels up to this, or the number of pixels beyond it, are looked up in a table.
SMALL_TABLE = 2**16


def compact(labels: NDArray[np.integer]) -> Labels:
    """Return labels renumbered 1..K in the order in which they first occur; 0 stays 0."""
    # Labels far from one another, or below 0, are brought close together first.
    if labels.min(initial=0) < 0 or labels.max(initial=0) > labels.size + SMALL_TABLE:
        labels = np.where(labels == 0, 0, np.unique(labels, return_inverse=True)[1].reshape(labels.shape) + 1)
    return regroup(labels, np.arange(int(labels.max(initial=0))))


def regroup(labels: NDArray[np.integer], groups: NDArray[np.integer]) -> Labels:
    """Return the label map of the groups, from 0, that segments 1..K belong to, compact; 0 stays 0."""
    if labels.dtype != np.int32:
        labels = labels.astype(np.int64)
    numbers = np.zeros(int(groups.max(initial=-1)) + 1, np.int32)
    return number_by_first(labels.reshape(-1), groups.astype(np.int64), numbers).reshape(labels.shape)


def connected_parts(labels: Labels) -> Labels:
    """Return the map of the 4-connected parts of segments, numbered 1..K in the order in which they first occur."""
    return flood(np.ascontiguousarray(labels))[0]


def connected_segments(labels: Labels, smallest: int) -> Labels:
    """Return the map of the 4-connected parts of segments 1..K, where small parts have joined others; 0 stays 0.

    A part with fewer pixels than `smallest` that is not the largest of its segment joins the one that it shares the
    longest edge with. Numbered 1, 2, ... in the order in which parts first occur.
    """
    parts, target = settle_parts(np.ascontiguousarray(labels), labels > 0, smallest)
    return parts if len(target) == 0 else regroup(parts, target)


def joined_strays(labels: Labels, mask: Mask) -> Labels:
    """Return labels 1..K in which all but the largest 4-connected part of a segment have joined another segment.

    That is the one with the longest common edge. Parts that touch nothing stay what they are. Size is counted in pixels
    inside the mask.
    """
    parts, target = settle_parts(np.ascontiguousarray(labels), mask, labels.size + 1)
    if len(target) == 0:
        return labels
    label_of = np.zeros(len(target) + 1, np.int32)
    label_of[parts] = labels
    joined: Labels = label_of[np.concatenate([np.zeros(1, np.int64), target + 1])][parts]
    return joined


@compiled
def flood(labels: Labels) -> tuple[Labels, Ints, Ints]:
    """Return the 4-connected parts of segments from 1, their pixels part by part, and where those of each part begin.

    Every part is flooded from its first pixel; pixels are flat indices.
    """
    height, width = labels.shape
    parts = np.zeros((height, width), np.int32)
    pixels, starts = np.empty(labels.size, np.int64), [0]
    end = 0
    for start in range(labels.size):
        label = labels[start // width, start % width]
        if label == 0 or parts[start // width, start % width] != 0:
            continue
        part = len(starts)
        parts[start // width, start % width] = part
        pixels[end] = start
        place, end = end, end + 1
        while place < end:
            y, x = pixels[place] // width, pixels[place] % width
            for v, u in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)):
                inside = 0 <= v < height and 0 <= u < width
                if inside and labels[v, u] == label and parts[v, u] == 0:
                    parts[v, u] = part
                    pixels[end] = v * width + u
                    end += 1
            place += 1
        starts.append(end)
    return parts, pixels, np.array(starts)


@compiled
def settle_parts(labels: Labels, mask: Mask, smallest: int) -> tuple[Labels, Ints]:
    """Return the 4-connected parts from 1, and for each, from 0, the part that it ends up in; nothing if all stay."""
    parts, pixels, starts = flood(labels)
    target = parts_that_stay(labels, mask, smallest, pixels, starts)
    if (target >= 0).all():
        return parts, np.empty(0, np.int64)
    lengths = np.zeros(len(target), np.int64)
    while True:
        joined = target.copy()
        for part in range(len(target)):
            if target[part] < 0:
                joined[part] = longest_contact(parts, pixels[starts[part] : starts[part + 1]], target, lengths)
        if (joined == target).all():  # what has not joined another part touches none
            return parts, np.where(target < 0, np.arange(len(target)), target)
        target = joined


@compiled
def parts_that_stay(labels: Labels, mask: Mask, smallest: int, pixels: Ints, starts: Ints) -> Ints:
    """Return the number, from 0, of parts that are the largest of their label or not small; -1 for the others."""
    P = len(starts) - 1
    sizes, stays = np.zeros(P, np.int64), np.full(P, -1)
    largest = np.full(labels.max() + 1, -1)
    for part in range(P):
        for pixel in pixels[starts[part] : starts[part + 1]]:
            sizes[part] += mask.flat[pixel]
        label = labels.flat[pixels[starts[part]]]
        if largest[label] < 0 or sizes[part] > sizes[largest[label]]:
            largest[label] = part
    for part in range(P):
        if sizes[part] >= smallest or largest[labels.flat[pixels[starts[part]]]] == part:
            stays[part] = part
    return stays


@compiled
def longest_contact(parts: Labels, pixels: Ints, target: Ints, lengths: Ints) -> int:
    """Return the part, or the one it has joined, that pixels share the longest edge with; -1 if they touch none.

    `lengths` is room for a length per part, with zeros, and is left so.
    """
    height, width = parts.shape
    best = -1
    for counting in (True, False):
        for pixel in pixels:
            y, x = pixel // width, pixel % width
            for v, u in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)):
                inside = 0 <= v < height and 0 <= u < width
                if not inside or parts[v, u] == 0 or parts[v, u] == parts[y, x]:
                    continue
                other = target[parts[v, u] - 1]
                if other >= 0:
                    lengths[other] = lengths[other] + 1 if counting else 0
                    if counting and (best < 0 or (-lengths[other], other) < (-lengths[best], best)):
                        best = other
    return best


@compiled
def number_by_first(labels: NDArray[np.integer], groups: Ints, numbers: Labels) -> Labels:
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


def numbered(values: ArrayLike) -> tuple[NDArray[Any], Indices]:
    """Return the distinct values in ascending order, and for every value its place among them, flat.

    `np.unique` with `return_inverse`, but values of label maps are counted instead of sorted.
    """
    flat = np.asarray(values).ravel()
    if not np.can_cast(flat.dtype, np.int64) or not flat.size or int(flat.max()) - int(flat.min()) > 4 * flat.size:
        names, place = np.unique(flat, return_inverse=True)
        return names, place
    lowest = int(flat.min())
    offset = flat.astype(np.int64) - lowest
    there = np.bincount(offset) > 0
    return np.flatnonzero(there) + lowest, (np.cumsum(there) - 1)[offset]


def contingency(labels: ArrayLike, truth: ArrayLike) -> Ints:
    """Return how many points each cluster (row) shares with each class (column)."""
    clusters, classes = np.asarray(labels).ravel(), np.asarray(truth).ravel()
    if clusters.size != classes.size:
        raise ValueError(
            f"labels have {clusters.size} points and the truth {classes.size}; give one label and one class per point"
        )
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
