"""Joint bilateral upsampling of labels, one pixel at a time: the oracle of `segjt.whole_image.resampling`."""

import numpy as np

from segjt.whole_image.resampling import COLOUR_SIGMA, REACH, SPACE_SIGMA


def upsample(values, mask, small, labels):
    height, width = labels.shape
    found = np.zeros(mask.shape, int)
    for y, x in np.argwhere(mask):
        row, column = (y + 0.5) * height / len(mask) - 0.5, (x + 0.5) * width / mask.shape[1] - 0.5
        i0, j0 = cell(y, len(mask), height), cell(x, mask.shape[1], width)
        votes = {labels[i0, j0]: 0.0}
        for i in range(max(i0 - REACH, 0), min(i0 + REACH + 1, height)):
            for j in range(max(j0 - REACH, 0), min(j0 + REACH + 1, width)):
                if labels[i, j]:
                    space = ((i - row) ** 2 + (j - column) ** 2) / (2 * SPACE_SIGMA**2)
                    colour = np.sum((values[y, x] - small[i, j]) ** 2) / (2 * COLOUR_SIGMA**2)
                    votes[labels[i, j]] = votes.get(labels[i, j], 0.0) + np.exp(-space - colour)
        found[y, x] = max(votes, key=votes.get)
    return found


def cell(place, length, pieces):
    """The piece of nearly equal pieces that a place is in."""
    return max(i for i in range(pieces) if i * length // pieces <= place)
