"""Each cue against its formula, written with loops, and on a picture with a figure."""

import itertools

import numpy as np
import pytest

from segjt import oversegment
from segjt.image import as_image
from segjt.merging.agglomeration import agglomerate
from segjt.merging.figure_ground import POWERS, background, cues, figure, hitting_time, passages
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import lab_levels


@pytest.fixture(scope="module")
def regions(crop):
    return agglomerate(region_graph(lab_levels(as_image(crop)), oversegment(crop)), 30).left


def test_background_is_boundary_connectivity(regions):
    K, D, colours = len(regions), regions.distances(), regions.mean_values()
    neighbours = {frozenset(pair) for pair in regions.ends.tolist()}
    neighbours |= {frozenset((i, j)) for i in range(K) for j in range(K) if regions.frame[i] and regions.frame[j]}
    expected = np.zeros(K)
    for distance in (
        lambda i, j: np.linalg.norm(colours[i] - colours[j]) / 10,
        lambda i, j: 10 * D[i, j],
    ):
        way = np.full((K, K), np.inf)
        for i, j in itertools.product(range(K), repeat=2):
            if i == j:
                way[i, j] = 0
            elif frozenset((i, j)) in neighbours:
                way[i, j] = max(distance(i, j), 1e-6)
        for over in range(K):
            way = np.minimum(way, way[:, over, None] + way[None, over])
        for scale in (0.3, 0.7, 1.0):
            for i in range(K):
                similar = np.exp(-(way[i] ** 2) / 2 / scale**2)
                length, area = (similar * regions.frame).sum(), (similar * regions.sizes).sum()
                expected[i] += (1 - np.exp(-(length**2) / area / 2)) / 6
    np.testing.assert_allclose(background(regions, D), expected, atol=1e-9)


def test_passages_are_wide_where_little_changes(regions):
    D = regions.distances()
    W = passages(regions, D)
    assert (W == W.T).all()
    assert (W > 0).sum() == 2 * len(regions.ends)
    i, j = regions.ends[7]
    g = regions.contrasts()[7]
    assert W[i, j] == pytest.approx(regions.lengths[7] * np.exp(-D[i, j] * (0.05 + g) / 0.015))


def test_hitting_time_solves_its_equation(regions):
    W = passages(regions, regions.distances())
    values = hitting_time(regions, W)
    assert np.average(values, weights=regions.sizes) == pytest.approx(0, abs=1e-9)
    # Regions of n pixels give off n walkers each; h are the visits until all have left: in = out at every region.
    h = np.linalg.solve(np.diag(W.sum(1) + regions.frame + 1e-6) - W, regions.sizes)
    np.testing.assert_allclose(h * (W.sum(1) + regions.frame + 1e-6), regions.sizes + W @ h, rtol=1e-6)
    np.testing.assert_allclose(np.diff(values), np.diff(np.log1p(h)) / 5, atol=1e-9)


def test_figure_is_bayes_made_smooth(regions):
    W = passages(regions, regions.distances())
    w = background(regions, regions.distances())
    f = np.clip(1 - w, 0.02, 0.98)
    prior = np.log(f / (1 - f))
    for _ in range(2):
        f = np.clip(f, 0.01, 0.99)
        odds = np.zeros(len(regions))
        for where in regions.bins_of():
            bins = where.stop - where.start
            p = np.array([sum(f * regions.histograms[:, b]) for b in range(where.start, where.stop)])
            q = np.array([sum((1 - f) * regions.histograms[:, b]) for b in range(where.start, where.stop)])
            p, q = p / p.sum() + 0.01 / bins, q / q.sum() + 0.01 / bins
            for k in range(len(regions)):
                share = regions.histograms[k, where] / regions.histograms[k, where].sum()
                odds[k] += (share * np.log(p / q)).sum()
        data = np.clip(2 * odds + prior / 2, -6, 6)
        # The minimum of sum sqrt(n) (z - data)^2 + sum over edges W (z_i - z_j)^2.
        z = np.linalg.solve(np.diag(np.sqrt(regions.sizes) + W.sum(1)) - W, np.sqrt(regions.sizes) * data)
        f = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(figure(regions, W, w), f, atol=1e-9)


def test_an_object_in_two_colours_is_figure():
    pixels = np.full((90, 120, 3), 0.75)
    pixels[30:60, 40:60] = [0.8, 0.2, 0.2]
    pixels[30:60, 60:80] = [0.2, 0.3, 0.7]
    pixels += np.random.default_rng(0).normal(0, 0.02, pixels.shape)
    labels = np.ones((90, 120), np.int32)
    labels[:, 60:] = 2
    labels[30:60, 40:60] = 3
    labels[30:60, 60:80] = 4
    values = cues(region_graph(lab_levels(as_image(np.clip(pixels, 0, 1))), labels))
    assert values.shape == (4, len(POWERS))
    for cue, sign in zip(values.T, (-1, 1, 1), strict=True):
        ground, objects = cue[:2] * sign, cue[2:] * sign
        assert objects.min() > ground.max()
        assert abs(objects[0] - objects[1]) < (objects.min() - ground.max()) / 2


def test_cues_without_a_frame_or_a_neighbour():
    pixels = np.random.default_rng(0).random((20, 20))
    labels = np.zeros((20, 20), np.int32)
    labels[3:8, 3:8] = 1
    labels[12:17, 12:17] = 2
    values = cues(region_graph(lab_levels(as_image(pixels, labels > 0)), labels))
    assert np.isfinite(values).all()
