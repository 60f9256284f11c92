"""How good the hierarchy and the chosen number of segments are: `python -m segjt.evaluation.accuracy`.

On the Weizmann one-object images, for every preset: F of the one map that `segjt segment` writes (fixed), F of the
outline of its best segment within 1.5 pixels (outline), and F of the maps of 2 to 32 segments (hierarchy). Fixed also
with the weights of `segjt.trees.number_of_segments` cross-validated, fitted on four fifths of the images and used on
the rest. On the Berkeley images: covering, PRI and VoI of the default hierarchy, cut at heights. ACCURACY.md has the
figures and how they were obtained.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import time
from collections.abc import Sequence

import numpy as np

from segjt.cli.options import list_of
from segjt.datasets import Item, bsds, weizmann
from segjt.evaluation.berkeley import BerkeleyScore, RegionScore, berkeley_score, region_score
from segjt.evaluation.boundaries import BoundaryTruth
from segjt.evaluation.scores import SMALLEST_SEGMENT
from segjt.evaluation.tables import CUTS
from segjt.evaluation.weizmann import ImageScore, database_score, score_fixed, score_hierarchy
from segjt.image import Image, as_image
from segjt.merging.cues import merge_by_cues
from segjt.parameters import PRESETS, Parameters
from segjt.pipeline import hierarchy_image, segment_image
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import lab_levels
from segjt.runtime.arrays import Floats, Mask
from segjt.superpixels.oversegmentation import oversegment_blocks
from segjt.trees.building import merges_and_heights, object_candidates, region_map
from segjt.trees.number_of_segments import WEIGHTS, Candidates, choose_number
from segjt.trees.refinement import refine_outlines

# Heights at which the trees of Berkeley's images are cut.
HEIGHTS = np.round(np.linspace(-5.5, -2.5, 41), 3)
# Times of presets are relative to that of this pipeline: 16x16 blocks and greedy normalized cut.
REFERENCE = Parameters(block_size=16, merge_method="ncut", n_segments=24, workers=1)
FOLDS = 5
# How far, in pixels, the outline of a segment may be off.
NEAR = 1.5
# How sharply the fit prefers nodes with a higher F, and the penalty on weights.
TEMPERATURE, PENALTY = 0.05, 0.01


@dataclasses.dataclass(frozen=True)
class Case:
    """What a fit of the weights needs of one image: nodes that may be the object, and F of every node."""

    candidates: Candidates
    f: Floats


@dataclasses.dataclass
class PresetResults:
    """The results of a preset on the images so far."""

    parameters: Parameters
    fixed: list[ImageScore] = dataclasses.field(default_factory=list)
    hierarchy: list[ImageScore] = dataclasses.field(default_factory=list)
    outlines: list[float] = dataclasses.field(default_factory=list)
    numbers: list[int] = dataclasses.field(default_factory=list)
    ratios: list[float] = dataclasses.field(default_factory=list)

    def add(self, image: Image, truth: Mask, reference_seconds: float) -> None:
        """Segment and score one more image."""
        if self.parameters.merge_method == "cues":
            tree = hierarchy_image(image, self.parameters)
            labels = tree.cut()
            self.hierarchy.append(score_hierarchy(tree.cuts(CUTS), truth))
        else:
            labels = segment_image(image, self.parameters)[1]
        self.fixed.append(score_fixed(labels, truth))
        self.outlines.append(outline_f(labels == self.fixed[-1].objects[0].label, truth[0]))
        self.numbers.append(int(labels.max()))
        self.ratios.append(seconds(image, self.parameters) / reference_seconds)


def print_weizmann_table(items: Sequence[Item], names: Sequence[str]) -> None:
    """Print F of presets, fixed and hierarchy, and their time relative to that of `REFERENCE`."""
    print(f"{'preset':10} {'fixed':>15} {'outline':>8} {'hierarchy':>15} {'segments':>9} {'relative time':>13}")
    presets = {name: PresetResults(Parameters.preset(name).replace(workers=1)) for name in names}
    for number, item in enumerate(items):
        image, truth = as_image(item.image()), item.truth()
        if number == 0:  # compilation and imports are not measured
            for preset in presets.values():
                segment_image(image, preset.parameters)
        reference = seconds(image, REFERENCE)
        for preset in presets.values():
            preset.add(image, truth, reference)
    for name, preset in presets.items():
        best = database_text(preset.hierarchy) if preset.hierarchy else ""
        mean, ratio = np.mean(preset.numbers), statistics.median(preset.ratios)
        fixed, outline = database_text(preset.fixed), np.mean(preset.outlines)
        print(f"{name:10} {fixed:>15} {outline:8.3f} {best:>15} {mean:9.1f} {ratio:13.2f}", flush=True)


def outline_f(segment: Mask, truth: Mask) -> float:
    """Return F of the outline of a segment: pixels matched one to one with those of the truth, `NEAR` at most apart."""
    people = BoundaryTruth([truth], NEAR / float(np.hypot(*truth.shape)))
    return people.counts(segment).f


def database_text(scores: Sequence[ImageScore]) -> str:
    """Return mean and standard error as text."""
    score = database_score(scores)
    return f"{score.f:.3f} ± {score.standard_error:.3f}"


def seconds(image: Image, parameters: Parameters) -> float:
    """Return the CPU seconds that one image takes."""
    start = time.process_time()
    segment_image(image, parameters)
    return time.process_time() - start


def score_heights(items: Sequence[Item], parameters: Parameters) -> BerkeleyScore[float]:
    """Return the scores of the hierarchy on the Berkeley images, with heights as settings."""
    scores: dict[float, list[RegionScore]] = {height: [] for height in HEIGHTS.tolist()}
    for item in items:
        tree, truth = hierarchy_image(as_image(item.image()), parameters), item.truth()
        known: dict[int, RegionScore] = {}
        for height, of_height in scores.items():
            merged = int((tree.heights <= height).sum())
            if merged not in known:
                known[merged] = region_score(tree.cut_at(height), truth)
            of_height.append(known[merged])
    return berkeley_score(scores)


def case_of(item: Item, parameters: Parameters) -> Case:
    """Return what a fit needs of an image."""
    image, truth = as_image(item.image()), item.truth()[0]
    labels, pixels = oversegment_blocks(image, parameters), lab_levels(image)
    first, last = merge_by_cues(region_graph(pixels, labels))
    nodes = object_candidates(labels, pixels, first, last)
    refined = refine_outlines(labels, *merges_and_heights(first, last), pixels, parameters.outline_sweeps)
    regions = region_map(refined, first).ravel()
    sizes, common = (
        nodes.nodes.members @ np.bincount(regions, weights, len(first.left) + 1)[1:]
        for weights in (None, truth.ravel())
    )
    return Case(nodes, np.where(sizes > SMALLEST_SEGMENT, 2 * common / (sizes + truth.sum()), 0.0))


def fit_weights(cases: Sequence[Case]) -> Floats:
    """Return weights of the features by conditional logit, with targets P(node) ~ exp(F / 0.05)."""
    from scipy.optimize import minimize

    possible = [~np.isnan(case.candidates.features).any(1) for case in cases]
    every = np.concatenate([case.candidates.features[ok] for case, ok in zip(cases, possible, strict=True)])
    scale = every.std(0)
    features = [case.candidates.features[ok] / scale for case, ok in zip(cases, possible, strict=True) if ok.any()]
    targets = [case.f[:-1][ok] for case, ok in zip(cases, possible, strict=True) if ok.any()]
    targets = [np.exp((f - f.max()) / TEMPERATURE) for f in targets]

    def loss(w: Floats) -> tuple[float, Floats]:
        value, slope = PENALTY * w @ w, 2 * PENALTY * w
        for X, target in zip(features, targets, strict=True):
            odds = X @ w
            total = odds.max() + np.log(np.exp(odds - odds.max()).sum())
            t = target / target.sum()
            value -= (t @ odds - total) / len(features)
            slope = slope - X.T @ (t - np.exp(odds - total)) / len(features)
        return float(value), slope

    weights: Floats = minimize(loss, np.zeros(every.shape[1]), jac=True, method="L-BFGS-B").x / scale
    return weights


def f_of_map(case: Case, n: int) -> float:
    """Return F of the map of n segments."""
    N = len(case.candidates.heights) + 1
    merged_at = np.ones(2 * N - 1)  # a node is in the maps of more segments than this ...
    merged_at[:-1][case.candidates.nodes.merges] = np.arange(N - 1, 0, -1)[:, None] + 1
    made_at = np.concatenate([np.full(N, N), np.arange(N - 1, 0, -1)])  # ... and of at most this many
    return float(case.f[(merged_at <= n) & (n <= made_at)].max())


def fixed_f(case: Case, weights: Floats) -> float:
    """Return F of the map with the number of segments that the weights choose."""
    return f_of_map(case, choose_number(case.candidates, weights))


def cross_validated_f(cases: Sequence[Case], seed: int) -> float:
    """Return mean F with weights fitted on other images than those they choose for."""
    order = np.random.default_rng(seed).permutation(len(cases))
    scores = []
    for fold in range(FOLDS):
        weights = fit_weights([cases[i] for place, i in enumerate(order) if place % FOLDS != fold])
        scores += [fixed_f(cases[i], weights) for i in order[fold::FOLDS]]
    return float(np.mean(scores))


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description="Accuracy of the hierarchy and of the chosen number of segments.")
    parser.add_argument("--data", default=None, help="folder of the data (default: SEGJT_DATA)")
    parser.add_argument(
        "--presets",
        type=list_of(str, "--presets"),
        metavar="NAMES",
        default=list(PRESETS),
        help="presets to measure, comma-separated (default: all)",
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th image, for a quick try")
    options = parser.parse_args()
    objects, regions = weizmann(options.data)[:: options.every], bsds(options.data)[:: options.every]
    print(f"Weizmann, one object, {len(objects)} images: mean F ± standard error")
    print_weizmann_table(objects, options.presets)
    cases = [case_of(item, Parameters()) for item in objects]
    folds = [cross_validated_f(cases, seed) for seed in range(3)]
    print(f"\nfixed, weights cross-validated (three partitions): {', '.join(f'{f:.3f}' for f in folds)}")
    print(f"weights fitted on all: {', '.join(f'{w:.3f}' for w in fit_weights(cases))}; in use: {WEIGHTS}")
    constant = {n: np.mean([f_of_map(case, n) for case in cases]) for n in (2, 4, 6, 8, 10, 12)}
    print(f"the same number for all: {', '.join(f'{n}: {f:.3f}' for n, f in constant.items())}", flush=True)
    score = score_heights(regions, Parameters())
    print(f"\nBerkeley, {len(regions)} images, default, cut at heights: ODS / OIS")
    for name in ("covering", "pri", "voi"):
        scale = getattr(score, name)
        print(f"{name:10} {scale.ods:.3f} / {scale.ois:.3f} (at {scale.setting})")


if __name__ == "__main__":
    main()
