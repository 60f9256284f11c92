"""Two-point Jensen-Tsallis kernels (paper 000, eq. 7 and 8)."""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.kernels.base import Kernel, Matrix
from segjt.kernels.tsallis import jt_term
from segjt.knobs import knob


def jt(X: Matrix, Y: Matrix, q: float) -> Matrix:
    """Return k_q(x, y) = sum over features of phi_q(x + y) - phi_q(x) - phi_q(y) for all pairs of rows (eq. 7).

    A feature takes few distinct values in an image, so each is computed once per pair of values
    and looked up per pair of rows.
    """
    total = np.zeros((len(X), len(Y)))
    for x, y in zip(X.T, Y.T, strict=True):
        x_values, x_index = np.unique(x, return_inverse=True)
        y_values, y_index = np.unique(y, return_inverse=True)
        total += jt_term(x_values[:, None], y_values[None, :], q)[x_index[:, None], y_index[None, :]]
    return total


@dataclasses.dataclass(frozen=True)
class JensenTsallis(Kernel):
    """What the kernels of this family share: the entropic index and the domain."""

    domain = "non-negative vectors, scaled to [0, 1]"
    positive_semidefinite = "for every q in [0, 2]"
    needs_nonnegative = True

    q: float = knob(1.0, "entropic index of the Jensen-Tsallis kernels", float, low=0, high=2)


@dataclasses.dataclass(frozen=True)
class ExponentialJensenTsallis(JensenTsallis):
    """The same with the factor t in the exponent."""

    t: float = knob(1.0, "factor in the exponent of the exponential Jensen-Tsallis kernels", float, low=1e-6, high=1e6)


@dataclasses.dataclass(frozen=True)
class JT2(JensenTsallis):
    """Jensen-Tsallis kernel k_q (paper 000, eq. 7); positive definite for q in [0, 2].

    q = 0 counts the features in which both rows are positive (Boolean kernel), q = 1 is the
    Jensen-Shannon form, q = 2 twice the inner product.
    """

    name = "jt2"

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        return jt(X, Y, self.q)


@dataclasses.dataclass(frozen=True)
class ExpJT2(ExponentialJensenTsallis):
    """Exponential Jensen-Tsallis kernel exp(t k_q) (paper 000, eq. 8); positive definite for q in [0, 2], t > 0."""

    name = "expjt2"

    def log_gram(self, X: Matrix, Y: Matrix) -> Matrix:
        return self.t * jt(X, Y, self.q)
