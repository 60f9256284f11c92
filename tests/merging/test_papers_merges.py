"""The papers' ways to merge, on graphs by hand, on photographs, and on islands of a mask."""

import numpy as np
import pytest
from reference.ncut import greedy_ncut as obvious_greedy_ncut
from scipy.sparse import csr_array

from segjt.image import as_image
from segjt.merging.greedy_ncut import greedy_merges
from segjt.merging.merges import groups_after, tree_pairs
from segjt.merging.registry import MergeSettings, merge_method
from segjt.merging.weights import SELF_WEIGHT, weight_matrix
from segjt.pipeline import oversegment, segment
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import colour_levels


def ncut_groups(W, n):
    """The groups after greedy merging of a graph down to n."""
    K = W.shape[0]
    return groups_after(K, tree_pairs(K, greedy_merges(W.indptr, W.indices, W.data, np.full(K, SELF_WEIGHT), n)))


def group(graph, method, n):
    """The groups of a graph by one of the methods, with power 16 and seed 0."""
    return merge_method(method).group(graph, [n], MergeSettings(power=16.0))[0]


def random_graph(seed, nodes):
    """A connected graph with random weights: a ring and some chords."""
    rng = np.random.default_rng(seed)
    W = np.zeros((nodes, nodes))
    for i in range(nodes):
        for j in ((i + 1) % nodes, int(rng.integers(nodes))):
            if i != j:
                W[i, j] = W[j, i] = rng.random() ** 4 + 1e-6
    return csr_array(W)


def patches(pixels):
    """The region graph in which every pixel is a segment of its own."""
    pixels = np.asarray(pixels, float)
    labels = np.arange(1, pixels.size + 1, dtype=np.int32).reshape(pixels.shape)
    return region_graph(colour_levels(as_image(pixels), 8), labels)


@pytest.mark.parametrize("seed", range(10))
def test_greedy_ncut_takes_the_best_merge_each_time(seed):
    W = random_graph(seed, 25)
    for n in (1, 2, 3, 7, 15):
        ours, theirs = ncut_groups(W, n), obvious_greedy_ncut(W.toarray(), n, SELF_WEIGHT)
        assert len(np.unique(np.stack([ours, theirs]), axis=1).T) == n


def test_greedy_ncut_on_a_real_image(crop):
    graph = region_graph(colour_levels(as_image(crop), 8), oversegment(crop))
    W = weight_matrix(graph, MergeSettings())
    ours, theirs = ncut_groups(W, 6), obvious_greedy_ncut(W.toarray(), 6, SELF_WEIGHT)
    assert len(np.unique(np.stack([ours, theirs]), axis=1).T) == 6


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_black_next_to_white(method):
    graph = patches([[0, 0, 1, 1], [0, 0, 1, 1]])
    assert group(graph, method, 2).tolist() in ([0, 0, 1, 1] * 2, [1, 1, 0, 0] * 2)


@pytest.mark.parametrize("method", ["ncut", "spectral"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 12, 99])
def test_any_number_of_groups_can_be_asked_for(method, n):
    # Four parts with coefficient 0 between them: fewer and more groups than parts.
    graph = patches([[0.0, 0.0, 0.3, 0.3], [0.0, 0.0, 0.3, 0.3], [0.6, 0.6, 1.0, 1.0]])
    groups = group(graph, method, n)
    assert len(set(groups.tolist())) <= min(n, 12)
    if method != "spectral" or n <= 4:
        assert len(set(groups.tolist())) == min(n, 12)


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_one_different_segment_is_kept_apart(method):
    pixels = np.ones((6, 6))
    pixels[2, 3] = 0
    groups = group(patches(pixels), method, 2).reshape(6, 6)
    assert (groups == groups[2, 3]).sum() == 1


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_islands_of_a_mask_can_be_grouped(method):
    labels = np.array([[1, 0, 2, 0, 3, 0, 4]], np.int32)
    image = as_image(np.array([[0.1, 0, 0.9, 0, 0.1, 0, 0.9]]), labels > 0)
    groups = group(region_graph(colour_levels(image, 8), labels), method, 2)
    assert groups[0] == groups[2] != groups[1] == groups[3]


@pytest.mark.parametrize("method", ["cues", "ncut", "spectral"])
@pytest.mark.parametrize("n", [4, "auto"])
def test_many_islands_of_one_colour_and_one_of_three(method, n):
    from sklearn.metrics import adjusted_rand_score

    truth = np.zeros((100, 150), int)
    truth[:60] = 1 + np.arange(150) // 50
    for i in range(10):
        truth[70:90, 5 + 14 * i : 15 + 14 * i] = 4
    colours = np.array([[0, 0, 0], [0.9, 0.1, 0.1], [0.1, 0.1, 0.9], [0.9, 0.9, 0.1], [0.2, 0.7, 0.3]])
    image = np.clip(colours[truth] + np.random.default_rng(0).normal(0, 0.02, (100, 150, 3)), 0, 1)
    labels = segment(image, n, mask=truth > 0, merge_method=method)
    assert labels.max() == 4
    assert adjusted_rand_score(truth.ravel(), labels.ravel()) > (0.99 if method == "cues" else 0.9)


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_several_numbers_at_once_are_what_each_is_alone(crop, method):
    graph = region_graph(colour_levels(as_image(crop), 8), oversegment(crop))
    numbers = [2, 9, 5, 10**6]
    for n, groups in zip(numbers, merge_method(method).group(graph, numbers, MergeSettings(power=16.0)), strict=True):
        alone = group(graph, method, n)
        assert len(np.unique(np.stack([groups, alone]), axis=1).T) == len(np.unique(alone))
