"""Tiling an image into blocks of nearly equal size, and stitching their segments together."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np

from segjt.runtime.arrays import Labels

# Block sizes that vote, as parts of `block_size`: from here to as much above 1.
SMALLEST_VOTER = 2 / 3


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


def voting_sizes(block_size: int, votes: int) -> list[int]:
    """Return the block sizes that vote, each once: 12, 8 and 16 for three votes around 12. The first one wins a tie."""
    if votes == 1:
        return [block_size]
    sizes = {
        max(round(block_size * part), 4) for part in np.linspace(SMALLEST_VOTER, 2 - SMALLEST_VOTER, votes).tolist()
    }
    return sorted(sizes, key=lambda size: (abs(size - block_size), size))
