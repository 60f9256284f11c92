"""The sparse affinities of pixels, against all pairs of them as printed in the paper."""

import numpy as np
import pytest
from reference import affinity as oracle

import segjt
from segjt.image import as_image
from segjt.whole_image.pixel_graph import PixelGraph, pairs_within, pixel_graph

KERNELS = ["gaussian", "exponential", "linear", "jt2", "expjt2", "jt3", "jtn", "nlin", "nlin+", "npoint", "normalized"]


def dense(graph):
    """M of all pairs of pixels."""
    M = np.zeros((graph.size, graph.size))
    M[graph.first, graph.second] = M[graph.second, graph.first] = np.exp(graph.log_M)
    return M


def graph_of(image, mask=None, **settings):
    parameters = segjt.Parameters(method="whole", **settings)
    return pixel_graph(as_image(image, mask=mask), parameters), parameters


@pytest.mark.parametrize("kernel", KERNELS)
def test_affinity_is_that_of_the_paper(crop, kernel):
    """M = V^(1 - lambda) R^lambda, entry by entry, and its normalised form."""
    mask = np.ones((9, 12), bool)
    mask[3:5, 4:9] = False
    part = crop[20:29, 30:42]
    graph, parameters = graph_of(part, mask, kernel=kernel, whole_lambda=0.02, radius=4)
    V = parameters.make_kernel()(part[mask] / 255)
    expected = oracle.weight_by_distance(V, np.argwhere(mask), 0.02, radius=4)
    np.testing.assert_allclose(dense(graph), expected, rtol=1e-10)
    np.testing.assert_allclose(graph.normalised().toarray(), oracle.normalise(expected), rtol=1e-10)
    parts = np.arange(mask.sum()) % 5
    member = np.eye(5)[parts]
    np.testing.assert_allclose(graph.sums_over(parts), member.T @ expected @ member / expected.max(), rtol=1e-10)


@pytest.mark.parametrize("radius", [1, 1.5, 3, 5.5, 100])
def test_pairs_are_those_within_the_radius(radius):
    mask = np.random.default_rng(0).random((6, 9)) < 0.8
    places = np.argwhere(mask)
    first, second, squared = pairs_within(mask, radius)
    found = {(i, j): d for i, j, d in zip(first.tolist(), second.tolist(), squared.tolist(), strict=True)}
    far = ((places[:, None] - places[None]) ** 2).sum(2)
    expected = {(i, j): far[i, j] for i, j in np.argwhere(far < radius**2).tolist() if i <= j}
    assert found == expected
    assert len(first) == len(found)


def test_distances_do_not_underflow():
    """R^lambda is exp(-lambda d^2), not exp(-d^2)^lambda, which would be 0 from a distance of 28 on (errata 2.9)."""
    graph, _ = graph_of(np.full((1, 31), 0.5), kernel="gaussian", radius=29)
    M = dense(graph)
    np.testing.assert_allclose(M[0, [0, 5, 28]], np.exp([0, -0.008 * 25, -0.008 * 28**2]))
    assert (M[0, 29:] == 0).all()


def test_rows_that_differ_by_more_powers_of_ten_than_float64_has():
    pairs = np.array([0, 1, 2, 0, 1]), np.array([0, 1, 2, 1, 2])
    graph = PixelGraph(3, *pairs, np.array([2000.0, 0.0, -2000.0, 0.0, -2000.0]))
    Z = graph.normalised().toarray()
    # Degrees e^2000, 2 and 2 e^-2000.
    np.testing.assert_allclose(np.diag(Z), [1, 0.5, 0.5])
    np.testing.assert_allclose(Z, Z.T)


@pytest.mark.parametrize("lam", [0.0, 0.008, 1.0])
def test_pixels_without_affinity_have_none(lam):
    image = np.zeros((4, 5))
    image[:, 3:] = 0.6
    graph, _ = graph_of(image, kernel="jt2", whole_lambda=lam)
    Z = graph.normalised().toarray()
    black = image.ravel() == 0
    assert (Z[black] == 0).all()
    assert (Z[~black][:, ~black] > 0).all()
    nothing, _ = graph_of(np.zeros((4, 5)), kernel="jt2", whole_lambda=lam)
    assert nothing.normalised().nnz == 0
    assert (nothing.sums_over(np.zeros(20, np.intp)) == 0).all()
