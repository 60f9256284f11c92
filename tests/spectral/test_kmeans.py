import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import kmeans as oracle

from segjt.spectral import kmeans as fast


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_the_reference(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(5, 200), rng.integers(1, 9)))
    k = int(rng.integers(1, 9))
    expected = oracle.kmeans(X, k, np.random.default_rng(seed))
    assert (fast.kmeans(X, k, np.random.default_rng(seed)) == expected).all()


def test_agrees_with_the_reference_on_a_real_block(crop):
    X = crop[:16, :16].reshape(-1, 3) / 255
    expected = oracle.kmeans(X, 8, np.random.default_rng(3))
    assert (fast.kmeans(X, 8, np.random.default_rng(3)) == expected).all()


def test_finds_obvious_clusters():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], 30)
    X = np.array([[0, 0], [5, 0], [0, 5]])[truth] + rng.normal(0, 0.1, (90, 2))
    labels = fast.kmeans(X, 3, rng)
    assert all(len(set(labels[truth == c])) == 1 for c in range(3))
    assert len(set(labels)) == 3


def test_same_seed_same_labels():
    X = np.random.default_rng(0).random((100, 3))
    runs = [fast.kmeans(X, 6, np.random.default_rng(5)) for _ in range(2)]
    assert (runs[0] == runs[1]).all()


def test_inertia_is_not_worse_than_scikit_learn_by_much():
    from sklearn.cluster import KMeans

    X = np.random.default_rng(0).random((300, 4))
    labels = fast.kmeans(X, 8, np.random.default_rng(0), restarts=10)
    inertia = sum(((X[labels == c] - X[labels == c].mean(0)) ** 2).sum() for c in range(8))
    assert inertia <= 1.03 * KMeans(8, n_init=10, random_state=0).fit(X).inertia_


@given(st.integers(1, 12), st.integers(1, 10), st.integers(1, 4))
def test_few_distinct_rows_give_few_clusters(rows, k, distinct):
    X = np.repeat(np.arange(distinct, dtype=float), rows)[:, None]
    labels = fast.kmeans(X, k, np.random.default_rng(0))
    assert labels.min() == 0
    assert labels.max() + 1 == len(set(labels.tolist())) <= min(k, distinct)
    if k >= distinct:
        assert labels.max() + 1 == distinct
