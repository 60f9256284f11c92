"""Tiling an image into blocks of nearly equal size, and stitching their segments together."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True)
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

    Each part has labels 1..k, compact, and 0 for masked-out pixels.
    """
    labels = np.zeros(shape, np.int32)
    used = 0
    for block, part in zip(blocks, parts, strict=True):
        labels[block.rows, block.columns] = np.where(part > 0, part + used, 0)
        used += int(part.max(initial=0))
    return labels


def compact(labels: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return labels renumbered 1..K in the order in which they first occur; 0 stays 0."""
    values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(np.where(values == 0, -1, first))
    number = np.empty(len(values), np.int32)
    number[order] = np.arange(len(values)) + (0 if 0 in values else 1)
    return number[inverse].reshape(labels.shape)
