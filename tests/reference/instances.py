"""Scores of object maps by their definition: sets of pixels, fractions, and a search for the best matching."""

from fractions import Fraction
from itertools import permutations

import numpy as np


def objects(labels):
    """The objects of a map as sets of pixels, by label."""
    return {
        label: set(zip(*(axis.tolist() for axis in np.nonzero(labels == label)), strict=True))
        for label in np.unique(labels).tolist()
        if label != 0
    }


def pairs_above(labels, truth, percent):
    """All pairs of labels, found and true, whose IoU is above a threshold."""
    return [
        (one, other)
        for one, S in objects(labels).items()
        for other, T in objects(truth).items()
        if Fraction(len(S & T), len(S | T)) > Fraction(percent, 100)
    ]


def most_matches(labels, truth, percent):
    """The largest number of pairs above the threshold that share no object, of all one-to-one assignments."""
    found, true = list(objects(labels)), list(objects(truth))
    allowed = set(pairs_above(labels, truth, percent))
    if len(found) > len(true):
        found, true, allowed = true, found, {(b, a) for a, b in allowed}
    return max(sum((a, b) in allowed for a, b in zip(found, order, strict=False)) for order in permutations(true))


def counts(labels, truth, percent):
    """TP, FP and FN at a threshold."""
    matched = most_matches(labels, truth, percent)
    return matched, len(objects(labels)) - matched, len(objects(truth)) - matched
