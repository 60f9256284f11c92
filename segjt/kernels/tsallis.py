"""The entropies and differences behind the Jensen-Tsallis kernels (paper 003, paper 000 Section II).

Measures are the rows of an array, probability vectors or counts: the last axis runs over the outcomes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from segjt.runtime.arrays import Floats

# Closer to 1 than this, q counts as 1: the general form loses its digits there (errata 2.2).
NEAR_ONE = 1e-6
# s / x of two positive numbers can overflow; beyond this ratio the result no longer changes.
LARGEST_RATIO = 1e300


def phi(u: Floats, q: float) -> Floats:
    """Return phi_q(u) = (u^q - u) / (q - 1), or u ln u at q = 1; phi(0) = 0 for every q.

    As u expm1((q-1) ln u) / (q-1) it keeps its digits near q = 1.
    """
    u = np.asarray(u, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = u * (np.log(u) if abs(q - 1) < NEAR_ONE else np.expm1((q - 1) * np.log(u)) / (q - 1))
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
        if abs(q - 1) < NEAR_ONE:
            value = x * a + s * b
        else:
            value = (x**q * np.expm1((q - 1) * a) + s**q * np.expm1((q - 1) * b)) / (q - 1)
    return np.where((x > 0) & (s > 0), value, 0.0)


def q_logarithm(y: ArrayLike, q: float) -> Floats:
    """Return ln_q(y) = (y^(1-q) - 1) / (1-q), or ln y at q = 1 (paper 003, after eq. 2)."""
    y = np.asarray(y, dtype=np.float64)
    value: Floats = np.log(y) if abs(q - 1) < NEAR_ONE else np.expm1((1 - q) * np.log(y)) / (1 - q)
    return value


def tsallis_entropy(measures: ArrayLike, q: float) -> Floats:
    """Return S_q of each measure (paper 003, eq. 2 and 5); q = 1 is Shannon's entropy in nats."""
    total: Floats = -phi(non_negative(measures), q).sum(-1)
    return total


def renyi_entropy(measures: ArrayLike, q: float) -> Floats:
    """Return R_q = ln(sum p^q) / (1-q) of each probability vector (paper 003, eq. 1); q = 1 is Shannon's entropy."""
    return renyi_from_tsallis(tsallis_entropy(measures, q), q)


def renyi_from_tsallis(entropy: Floats, q: float) -> Floats:
    """Return R_q = ln(1 + (1-q) S_q) / (1-q) from S_q of a probability vector: both are functions of sum p^q."""
    value: Floats = entropy if abs(q - 1) < NEAR_ONE else np.log1p((1 - q) * entropy) / (1 - q)
    return value


def jensen_difference(
    entropy: Callable[[Floats], Floats], measures: ArrayLike, weights: ArrayLike | None = None
) -> Floats:
    """Return the entropy of the mixture less the mean entropy (paper 003, eq. 8).

    Parameters
    ----------
    entropy : callable
        Takes measures (..., outcomes) and returns their entropies.
    measures : (m, ..., outcomes) array
        The measures that are mixed.
    weights : (m,) array, optional
        Their probabilities; equal if not given.
    """
    mu, pi = mixture(measures, weights)
    return entropy(np.tensordot(pi, mu, 1)) - np.tensordot(pi, entropy(mu), 1)


def jensen_q_difference(measures: ArrayLike, q: float, weights: ArrayLike | None = None) -> Floats:
    """Return T_q = S_q(sum_t pi_t mu_t) - sum_t pi_t^q S_q(mu_t) of m measures (paper 003, eq. 15 to 17).

    Not a divergence unless q = 1: for equal measures it need not be 0.
    """
    mu, pi = mixture(measures, weights)
    powers = np.where(pi > 0, pi**q, 0.0)
    return tsallis_entropy(np.tensordot(pi, mu, 1), q) - np.tensordot(powers, tsallis_entropy(mu, q), 1)


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
    """Return checked measures, and weights that sum to 1."""
    mu = non_negative(measures)
    if mu.ndim < 2:
        raise ValueError(f"measures have shape {mu.shape}; give several, (m, outcomes)")
    pi = np.full(len(mu), 1 / len(mu)) if weights is None else non_negative(weights)
    if pi.shape != (len(mu),) or abs(pi.sum() - 1) > 1e-9:
        raise ValueError(f"weights have shape {pi.shape} and sum {pi.sum():g}; give {len(mu)} weights that sum to 1")
    return mu, pi


def non_negative(values: ArrayLike) -> Floats:
    """Return values as float64, or raise a ValueError that names the lowest if it is negative."""
    array = np.asarray(values, dtype=np.float64)
    if array.size and not array.min() >= 0:
        raise ValueError(f"a measure holds {array.min():g}; entropies take no negative or missing values")
    return array
