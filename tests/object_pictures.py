"""Pictures of many things of a kind, drawn with their truth."""

import itertools

import numpy as np
from skimage.draw import disk, ellipse


def picture(ground, colours, dtype=np.uint8):
    """Return discs and ellipses on a ground, and their truth."""
    rng = np.random.default_rng(0)
    image = np.clip(ground + rng.normal(0, 3, (160, 200)), 0, 255)
    truth = np.zeros((160, 200), np.int32)
    for number, (y, x) in enumerate(itertools.product(range(25, 150, 36), range(28, 190, 36)), start=1):
        where = disk((y, x), 9) if number % 2 else ellipse(y, x, 7, 11)
        image[where] = colours[number % len(colours)]
        truth[where] = number
    return image.astype(dtype), truth
