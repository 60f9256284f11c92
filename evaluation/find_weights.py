"""The constants of `segjt.trees.kinds`, fitted and cross-validated: `python -m segjt.evaluation.find_weights`.

Berkeley's images give the height at which a scene is cut, and nuclei against all others how sure one must be of things
of a kind. Folds are of images. The confidences of nuclei are those of models that were fitted on the same nuclei
(`segjt.evaluation.object_weights`), which the cross-validation here does not undo.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from segjt.datasets import Item, bsds, nuclei, weizmann
from segjt.evaluation.berkeley import region_score
from segjt.image import as_image
from segjt.parameters import Parameters
from segjt.pipeline import hierarchy_image
from segjt.runtime.arrays import Floats, Ints, Mask
from segjt.trees.kinds import CONFIDENT, FEWEST, SCENE_HEIGHT
from segjt.trees.merge_tree import MergeTree

HEIGHTS = np.round(np.arange(-5.2, -3.2, 0.05), 3)
CONFIDENCES = np.round(np.arange(0.6, 0.95, 0.005), 4)
# Heights within so many steps are averaged, because a single best one is due to chance.
SMOOTH = 2
FOLDS = 5
# What it costs to take one object for many, over the reverse: no photograph may get worse.
WRONG_COST = 10


def tree_of(item: Item) -> MergeTree:
    """Return the default tree of an image."""
    return hierarchy_image(as_image(item.image()), Parameters())


def coverings(tree: MergeTree, item: Item) -> tuple[Floats, int]:
    """Return the covering of an image at `HEIGHTS`, and its weight."""
    scores = [region_score(tree.cut_at(height), item.truth()) for height in HEIGHTS]
    return np.array([score.covering for score in scores]), scores[0].weight


def mean_confidence(tree: MergeTree) -> float:
    """Return how sure the objects of an image are in the mean; 0 if they are too few."""
    found = tree.find_objects()
    return float(found.confidences.mean()) if len(found) >= FEWEST else 0.0


def best_height(table: Floats, weights: Ints) -> int:
    """Return which of the heights has the best covering, (images, heights), averaged over its neighbours."""
    mean = np.average(table, axis=0, weights=weights)
    padded = np.pad(mean, SMOOTH, mode="edge")
    return int(np.convolve(padded, np.ones(2 * SMOOTH + 1), "valid").argmax())


def best_confidence(confidences: Floats, many: Mask) -> float:
    """Return the limit at which errors cost least: the middle one of several that do."""
    taken = confidences[None] >= CONFIDENCES[:, None]
    cost = (~taken[:, many]).sum(1) + WRONG_COST * taken[:, ~many].sum(1)
    return float(CONFIDENCES[int(np.median(np.flatnonzero(cost == cost.min())))])


def folds_of(n: int, seed: int) -> Ints:
    """Return the fold of each of n images."""
    folds: Ints = np.random.default_rng(seed).permutation(n) % FOLDS
    return folds


def cross_validated_covering(table: Floats, weights: Ints, seed: int) -> float:
    """Return the covering at a height that was chosen on other images."""
    fold = folds_of(len(table), seed)
    own = np.array([table[i, best_height(table[fold != fold[i]], weights[fold != fold[i]])] for i in range(len(table))])
    return float(np.average(own, weights=weights))


def cross_validated_decision(confidences: Floats, many: Mask, seed: int) -> Mask:
    """Tell which images are taken for many objects, with a limit that was chosen on others."""
    fold = folds_of(len(many), seed)
    limits = {k: best_confidence(confidences[fold != k], many[fold != k]) for k in range(FOLDS)}
    return np.array([confidence >= limits[k] for confidence, k in zip(confidences, fold.tolist(), strict=True)])


def print_scene(table: Floats, weights: Ints) -> None:
    """Print the covering at the best height, and cross-validated."""
    values = [cross_validated_covering(table, weights, seed) for seed in range(3)]
    print(f"scene, covering cross-validated: {', '.join(f'{value:.4f}' for value in values)}")
    best = best_height(table, weights)
    mean = np.average(table, axis=0, weights=weights)[best]
    print(f"height fitted on all: {HEIGHTS[best]} ({mean:.4f}); in use: {SCENE_HEIGHT}")


def print_decision(confidences: Floats, many: Mask) -> None:
    """Print how many images are told right."""
    for seed in range(3):
        taken = cross_validated_decision(confidences, many, seed)
        print(f"objects, cross-validated: {taken[many].sum()} of {many.sum()}; others {taken[~many].sum()}", end=" ")
        print(f"of {(~many).sum()} wrongly")
    print(f"confidence fitted on all: {best_confidence(confidences, many)}; in use: {CONFIDENT}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print cross-validated figures and the constants fitted on all images."""
    parser = argparse.ArgumentParser(description="Fit the constants by which find = auto and scene go.")
    parser.add_argument("--data", default=None, help="folder of the data (default: SEGJT_DATA)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th image, for a quick try")
    options = parser.parse_args(arguments)
    confidences, many, table, weights = [], [], [], []
    for name, items in (("bsds", bsds), ("weizmann", weizmann), ("nuclei", nuclei)):
        for item in items(options.data)[:: options.every]:
            tree = tree_of(item)
            confidences.append(mean_confidence(tree))
            many.append(name == "nuclei")
            if name == "bsds":
                of_image, weight = coverings(tree, item)
                table.append(of_image)
                weights.append(weight)
    print_scene(np.array(table), np.array(weights))
    print_decision(np.array(confidences), np.array(many))


if __name__ == "__main__":
    main()
