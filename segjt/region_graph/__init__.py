"""An image and its small segments come in, the region graph comes out: sums over pixels, in whole numbers.

Knows images, labels and `segjt.runtime`; knows nothing of merging or trees.
"""
