"""Normalisation of any kernel into a similarity index (paper 002)."""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.fields import field
from segjt.kernels.base import Composite
from segjt.runtime.arrays import Floats


@dataclasses.dataclass(frozen=True)
class Normalized(Composite):
    """Normalised kernel K^t = K(x, y) / M^t(K(x, x), K(y, y)) of order t (paper 002, eq. 6).

    M^t is the power mean of exponent t (eq. 5): order 0 is the geometric mean and K^0 the cosine (eq. 3, with its
    misprint corrected), order 1 the arithmetic mean, order inf the maximum (eq. 11). K^t(x, x) = 1, and the larger
    the order, the less alike are points of different norm. A point with K(x, x) = 0 has similarity 0 to every point.

    Positive semi-definite for every order in [0, inf] if the base kernel is: Theorem 2 is true, though its proof by
    Gershgorin's circles is not (errata, parts 1 and 4); for a negative order it would be false.
    """

    name = "normalized"
    positive_semidefinite = "yes, if the base kernel is"

    order: float | str = field(
        1.0, "order of the normalisation: 0 is the cosine, inf the maximum", float, low=0, words=lambda: ["inf"]
    )

    @property
    def is_psd(self) -> bool:
        return self.base.is_psd

    @property
    def logarithmic(self) -> bool:
        return self.base.logarithmic

    def gram(self, X: Floats, Y: Floats) -> Floats:
        if self.logarithmic:
            return np.exp(self.log_gram(X, Y))
        # The mean's reciprocal in two factors: K(x, x) of 1e-300 must not overflow on its own.
        half = np.exp(-self.log_mean(X, Y) / 2)
        return self.base_gram(X, Y) * half * half

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        if not self.logarithmic:
            return self.logarithm(self.gram(X, Y))
        return self.base.log_gram(X, Y) - self.log_mean(X, Y)

    def log_mean(self, X: Floats, Y: Floats) -> Floats:
        """Return ln M^t(K(x, x), K(y, y)) of all pairs; inf where K(x, x) or K(y, y) is 0, so that K^t is 0 there.

        M^t(a, b) = sqrt(a b) cosh(t delta)^(1/t) with delta = ln(a / b) / 2, which does not overflow (errata 2.11).
        """
        x = self.base.log_diagonal(X, Y)[:, None]
        y = x.T if X is Y else self.base.log_diagonal(Y, Y)[None, :]
        nothing = np.isneginf(x) | np.isneginf(y)
        x, y = np.where(np.isneginf(x), 0.0, x), np.where(np.isneginf(y), 0.0, y)
        return np.where(nothing, np.inf, (x + y) / 2 + spread(x - y, float(self.order)))

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return np.where(np.isneginf(self.base.log_diagonal(X, Y)), -np.inf, 0.0)


def spread(difference: Floats, t: float) -> Floats:
    """Return ln(cosh(t delta)) / t with delta half the difference: 0 for t = 0 and |delta| for t = inf."""
    delta: Floats = np.abs(difference) / 2
    if t == 0:
        return np.zeros_like(delta)
    if np.isinf(t):
        return delta
    z = t * delta
    # Near 0, ln cosh z = ln(1 + 2 sinh^2(z/2)) keeps its digits; far out, cosh itself would overflow.
    near: Floats = np.log1p(2 * np.sinh(np.minimum(z, 1.0) / 2) ** 2) / t
    far: Floats = delta + (np.log1p(np.exp(-2 * z)) - np.log(2)) / t
    return np.where(z < 1, near, far)
