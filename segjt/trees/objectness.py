"""How likely every node of a tree is to be one of many things of a kind: nuclei, coins, fruit, particles.

The log odds are a sum over a few features, each with a linear and a square term. The first model looks at a node alone.
What it finds says how large the things are and how they stand out from the ground, and the second model also asks how
like them a node is. Nothing depends on the size of things in pixels. The weights were fitted on the 60 nuclei images
of the shared data (`segjt.evaluation.object_weights`, with cross-validation).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from segjt.runtime.arrays import Floats, Ints
from segjt.trees.nodes import Nodes

# Features are cut off so many scales from their centre.
FARTHEST = 4.0
# Added to distances in Lab units so that flat images have no infinite features.
DARK = 0.5
# Heights of small segments, which no merge has made, and of the root, which is in no merge.
LOWEST, HIGHEST = -9.0, 0.0


class Term(NamedTuple):
    """The part of a feature x in the log odds: linear z + square z^2, z = (x - centre) / scale."""

    centre: float
    scale: float
    linear: float
    square: float


class Model(NamedTuple):
    """Log odds: a constant and the terms of features by name."""

    constant: float
    terms: Mapping[str, Term]

    def log_odds(self, features: Mapping[str, Floats]) -> Floats:
        """Return the log odds of every node."""
        odds = np.full(len(next(iter(features.values()))), self.constant)
        for name, term in self.terms.items():
            z = np.clip((features[name] - term.centre) / term.scale, -FARTHEST, FARTHEST)
            odds += term.linear * z + term.square * z * z
        return odds


def probability(log_odds: Floats) -> Floats:
    """Return the probabilities of log odds."""
    p: Floats = 1 / (1 + np.exp(-log_odds))
    return p


def own_features(nodes: Nodes) -> dict[str, Floats]:
    """Return what a node shows by itself.

    agreement : mean step across the outline over how far its two sides are apart: 1 if all of it is a step of one kind
    evenness : how even the step is along the outline
    step : ln of the mean step, in units of the image's own spread of colours
    unlike : the same of how far the two sides of the outline are apart
    spread : ln of the spread of colours inside, in the same units
    clearness : ln of the mean step over the spread inside
    fill : ln of the share that it fills of its ellipse
    made_at, merged_at : heights of its merges
    frame : share of its outline on the frame
    growth : ln of how many times as large the node is that it is merged into
    seam : how far apart the sides of the seam between its two parts are, over that of its outline
    neck : ln of the length of that seam over the root of the size of the smaller part
    """
    image_spread = nodes.spreads[-1] + 1.0
    step = np.sqrt((nodes.steps**2).sum(1))
    K = len(nodes) - len(nodes.merges)
    smaller = np.ones(len(nodes))
    smaller[K:] = nodes.sizes[nodes.merges].min(1)
    return {
        "agreement": step / np.maximum(nodes.unlike, 1e-3),
        "evenness": nodes.evenness,
        "step": np.log(step / image_spread + 0.02),
        "unlike": np.log(nodes.unlike / image_spread + 0.02),
        "spread": np.log(nodes.spreads / image_spread + 0.02),
        "clearness": np.log((step + DARK) / (nodes.spreads + DARK)),
        "fill": np.log(nodes.fills),
        "made_at": np.maximum(nodes.made_at, LOWEST),
        "merged_at": np.minimum(nodes.merged_at, HIGHEST),
        "frame": nodes.frames / np.maximum(nodes.frames + nodes.outlines, 1),
        "growth": np.log(nodes.sizes[nodes.parents] / nodes.sizes),
        "seam": np.minimum((nodes.seam_steps + DARK) / (nodes.unlike + DARK), 3.0),
        "neck": np.log((nodes.seams + 1.0) / np.sqrt(smaller)),
    }


def likeness_features(nodes: Nodes, chosen: Ints, weights: Floats) -> dict[str, Floats]:
    """Return how like the chosen nodes each node is; these count by their weights.

    size : how far its size is from their median, in powers of e
    along, across : its mean step along the chosen ones' mean step, and across it, in units of that
    ground : how far the colour around it is from that around them, in the same units
    sizes : ln of how much their sizes differ
    number : ln of how many they are
    cover : the share of the image that they cover
    """
    log_sizes = np.log(nodes.sizes)
    middle = weighted_median(log_sizes[chosen], weights)
    mean_step = np.average(nodes.steps[chosen], axis=0, weights=weights)
    length = float(np.sqrt((mean_step**2).sum())) + 1.0
    along = nodes.steps @ mean_step / length**2
    across = np.sqrt(np.maximum((nodes.steps**2).sum(1) - (along * length) ** 2, 0.0)) / length
    ground = np.average(nodes.outer[chosen], axis=0, weights=weights)
    everywhere = np.ones(len(nodes))
    return {
        "size": np.abs(log_sizes - middle),
        "along": np.clip(along, -2.0, 4.0),
        "across": np.minimum(across, 3.0),
        "ground": np.minimum(np.sqrt(((nodes.outer - ground) ** 2).sum(1)) / length, 4.0),
        "sizes": everywhere * np.log(weighted_median(np.abs(log_sizes[chosen] - middle), weights) + 0.15),
        "number": everywhere * np.log(len(chosen)),
        "cover": everywhere * (nodes.sizes[chosen].sum() / nodes.sizes[-1]),
    }


def weighted_median(values: Floats, weights: Floats) -> float:
    """Return the value at which half of the weight is reached."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])


def model_of(constant: float, names: Sequence[str], numbers: Sequence[Sequence[float]]) -> Model:
    """Return a model from a table: a row of centre, scale, linear and square for each feature."""
    return Model(constant, {name: Term(*row) for name, row in zip(names, numbers, strict=True)})


FIRST = Model(
    -7.54,
    {
        "agreement": Term(0.407, 0.264, 0.392, 0.282),
        "evenness": Term(0.779, 0.132, 0.567, -0.0485),
        "spread": Term(-2.37, 0.836, 0.818, -0.22),
        "made_at": Term(-8.66, 0.753, 1.1, -0.156),
        "fill": Term(-0.153, 0.175, 0.925, 0.0481),
        "clearness": Term(-0.213, 0.437, -0.135, -0.0326),
        "step": Term(-2.81, 1.12, 0.525, 0.112),
        "neck": Term(0.215, 0.414, 0.594, -0.0226),
    },
)
SECOND = Model(
    -8.11,
    {
        "agreement": Term(0.407, 0.264, 0.423, 0.188),
        "evenness": Term(0.779, 0.132, 0.519, -0.0458),
        "fill": Term(-0.153, 0.175, 0.534, 0.0249),
        "unlike": Term(-2.26, 1.18, 0.429, 0.131),
        "spread": Term(-2.37, 0.836, 0.625, -0.169),
        "merged_at": Term(-9.45, 1.86, 0.402, 0.0685),
        "neck": Term(0.215, 0.414, 0.405, 0.00219),
        "size": Term(2.06, 1.18, -1.19, 0.492),
        "along": Term(0.0128, 0.221, 0.505, -0.13),
        "across": Term(0.0618, 0.191, 0.505, -0.0765),
        "ground": Term(0.715, 0.73, -0.137, -0.0569),
        "sizes": Term(-0.767, 0.411, -0.332, 0.0687),
        "cover": Term(0.15, 0.139, 0.547, -0.145),
    },
)
