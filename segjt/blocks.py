"""Tiling an image into blocks of nearly equal size, and stitching their segments together."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from segjt.compiled import compiled

# Labels up to this, or the number of pixels beyond it, are looked up in a table.
SMALL_TABLE = 2**16


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """One tile of the image; `index` counts row by row."""

    index: int
    rows: slice
    columns: slice


def cut_points(length: int, pieces: int) -> list[int]:
    """Return where to cut into pieces whose lengths differ by at most 1."""
    return [i * length // pieces for i in range(pieces + 1)]


def tile(shape: tuple[int, int], block_size: int) -> list[Block]:
    """Return the blocks of an image of that shape: at most block_size on a side, no slivers."""
    rows, columns = (cut_points(length, -(-length // block_size)) for length in shape)
    corners = [
        (slice(top, bottom), slice(left, right))
        for top, bottom in itertools.pairwise(rows)
        for left, right in itertools.pairwise(columns)
    ]
    return [Block(index, *corner) for index, corner in enumerate(corners)]


def stitch(shape: tuple[int, int], blocks: Iterable[Block], parts: Iterable[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return one label map from the label maps of the blocks, numbered on from block to block.

    Each part has labels 1..k, compact, and 0 for masked-out pixels. Parts are taken as they arrive, and not kept.
    """
    labels = np.zeros(shape, np.int32)
    used = 0
    for block, part in zip(blocks, parts, strict=True):
        labels[block.rows, block.columns] = np.where(part > 0, part + used, 0)
        used += int(part.max(initial=0))
    return labels


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
