"""What `merge_affinity=` names, against the obvious versions, on random, real and degenerate graphs."""

import numpy as np
import pytest
from reference import regions as reference

from segjt.image import as_image
from segjt.labels import compact
from segjt.merging.registry import AFFINITIES, MergeSettings, merge_affinity, merge_affinity_names
from segjt.merging.weights import SMALLEST_WEIGHT, weight_matrix
from segjt.parameters import Parameters
from segjt.pipeline import oversegment, segment
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import colour_levels

# What share of its largest value the kernel of three measures has if two are equal and the third is disjoint.
TWO_OF_THREE = 2 * np.log(2) / (3 * np.log(3))


def random_case(seed):
    """A noisy image with random segments, some of them masked out."""
    rng = np.random.default_rng(seed)
    labels = compact(rng.integers(0, 12, (9, 11)) * (rng.random((9, 11)) < 0.9))
    return as_image(rng.integers(0, 256, (9, 11, 3), dtype=np.uint8), labels > 0), labels


def obvious_affinity(graph, name, i, j):
    """The affinity of an edge, set of regions by set of regions."""
    thirds = reference.around(graph, i, j)
    sets = [[i, j]] if name == "jensen_tsallis" else [[i, j, third] for third in thirds]
    return np.mean([reference.alikeness(graph, regions) for regions in sets])


def check(image, labels, bins):
    graph = region_graph(colour_levels(image, bins), labels)
    expected = reference.region_graph(image, labels, bins)
    for name in ("jensen_tsallis", "jensen_tsallis_neighbours"):
        obvious = [obvious_affinity(expected, name, *edge) for edge in graph.ends.tolist()]
        np.testing.assert_allclose(merge_affinity(name)(graph, graph.ends), obvious, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bins", [2, 8, 32])
def test_random_graphs_by_brute_force(seed, bins):
    check(*random_case(seed), bins)


def test_a_real_graph_by_brute_force(crop, monkeypatch):
    monkeypatch.setattr("segjt.merging.affinities.HISTOGRAMS_AT_A_TIME", 100)
    check(as_image(crop), oversegment(crop), 8)


@pytest.mark.parametrize("name", merge_affinity_names())
def test_the_same_and_the_opposite(name):
    # Black, white, white, white in a row: no common neighbours.
    labels = np.array([[1, 2, 3, 4]], np.int32)
    graph = region_graph(colour_levels(as_image(np.array([[0.0, 1.0, 1.0, 1.0]])), 8), labels)
    # Of three measures two are always the same here: 2 ln 2 of at most 3 ln 3.
    least = TWO_OF_THREE if name == "jensen_tsallis_neighbours" else 0
    np.testing.assert_allclose(merge_affinity(name)(graph, graph.ends), [least, 1, 1], atol=1e-15)
    flat = region_graph(colour_levels(as_image(np.ones((4, 4))), 8), np.arange(1, 17, dtype=np.int32).reshape(4, 4))
    np.testing.assert_allclose(merge_affinity(name)(flat, flat.ends), 1, rtol=1e-15)


@pytest.mark.parametrize("name", merge_affinity_names())
def test_no_edges_and_no_regions(name):
    for labels in (np.ones((3, 3), np.int32), np.zeros((3, 3), np.int32)):
        graph = region_graph(colour_levels(as_image(np.ones((3, 3)), labels > 0), 8), labels)
        assert merge_affinity(name)(graph, graph.ends).shape == (0,)
        assert weight_matrix(graph, MergeSettings(affinity=name)).nnz == 0


def test_three_regions_around_a_corner():
    """Two black ones and a white one meet: the edge between the black ones is weaker for the white one."""
    labels = np.array([[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 3, 3]], np.int32)
    graph = region_graph(colour_levels(as_image(np.where(labels == 3, 1.0, 0.0)), 8), labels)
    assert graph.ends.tolist() == [[0, 1], [0, 2], [1, 2]]
    np.testing.assert_allclose(merge_affinity("jensen_tsallis")(graph, graph.ends), [1, 0, 0], atol=1e-15)
    # The black ones: 1 with either of them as the third region. A black and the white one: two are alike in any case.
    expected = [(2 + TWO_OF_THREE) / 3, TWO_OF_THREE, TWO_OF_THREE]
    np.testing.assert_allclose(merge_affinity("jensen_tsallis_neighbours")(graph, graph.ends), expected)


def test_weights_are_powers_of_the_affinity(crop):
    graph = region_graph(colour_levels(as_image(crop), 8), oversegment(crop))
    for name in AFFINITIES:
        W = weight_matrix(graph, MergeSettings(power=7.0, affinity=name))
        expected = np.maximum(merge_affinity(name)(graph, graph.ends) ** 7, SMALLEST_WEIGHT)
        assert (W[graph.ends[:, 0], graph.ends[:, 1]] == expected).all()


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_segments_by_every_affinity(crop, method):
    maps = {name: segment(crop, 5, merge_method=method, merge_affinity=name) for name in AFFINITIES}
    assert (maps["bhattacharyya"] == segment(crop, 5, merge_method=method)).all()
    assert all(labels.max() == 5 for labels in maps.values())
    assert (maps["jensen_tsallis"] != maps["jensen_tsallis_neighbours"]).any()


def test_an_unknown_name_is_an_error_that_lists_the_choices(crop):
    with pytest.raises(ValueError, match=r"merge_affinity = 'bhatacharyya' is unknown \(did you mean 'bhattacharyya'"):
        segment(crop, merge_affinity="bhatacharyya")
    with pytest.raises(ValueError, match="merge_affinity = 'jt'"):
        merge_affinity("jt")
    assert "merge_affinity" in Parameters(merge_affinity="jensen_tsallis").to_dict()
