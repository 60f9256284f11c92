"""Two-point kernels of the Jensen family against the papers' definitions."""

import numpy as np
import pytest
from reference import kernels as oracle
from reference.rows import points

from segjt.kernels import make_kernel
from segjt.kernels.tsallis import (
    jensen_q_difference,
    jensen_renyi,
    jensen_shannon,
    q_logarithm,
    tsallis_entropy,
)

QS = [0.0, 0.3, 1 - 1e-7, 1.0, 1.4, 2.0]
COUNTS = np.array([[3.0, 0.0, 5.0, 1.0], [2.0, 7.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0], [10.0, 20.0, 0.0, 40.0]])
P = COUNTS / COUNTS.sum(1, keepdims=True)


def pairs(k, X, Y):
    """The Gram matrix of a function of two rows, one pair at a time."""
    return np.array([[k(x, y) for y in Y] for x in X])


@pytest.mark.parametrize("q", QS)
def test_jt2(q):
    X, Y = points(0), points(1, 4)
    expected = oracle.gram(lambda p: oracle.jt(p, q), X, Y)
    np.testing.assert_allclose(
        make_kernel("jt2", q=q)(X, Y), expected, rtol=1e-6 if q == 1 - 1e-7 else 1e-12, atol=1e-13
    )


@pytest.mark.parametrize("q", QS)
@pytest.mark.parametrize("t", [0.1, 2.0])
def test_expjt2(q, t):
    X, Y = points(0), points(1, 4)
    expected = oracle.gram(lambda p: oracle.exp_jt(p, q, t), X, Y)
    np.testing.assert_allclose(make_kernel("expjt2", q=q, t=t)(X, Y), expected, rtol=1e-6 if q == 1 - 1e-7 else 1e-12)


@pytest.mark.parametrize("q", [0.3, 0.5, 1.0, 1.7, 2.0])
def test_expjt2_is_the_exponential_of_the_q_difference(q):
    """Eq. 6 as it should read, exp(-t T_q) = exp(t (2^-q k - ln_q 2)) (errata, part 1)."""
    t = 1.7
    by_difference = pairs(lambda p, r: np.exp(-t * jensen_q_difference([p, r], q)), P, P)
    scaled = make_kernel("expjt2", q=q, t=t * 2**-q)(P) * np.exp(-t * q_logarithm(2.0, q))
    np.testing.assert_allclose(scaled, by_difference, rtol=1e-12)


def definition_3(mu, nu, q):
    """S_q(pi) - T_q^pi(p_1, p_2) of paper 003's Definition 3, and the mass (w_1 + w_2)^q."""
    weights = np.array([mu.sum(), nu.sum()])
    pi = weights / weights.sum()
    difference = jensen_q_difference([mu / weights[0], nu / weights[1]], q, pi)
    return tsallis_entropy(pi, q) - difference, weights.sum() ** q


@pytest.mark.parametrize("q", [0.0, 0.3, 1.0, 1.4, 2.0])
def test_weighted_jt_kernels_are_definition_3(q):
    expected = pairs(lambda mu, nu: np.prod(definition_3(mu, nu, q)), COUNTS, COUNTS)
    np.testing.assert_allclose(make_kernel("weighted_jt", q=q)(COUNTS), expected, rtol=1e-10, atol=1e-12)
    expected = pairs(lambda mu, nu: definition_3(mu, nu, q)[0], COUNTS, COUNTS)
    np.testing.assert_allclose(make_kernel("weighted_jt_normalized", q=q)(COUNTS), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 2.0])
def test_the_two_forms_meet_on_probability_vectors(q):
    """Eq. 23 as it should read: k_q(p, r) = ln_q 2 - T_q(p, r), and k~_q(p, r) is 2^q times that (errata, part 1)."""
    expected = pairs(lambda p, r: q_logarithm(2.0, q) - jensen_q_difference([p, r], q), P, P)
    np.testing.assert_allclose(make_kernel("weighted_jt_normalized", q=q)(P), expected, atol=1e-12)
    np.testing.assert_allclose(make_kernel("weighted_jt", q=q)(P), 2**q * expected, atol=1e-12)


def test_weighted_jt_of_nothing_is_0():
    X = np.array([[0.0, 0.0], [1.0, 2.0]])
    assert make_kernel("weighted_jt")(X)[0].tolist() == [0, 0]


def test_js_and_its_exponentials():
    js = pairs(lambda p, r: jensen_shannon([p, r]), P, P)
    np.testing.assert_allclose(make_kernel("js")(P), np.log(2) - js, atol=1e-14)
    np.testing.assert_allclose(make_kernel("expjs", t=2.5)(P), np.exp(-2.5 * js), rtol=1e-12)
    np.testing.assert_allclose(make_kernel("weighted_expjs", t=2.5)(P), 2**2.5 * np.exp(-2.5 * js), rtol=1e-12)


def test_weighted_expjs_is_eq_22():
    def eq_22(mu, nu, t=1.3):
        weights = np.array([mu.sum(), nu.sum()])
        pi = weights / weights.sum()
        divergence = jensen_shannon([mu / weights[0], nu / weights[1]], pi)
        return np.exp(t * tsallis_entropy(pi, 1)) * np.exp(-t * divergence)

    np.testing.assert_allclose(make_kernel("weighted_expjs", t=1.3)(COUNTS), pairs(eq_22, COUNTS, COUNTS), rtol=1e-12)


@pytest.mark.parametrize("q", [0.0, 0.3, 1 - 1e-5, 1.0, 1 + 1e-5, 1.5, 2.0])
def test_expjr(q):
    expected = pairs(lambda p, r: np.exp(-1.7 * jensen_renyi([p, r], q)), P, P)
    np.testing.assert_allclose(make_kernel("expjr", q=q, t=1.7)(P), expected, rtol=1e-11)


@pytest.mark.parametrize("q", [0.3, 0.7])
def test_expjr_is_eq_27(q):
    def eq_27(p, r, t=1.7):
        mixed = sum(((a + b) / 2) ** q for a, b in zip(p, r, strict=True) if a + b > 0)
        own = sum(a**q for a in p if a > 0) * sum(b**q for b in r if b > 0)
        return (mixed / np.sqrt(own)) ** (-t / (1 - q))

    np.testing.assert_allclose(make_kernel("expjr", q=q, t=1.7)(P), pairs(eq_27, P, P), rtol=1e-12)


def test_expjr_at_q_1_is_expjs():
    np.testing.assert_allclose(make_kernel("expjr", q=1, t=3)(P), make_kernel("expjs", t=3)(P), rtol=1e-12)


def test_boolean_linear_and_js_are_the_ends_and_the_middle_of_one_family():
    """Paper 003, eq. 24 to 26."""
    family = {q: make_kernel("weighted_jt_normalized", q=q)(P) for q in (0, 1, 2)}
    np.testing.assert_allclose(family[0], make_kernel("boolean")(P), atol=1e-12)
    np.testing.assert_allclose(family[1], make_kernel("js")(P), atol=1e-12)
    np.testing.assert_allclose(family[2], make_kernel("linear")(P) / 2, atol=1e-12)
    np.testing.assert_array_equal(make_kernel("boolean")(COUNTS), (COUNTS > 0).astype(float) @ (COUNTS > 0).T)


def test_heat():
    def eq_28(p, r, tau=0.2):
        distance = 2 * np.arccos(min(np.sqrt(p * r).sum(), 1))
        return np.exp(-(distance**2) / (4 * tau))

    np.testing.assert_allclose(make_kernel("heat", tau=0.2)(P), pairs(eq_28, P, P), rtol=1e-10)
    assert (np.diag(make_kernel("heat", tau=1e-6)(P)) == 1).all()
    # Orthogonal vectors are at the distance pi.
    np.testing.assert_allclose(make_kernel("heat", tau=1)(np.eye(2))[0, 1], np.exp(-(np.pi**2) / 4))


@pytest.mark.parametrize("name", ["heat", "expjs", "expjr"])
def test_equal_rows_in_two_arrays(name):
    """Round-off puts the Bhattacharyya coefficient above 1 and JS below 0 for some of them."""
    rows = np.random.default_rng(0).dirichlet([0.5] * 7, 60)
    K = make_kernel(name)(rows, rows.copy())
    assert np.isfinite(K).all()
    assert K.max() <= 1 + 1e-12
    np.testing.assert_allclose(np.diag(K), 1)
    if name == "expjs":
        assert K.max() <= 1


def test_q_0_is_boolean_and_q_2_twice_linear():
    X = points(0)
    np.testing.assert_array_equal(make_kernel("jt2", q=0)(X), (X > 0).astype(float) @ (X > 0).T)
    np.testing.assert_allclose(make_kernel("jt2", q=2)(X), 2 * X @ X.T, atol=1e-15)


def test_tiny_positive_values_do_not_break_anything():
    X = np.array([[1e-300, 0.5], [1.0, 5e-324], [0.3, 0.2]])
    for q in (0.0, 0.5, 1.0, 1.5, 2.0):
        assert np.isfinite(make_kernel("jt2", q=q)(X)).all()
        assert np.isfinite(make_kernel("jt3", q=q)(X)).all()
