"""Three-point kernels from all triples, against sums over all tuples and against the other exact forms."""

import numpy as np
import pytest

from segjt.kernels import make_kernel
from segjt.kernels.evaluators import triples
from segjt.kernels.evaluators.distinct_sums import DistinctSums
from segjt.kernels.tsallis import phi


def rows_of(N, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((N, d))
    X[X < 0.1] = 0.0
    return X


def all_values(X, q):
    """K(x_i, x_a, x_b) by its definition, (N, N, N)."""
    total = X[:, None, None] + X[None, :, None] + X[None, None, :]
    own = phi(X, q).sum(1)
    return phi(total, q).sum(3) - own[:, None, None] - own[None, :, None] - own[None, None, :]


@pytest.mark.parametrize("q", [0.0, 0.01, 0.5, 1 - 2e-6, 1.0, 1.0 + 1e-9, 1 + 2e-6, 1.75, 2.0])
@pytest.mark.parametrize("kept", [True, False])
def test_values_of_all_triples(q, kept, monkeypatch):
    if not kept:
        monkeypatch.setattr(triples, "MOST_KEPT", 0)
    X = rows_of(9, 4)
    K = all_values(X, q)
    by_first_row = list(triples.triple_values(X, q))
    assert len(by_first_row) == len(X)
    for a, values in enumerate(by_first_row):
        np.testing.assert_allclose(values, K[:, a, a:], rtol=1e-9, atol=1e-10)


def test_values_too_large_for_floats_are_inf_without_an_error():
    (first, *_) = triples.triple_values(1e200 * rows_of(6, 3), 2.0)
    assert np.isinf(first).any()


@pytest.mark.parametrize("scale", [1e-20, 1.0, 255.0])
def test_values_grow_with_the_power_q_of_the_data(scale):
    X = rows_of(6, 3)
    for small, large in zip(triples.triple_values(X, 1.5), triples.triple_values(scale * X, 1.5), strict=True):
        np.testing.assert_allclose(large, scale**1.5 * small, rtol=1e-9)


@pytest.mark.parametrize("q", [0.01, 1.0, 1.5])
def test_jt3_is_that_of_exponential_sums(q):
    X = rows_of(30, 5)
    V = triples.flattened_jt3(triples.triple_values(X, q), len(X))
    np.testing.assert_allclose(V, make_kernel("jt3", q=q)(X), rtol=1e-9)


@pytest.mark.parametrize("q", [0.25, 1.0, 2.0])
def test_expjt3_is_the_mean_over_all_pairs(q):
    X = rows_of(12, 4)
    ts = [0.01, 1.0, 20.0]
    K = all_values(X, q).reshape(len(X), -1)
    for t, log_V in zip(ts, triples.log_flattened_expjt3(triples.triple_values(X, q), len(X), ts), strict=True):
        A = np.exp(t * (K - K.max()))
        np.testing.assert_allclose(log_V, np.log(A @ A.T / len(X) ** 2) + 2 * t * K.max(), atol=1e-8 * max(t, 1))


def test_expjt3_does_not_overflow():
    X = rows_of(70, 60)
    log_V = make_kernel("expjt3", q=1.0, t=100.0).log_affinity(X)
    assert np.isfinite(np.diagonal(log_V)).all()
    assert not np.isnan(log_V).any()
    assert 5000 < log_V.max() < np.inf


def test_triples_are_best_for_many_distinct_rows():
    real = rows_of(70, 5)
    assert triples.triples_are_best(real)
    assert not triples.triples_are_best(real[:50])
    assert not triples.triples_are_best(np.round(4 * real[:, :3]) / 4)  # 9 sums in each of three columns
    assert not triples.triples_are_best(np.where(real == real.min(), 1e-40, real))


def test_triples_agree_with_sums():
    X = rows_of(70, 5)
    by_sums = DistinctSums.of(X, X, X, 1.25, 2.0, 3).evaluate()
    np.testing.assert_allclose(triples.AllTriples(X, 1.25, 2.0).evaluate(), by_sums, atol=1e-9)
    np.testing.assert_allclose(make_kernel("expjt3", q=1.25, t=2.0).log_affinity(X), by_sums, atol=1e-9)


def test_too_many_triples_are_refused():
    with pytest.raises(ValueError, match="which take hours"):
        next(triples.triple_values(np.ones((20_000, 2)), 1.0))


def test_8_bit_colours_and_few_rows_of_others_never_go_through_triples(monkeypatch):
    """58 colours in 256 pixels have 1711 sums at most, 200 times faster than 256^3 triples."""

    def refuse(*_):
        raise AssertionError("triples of colours")

    monkeypatch.setattr(triples, "triple_values", refuse)
    rng = np.random.default_rng(0)
    colours = rng.integers(0, 256, (58, 3)) / 255
    block = colours[rng.integers(0, 58, 256)]
    for rows in (block, block / np.pi, rng.integers(0, 256, (80, 3)) / 255):
        assert np.isfinite(make_kernel("expjt3").log_affinity(rows)).all()
    with pytest.raises(AssertionError, match="triples of colours"):
        make_kernel("expjt3").log_affinity(rng.random((80, 3)))
