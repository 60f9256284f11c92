import numpy as np
import pytest
from reference.ncut import greedy_merges as obvious_merges
from scipy.sparse import csr_array

from segjt.merging.greedy_ncut import greedy_merges

# Weights that differ, that are often equal, that are all equal, of black next to white, and of all sizes.
WEIGHTS = {
    "different": lambda rng: rng.random() ** 4 + 1e-6,
    "often equal": lambda rng: float(rng.integers(1, 3)),
    "equal": lambda rng: 1.0,
    "black and white": lambda rng: float(rng.choice([1.0, 1e-12])),
    "all sizes": lambda rng: 10.0 ** rng.uniform(-12, 0),
}


def edges_of_a_star(rng, K):
    return [(0, k) for k in range(1, K)]


def edges_of_a_wheel(rng, K):
    return edges_of_a_star(rng, K) + [(k, k % (K - 1) + 1) for k in range(1, K)]


def edges_of_three_hubs(rng, K):
    return [(int(rng.integers(3)), k) for k in range(3, K) for _ in range(int(rng.integers(1, 4)))]


def edges_of_a_grid(rng, K):
    side = int(K**0.5)
    cells = [(row, column) for row in range(side) for column in range(side)]
    to_the_right = [(row * side + column, row * side + column + 1) for row, column in cells if column + 1 < side]
    return to_the_right + [(row * side + column, (row + 1) * side + column) for row, column in cells if row + 1 < side]


def any_edges(rng, K):
    return rng.integers(0, K, (int(rng.integers(4 * K)), 2)).tolist()


def all_edges(rng, K):
    return [(i, j) for i in range(K) for j in range(i)]


GRAPHS = [edges_of_a_star, edges_of_a_wheel, edges_of_three_hubs, edges_of_a_grid, any_edges, all_edges]


def weights_of(edges, K, weight, rng):
    """The matrix of these edges, of which nodes are numbered at random."""
    number = rng.permutation(K)
    W = np.zeros((K, K))
    for i, j in edges:
        if i != j:
            W[number[i], number[j]] = W[number[j], number[i]] = weight(rng)
    return W


def ours(W, n, within):
    W = csr_array(W)
    return [tuple(merge) for merge in greedy_merges(W.indptr, W.indices, W.data, within, n).tolist()]


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_every_merge_is_that_of_the_obvious_version(graph, weight):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        K = int(rng.integers(3, 60 if graph is not all_edges else 20))
        W = weights_of(graph(rng, K), K, WEIGHTS[weight], rng)
        within = np.full(K, 1e-3) if seed % 2 else rng.random(K) + 1e-9
        assert ours(W, 1 + seed % 3, within) == obvious_merges(W, 1 + seed % 3, within)


def test_a_larger_graph():
    rng = np.random.default_rng(0)
    W = weights_of(edges_of_a_grid(rng, 400) + edges_of_a_star(rng, 400), 400, WEIGHTS["different"], rng)
    assert ours(W, 1, np.full(400, 1e-3)) == obvious_merges(W, 1, np.full(400, 1e-3))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("K", [1, 2])
def test_little_to_merge(K, n):
    W = np.ones((K, K)) - np.eye(K)
    assert ours(W, n, np.ones(K)) == ([(0, 1)] if (K, n) == (2, 1) else [])


def test_parts_that_do_not_touch_stay_apart():
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = W[3, 4] = W[4, 3] = 1
    assert ours(W, 1, np.ones(5)) == [(0, 1), (3, 4)]


def test_equal_merges_come_in_order():
    W = np.zeros((6, 6))
    for i in (4, 2, 0):
        W[i, i + 1] = W[i + 1, i] = 1
    assert ours(W, 1, np.ones(6)) == [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize("equal", [True, False])
def test_a_hub_of_thousands_swallows_them_by_weight(equal):
    K = 20000
    w = np.ones(K - 1) if equal else 1.0 + np.random.default_rng(0).permutation(K - 1)
    leaves = np.arange(1, K)
    half = csr_array((w, (np.zeros(K - 1, int), leaves)), shape=(K, K))
    W = csr_array(half + half.T)
    # With nothing within it, a leaf brings 1 + (1 + r) w / (vol + w): the heaviest goes first, whatever the hub has.
    merges = greedy_merges(W.indptr, W.indices, W.data, np.where(np.arange(K) == 0, 1.0, 0.0), 1)
    assert merges[:, 0].tolist() == [0] * (K - 1)
    assert merges[:, 1].tolist() == leaves[np.argsort(-w, kind="stable")].tolist()
