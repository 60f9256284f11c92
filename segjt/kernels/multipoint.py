"""Multi-point kernels, flattened to pairs: V_ij = sum over tuples of K(x_i, ...) K(x_j, ...) (paper 000, eq. 12).

All of them return V / N^(n-1): a mean over tuples instead of a sum, which stays finite for any n.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from segjt.kernels.base import Kernel, Matrix
from segjt.kernels.exponential_sums import flattened_jt
from segjt.kernels.jensen import ExponentialJensenTsallis, JensenTsallis, jt
from segjt.kernels.tsallis import Array
from segjt.knobs import knob

# Pairs of points handled at a time: 1024 rows of this many float64 are 64 MB.
PAIRS_AT_A_TIME = 8192


@dataclasses.dataclass(frozen=True)
class JT3(JensenTsallis):
    """Three-point Jensen-Tsallis kernel (paper 000, eq. 9, 10), flattened by eq. 12.

    V is positive semi-definite for every q (Proposition 2). Computed exactly (1e-12) in
    O(N^2 R) by exponential sums instead of O(N^4).
    """

    name = "jt3"

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        return flattened_jt(X, Y, self.q, 3)


@dataclasses.dataclass(frozen=True)
class JTn(JensenTsallis):
    """n-point Jensen-Tsallis kernel (paper 000, eq. 9, 10), flattened by eq. 12.

    n = 3 is `jt3`; n = 2 gives K^2 / N of the two-point kernel, not K itself (errata, part 1).
    """

    name = "jtn"

    n: int = knob(4, "number of points that the multi-point kernels compare", int, low=2, high=1000)

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        return flattened_jt(X, Y, self.q, self.n)


@dataclasses.dataclass(frozen=True)
class ExpJT3(ExponentialJensenTsallis):
    """Three-point exponential Jensen-Tsallis kernel exp(t K_{q,3}) (paper 000, eq. 11), flattened by eq. 12.

    Exact: K_3(x, a, b) = k(x, a + b) + k(a, b), so pairs (a, b) with the same sum share a column of
    the flattened tensor. An 8-bit block has far fewer distinct sums than pairs (errata 3.4).
    """

    name = "expjt3"

    def log_gram(self, X: Matrix, Y: Matrix) -> Matrix:
        x_rows, x_index = unique_rows(X)[:2]
        y_rows, y_index = (x_rows, x_index) if X is Y else unique_rows(Y)[:2]
        sums, log_weights = self.weighted_sums(Y)
        # k grows with each feature, so this bounds the exponents of a row from above: nothing overflows.
        brightest = sums.max(0, keepdims=True)
        x_scale = self.t * jt(x_rows, brightest, self.q)
        y_scale = self.t * jt(y_rows, brightest, self.q)
        common = log_weights.max()
        M = np.zeros((len(x_rows), len(y_rows)))
        for start in range(0, len(sums), PAIRS_AT_A_TIME):
            chunk = slice(start, start + PAIRS_AT_A_TIME)
            half = (log_weights[chunk] - common) / 2
            A = np.exp(self.t * jt(x_rows, sums[chunk], self.q) - x_scale + half)
            B = A if y_rows is x_rows else np.exp(self.t * jt(y_rows, sums[chunk], self.q) - y_scale + half)
            M += A @ B.T
        with np.errstate(divide="ignore"):
            log_V: Matrix = np.log(M) + x_scale + y_scale.T + common
        return log_V[x_index[:, None], y_index[None, :]]

    def weighted_sums(self, Y: Matrix) -> tuple[Matrix, Array]:
        """Return the distinct sums a + b of two rows of Y and the logarithm of their weight.

        The weight is the sum of exp(2 t k(a, b)) over the ordered pairs with that sum, divided by N^2.
        """
        rows, _, counts = unique_rows(Y)
        first, second = np.triu_indices(len(rows))
        multiplicity = counts[first] * counts[second] * np.where(first == second, 1, 2)
        log_weights = np.log(multiplicity / len(Y) ** 2) + 2 * self.t * jt(rows, rows, self.q)[first, second]
        keys = sum_keys(rows, first, second)
        if keys is None:
            return rows[first] + rows[second], log_weights
        _, representative, group = np.unique(keys, return_index=True, return_inverse=True)
        shift = log_weights.max()
        with np.errstate(divide="ignore"):
            merged = np.log(np.bincount(group, np.exp(log_weights - shift))) + shift
        return rows[first[representative]] + rows[second[representative]], merged


def unique_rows(X: Matrix) -> tuple[Matrix, NDArray[np.intp], NDArray[np.intp]]:
    """Return the distinct rows, which of them each row is, and how often each occurs."""
    rows, index, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    return rows, index.reshape(-1), counts


def sum_keys(rows: Matrix, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.int64] | None:
    """Return one integer a pair, equal for equal sums, or None if the rows are not 8-bit levels k / 255."""
    levels = np.rint(rows * 255)
    if rows.shape[1] > 6 or np.abs(levels - rows * 255).max() > 1e-9:
        return None
    place = 511 ** np.arange(rows.shape[1], dtype=np.int64)
    codes = levels.astype(np.int64) @ place
    return codes[first] + codes[second]


@dataclasses.dataclass(frozen=True)
class NLin(Kernel):
    """n-point linear kernel 2 sum_{i<j} x_i . x_j (paper 000, eq. 14), flattened in closed form.

    The closed form is Proposition 4 with its last coefficient corrected, divided by N^(n-1) so that
    no power of N appears (errata 1, 3.1). V is positive semi-definite.
    """

    name = "nlin"

    n: int = knob(6, "number of points that the multi-point kernels compare", int, low=2, high=1000)

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        m = self.n - 1
        S = Y.T @ Y / len(Y)
        mu = Y.mean(0)
        mu2 = mu @ mu
        P = 4 * m * (S + (m - 1) * np.outer(mu, mu))
        v = 4 * m * (m - 1) * (S @ mu + (m - 2) / 2 * mu2 * mu)
        w = 2 * m * (m - 1) * ((S * S).sum() + 2 * (m - 2) * mu @ S @ mu + (m - 2) * (m - 3) / 2 * mu2**2)
        gram: Matrix = X @ P @ Y.T + (X @ v)[:, None] + (Y @ v)[None, :] + w
        return gram
