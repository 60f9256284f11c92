"""The entropies and differences behind the Jensen-Tsallis kernels (paper 003, paper 000 Section II).

Measures are the rows of an array, probability vectors or counts: the last axis runs over the outcomes, the one before
it over measures that are compared. All forms keep their digits for every q: those with q - 1 below a fraction are
written with expm1 and log1p.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from segjt.runtime.arrays import Floats

# s / x of two positive numbers can overflow; beyond this ratio the result no longer changes.
LARGEST_RATIO = 1e300


def phi(u: Floats, q: float) -> Floats:
    """Return phi_q(u) = (u^q - u) / (q - 1), or u ln u at q = 1; phi(0) = 0 for every q.

    As u expm1((q-1) ln u) / (q-1) it keeps its digits near q = 1.
    """
    u = np.asarray(u, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = u * (np.log(u) if q == 1 else np.expm1((q - 1) * np.log(u)) / (q - 1))
    return np.where(u > 0, value, 0.0)


def jt_term(x: Floats, s: Floats, q: float) -> Floats:
    """Return phi_q(x + s) - phi_q(x) - phi_q(s), one term of eq. 7 of paper 000, without cancellation.

    With a = ln(1 + s/x) and b = ln(1 + x/s) it is
    [x^q expm1((q-1) a) + s^q expm1((q-1) b)] / (q-1), and x a + s b at q = 1; both terms are positive.
    It is 0 where x or s is 0 (errata 2.1, 2.2). The arguments broadcast.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        a = np.log1p(np.minimum(s / x, LARGEST_RATIO))
        b = np.log1p(np.minimum(x / s, LARGEST_RATIO))
        e = q - 1
        value = x * a + s * b if e == 0 else (x**q * np.expm1(e * a) + s**q * np.expm1(e * b)) / e
    return np.where((x > 0) & (s > 0), value, 0.0)


def q_logarithm(y: ArrayLike, q: float) -> Floats:
    """Return ln_q(y) = (y^(1-q) - 1) / (1-q), or ln y at q = 1 (paper 003, after eq. 2)."""
    y = np.asarray(y, dtype=np.float64)
    value: Floats = np.log(y) if q == 1 else np.expm1((1 - q) * np.log(y)) / (1 - q)
    return value


def q_power(values: Floats, q: float) -> Floats:
    """Return v^q of values that are not negative, with 0^q = 0 for every q (errata 2.1)."""
    with np.errstate(divide="ignore"):
        return np.where(values > 0, values**q, 0.0)


def q_expectation(values: ArrayLike, probabilities: ArrayLike, q: float) -> Floats:
    """Return the unnormalised q-expectation E_q(f) = sum_i P(x_i)^q f(x_i) (paper 003, after eq. 2).

    The arguments broadcast; the sum runs over their last axis. Outcomes of probability 0 do not count, whatever the
    value of f there. E_1 is the mean.
    """
    P = non_negative(probabilities)
    terms = q_power(P, q) * np.where(P > 0, np.asarray(values, dtype=np.float64), 0.0)
    expectation: Floats = terms.sum(-1)
    return expectation


def tsallis_entropy(measures: ArrayLike, q: float) -> Floats:
    """Return S_q of each measure (paper 003, eq. 2 and 5); q = 1 is Shannon's entropy in nats."""
    total: Floats = -phi(non_negative(measures), q).sum(-1)
    return total


def conditional_entropy(joint: ArrayLike, q: float) -> Floats:
    """Return the conditional Tsallis entropy S_q(X|Y) = -E_q(ln_q P_{X|Y}) (paper 003, before eq. 4).

    It is the q-expectation of the entropies of X given y, sum_y P(y)^q S_q(X|y), and follows the chain rule
    S_q(X, Y) = S_q(Y) + S_q(X|Y). For independent X and Y it is S_q(X) only at q = 1; else S_q(X) sum_y P(y)^q.

    Parameters
    ----------
    joint : (..., x, y) array
        Joint probabilities P(x, y); ``joint.T`` for S_q(Y|X). Counts do too: the chain rule holds for any measures.
    q : float
        Entropic index.
    """
    of_y = np.swapaxes(several(joint), -1, -2)
    P_y = of_y.sum(-1)
    given_y = of_y / np.where(P_y > 0, P_y, 1.0)[..., None]
    return q_expectation(tsallis_entropy(given_y, q), P_y, q)


def mutual_information(joint: ArrayLike, q: float) -> Floats:
    """Return the Tsallis mutual information I_q(X; Y) = S_q(X) - S_q(X|Y) of joint probabilities (..., x, y).

    Paper 003, eq. 4. Symmetric in X and Y; Shannon's at q = 1. Of independent variables it is (q - 1) S_q(X) S_q(Y),
    which is 0 at q = 1 only, and below 0 for q < 1. The Jensen-Tsallis q-difference of the distributions of X given
    each y, weighted with P(y), is the same number (eq. 16).
    """
    P = several(joint)
    return tsallis_entropy(P.sum(-1), q) - conditional_entropy(P, q)


def renyi_entropy(measures: ArrayLike, q: float) -> Floats:
    """Return R_q = ln(sum p^q) / (1-q) of each probability vector (paper 003, eq. 1); q = 1 is Shannon's entropy."""
    return renyi_from_tsallis(tsallis_entropy(measures, q), q)


def renyi_from_tsallis(entropy: Floats, q: float) -> Floats:
    """Return R_q = ln(1 + (1-q) S_q) / (1-q) from S_q of a probability vector: both are functions of sum p^q."""
    value: Floats = entropy if q == 1 else np.log1p((1 - q) * entropy) / (1 - q)
    return value


def jt_of_tuples(members: Floats, q: float) -> tuple[Floats, Floats]:
    """Return the sum of the m measures of each tuple (..., m, outcomes), and their JT kernel K_m (paper 000, eq. 9).

    K_m(y_1, ..., y_m) = k(y_m, y_1 + ... + y_{m-1}) + K_{m-1}(y_1, ..., y_{m-1}): no cancellation (errata 2.3).
    """
    total = members[..., 0, :]
    values = np.zeros(total.shape[:-1])
    for j in range(1, members.shape[-2]):
        values = values + jt_term(members[..., j, :], total, q).sum(-1)
        total = total + members[..., j, :]
    return total, values


def weighted_jt(measures: ArrayLike, q: float) -> Floats:
    """Return the weighted Jensen-Tsallis kernel (S_q(pi) - T_q^pi(p_1, ..., p_m)) (w_1 + ... + w_m)^q of m measures.

    Paper 003's Definition 3 for any number of measures, as its last sentence suggests: a measure is a weight w, its
    sum, times a probability vector p, and pi are the weights as shares. By the denormalisation formula (eq. 7) it is
    S_q(mu_1) + ... + S_q(mu_m) - S_q(mu_1 + ... + mu_m), the n-point kernel of paper 000 (eq. 9). Never negative;
    0 if no outcome is common to two measures. For two measures it is the kernel "weighted_jt".

    Parameters
    ----------
    measures : (..., m, outcomes) array
        Sets of m measures, such as histogram counts.
    q : float
        Entropic index, 0 to 2.

    Returns
    -------
    (...) array
        One value per set.

    Examples
    --------
    >>> from segjt.kernels.tsallis import weighted_jt
    >>> weighted_jt([[1, 0, 2], [1, 0, 1], [0, 3, 1]], q=2).item()    # twice the sum of the inner products of pairs
    12.0
    """
    return jt_of_tuples(several(measures), q)[1]


def weighted_jt_normalized(measures: ArrayLike, q: float) -> Floats:
    """Return S_q(pi) - T_q^pi(p_1, ..., p_m) of m measures, without their mass (paper 003, Definition 3).

    `weighted_jt` divided by (w_1 + ... + w_m)^q; sets of measures (..., m, outcomes) give (...) values. S_q(Y|X), the
    uncertainty about which of the m measures a sample of their mixture is from: the more alike, the larger. For two
    measures it is the kernel "weighted_jt_normalized"; measures that are all 0 leave no uncertainty, 0.
    """
    total, value = jt_of_tuples(several(measures), q)
    mass = total.sum(-1)
    return value / np.where(mass > 0, mass, 1.0) ** q


def jensen_difference(
    entropy: Callable[[Floats], Floats], measures: ArrayLike, weights: ArrayLike | None = None, q: float = 1.0
) -> Floats:
    """Return the Jensen q-difference Psi(sum_t pi_t mu_t) - sum_t pi_t^q Psi(mu_t) (paper 003, eq. 15; eq. 8 at q = 1).

    Parameters
    ----------
    entropy : callable
        Psi: takes measures (..., outcomes) and returns their entropies.
    measures : (..., m, outcomes) array
        The measures that are mixed.
    weights : (m,) array, optional
        Their probabilities pi; equal if not given.
    q : float, optional
        Which expectation of the entropies is subtracted: their q-expectation, the mean if not given.
    """
    mu, pi = mixture(measures, weights)
    return entropy(pi @ mu) - q_expectation(entropy(mu), pi, q)


def jensen_q_difference(measures: ArrayLike, q: float, weights: ArrayLike | None = None) -> Floats:
    """Return T_q = S_q(sum_t pi_t mu_t) - sum_t pi_t^q S_q(mu_t) of m measures (paper 003, eq. 15 to 17).

    Not a divergence unless q = 1: for equal measures it need not be 0.
    """
    return jensen_difference(lambda mu: tsallis_entropy(mu, q), measures, weights, q)


def jensen_shannon(measures: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Return the Jensen-Shannon divergence of m measures, in nats (paper 003, eq. 9)."""
    return jensen_difference(lambda mu: tsallis_entropy(mu, 1), measures, weights)


def jensen_tsallis(measures: ArrayLike, q: float, weights: ArrayLike | None = None) -> Floats:
    """Return the Jensen-Tsallis divergence of m measures: eq. 8 with S_q (paper 003, Section 3)."""
    return jensen_difference(lambda mu: tsallis_entropy(mu, q), measures, weights)


def jensen_renyi(measures: ArrayLike, q: float, weights: ArrayLike | None = None) -> Floats:
    """Return the Jensen-Renyi divergence of m probability vectors (paper 003, eq. 10)."""
    return jensen_difference(lambda mu: renyi_entropy(mu, q), measures, weights)


def mixture(measures: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return checked measures (..., m, outcomes), and m weights that sum to 1."""
    mu = several(measures)
    m = mu.shape[-2]
    pi = np.full(m, 1 / m) if weights is None else non_negative(weights)
    if pi.shape != (m,) or abs(pi.sum() - 1) > 1e-9:
        raise ValueError(f"weights have shape {pi.shape} and sum {pi.sum():g}; give {m} weights that sum to 1")
    return mu, pi


def several(measures: ArrayLike) -> Floats:
    """Return checked measures (..., m, outcomes) with m of at least 1, or raise a ValueError."""
    mu = non_negative(measures)
    if mu.ndim < 2 or mu.shape[-2] == 0:
        raise ValueError(f"measures have shape {mu.shape}; give several, (m, outcomes)")
    return mu


def non_negative(values: ArrayLike) -> Floats:
    """Return values as float64, or raise a ValueError that names the lowest if it is negative."""
    array = np.asarray(values, dtype=np.float64)
    if array.size and not array.min() >= 0:
        raise ValueError(f"a measure holds {array.min():g}; entropies take no negative or missing values")
    return array
