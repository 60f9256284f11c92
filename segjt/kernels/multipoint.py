"""Multi-point kernels, flattened to pairs: V_ij = sum over tuples of K(x_i, ...) K(x_j, ...) (paper 000, eq. 12).

All of them return V / N^(n-1): a mean over tuples instead of a sum, which stays finite for any n. `sampled.py` has
the same kernels with a sample of the tuples.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

import numpy as np

from segjt.fields import field
from segjt.kernels.base import Composite, Kernel
from segjt.kernels.evaluators.exponential_sums import flattened_jt
from segjt.kernels.jensen import ExponentialJensenTsallis, JensenTsallis, jt
from segjt.kernels.tsallis import jt_term
from segjt.runtime.arrays import Floats, Indices, Ints
from segjt.runtime.compiled import compiled_reordering

# Sums of points handled at a time: 1024 rows of this many float64 are 64 MB.
SUMS_AT_A_TIME = 8192
# More pairs of a point and a sum than this take gigabytes to make ...
MOST_PAIRS = 10**7
# ... and more similarities of a point and a sum than this take minutes.
MOST_SIMILARITIES = 3 * 10**9


def points_field(default: int) -> Any:
    """Declare the number of points of a kernel."""
    return field(default, "number of points that the multi-point kernels compare", int, low=2, high=1000)


def coefficient_field() -> Any:
    """Declare which last coefficient the closed forms use."""
    doc = "last coefficient of the closed forms: exact, or as published (eq. 15, Proposition 5)"
    return field("exact", doc, str, words=lambda: ["exact", "published"])


@dataclasses.dataclass(frozen=True)
class MultiPoint(Kernel):
    """A kernel of n points, flattened.

    Subclasses define `flatten`, and K itself on given tuples as `on_tuples`; exponentials `log_flatten`.
    """

    positive_semidefinite = "yes: V = A A' for any multi-point kernel (Proposition 2)"

    @property
    def points(self) -> int:
        """The number of points n that the kernel compares."""
        return 3

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        """Return V / N^(n-1) of the rows of X and Z, the other points of each tuple drawn from the N rows of Y."""
        raise NotImplementedError

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        """Return K(x, y_2, ..., y_n) for every x and every tuple; a row of `tuples` has indices into Y."""
        raise NotImplementedError

    def gram(self, X: Floats, Y: Floats) -> Floats:
        return self.flatten(X, Y, Y)

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        return self.logarithm(np.diagonal(self.flatten(X, X, Y)))


@dataclasses.dataclass(frozen=True)
class MultiPointExponential(MultiPoint):
    """A multi-point kernel that is flattened in logarithms."""

    def log_flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        """Return the logarithm of `flatten`."""
        raise NotImplementedError

    def gram(self, X: Floats, Y: Floats) -> Floats:
        return Kernel.gram(self, X, Y)

    def log_gram(self, X: Floats, Y: Floats) -> Floats:
        return self.log_flatten(X, Y, Y)

    def log_diagonal(self, X: Floats, Y: Floats) -> Floats:
        diagonal: Floats = np.diagonal(self.log_flatten(X, X, Y))
        return diagonal


@dataclasses.dataclass(frozen=True)
class JT3(MultiPoint, JensenTsallis):
    """Three-point Jensen-Tsallis kernel (paper 000, eq. 9, 10), flattened by eq. 12.

    K_{q,n} = sum phi_q(x_1 + ... + x_n) - phi_q(x_1) - ... - phi_q(x_n), with phi_q as in `jt2`. V is positive
    semi-definite for every q (Proposition 2). Computed by exponential sums, in O(N^2 R) instead of O(N^4); the error is
    at most 1e-8 of V in the Frobenius norm, and 1e-12 as a rule.
    """

    name = "jt3"

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        return flattened_jt(X, Z, Y, self.q, self.points)

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        sums, values = jt_of_tuples(Y[tuples], self.q)
        return jt(X, sums, self.q) + values


@dataclasses.dataclass(frozen=True)
class JTn(JT3):
    """n-point Jensen-Tsallis kernel (paper 000, eq. 9, 10), flattened by eq. 12.

    n = 3 is `jt3`; n = 2 gives K^2 / N of the two-point kernel, not K itself (errata, part 1).
    """

    name = "jtn"

    n: int = points_field(4)

    @property
    def points(self) -> int:
        return self.n


@dataclasses.dataclass(frozen=True)
class ExpJT3(MultiPointExponential, ExponentialJensenTsallis):
    """Three-point exponential Jensen-Tsallis kernel exp(t K_{q,3}) (paper 000, eq. 11), flattened by eq. 12.

    K_n(x, y_2, ..., y_n) = k(x, s) + K_{n-1}(y_2, ..., y_n) with s = y_2 + ... + y_n, so tuples with the same sum share
    a column of the flattened tensor, and an 8-bit block has far fewer distinct sums than tuples (errata 3.4 U). That is
    exact. Where it takes longer, 8-bit colours go through `level_expansion` (errata 3.4 D), to 1e-6 of each entry, and
    real data, whose sums are all distinct, triple by triple through `triples`.
    """

    name = "expjt3"

    def log_flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        log_V = None
        if self.points == 3:
            log_V = self.by_levels(X, Z, Y)
            if log_V is None and X is Z is Y:
                log_V = self.by_triples(X)
        return self.by_sums(X, Z, Y) if log_V is None else log_V

    def by_triples(self, X: Floats) -> Floats | None:
        """Return the result from the values of all triples; None if sums do better, as for 8-bit colours."""
        from segjt.kernels.evaluators.level_expansion import CHANNELS
        from segjt.kernels.evaluators.level_tables import TOP, levels
        from segjt.kernels.evaluators.triples import log_flattened_expjt3, triple_values, triples_are_best

        if (X.shape[1] <= CHANNELS and levels(X, TOP) is not None) or not triples_are_best(X):
            return None
        return log_flattened_expjt3(triple_values(X, self.q), len(X), [self.t])[0]

    def by_levels(self, X: Floats, Z: Floats, Y: Floats) -> Floats | None:
        """Return the result for 8-bit colours by expansion; None if they are none, or if sums do better."""
        from segjt.kernels.evaluators.level_expansion import CHANNELS, log_flattened_expjt3
        from segjt.kernels.evaluators.level_tables import TOP, levels

        if X.shape[1] > CHANNELS:
            return None
        x = levels(X, TOP)
        z = x if Z is X else levels(Z, TOP)
        y = x if Y is X else levels(Y, TOP)
        if x is None or z is None or y is None:
            return None
        return log_flattened_expjt3(x, z, y, self.q, self.t)

    def by_sums(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        """Return the result by comparing the distinct rows with every distinct sum."""
        x_rows, x_index = unique_rows(X)[:2]
        z_rows, z_index = (x_rows, x_index) if X is Z else unique_rows(Z)[:2]
        sums, log_weights = self.weighted_sums(Y)
        if (len(x_rows) + len(z_rows)) / 2 * len(sums) > MOST_SIMILARITIES:
            self.refuse(len(x_rows), len(sums))
        # k grows with each feature, so this bounds the exponents of a row from above: nothing overflows.
        brightest = sums.max(0, keepdims=True)
        x_scale = self.t * jt(x_rows, brightest, self.q)
        z_scale = self.t * jt(z_rows, brightest, self.q)
        common = log_weights.max()
        M = np.zeros((len(x_rows), len(z_rows)))
        for start in range(0, len(sums), SUMS_AT_A_TIME):
            chunk = slice(start, start + SUMS_AT_A_TIME)
            half = (log_weights[chunk] - common) / 2
            A = np.exp(self.t * jt(x_rows, sums[chunk], self.q) - x_scale + half)
            B = A if z_rows is x_rows else np.exp(self.t * jt(z_rows, sums[chunk], self.q) - z_scale + half)
            M += A @ B.T
        with np.errstate(divide="ignore"):
            log_V: Floats = np.log(M) + x_scale + z_scale.T + common
        return log_V[x_index[:, None], z_index[None, :]]

    def refuse(self, rows: int, sums: int) -> NoReturn:
        """Raise the error for what would take too long."""
        raise ValueError(
            f"{self} compares {rows} distinct rows with {sums} sums, which takes too long; use fewer rows, a smaller "
            f"n, or a sample of the tuples ({self.name.removesuffix('+')}+ with fewer columns)"
        )

    def weighted_sums(self, Y: Floats) -> tuple[Floats, Floats]:
        """Return the distinct sums s of n - 1 rows of Y and the logarithm of their weight.

        The weight is the mean over tuples of exp(2 t K_{n-1}) where the tuple has that sum, and 0 where not. One
        point y more takes s' to s = s' + y and multiplies the weight by exp(2 t k(y, s')).
        """
        rows, _, counts = unique_rows(Y)
        log_shares = np.log(counts / len(Y))
        sums, log_weights = rows, log_shares
        for _ in range(self.points - 2):
            if len(rows) * len(sums) > MOST_PAIRS:
                self.refuse(len(rows), len(sums))
            exponents = log_shares[:, None] + log_weights[None, :] + 2 * self.t * jt(rows, sums, self.q)
            sums, group = distinct_sums(rows, sums)
            shift = exponents.max()
            with np.errstate(divide="ignore"):
                log_weights = np.log(np.bincount(group, np.exp(exponents - shift).ravel())) + shift
        return sums, log_weights


@dataclasses.dataclass(frozen=True)
class ExpJTn(ExpJT3):
    """n-point exponential Jensen-Tsallis kernel exp(t K_{q,n}) (paper 000, eq. 11), flattened by eq. 12.

    n = 3 is `expjt3`; for more points every distinct sum is compared, which is exact. The number of them grows with n:
    beyond some 10^7 it is an error that points to `expjtn+`.
    """

    name = "expjtn"

    n: int = points_field(3)

    @property
    def points(self) -> int:
        return self.n


@dataclasses.dataclass(frozen=True)
class LinearOfPoints(MultiPoint):
    """2 sum_{i<j} x_i . x_j of n points, however it is flattened (paper 000, eq. 14)."""

    n: int = points_field(6)

    @property
    def points(self) -> int:
        return self.n

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        members = Y[tuples]
        total = members.sum(1)
        # 2 sum_{i<j} y_i . y_j = |sum y_i|^2 - sum |y_i|^2
        among = (total**2).sum(1) - (members**2).sum((1, 2))
        values: Floats = 2 * X @ total.T + among
        return values


@dataclasses.dataclass(frozen=True)
class NLin(LinearOfPoints):
    """n-point linear kernel 2 sum_{i<j} x_i . x_j (paper 000, eq. 14), flattened in closed form (eq. 15).

    The closed form is Proposition 4 with its last coefficient corrected, divided by N^(n-1) so that no power of N
    appears (errata 1, 3.1). ``coefficient="published"`` has the coefficient as printed, twice what it should be, which
    adds a constant to V and is what paper 001's Figure 1 must have been made with. V is positive semi-definite with
    both. Exact but for round-off: the error is far below 1e-8 of V in the Frobenius norm.
    """

    name = "nlin"

    coefficient: str = coefficient_field()

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        last = {"exact": 1, "published": 2}[self.coefficient]
        x, z, y = (np.ascontiguousarray(rows) for rows in (X, Z, Y))
        return flattened_linear(x, z, y, self.n - 1, last)


@compiled_reordering
def flattened_linear(X: Floats, Z: Floats, Y: Floats, m: int, last: int) -> Floats:
    """Return V / N^m of the linear kernel of m + 1 points; `last` is the factor of its last coefficient."""
    S = np.dot(Y.T, Y) / len(Y)
    mu = Y.sum(0) / len(Y)
    mu2, S_mu = np.dot(mu, mu), np.dot(S, mu)
    P = 4 * m * (S + (m - 1) * np.outer(mu, mu))
    v = 4 * m * (m - 1) * (S_mu + (m - 2) / 2 * mu2 * mu)
    w = 2 * m * (m - 1) * ((S * S).sum() + 2 * (m - 2) * np.dot(mu, S_mu) + last * (m - 2) * (m - 3) / 2 * mu2**2)
    # X P Z' + (X v) 1' + 1 (Z v)' + w
    V: Floats = np.dot(np.dot(X, P), Z.T)
    x_part, z_part = np.dot(X, v), np.dot(Z, v) + w
    for i in range(len(X)):
        for j in range(len(Z)):
            V[i, j] += x_part[i] + z_part[j]
    return V


@dataclasses.dataclass(frozen=True)
class ExtensionToPoints(Composite, MultiPoint):
    """sum_{i<j} k(x_i, x_j) of n points for any kernel k of two, however it is flattened (paper 000, eq. 16)."""

    kernel: Kernel | str = "gaussian"
    n: int = points_field(4)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.base, MultiPoint):
            raise ValueError(
                f"kernel = {self.base.name!r} compares {self.base.points} points already; give a kernel of two points"
            )

    @property
    def points(self) -> int:
        return self.n

    def on_tuples(self, X: Floats, Y: Floats, tuples: Indices) -> Floats:
        """Return S + 1 s' of Corollary 6."""
        K = self.base_gram(Y, Y)
        Kx = K if X is Y else self.base_gram(X, Y)
        # How often each point is in each tuple; sums over a tuple are products with these counts.
        counts = np.zeros((len(tuples), len(Y)))
        np.add.at(counts, (np.arange(len(tuples))[:, None], tuples), 1.0)
        s = ((counts @ K * counts).sum(1) - counts @ np.diagonal(K)) / 2
        values: Floats = Kx @ counts.T + s
        return values


@dataclasses.dataclass(frozen=True)
class NPoint(ExtensionToPoints):
    """n-point extension sum_{i<j} k(x_i, x_j) of any kernel k (paper 000, eq. 16), flattened in closed form.

    Proposition 5 with its last coefficient corrected, divided by N^(n-1) (errata 1, 3.1); ``coefficient="published"``
    has it as printed. V is positive semi-definite whether or not k is.
    """

    name = "npoint"

    coefficient: str = coefficient_field()

    def flatten(self, X: Floats, Z: Floats, Y: Floats) -> Floats:
        m, N = self.n - 1, len(Y)
        K = self.base_gram(Y, Y)
        Kx = K if X is Y else self.base_gram(X, Y)
        Kz = Kx if Z is X else K if Z is Y else self.base_gram(Z, Y)
        r, rx, rz = K.mean(1), Kx.mean(1), Kz.mean(1)
        s = r.mean()
        last = {"exact": 1, "published": 2}[self.coefficient]
        ux, uz = (m * (m - 1) * (Kq @ r / N + (m - 2) / 2 * s * rq) for Kq, rq in ((Kx, rx), (Kz, rz)))
        c = m * (m - 1) / 2 * ((K * K).mean() + 2 * (m - 2) * r @ r / N + last * (m - 2) * (m - 3) / 2 * s**2)
        V: Floats = m / N * Kx @ Kz.T + m * (m - 1) * np.outer(rx, rz) + ux[:, None] + uz[None, :] + c
        return V


def jt_of_tuples(members: Floats, q: float) -> tuple[Floats, Floats]:
    """Return the sum of the m points of each tuple (C, m, d), and their JT kernel K_m.

    K_m(y_1, ..., y_m) = k(y_m, y_1 + ... + y_{m-1}) + K_{m-1}(y_1, ..., y_{m-1}): no cancellation (errata 2.3).
    """
    total = members[:, 0]
    values = np.zeros(len(members))
    for j in range(1, members.shape[1]):
        values = values + jt_term(members[:, j], total, q).sum(1)
        total = total + members[:, j]
    return total, values


def unique_rows(X: Floats) -> tuple[Floats, Indices, Indices]:
    """Return the distinct rows, which of them each row is, and how often each occurs."""
    rows, index, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    return rows, index.reshape(-1), counts


def distinct_sums(rows: Floats, sums: Floats) -> tuple[Floats, Indices]:
    """Return the distinct sums of a row and a sum, and which of them each pair, row by row, has."""
    codes = level_codes(rows, sums)
    if codes is None:
        found, group, _ = unique_rows((rows[:, None] + sums[None, :]).reshape(-1, rows.shape[1]))
        return found, group
    # Whole numbers in place of 8-bit colours: sums that are equal but for round-off are recognised, and quickly.
    row_codes, sum_codes = codes
    _, first, group = np.unique(
        (row_codes[:, None] + sum_codes[None, :]).ravel(), return_index=True, return_inverse=True
    )
    return rows[first // len(sums)] + sums[first % len(sums)], group


def level_codes(rows: Floats, sums: Floats) -> tuple[Ints, Ints] | None:
    """Return one integer a row and one a sum, whose sums are equal for equal sums; None if they are not k / 255."""
    from segjt.kernels.evaluators.level_tables import TOP, levels

    row_levels, sum_levels = levels(rows, TOP), levels(sums, 1000 * TOP)
    if row_levels is None or sum_levels is None:
        return None
    base = int(row_levels.max() + sum_levels.max()) + 1
    if rows.shape[1] * np.log2(base) > 62:
        return None
    place = np.int64(base) ** np.arange(rows.shape[1], dtype=np.int64)
    return row_levels.astype(np.int64) @ place, sum_levels.astype(np.int64) @ place
