"""Between a large image and a small one: reducing it, and bringing labels back so that their edges follow the image."""

from __future__ import annotations

import numpy as np

from segjt.image import Image
from segjt.labels import joined_strays
from segjt.runtime.arrays import Floats, Indices, Labels, Mask
from segjt.runtime.compiled import compiled
from segjt.superpixels.blocks import cut_points

# A pixel listens to the reduced pixels this far around its own, in reduced pixels ...
REACH = 2
# ... less to distant ones, whose weight falls with this many reduced pixels,
SPACE_SIGMA = 1.0
# and less to those of another colour, by this much in a channel.
COLOUR_SIGMA = 0.1
# Rows handled at a time, so that float copies of a large image never exist whole.
ROWS_AT_A_TIME = 256


def reduced_shape(shape: tuple[int, int], working_size: int) -> tuple[int, int]:
    """Return the shape of the reduced image: longer side at most `working_size`, shorter at most 3/4 of it."""
    longer, shorter = max(shape), min(shape)
    scale = min(1.0, working_size / longer, 0.75 * working_size / shorter)
    height, width = (max(int(side * scale + 1e-9), 1) for side in shape)
    return height, width


def reduce_image(image: Image, shape: tuple[int, int]) -> Image:
    """Return the image reduced to `shape`: mean colours of the unmasked pixels of nearly equal cells."""
    if shape == image.shape:
        return image
    row_of, column_of = cell_indices(image.shape[0], shape[0]), cell_indices(image.shape[1], shape[1])
    sums = np.zeros((shape[0] * shape[1], image.channels))
    counts = np.zeros(shape[0] * shape[1])
    for top in range(0, image.shape[0], ROWS_AT_A_TIME):
        rows = slice(top, top + ROWS_AT_A_TIME)
        inside = image.mask[rows]
        cell = (row_of[rows, None] * shape[1] + column_of[None, :])[inside]
        values = image.values(rows)[inside]
        counts += np.bincount(cell, minlength=len(counts))
        for channel in range(image.channels):
            sums[:, channel] += np.bincount(cell, values[:, channel], len(counts))
    # Sums of numbers up to 1 may exceed their count by round-off.
    means = np.minimum(sums / np.maximum(counts, 1)[:, None], 1.0)
    return Image(means.reshape(*shape, -1), counts.reshape(shape) > 0)


def cell_indices(length: int, pieces: int) -> Indices:
    """Return which of `pieces` nearly equal pieces each place of a side belongs to."""
    return np.repeat(np.arange(pieces), np.diff(cut_points(length, pieces)))


def upsample_labels(image: Image, small: Image, labels: Labels) -> Labels:
    """Return labels 1..K of a reduced image at full size, joint bilateral: edges follow the full image.

    A pixel takes the label that most of the reduced pixels around it have, each weighed by its distance and by how
    much its colour differs. What this cuts off from the rest of its segment goes to the segment that it touches most.
    """
    if small.shape == image.shape:
        return labels
    return np.where(image.mask, joined_strays(voted_labels(image, small, labels), image.mask), 0)


def voted_labels(image: Image, small: Image, labels: Labels) -> Labels:
    """Return the label that each pixel votes for; masked-out pixels get that of their cell, and so part no segment.

    `tests/reference/upsampling.py` is the obvious version.
    """
    row_of, column_of = cell_indices(image.shape[0], small.shape[0]), cell_indices(image.shape[1], small.shape[1])
    chosen = np.zeros(image.shape, np.int32)
    for top in range(0, image.shape[0], ROWS_AT_A_TIME):
        rows = slice(top, min(top + ROWS_AT_A_TIME, image.shape[0]))
        vote(image.colours(rows), image.mask[rows], row_of[rows], column_of, small.colours(), labels, top, chosen)
    # A label that no pixel chose keeps the cells it had.
    missing = ~np.isin(np.arange(labels.max() + 1), chosen)
    cell_labels = labels[row_of[:, None], column_of[None, :]]
    return np.where(image.mask & ~missing[cell_labels], chosen, cell_labels)


@compiled
def vote(
    values: Floats,
    mask: Mask,
    row_of: Indices,
    column_of: Indices,
    small: Floats,
    labels: Labels,
    top: int,
    chosen: Labels,
) -> None:
    """Fill in the rows of `chosen` from `top` on; of equal votes that of the pixel's own cell wins, or the lowest."""
    height, width = labels.shape
    row_scale, column_scale = height / chosen.shape[0], width / chosen.shape[1]
    votes = np.zeros(labels.max() + 1)
    for y in range(values.shape[0]):
        row = (top + y + 0.5) * row_scale - 0.5
        for x in range(values.shape[1]):
            if not mask[y, x]:
                continue
            column = (x + 0.5) * column_scale - 0.5
            own = best = labels[row_of[y], column_of[x]]
            top_cell, bottom_cell = max(row_of[y] - REACH, 0), min(row_of[y] + REACH + 1, height)
            left_cell, right_cell = max(column_of[x] - REACH, 0), min(column_of[x] + REACH + 1, width)
            for i in range(top_cell, bottom_cell):
                for j in range(left_cell, right_cell):
                    if labels[i, j] > 0:
                        apart = ((i - row) ** 2 + (j - column) ** 2) / SPACE_SIGMA**2
                        for channel in range(values.shape[2]):
                            apart += (values[y, x, channel] - small[i, j, channel]) ** 2 / COLOUR_SIGMA**2
                        votes[labels[i, j]] += np.exp(-apart / 2)
            for i in range(top_cell, bottom_cell):
                for j in range(left_cell, right_cell):
                    label = labels[i, j]
                    if votes[label] > votes[best] or (votes[label] == votes[best] and best != own and label < best):
                        best = label
            votes[labels[top_cell:bottom_cell, left_cell:right_cell].copy().reshape(-1)] = 0.0
            chosen[top + y, x] = best
