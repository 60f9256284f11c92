"""Sampled kernels (paper 000, eq. 13, Corollary 6): the same tuples by brute force, and unbiased."""

import numpy as np
import pytest
from reference import kernels as oracle
from reference.rows import points

from segjt.kernels import make_kernel, sampled

GAUSSIAN = make_kernel("gaussian", sigma=0.3)
CASES = {
    "jt3+": ({"q": 0.6}, "jt3", lambda p: oracle.jt(p, 0.6)),
    "jtn+": ({"q": 1.3, "n": 5}, "jtn", lambda p: oracle.jt(p, 1.3)),
    "expjt3+": ({"q": 1, "t": 0.7}, "expjt3", lambda p: oracle.exp_jt(p, 1, 0.7)),
    "expjtn+": ({"q": 0.5, "t": 0.3, "n": 4}, "expjtn", lambda p: oracle.exp_jt(p, 0.5, 0.3)),
    "nlin+": ({"n": 4}, "nlin", oracle.n_linear),
    "npoint+": (
        {"kernel": GAUSSIAN, "n": 4},
        "npoint",
        lambda p: oracle.extension(p, lambda x, y: GAUSSIAN([x], [y]).item()),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_against_brute_force_on_the_same_tuples(name):
    parameters, _, k = CASES[name]
    k_sampled = make_kernel(name, columns=11, rng=3, **parameters)
    X, Y = points(0), points(1, 5)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten_tuples(k, A, B, B[k_sampled.draw(len(B))])
        np.testing.assert_allclose(k_sampled(A, B), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_unbiased(name):
    """The mean over many draws is V / N^(n-1), within four standard errors."""
    parameters, exact, _ = CASES[name]
    X = points(0)[1:]
    draws = np.array([make_kernel(name, columns=20, rng=seed, **parameters)(X) for seed in range(300)])
    error = draws.std(0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(0) - make_kernel(exact, **parameters)(X)) <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("name", CASES)
def test_many_columns_come_close_to_the_exact_kernel(name):
    parameters, exact, _ = CASES[name]
    X = points(0)[1:]
    V = make_kernel(exact, **parameters)(X)
    sampled = make_kernel(name, columns=20_000, **parameters)(X)
    assert np.linalg.norm(sampled - V) <= 0.03 * np.linalg.norm(V)


def test_same_seed_same_draw():
    X = points(0, 30)
    assert (make_kernel("jt3+", rng=1)(X) == make_kernel("jt3+", rng=1)(X)).all()
    assert (make_kernel("jt3+", rng=1)(X) != make_kernel("jt3+", rng=2)(X)).any()
    assert make_kernel("jtn+", n=7, columns=13).draw(30).shape == (13, 6)


@pytest.mark.parametrize("name", CASES)
def test_tuples_are_handled_in_parts(name, monkeypatch):
    k, X = make_kernel(name, columns=23, **CASES[name][0]), points(0)
    at_once = k(X)
    monkeypatch.setattr(sampled, "TUPLES_AT_A_TIME", 5)
    np.testing.assert_allclose(k(X), at_once, rtol=1e-12)


def test_many_points_in_many_tuples_are_refused():
    assert np.isfinite(make_kernel("npoint+", n=1000, columns=200)(points(0))).all()
    with pytest.raises(ValueError, match="columns = 100000 tuples of 1000 points are too many"):
        make_kernel("npoint+", n=1000, columns=100_000)(points(0))


def test_large_t_does_not_overflow_the_affinity():
    affinity = make_kernel("expjt3+", t=500.0).affinity(points(0))
    assert np.isfinite(affinity).all()
    assert affinity.max() == 1
