import dataclasses
import itertools

import numpy as np
import pytest

from segjt import oversegment
from segjt.image import as_image
from segjt.merging.cues import merge_by_cues
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import lab_levels
from segjt.trees import number_of_segments
from segjt.trees.building import object_candidates, region_map
from segjt.trees.outlines import strip_histograms


@pytest.fixture(scope="module")
def grown(photograph):
    labels, pixels = oversegment(photograph, block_size=16), lab_levels(as_image(photograph))
    first, last = merge_by_cues(region_graph(pixels, labels))
    return first.left, last, region_map(labels, first), pixels


def test_nodes_are_unions(grown):
    regions, last, *_ = grown
    nodes = number_of_segments.nodes_above(regions, last.pairs)
    assert nodes.members[-1].all()
    assert nodes.sizes[-1] == regions.sizes.sum()
    for merge, (one, other) in enumerate(last.pairs):
        made = nodes.members[len(regions) + merge]
        assert (made == np.maximum(nodes.members[one], nodes.members[other])).all()
        assert not (nodes.members[one] * nodes.members[other]).any()


def test_features_of_a_node_are_those_of_its_pixels(grown):
    regions, last, labels, pixels = grown
    nodes = number_of_segments.nodes_above(regions, last.pairs)
    strips = strip_histograms(pixels, labels, regions)
    features = number_of_segments.node_features(regions, nodes, strips)
    N = len(regions)
    for node in (2 * N - 3, 2 * N - 5, 2 * N - 9):
        inside = np.isin(labels, np.flatnonzero(nodes.members[node]) + 1)
        outline = (inside[1:] != inside[:-1]).sum() + (inside[:, 1:] != inside[:, :-1]).sum()
        frame = sum(int(side.sum()) for side in (inside[0], inside[-1], inside[:, 0], inside[:, -1]))
        merged = next(m for m, pair in enumerate(last.pairs.tolist()) if node in pair)
        share = np.log(inside.mean())
        inner, outer = 0, 0
        for edge, (i, j) in enumerate(regions.ends):
            if nodes.members[node, i] != nodes.members[node, j]:
                side = 0 if nodes.members[node, i] else 1
                inner, outer = inner + strips[edge, side], outer + strips[edge, 1 - side]
        unlike = 1 - np.sqrt(inner / inner.sum() * outer / outer.sum()).sum()
        expected = [share, share**2, frame / (frame + outline), np.log(0.02 + unlike), np.log(N - 1 - merged)]
        np.testing.assert_allclose(features[node], expected)


def test_expected_dice_is_that_of_all_maps(grown):
    regions, last, *_ = grown
    nodes = number_of_segments.nodes_above(regions, last.pairs)
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(len(nodes.sizes) - 1))
    dice_of_maps = number_of_segments.expected_dice(nodes, P)
    assert len(dice_of_maps) == 31
    N = len(regions)
    for n in (2, 3, 9, 32):
        there = set(range(2 * N - n))  # nodes that are made before the last n - 1 merges
        for pair in last.pairs[: N - n]:
            there -= set(pair.tolist())
        assert len(there) == n
        expected = 0
        for u, p in enumerate(P):
            dice = [
                2 * (nodes.members[u] * nodes.members[v] * regions.sizes).sum() / (nodes.sizes[u] + nodes.sizes[v])
                for v in there
            ]
            expected += p * max(dice)
        assert dice_of_maps[n - 2] == pytest.approx(expected)


def test_probabilities_of_nodes_that_can_be_chosen():
    features = np.array([[1.0, 0.0], [np.nan, 2.0], [0.0, 3.0]])
    P = number_of_segments.object_probabilities(features, np.array([1.0, 0.5]))
    np.testing.assert_allclose(P, [np.exp(1) / (np.exp(1) + np.exp(1.5)), 0, np.exp(1.5) / (np.exp(1) + np.exp(1.5))])


def test_the_smallest_of_nearly_equally_good_numbers_is_chosen(grown, monkeypatch):
    regions, last, labels, pixels = grown
    merges = dataclasses.replace(last, heights=np.minimum(last.heights, -3.6))
    nodes = number_of_segments.candidates(regions, merges, strip_histograms(pixels, labels, regions))
    price, close = number_of_segments.PRICE, number_of_segments.AS_GOOD
    worth = price * np.arange(2, 33) + 0.5
    worth[[3, 6, 9]] += [0.2 - 1.1 * close, 0.2 - 0.9 * close, 0.2]
    monkeypatch.setattr(number_of_segments, "expected_dice", lambda *_: worth.copy())
    assert number_of_segments.choose_number(nodes) == 2 + 6


def heights_and_choice(grown, raised):
    regions, last, labels, pixels = grown
    merges = dataclasses.replace(last, heights=raised(last.heights))
    return number_of_segments.choose_number(
        number_of_segments.candidates(regions, merges, strip_histograms(pixels, labels, regions))
    )


def test_noise_is_one_segment(grown):
    assert heights_and_choice(grown, lambda heights: heights - 9) == 1


@pytest.mark.parametrize("n", [7, 20, 32])
def test_clearly_different_segments_stay_apart(grown, n):
    usual = heights_and_choice(grown, lambda heights: np.minimum(heights, -3.1))
    assert 2 <= usual < 7

    def raised(heights):
        changed = np.minimum(heights, -3.1)
        changed[len(heights) + 1 - n] = -2.0
        return changed

    assert heights_and_choice(grown, raised) == n


def test_a_number_can_be_chosen_for_few_regions():
    rng = np.random.default_rng(0)
    for K, _ in itertools.product(range(1, 5), range(3)):
        labels = np.repeat(np.arange(1, K + 1), 8)[None].repeat(6, 0).astype(np.int32)
        pixels = lab_levels(as_image(rng.random(labels.shape)))
        first, last = merge_by_cues(region_graph(pixels, labels))
        assert 1 <= number_of_segments.choose_number(object_candidates(labels, pixels, first, last)) <= K
