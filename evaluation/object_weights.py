"""The weights of `segjt.trees.objectness`, fitted and cross-validated: `python -m segjt.evaluation.object_weights`.

A node is right if it covers a true object with an IoU above 0.5. Images count alike, however many nodes they have. The
second model is fitted with likenesses to what the first one, fitted on the same images, chooses.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from segjt.datasets import nuclei
from segjt.datasets.items import Item
from segjt.image import as_image
from segjt.parameters import Parameters
from segjt.pipeline import hierarchy_image
from segjt.runtime.arrays import Floats, Indices, Ints, Labels, Mask
from segjt.trees.nodes import Nodes, added_up, all_nodes
from segjt.trees.object_options import SMALLEST
from segjt.trees.objectness import FARTHEST, Model, likeness_features, model_of, own_features, probability
from segjt.trees.objects import allowed, best_by

FIRST_FEATURES = ("agreement", "evenness", "spread", "made_at", "fill", "clearness", "step", "neck")
SECOND_FEATURES = (
    *("agreement", "evenness", "fill", "unlike", "spread", "merged_at", "neck"),
    *("size", "along", "across", "ground", "sizes", "cover"),
)
# A node is right above this IoU.
RIGHT = 0.5
FOLDS = 5
# Nodes of an image that are not right and are looked at, and the penalty on weights.
WRONG_NODES, PENALTY = 1500, 1e-3

Features = Mapping[str, Floats]


@dataclasses.dataclass(frozen=True)
class Case:
    """What a fit needs of one image: its nodes, the true object that each fits best, and their IoU."""

    nodes: Nodes
    possible: Mask
    features: Features
    overlap: Floats
    fits: Ints
    true: int

    def choose(self, model: Model, features: Features) -> tuple[Ints, Floats]:
        """Return the nodes that a model chooses, and the log odds of all."""
        return best_by(model, features, self.nodes, self.possible)

    def f1(self, chosen: Ints) -> float:
        """Return F1 at an IoU of 0.5."""
        found = len(np.unique(self.fits[chosen][self.overlap[chosen] > RIGHT]))
        return 2 * found / (len(chosen) + self.true)


def case_of(item: Item) -> Case:
    """Return the case of an image with its true objects."""
    tree = hierarchy_image(as_image(item.image()), Parameters())
    truth = item.truth()[0]
    nodes = all_nodes(tree)
    common = added_up(contingency_of_segments(tree.initial, truth), tree.merges)
    sizes = np.bincount(truth.ravel(), minlength=common.shape[1])
    iou = common[:, 1:] / (nodes.sizes[:, None] + sizes[None, 1:] - common[:, 1:])
    possible = allowed(nodes, SMALLEST, None, "any")
    return Case(nodes, possible, own_features(nodes), iou.max(1), iou.argmax(1), int((sizes[1:] > 0).sum()))


def contingency_of_segments(labels: Labels, truth: Labels) -> Ints:
    """Return how many pixels each small segment 1..K has of each true label 0..n, (K, n + 1)."""
    K, n = int(labels.max()), int(truth.max())
    return np.bincount((labels.ravel().astype(np.int64) - 1) * (n + 1) + truth.ravel(), minlength=K * (n + 1)).reshape(
        K, n + 1
    )


def fit_model(cases: Sequence[Case], features: Sequence[Features], names: Sequence[str]) -> Model:
    """Return a model of some features, fitted on some images that count alike."""
    rng = np.random.default_rng(0)
    X, right, weights = [], [], []
    for case, of_case in zip(cases, features, strict=True):
        nodes, weight = sample(case, rng)
        X.append(np.stack([of_case[name][nodes] for name in names], 1))
        right.append(case.overlap[nodes] > RIGHT)
        weights.append(weight)
    return logistic(np.concatenate(X), np.concatenate(right).astype(np.float64), np.concatenate(weights), names)


def sample(case: Case, rng: np.random.Generator) -> tuple[Indices, Floats]:
    """Return the nodes that are right and some of the others, and their weights, which add up to 1."""
    right = np.flatnonzero(case.possible & (case.overlap > RIGHT))
    wrong = np.flatnonzero(case.possible & (case.overlap <= RIGHT))
    some = rng.choice(wrong, min(WRONG_NODES, len(wrong)), replace=False)
    weights = [np.ones(len(right)), np.full(len(some), len(wrong) / max(len(some), 1))]
    return np.concatenate([right, some]), np.concatenate(weights) / max(len(right) + len(wrong), 1)


def logistic(X: Floats, y: Floats, weights: Floats, names: Sequence[str]) -> Model:
    """Return the logistic regression on features and their squares, by Newton's method."""
    centre = np.average(X, axis=0, weights=weights)
    scale = np.sqrt(np.average((X - centre) ** 2, axis=0, weights=weights)) + 1e-9
    Z = np.clip((X - centre) / scale, -FARTHEST, FARTHEST)
    A = np.concatenate([np.ones((len(Z), 1)), Z, Z * Z], 1)
    penalty = PENALTY * weights.sum() * np.eye(A.shape[1])
    penalty[0, 0] = 0
    w = np.zeros(A.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-np.clip(A @ w, -30, 30)))
        slope = A.T @ (weights * (y - p)) - penalty @ w
        w = w + np.linalg.solve((A * (weights * p * (1 - p) + 1e-12)[:, None]).T @ A + penalty, slope)
    d = len(names)
    return model_of(float(w[0]), names, np.stack([centre, scale, w[1 : 1 + d], w[1 + d :]], 1).tolist())


def fit_both(cases: Sequence[Case]) -> tuple[Model, Model]:
    """Return both models, fitted on some images."""
    own = [case.features for case in cases]
    first = fit_model(cases, own, FIRST_FEATURES)
    with_likeness = [features_with_likeness(case, first) for case in cases]
    return first, fit_model(cases, with_likeness, SECOND_FEATURES)


def features_with_likeness(case: Case, first: Model) -> Features:
    """Return the features of an image for the second model."""
    chosen, odds = case.choose(first, case.features)
    chosen = chosen if len(chosen) else np.array([int(odds.argmax())])
    return dict(case.features) | likeness_features(case.nodes, chosen, probability(odds[chosen]))


def cross_validated(cases: Sequence[Case], seed: int) -> tuple[float, float]:
    """Return the mean F1 of the first and of the second choice, with models fitted on other images."""
    fold_of = np.random.default_rng(seed).permutation(len(cases)) % FOLDS
    scores = []
    for fold in range(FOLDS):
        first, second = fit_both([case for case, other in zip(cases, fold_of, strict=True) if other != fold])
        for case in (case for case, own in zip(cases, fold_of, strict=True) if own == fold):
            at_first = case.choose(first, case.features)[0]
            at_last = case.choose(second, features_with_likeness(case, first))[0]
            scores.append((case.f1(at_first), case.f1(at_last)))
    first_mean, last_mean = np.mean(scores, axis=0)
    return float(first_mean), float(last_mean)


def model_text(model: Model) -> str:
    """Return a model as it stands in `segjt.trees.objectness`."""
    lines = [f'        "{name}": Term({", ".join(f"{x:.3g}" for x in term)}),' for name, term in model.terms.items()]
    return "\n".join([f"Model(\n    {model.constant:.3g},", "    {", *lines, "    },", ")"])


def main() -> None:
    """Print cross-validated F1 and the weights fitted on all images."""
    parser = argparse.ArgumentParser(description="Fit the weights by which objects are found.")
    parser.add_argument("--data", default=None, help="folder of the data (default: SEGJT_DATA)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th image, for a quick try")
    options = parser.parse_args()
    cases = [case_of(item) for item in nuclei(options.data)[:: options.every]]
    for seed in range(3):
        first, last = cross_validated(cases, seed)
        print(f"F1 at 0.5, cross-validated: first choice {first:.3f}, second {last:.3f}", flush=True)
    for name, model in zip(("FIRST", "SECOND"), fit_both(cases), strict=True):
        print(f"{name} = {model_text(model)}")


if __name__ == "__main__":
    main()
