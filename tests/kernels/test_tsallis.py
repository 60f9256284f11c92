import decimal
import itertools
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import kernels as oracle

from segjt.kernels import make_kernel
from segjt.kernels.tsallis import (
    conditional_entropy,
    jensen_difference,
    jensen_q_difference,
    jensen_renyi,
    jensen_shannon,
    jensen_tsallis,
    jt_term,
    mutual_information,
    phi,
    q_expectation,
    q_logarithm,
    renyi_entropy,
    tsallis_entropy,
    weighted_jt,
    weighted_jt_normalized,
)

value = st.floats(0, 1, allow_subnormal=False)


@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 2.0])
def test_phi_of_zero_is_zero(q):
    assert phi(np.array([0.0]), q).item() == 0


@given(value, value, st.floats(0, 2))
def test_jensen_difference_is_the_difference_of_phi(x, s, q):
    direct = phi(np.array(x + s), q) - phi(np.array(x), q) - phi(np.array(s), q)
    np.testing.assert_allclose(jt_term(np.array(x), np.array(s), q), direct, rtol=1e-9, atol=1e-11)


@given(value, value, st.floats(0, 2))
def test_jensen_difference_is_never_negative(x, s, q):
    assert jt_term(np.array(x), np.array(s), q) >= 0


@pytest.mark.parametrize("q", [sign * 10.0**-k + 1 for k in range(1, 16) for sign in (-1, 1)])
def test_no_digits_are_lost_near_q_1(q):
    """Against 50 digits, however near: q counts as 1 only if it is 1."""
    with decimal.localcontext() as context:
        context.prec = 50
        order = Decimal(q)
        x, s = Decimal("0.375"), Decimal("0.1875")
        exact = ((x + s) ** order - x**order - s**order) / (order - 1)
        entropy = (x - x**order + s - s**order) / (order - 1)
        logarithm = (x ** (1 - order) - 1) / (1 - order)
        power_sum = Decimal("0.25") ** order + Decimal("0.75") ** order
        renyi = power_sum.ln() / (1 - order)
    np.testing.assert_allclose(jt_term(np.array(0.375), np.array(0.1875), q), float(exact), rtol=2e-15)
    np.testing.assert_allclose(tsallis_entropy([0.375, 0.1875], q), float(entropy), rtol=2e-15)
    np.testing.assert_allclose(q_logarithm(0.375, q), float(logarithm), rtol=2e-15)
    np.testing.assert_allclose(renyi_entropy([0.25, 0.75], q), float(renyi), rtol=2e-15)


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


JOINTS = {
    "random": np.random.default_rng(0).dirichlet([0.4] * 12).reshape(3, 4),
    "zeros": np.array([[0.25, 0.0, 0.0], [0.0, 0.0, 0.5], [0.25, 0.0, 0.0]]),
    "independent": np.outer([0.2, 0.3, 0.5], [0.1, 0.9]),
    "a function": np.diag([0.2, 0.3, 0.5]),
    "one outcome": np.array([[1.0]]),
    "certain": np.array([[0.0, 0.0], [0.0, 1.0]]),
}
every_joint = pytest.mark.parametrize("joint", JOINTS.values(), ids=list(JOINTS))


def by_definition(joint, q):
    """S_q(X|Y) = -E_q(ln_q P_{X|Y}), outcome by outcome."""
    total = 0.0
    for x, y in itertools.product(range(joint.shape[0]), range(joint.shape[1])):
        if joint[x, y] > 0:
            given_y = joint[x, y] / sum(joint[:, y])
            logarithm = np.log(given_y) if q == 1 else (given_y ** (1 - q) - 1) / (1 - q)
            total -= joint[x, y] ** q * logarithm
    return total


@every_joint
@pytest.mark.parametrize("q", QS)
def test_conditional_entropy(joint, q):
    np.testing.assert_allclose(conditional_entropy(joint, q), by_definition(joint, q), rtol=1e-12, atol=1e-15)
    # The chain rule, S_q(X, Y) = S_q(X) + S_q(Y|X), both ways.
    together = tsallis_entropy(joint.ravel(), q)
    for P in (joint, joint.T):
        np.testing.assert_allclose(
            together, tsallis_entropy(P.sum(0), q) + conditional_entropy(P, q), rtol=1e-12, atol=1e-14
        )


@every_joint
@pytest.mark.parametrize("q", QS)
def test_mutual_information(joint, q):
    """Eq. 4: symmetric, and S_q(X) + S_q(Y) - S_q(X, Y)."""
    x, y = (tsallis_entropy(joint.sum(axis), q) for axis in (1, 0))
    information = mutual_information(joint, q)
    np.testing.assert_allclose(information, x + y - tsallis_entropy(joint.ravel(), q), atol=1e-14)
    np.testing.assert_allclose(information, mutual_information(joint.T, q), atol=1e-14)
    if q >= 1:
        assert information >= -1e-14


def test_mutual_information_at_q_1_is_shannons():
    for joint in JOINTS.values():
        independent = np.outer(joint.sum(1), joint.sum(0))
        expected = sum(p * np.log(p / r) for p, r in zip(joint.ravel(), independent.ravel(), strict=True) if p > 0)
        np.testing.assert_allclose(mutual_information(joint, 1), expected, atol=1e-14)


@pytest.mark.parametrize("q", QS)
def test_independent_variables(q):
    """Conditions change S_q(X) even then, but for q = 1; below q = 1 the mutual information is negative."""
    joint = JOINTS["independent"]
    x, y = tsallis_entropy(joint.sum(1), q), tsallis_entropy(joint.sum(0), q)
    np.testing.assert_allclose(conditional_entropy(joint, q), x * q_expectation(np.ones(2), joint.sum(0), q))
    np.testing.assert_allclose(mutual_information(joint, q), (q - 1) * x * y, atol=1e-14)


@every_joint
@pytest.mark.parametrize("q", QS)
def test_the_q_difference_is_the_mutual_information(joint, q):
    """Eq. 16: of the distributions of X given each class y, weighted with the probabilities of the classes."""
    P_y = joint.sum(0)
    given_y = (joint / np.where(P_y > 0, P_y, 1)).T
    np.testing.assert_allclose(jensen_q_difference(given_y, q, P_y), mutual_information(joint, q), atol=1e-14)


def test_conditional_entropies_of_many_tables_and_of_counts():
    tables = np.random.default_rng(1).integers(0, 5, (2, 6, 3, 4)).astype(float)
    tables[0, 0] = 0
    for q in QS:
        expected = [[by_definition(table, q) for table in row] for row in tables]
        np.testing.assert_allclose(conditional_entropy(tables, q), expected, rtol=1e-12, atol=1e-12)
        # The denormalisation formula makes the chain rule hold for measures of any mass.
        together = tsallis_entropy(tables.reshape(2, 6, 12), q)
        np.testing.assert_allclose(tsallis_entropy(tables.sum(-2), q) + conditional_entropy(tables, q), together)


def test_q_expectation():
    f, p = np.array([3.0, -1.0, np.inf]), np.array([0.25, 0.75, 0.0])
    assert q_expectation(f, p, 1) == 0.25 * 3 - 0.75
    assert q_expectation(f, p, 0) == 2
    np.testing.assert_allclose(q_expectation(f, p, 0.5), np.sqrt(0.25) * 3 - np.sqrt(0.75))
    # Eq. 2: S_q = -E_q(ln_q P).
    np.testing.assert_allclose(-q_expectation(q_logarithm(P[1], 0.7), P[1], 0.7), tsallis_entropy(P[1], 0.7))


def gini(measures):
    return measures.sum(-1) ** 2 - (measures**2).sum(-1)


@pytest.mark.parametrize("entropy", [gini, lambda mu: renyi_entropy(mu, 0.5)], ids=["gini", "renyi"])
@pytest.mark.parametrize("q", QS)
def test_jensen_q_difference_of_any_entropy(entropy, q):
    """Eq. 15, and eq. 8 at q = 1; the weight 0 does not count, not even at q = 0."""
    weights = np.array([0.2, 0.8, 0.0])
    expected = entropy(weights @ P) - sum(w**q * entropy(p) for w, p in zip(weights, P, strict=True) if w > 0)
    np.testing.assert_allclose(jensen_difference(entropy, P, weights, q), expected, rtol=1e-14)
    np.testing.assert_allclose(
        jensen_difference(entropy, [P, P[::-1]], weights, q)[1], jensen_difference(entropy, P[::-1], weights, q)
    )


@pytest.mark.parametrize(("q", "nearer"), [(0.5, "uniform"), (1.0, "itself"), (1.5, "degenerate")])
def test_what_a_distribution_differs_least_from(q, nearer):
    """Eq. 18: not itself, unless q = 1; something more uniform for q < 1, more degenerate for q > 1."""
    p = 0.3
    grid = np.linspace(0, 1, 2001)
    pairs = np.stack([np.stack([grid, 1 - grid], 1), np.tile([p, 1 - p], (2001, 1))], axis=1)
    best = grid[jensen_q_difference(pairs, q).argmin()]
    assert {"uniform": p < best <= 0.5, "itself": best == p, "degenerate": best < p}[nearer]


MANY = np.random.default_rng(2).integers(0, 6, (5, 4, 7)).astype(float)  # 5 sets of 4 histograms


@pytest.mark.parametrize("q", [0.0, 0.3, 1 - 1e-9, 1.0, 1.4, 2.0])
def test_weighted_jt_of_many_measures_is_definition_3(q):
    for measures in MANY:
        weights = measures.sum(1)
        pi = weights / weights.sum()
        value = tsallis_entropy(pi, q) - jensen_q_difference(measures / weights[:, None], q, pi)
        np.testing.assert_allclose(weighted_jt_normalized(measures, q), value, rtol=1e-12)
        np.testing.assert_allclose(weighted_jt(measures, q), value * weights.sum() ** q, rtol=1e-12)
        # S_q(Y) - I_q(X; Y) = S_q(Y|X): how uncertain the measure is that a sample came from.
        joint = measures / measures.sum()
        np.testing.assert_allclose(weighted_jt_normalized(measures, q), conditional_entropy(joint, q), rtol=1e-12)
    np.testing.assert_allclose(weighted_jt(MANY, q), [weighted_jt(measures, q) for measures in MANY], rtol=1e-14)
    assert weighted_jt(MANY.reshape(5, 1, 4, 7), q).shape == (5, 1)


@pytest.mark.parametrize("q", QS)
def test_weighted_jt_of_many_measures_by_loops(q):
    np.testing.assert_allclose(weighted_jt(MANY, q), [oracle.jt(list(measures), q) for measures in MANY], rtol=1e-12)


@pytest.mark.parametrize("q", QS)
def test_weighted_jt_of_two_measures_is_the_kernel(q):
    pairs = MANY.reshape(10, 2, 7)
    for function, name in ((weighted_jt, "weighted_jt"), (weighted_jt_normalized, "weighted_jt_normalized")):
        expected = np.diagonal(make_kernel(name, q=q)(pairs[:, 0], pairs[:, 1]))
        np.testing.assert_allclose(function(pairs, q), expected, rtol=1e-13)


def test_weighted_jt_of_degenerate_measures():
    for q in QS:
        assert weighted_jt(np.zeros((3, 4)), q) == 0
        assert weighted_jt_normalized(np.zeros((3, 4)), q) == 0
        assert weighted_jt(np.eye(3), q) == 0  # nothing in common
        assert weighted_jt(MANY[0, :1], q) == 0  # one measure alone
        np.testing.assert_allclose(weighted_jt(np.concatenate([MANY[0], np.zeros((2, 7))]), q), weighted_jt(MANY[0], q))
    assert weighted_jt(np.zeros((0, 2, 3)), 1).shape == (0,)
    with pytest.raises(ValueError, match=r"measures have shape \(3,\); give several"):
        weighted_jt([1, 2, 3], 1)
    with pytest.raises(ValueError, match="a measure holds -1"):
        weighted_jt([[1, -1], [0, 1]], 1)


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
