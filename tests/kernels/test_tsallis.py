import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjt.kernels.tsallis import (
    jensen_q_difference,
    jensen_renyi,
    jensen_shannon,
    jensen_tsallis,
    jt_term,
    phi,
    q_logarithm,
    renyi_entropy,
    tsallis_entropy,
)

value = st.floats(0, 1, allow_subnormal=False)


@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 2.0])
def test_phi_of_zero_is_zero(q):
    assert phi(np.array([0.0]), q).item() == 0


@given(value, value, st.floats(0, 2))
def test_jensen_difference_is_the_difference_of_phi(x, s, q):
    if 0 < abs(q - 1) < 1e-4:
        return  # there phi itself loses its digits, and the difference form is the better one
    direct = phi(np.array(x + s), q) - phi(np.array(x), q) - phi(np.array(s), q)
    np.testing.assert_allclose(jt_term(np.array(x), np.array(s), q), direct, rtol=1e-9, atol=1e-11)


@given(value, value, st.floats(0, 2))
def test_jensen_difference_is_never_negative(x, s, q):
    assert jt_term(np.array(x), np.array(s), q) >= 0


def test_no_cancellation_near_q_1():
    # 50 digits of the exact value, from the series of ((x + s)^q - x^q - s^q) / (q - 1) at q = 1 + 1e-5.
    import fractions
    import math

    x, s, q = 0.3, 0.2, 1.00001
    e = fractions.Fraction(q) - 1

    def power(u):
        return fractions.Fraction(u) * sum(
            (e * fractions.Fraction(math.log(u))) ** k / math.factorial(k) for k in range(6)
        )

    exact = float((power(x + s) - power(x) - power(s)) / e)
    np.testing.assert_allclose(jt_term(np.array(x), np.array(s), q), exact, rtol=1e-13)


P = np.array([[0.5, 0.25, 0.25, 0.0], [0.1, 0.2, 0.3, 0.4], [1.0, 0.0, 0.0, 0.0]])
COUNTS = np.array([[3.0, 0.0, 5.0], [2.0, 7.0, 1.0]])
QS = [0.0, 0.3, 1.0, 1.5, 2.0]


def shannon(p):
    return -sum(v * np.log(v) for v in p if v > 0)


def test_q_logarithm():
    np.testing.assert_allclose(q_logarithm([0.5, 3.0], 1), np.log([0.5, 3.0]))
    np.testing.assert_allclose(q_logarithm([0.5, 3.0], 0), [-0.5, 2.0])
    np.testing.assert_allclose(q_logarithm(2.0, 2), 0.5)


@pytest.mark.parametrize("p", P)
def test_entropies_by_hand(p):
    np.testing.assert_allclose(tsallis_entropy(p, 1), shannon(p), atol=1e-15)
    np.testing.assert_allclose(renyi_entropy(p, 1), shannon(p), atol=1e-15)
    np.testing.assert_allclose(tsallis_entropy(p, 2), 1 - p @ p, atol=1e-15)
    np.testing.assert_allclose(tsallis_entropy(p, 0), (p > 0).sum() - 1, atol=1e-15)
    np.testing.assert_allclose(renyi_entropy(p, 2), -np.log(p @ p), atol=1e-15)
    np.testing.assert_allclose(renyi_entropy(p, 0), np.log((p > 0).sum()), atol=1e-15)


@pytest.mark.parametrize("q", QS)
def test_entropies_of_independent_variables(q):
    """Eq. 3: S(X, Y) = S(X) + S(Y) - (q-1) S(X) S(Y); Renyi's entropy is additive."""
    joint = np.outer(P[0], P[1]).ravel()
    s, t = tsallis_entropy(P[:2], q)
    np.testing.assert_allclose(tsallis_entropy(joint, q), s + t - (q - 1) * s * t, rtol=1e-12)
    np.testing.assert_allclose(renyi_entropy(joint, q), renyi_entropy(P[:2], q).sum(), rtol=1e-12)


@pytest.mark.parametrize("q", QS)
def test_denormalization(q):
    """Eq. 7: S_q(c mu) = c^q S_q(mu) + phi_q(c) |mu|_1 with the paper's phi_q, which is minus ours."""
    for c in (0.5, 3.0):
        expected = c**q * tsallis_entropy(COUNTS, q) - phi(np.array(c), q) * COUNTS.sum(1)
        np.testing.assert_allclose(tsallis_entropy(c * COUNTS, q), expected, rtol=1e-12)


def test_special_cases_of_the_q_difference():
    """After eq. 17: q = 0, 1 and 2."""
    p, r = P[0], P[1]
    np.testing.assert_allclose(jensen_q_difference([p, r], 0), 1 - ((p > 0) & (r > 0)).sum())
    np.testing.assert_allclose(jensen_q_difference([p, r], 1), jensen_shannon([p, r]))
    np.testing.assert_allclose(jensen_q_difference([p, r], 2), 0.5 - 0.5 * p @ r)


def test_divergences_of_several_weighted_measures_by_hand():
    weights = [0.2, 0.3, 0.5]
    mixed = 0.2 * P[0] + 0.3 * P[1] + 0.5 * P[2]
    expected = shannon(mixed) - 0.2 * shannon(P[0]) - 0.3 * shannon(P[1]) - 0.5 * shannon(P[2])
    np.testing.assert_allclose(jensen_shannon(P, weights), expected)
    np.testing.assert_allclose(jensen_tsallis(P, 1, weights), expected)
    np.testing.assert_allclose(jensen_renyi(P, 1, weights), expected)
    for q in (0.5, 2.0):
        s = tsallis_entropy(P, q)
        np.testing.assert_allclose(jensen_tsallis(P, q, weights), tsallis_entropy(mixed, q) - s @ weights)
        difference = tsallis_entropy(mixed, q) - s @ np.power(weights, q)
        np.testing.assert_allclose(jensen_q_difference(P, q, weights), difference)


def test_divergences_of_equals_are_zero():
    for q in QS:
        np.testing.assert_allclose(jensen_tsallis([P[1]] * 3, q), 0, atol=1e-15)
        np.testing.assert_allclose(jensen_renyi([P[1]] * 3, q), 0, atol=1e-15)


def test_wrong_measures_and_weights():
    with pytest.raises(ValueError, match="a measure holds -1"):
        tsallis_entropy([0.5, -1.0], 1)
    with pytest.raises(ValueError, match="a measure holds nan"):
        tsallis_entropy([0.5, np.nan], 1)
    with pytest.raises(ValueError, match=r"give 3 weights that sum to 1"):
        jensen_shannon(P, [0.5, 0.5])
    with pytest.raises(ValueError, match=r"sum 0.9; give 3 weights that sum to 1"):
        jensen_shannon(P, [0.5, 0.2, 0.2])
    with pytest.raises(ValueError, match="give several"):
        jensen_shannon([0.5, 0.5])
