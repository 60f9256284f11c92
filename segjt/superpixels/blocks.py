"""Tiling an image into blocks of nearly equal size, and stitching their segments together."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np

from segjt.runtime.arrays import Labels


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


def stitch(shape: tuple[int, int], blocks: Iterable[Block], parts: Iterable[Labels]) -> Labels:
    """Return one label map from the label maps of the blocks, numbered consecutively from block to block.

    Each part has labels 1..k, compact, and 0 for masked-out pixels. Parts are taken as they arrive, and not kept.
    """
    labels = np.zeros(shape, np.int32)
    used = 0
    for block, part in zip(blocks, parts, strict=True):
        labels[block.rows, block.columns] = np.where(part > 0, part + used, 0)
        used += int(part.max(initial=0))
    return labels
