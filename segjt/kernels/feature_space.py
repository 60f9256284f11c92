"""Where points lie in the feature space of a kernel: angles, ratios of norms, distances (paper 002).

K(x, y) = <phi(x), phi(y)> is the cosine of the angle between phi(x) and phi(y) times their norms, and the normalised
kernel K^t is that cosine, less the more the norms differ (eq. 9): cos(theta) / M^t(gamma, 1 / gamma). Two points whose
norm is 0 are the same point: angle 0, ratio 1, distance 0; one of them is at a right angle to all others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from segjt.kernels.base import Kernel, Points
from segjt.kernels.normalized import Normalized, spread
from segjt.runtime.arrays import Floats


def angles(kernel: Kernel | str, X: Points, Y: Points | None = None) -> Floats:
    """Return the angle theta of phi(x) and phi(y) of all pairs of rows, 0 to pi (paper 002, eq. 4).

    Parameters
    ----------
    kernel : Kernel or str
        The kernel, or its name.
    X, Y : arrays
        Rows in the kernel's domain; Y is X if it is not given.

    Examples
    --------
    >>> from segjt.kernels.feature_space import angles
    >>> angles("linear", [[1.0, 0.0]], [[0.0, 3.0], [2.0, 0.0]]).round(3).tolist()
    [[1.571, 0.0]]
    """
    cosines, _ = cosines_and_log_ratios(kernel, X, Y)
    return np.arccos(cosines)


def norm_ratios(kernel: Kernel | str, X: Points, Y: Points | None = None) -> Floats:
    """Return gamma = |phi(x)| / |phi(y)|, or its inverse if that is larger, of all pairs (paper 002, eq. 8).

    1 for equal norms; inf if one of two norms is 0. The arguments are those of `angles`.
    """
    _, log_ratios = cosines_and_log_ratios(kernel, X, Y)
    with np.errstate(over="ignore"):
        return np.exp(np.abs(log_ratios) / 2)


def normalized_distances(kernel: Kernel | str, X: Points, Y: Points | None = None, order: float | str = 1.0) -> Floats:
    """Return D^t = sqrt(2 (1 - K^t)) of all pairs, K^t the kernel normalised by an order t (paper 002, Section 3.2).

    A metric up to points with the same phi (for order 0, the same direction of phi) if the kernel is positive
    semi-definite. 1 - K^t is formed as (1 - cos theta) + cos theta (1 - 1 / M^t(gamma, 1 / gamma)), which keeps its
    digits where only the norms differ. The arguments are those of `angles` and the order of `normalized`.
    """
    t = float(Normalized(kernel=kernel, order=order).order)
    cosines, log_ratios = cosines_and_log_ratios(kernel, X, Y)
    deficit = (1 - cosines) - cosines * np.expm1(-spread(log_ratios, t))
    apart: Floats = np.sqrt(2 * np.maximum(deficit, 0.0))
    return apart


def power_mean(values: ArrayLike, t: float) -> Floats:
    """Return M^t(a_1, ..., a_p) = ((a_1^t + ... + a_p^t) / p)^(1/t) of values along the last axis (paper 002, eq. 5).

    t = 0 is the geometric mean, 1 the arithmetic, -1 the harmonic one, inf the maximum and -inf the minimum. In
    logarithms, so that no power leaves float64's range and small t loses no digits.

    Parameters
    ----------
    values : (..., p) array
        Numbers of at least 0.
    t : float
        The exponent.

    Examples
    --------
    >>> from segjt.kernels.feature_space import power_mean
    >>> [round(power_mean([1.0, 2.0, 4.0], t).item(), 4) for t in (-1, 0, 1, float("inf"))]
    [1.7143, 2.0, 2.3333, 4.0]
    """
    a = np.asarray(values, dtype=np.float64)
    if a.ndim == 0 or a.shape[-1] == 0:
        raise ValueError(f"values have shape {a.shape}; give at least one to take the mean of")
    if not ((a >= 0) & np.isfinite(a)).all() or np.isnan(t):
        raise ValueError(f"exponent {t} or a value is out of range; give a number, and finite values of at least 0")
    with np.errstate(divide="ignore"):
        logarithms = np.log(a)
    # Powers relative to the value that counts most are at most 1.
    most: Floats = logarithms.max(-1) if t > 0 else logarithms.min(-1)
    if t == 0 or np.isinf(t):
        mean: Floats = np.exp(logarithms.mean(-1) if t == 0 else most)
        return mean
    empty = np.isneginf(most)
    relative = logarithms - np.where(empty, 0.0, most)[..., None]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        correction = np.log1p(np.expm1(t * relative).mean(-1)) / t
    return np.where(empty, 0.0, np.exp(most + correction))


def cosines_and_log_ratios(kernel: Kernel | str, X: Points, Y: Points | None) -> tuple[Floats, Floats]:
    """Return cos(theta) and ln(K(x, x) / K(y, y)) of all pairs: 1 and 0 for a point and itself, or two of norm 0."""
    cosine = Normalized(kernel=kernel, order=0)
    x, y = cosine.check_pair(X, Y)
    own, others = cosine.base.log_diagonal(x, y)[:, None], cosine.base.log_diagonal(y, y)[None, :]
    same = np.isneginf(own) & np.isneginf(others)
    if x is y:
        np.fill_diagonal(same, True)
    cosines = np.where(same, 1.0, np.clip(cosine.finite(cosine.gram(x, y)), -1.0, 1.0))
    with np.errstate(invalid="ignore"):
        return cosines, np.where(same, 0.0, own - others)
