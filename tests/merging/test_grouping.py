import numpy as np
import pytest
from reference.ncut import greedy_ncut as obvious_greedy_ncut
from scipy.sparse import csr_array

from segjt.image import as_image
from segjt.merging import grouping as merging
from segjt.pipeline import oversegment, segment
from segjt.region_graph.regions import region_graph


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
    return region_graph(as_image(pixels), np.arange(1, pixels.size + 1, dtype=np.int32).reshape(pixels.shape), 8)


@pytest.mark.parametrize("seed", range(10))
def test_greedy_ncut_takes_the_best_merge_each_time(seed):
    W = random_graph(seed, 25)
    assert len(merging.greedy_ncut(W, 1)) == 24
    for n in (2, 3, 7, 15):
        ours = merging.apply_merges(25, merging.greedy_ncut(W, n))
        theirs = obvious_greedy_ncut(W.toarray(), n, merging.SELF_WEIGHT)
        assert len(np.unique(np.stack([ours, theirs]), axis=1).T) == n


def test_greedy_ncut_on_a_real_image(crop):
    image = as_image(crop)
    graph = region_graph(image, oversegment(crop), 8)
    W = merging.weight_matrix(graph, 12.0)
    ours = merging.apply_merges(len(graph), merging.greedy_ncut(W, 6))
    theirs = obvious_greedy_ncut(W.toarray(), 6, merging.SELF_WEIGHT)
    assert len(np.unique(np.stack([ours, theirs]), axis=1).T) == 6


def test_apply_merges():
    merges = [(0, 1), (3, 2), (3, 0)]
    assert merging.apply_merges(4, []).tolist() == [0, 1, 2, 3]
    assert merging.apply_merges(4, merges[:1]).tolist() == [0, 0, 1, 2]
    assert merging.apply_merges(4, merges[:2]).tolist() == [0, 0, 1, 1]
    assert merging.apply_merges(4, merges).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_black_next_to_white(method):
    graph = patches([[0, 0, 1, 1], [0, 0, 1, 1]])
    assert merging.group_regions(graph, method, 2, 16.0, 0).tolist() in ([0, 0, 1, 1] * 2, [1, 1, 0, 0] * 2)


@pytest.mark.parametrize("method", ["ncut", "spectral"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 12, 99])
def test_any_number_of_groups_can_be_asked_for(method, n):
    # Four parts with coefficient 0 between them: fewer and more groups than parts.
    graph = patches([[0.0, 0.0, 0.3, 0.3], [0.0, 0.0, 0.3, 0.3], [0.6, 0.6, 1.0, 1.0]])
    groups = merging.group_regions(graph, method, n, 16.0, 0)
    assert len(set(groups.tolist())) <= min(n, 12)
    if method != "spectral" or n <= 4:
        assert len(set(groups.tolist())) == min(n, 12)


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_one_different_segment_is_kept_apart(method):
    pixels = np.ones((6, 6))
    pixels[2, 3] = 0
    groups = merging.group_regions(patches(pixels), method, 2, 16.0, 0).reshape(6, 6)
    assert (groups == groups[2, 3]).sum() == 1


@pytest.mark.parametrize("method", ["ncut", "spectral"])
def test_islands_of_a_mask_can_be_grouped(method):
    labels = np.array([[1, 0, 2, 0, 3, 0, 4]], np.int32)
    image = as_image(np.array([[0.1, 0, 0.9, 0, 0.1, 0, 0.9]]), labels > 0)
    groups = merging.group_regions(region_graph(image, labels, 8), method, 2, 16.0, 0)
    assert groups[0] == groups[2] != groups[1] == groups[3]


def test_sparse_eigenvectors_agree_with_dense(samples):
    image, _ = samples["quilt"]
    graph = region_graph(as_image(image), oversegment(image), 8)
    W = merging.weight_matrix(graph, 12.0)
    d = W.sum(1)
    Z = csr_array(W / np.sqrt(d)[:, None] / np.sqrt(d)[None, :])
    assert Z.shape[0] > merging.DENSE_UP_TO
    U = merging.top_eigenvectors(Z, 5)
    dense = np.linalg.eigh(Z.toarray())[1][:, -5:]
    np.testing.assert_allclose(np.linalg.svd(U.T @ dense)[1], 1.0, atol=1e-8)


def test_eigenvectors_that_did_not_converge_come_from_the_dense_solver():
    # 450 separate pairs: 450 eigenvalues of exactly 1 and no gap, which Lanczos cannot judge.
    K = 900
    i = np.arange(K)
    Z = csr_array((np.ones(K), (i, i ^ 1)), shape=(K, K))
    U = merging.top_eigenvectors(Z, 3)
    np.testing.assert_allclose(Z @ U, U, atol=1e-10)


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


def test_the_sparse_solver_is_used_and_judged(samples, monkeypatch):
    image, _ = samples["quilt"]
    graph = region_graph(as_image(image), oversegment(image), 8)
    used = []
    dense = merging.dense_eigenvectors
    monkeypatch.setattr(merging, "dense_eigenvectors", lambda *arguments: used.append("dense") or dense(*arguments))
    merging.spectral(merging.weight_matrix(graph, 12.0), [5], 0)
    assert used == []
    i = np.arange(900)
    merging.top_eigenvectors(csr_array((np.ones(900), (i, i ^ 1)), shape=(900, 900)), 3)
    assert used == ["dense"]
