import copy

import numpy as np
import pytest
from reference.agglomeration import obvious_merges

from segjt import oversegment
from segjt.image import as_image
from segjt.merging.agglomeration import agglomerate
from segjt.region_graph.graph import RegionGraph, region_graph
from segjt.region_graph.pixel_levels import GRADIENT_UNITS, LIGHTNESS, LOG_GRADIENT, PARTS, lab_levels


def random_regions(rng, K, edges):
    """Regions with any sizes and histograms, and random edges between them."""
    sizes = rng.integers(1, 200, K)
    channels = (LIGHTNESS, LOG_GRADIENT)
    histograms = np.concatenate(
        [np.stack([rng.multinomial(PARTS * n, rng.dirichlet(np.ones(c.bins) / 4)) for n in sizes]) for c in channels],
        1,
    ).astype(np.int32)
    pairs = rng.integers(0, K, (edges, 2))
    ends = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    lengths = rng.integers(1, 30, len(ends))
    gradients = rng.integers(0, GRADIENT_UNITS, len(ends)) * lengths
    return RegionGraph(channels, sizes, histograms, rng.integers(0, 9, K), ends, lengths, gradients)


@pytest.mark.parametrize("with_cues", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_merges_are_those_of_the_obvious_version(seed, with_cues):
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 40))
    regions = random_regions(rng, K, int(rng.integers(0, 5 * K)))
    cues, powers = (rng.random((K, 3)), np.array([0.3, 0.15, 0.7])) if with_cues else (None, None)
    stop = 1 + seed % 3
    pairs, heights = obvious_merges(regions, stop, cues, () if powers is None else powers)
    merges = agglomerate(copy.deepcopy(regions), stop, cues, powers)
    assert [sorted(pair) for pair in merges.pairs.tolist()] == pairs
    np.testing.assert_allclose(merges.heights, heights)


@pytest.mark.parametrize("seed", [5, 24])
def test_costs_beside_a_large_region_are_those_of_when_it_was_smaller(seed):
    rng = np.random.default_rng(seed)
    regions = random_regions(rng, 60, 150)
    regions.sizes[7] *= 200
    regions.histograms[7] *= 200
    pairs, heights = obvious_merges(regions, 1)
    merges = agglomerate(copy.deepcopy(regions), 1)
    assert [sorted(pair) for pair in merges.pairs.tolist()] == pairs
    np.testing.assert_allclose(merges.heights, heights)
    assert pairs != obvious_merges(regions, 1, growth=0)[0]


def test_merges_of_a_photograph(crop):
    regions = region_graph(lab_levels(as_image(crop)), oversegment(crop, block_size=16))
    assert 60 < len(regions) < 120
    pairs, heights = obvious_merges(regions, 1)
    merges = agglomerate(copy.deepcopy(regions), 1)
    assert [sorted(pair) for pair in merges.pairs.tolist()] == pairs
    np.testing.assert_allclose(merges.heights, heights)


def test_what_is_left_has_the_sums_of_its_parts(crop):
    labels = oversegment(crop)
    pixels = lab_levels(as_image(crop))
    merges = agglomerate(region_graph(pixels, labels), 20)
    K = labels.max()
    groups = np.arange(K + len(merges.pairs))
    for merge in range(len(merges.pairs) - 1, -1, -1):
        groups[merges.pairs[merge]] = groups[K + merge]
    number = {node: place for place, node in enumerate(merges.nodes.tolist())}
    merged = np.array([0] + [number[node] + 1 for node in groups[:K].tolist()], np.int32)[labels]
    whole = region_graph(pixels, merged)
    assert len(merges.left) == len(whole) == 20
    assert (merges.left.sizes == whole.sizes).all()
    assert (merges.left.histograms == whole.histograms).all()
    assert (merges.left.frame == whole.frame).all()
    order = np.lexsort(np.sort(merges.left.ends, axis=1).T[::-1])
    assert (np.sort(merges.left.ends, axis=1)[order] == whole.ends).all()
    assert (merges.left.lengths[order] == whole.lengths).all()
    assert (merges.left.gradients[order] == whole.gradients).all()


def test_equal_merges_come_in_order():
    one = random_regions(np.random.default_rng(0), 1, 0)
    six = np.zeros(6, int)
    ends = np.array([[4, 5], [0, 1], [2, 3]])
    equal = RegionGraph(
        one.channels, one.sizes[six], one.histograms[six], one.frame[six], ends, np.ones(3, int), np.ones(3, int)
    )
    assert agglomerate(equal, 1).pairs.tolist() == ends.tolist()


def test_parts_that_do_not_touch_stay_apart():
    regions = random_regions(np.random.default_rng(0), 5, 0)
    merges = agglomerate(regions, 1)
    assert len(merges.pairs) == 0
    assert len(merges.left) == 5


def test_a_hub_of_thousands():
    rng = np.random.default_rng(0)
    regions = random_regions(rng, 2000, 1)
    ends = np.stack([np.zeros(1999, int), np.arange(1, 2000)], 1)
    star = RegionGraph(
        *(regions.channels, regions.sizes, regions.histograms, regions.frame, ends),
        lengths=rng.integers(1, 9, 1999),
        gradients=rng.integers(0, GRADIENT_UNITS, 1999),
    )
    merges = agglomerate(star, 1)
    assert len(merges.pairs) == 1999
    assert np.isfinite(merges.heights).all()
