"""Local Gaussians of points, and distances between Gaussians (paper 004, with the errata's corrections)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from segjt.runtime.arrays import Floats, Mask

# Numbers held at a time; a chunk of matrices then stays in the processor's cache.
CHUNK = 2**17
# Below this ratio of eigenvalues eigvalsh loses more than half of the smallest one's digits.
LEAST_RATIO = 1e-7
# A corner no quadratic form reaches, whose square root is still finite.
CORNER = 1e300


@dataclasses.dataclass(frozen=True, eq=False)
class Gaussians:
    """N Gaussians in p dimensions: the augmented data set of section 2.

    Attributes
    ----------
    means : (N, p) array
    covariances : (N, p, p) array
    """

    means: Floats
    covariances: Floats

    def __len__(self) -> int:
        return len(self.means)

    def __getitem__(self, index: slice | NDArray[np.integer] | Mask) -> Gaussians:
        return Gaussians(self.means[index], self.covariances[index])

    @property
    def shape(self) -> tuple[int, ...]:
        """N and p."""
        return self.means.shape


def local_gaussians(X: Floats, Y: Floats, neighbours: int, gamma: float, mean: str) -> Gaussians:
    """Return the Gaussian of each row of X and its nearest rows of Y.

    A row of X that occurs in Y is not its own neighbour. Where Y has fewer other rows than asked for, all are used.

    Parameters
    ----------
    X, Y : (N, p) and (M, p) arrays
    neighbours : int
        m, the number of neighbours.
    gamma : float
        Added to each variance.
    mean : {"point", "neighbourhood"}
        The Gaussian's mean: the point itself (eq. 1), or the mean of it and its neighbours (eq. 2 and 3).
    """
    if mean not in ("point", "neighbourhood"):
        raise ValueError(f'mean is {mean!r}; choose "point" or "neighbourhood"')
    N, p = X.shape
    m = min(neighbours, len(Y))
    means, covariances = np.array(X, dtype=np.float64), np.empty((N, p, p))
    rows = max(1, CHUNK // max(len(Y), (m + 1) * p, p * p))
    for start in range(0, N, rows):
        part = slice(start, start + rows)
        offsets, used = neighbourhood(X[part], Y, m)
        points = used.sum(1)[:, None]
        divisor = points - 2
        if mean == "neighbourhood":
            centre = offsets.sum(1) / points
            means[part] += centre
            offsets = np.where(used[:, :, None], offsets - centre[:, None], 0.0)
            divisor = points - 1
        scatter = offsets.transpose(0, 2, 1) @ offsets
        covariances[part] = scatter / np.maximum(divisor, 1)[:, :, None] + gamma * np.eye(p)
    return Gaussians(means, covariances)


def neighbourhood(X: Floats, Y: Floats, m: int) -> tuple[Floats, Mask]:
    """Return x^j - x_i for x_i itself and the m nearest other rows of Y, and which of these exist.

    Of rows at equal distance the first ones are taken. Offsets of rows that do not exist are 0.
    """
    from scipy.spatial.distance import cdist

    # Sums of squared differences are exact where it matters: 0 for equal rows, and for data far from the origin.
    distances = cdist(X, Y, "sqeuclidean")
    nearest = distances.argmin(1)
    is_itself = distances[np.arange(len(X)), nearest] == 0
    distances[is_itself, nearest[is_itself]] = np.inf
    farthest = np.partition(distances, m - 1, axis=1)[:, m - 1 : m]
    nearer, tied = distances < farthest, distances == farthest
    chosen = nearer | (tied & (tied.cumsum(1) <= m - nearer.sum(1, keepdims=True)))
    columns = chosen.nonzero()[1].reshape(len(X), m)
    points = np.concatenate([X[:, None], Y[columns]], axis=1)
    used = np.full(points.shape[:2], True)
    used[:, 1:] = ~is_itself[:, None] | (columns != nearest[:, None])
    # The one row that may not exist is x_i itself, and its offset is 0.
    return points - X[:, None], used


def distances(A: Gaussians, B: Gaussians, of_means: str | None = None, of_covariances: str | None = None) -> Floats:
    """Return d_mu + d_Sigma of all pairs, or one of them (paper 004, eq. 4).

    Parameters
    ----------
    A, B : Gaussians
    of_means : str, optional
        d_mu, one of `MEAN_DISTANCES`; without it the means do not count.
    of_covariances : str, optional
        d_Sigma, one of `COVARIANCE_DISTANCES`; without it the distance between covariances does not count.
    """
    parts = [MEAN_DISTANCES[of_means]] if of_means else []
    parts += [COVARIANCE_DISTANCES[of_covariances]] if of_covariances else []
    return pairwise(lambda pairs: sum((part(pairs) for part in parts), np.zeros(len(pairs.many.means))), A, B)


def jeffreys(A: Gaussians, B: Gaussians) -> Floats:
    """Return Jeffreys divergence d_J of all pairs (eq. 7)."""
    return distances(A, B, "jeffreys", "jeffreys")


def bhattacharyya(A: Gaussians, B: Gaussians) -> Floats:
    """Return the Bhattacharyya divergence d_B = -ln(rho) of all pairs (eq. 8)."""
    return distances(A, B, "bhattacharyya", "bhattacharyya")


def hellinger(A: Gaussians, B: Gaussians) -> Floats:
    """Return the Hellinger distance d_H = sqrt(2 (1 - rho)) of all pairs (section 4.1)."""
    return np.sqrt(-2 * np.expm1(-bhattacharyya(A, B)))


def riemannian(A: Gaussians, B: Gaussians) -> Floats:
    """Return the Riemannian distance d_R of the covariances of all pairs (eq. 16)."""
    return distances(A, B, of_covariances="riemannian")


def jeffreys_riemannian(A: Gaussians, B: Gaussians) -> Floats:
    """Return d_JR = (u' Psi u)^(1/2) + d_R of all pairs (section 5). Not a metric."""
    return distances(A, B, "root_jeffreys", "riemannian")


def bhattacharyya_riemannian(A: Gaussians, B: Gaussians) -> Floats:
    """Return d_BR = (u' Gamma^-1 u)^(1/2) + d_R of all pairs (section 5). Not a metric."""
    return distances(A, B, "root_bhattacharyya", "riemannian")


@dataclasses.dataclass(frozen=True, eq=False)
class Factored:
    """Gaussians with Sigma = L L', L^-1 and ln|Sigma|."""

    means: Floats
    covariances: Floats
    factors: Floats
    inverses: Floats
    log_determinants: Floats

    def __getitem__(self, part: slice) -> Factored:
        return Factored(*(getattr(self, field.name)[part] for field in dataclasses.fields(self)))


@dataclasses.dataclass(frozen=True, eq=False)
class Pairs:
    """One Gaussian and many, with the quadratic forms of u, the difference of their means."""

    one: Factored
    many: Factored

    @functools.cached_property
    def psi_form(self) -> Floats:
        """The form u' Psi u, Psi = Sigma1^-1 + Sigma2^-1."""
        u = (self.one.means - self.many.means)[:, :, None]
        form: Floats = ((self.one.inverses @ u) ** 2).sum((1, 2)) + ((self.many.inverses @ u) ** 2).sum((1, 2))
        return form

    @functools.cached_property
    def gamma_form(self) -> tuple[Floats, Floats]:
        """The logarithm ln|Gamma| and the form u' Gamma^-1 u, Gamma = (Sigma1 + Sigma2) / 2, by one factorisation."""
        one, many = self.one, self.many
        return log_determinant_and_form(0.5 * (one.covariances + many.covariances), one.means - many.means)


def pairwise(distances: Callable[[Pairs], Floats], A: Gaussians, B: Gaussians) -> Floats:
    """Return the distances of all Gaussians of A to all of B; `distances` gives those of one to many.

    On the calling thread only: what computes in parallel is decided by whoever asks for a kernel.
    """
    if len(A) > len(B):
        return pairwise(distances, B, A).T
    symmetric = A is B
    first = factored(A)
    second = first if symmetric else factored(B)
    result = np.zeros((len(A), len(B)))
    size = max(1, CHUNK // A.shape[1] ** 2)
    for i in range(len(A)):
        for start in range(i + 1 if symmetric else 0, len(B), size):
            part = slice(start, start + size)
            result[i, part] = distances(Pairs(first[i : i + 1], second[part]))
    return result + result.T if symmetric else result


def factored(gaussians: Gaussians) -> Factored:
    """Return the Gaussians with their Cholesky factors, the inverses of these, and their log-determinants."""
    covariances = gaussians.covariances
    check_positive_definite(covariances)
    factors = np.linalg.cholesky(covariances).astype(np.float64, copy=False)
    # The same routine as for Gamma, so that equal Gaussians are at d_B = 0 without round-off.
    log_determinants, _ = log_determinant_and_form(covariances, np.zeros_like(gaussians.means))
    return Factored(gaussians.means, covariances, factors, np.tril(np.linalg.inv(factors)), log_determinants)


def check_positive_definite(covariances: Floats) -> None:
    """Raise ValueError if a covariance is singular to rounding error."""
    finite = np.isfinite(covariances).all((1, 2), keepdims=True)
    values = np.linalg.eigvalsh(np.where(finite, covariances, 0.0))
    least = 4 * covariances.shape[1] * np.finfo(np.float64).eps
    singular = np.flatnonzero(values[:, 0] <= least * values[:, -1])
    if len(singular):
        i = singular[0]
        raise ValueError(
            f"the covariance of row {i} is not positive definite (eigenvalues {values[i, 0]:g} to {values[i, -1]:g}); "
            "use a larger gamma, or scale the data down"
        )


def jeffreys_of_covariances(pairs: Pairs) -> Floats:
    """Return tr{S1^-1 S2 + S2^-1 S1} / 2 - p (eq. 13 corrected) as a square: |C - C'^-1|_F^2 / 2 with C = L1^-1 L2."""
    C = pairs.one.inverses @ pairs.many.factors
    C -= (pairs.many.inverses @ pairs.one.factors).transpose(0, 2, 1)
    trace: Floats = np.square(C, out=C).sum((1, 2))
    return 0.5 * trace


def bhattacharyya_of_covariances(pairs: Pairs) -> Floats:
    """Return ln(|Gamma| / (|S1| |S2|)^(1/2)) / 2 (eq. 13 corrected)."""
    discrepancy = pairs.gamma_form[0] - 0.5 * (pairs.one.log_determinants + pairs.many.log_determinants)
    return 0.5 * np.maximum(discrepancy, 0.0)


def riemannian_of_covariances(pairs: Pairs) -> Floats:
    """Return d_R = (sum ln^2 lambda)^(1/2), Sigma1 V = Sigma2 V Lambda (eq. 16 corrected).

    The lambda are the eigenvalues of C C' with C = L1^-1 L2: the squared singular values of C, which
    take longer but stay exact when the lambda span many powers of ten.
    """
    C = pairs.one.inverses @ pairs.many.factors
    values = np.linalg.eigvalsh(C @ C.transpose(0, 2, 1))
    wide = values[:, 0] < LEAST_RATIO * values[:, -1]
    if wide.any():
        values[wide] = np.linalg.svd(C[wide], compute_uv=False) ** 2
    distances: Floats = np.sqrt((np.log(values) ** 2).sum(1))
    return distances


def log_determinant_and_form(S: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Return ln|S| and u' S^-1 u, by one factorisation: of [[S, u], [u', c]], whose last row is that of L^-1 u."""
    p = S.shape[1]
    bordered = np.zeros((len(S), p + 1, p + 1))
    bordered[:, :p, :p] = S
    bordered[:, p, :p] = u
    bordered[:, p, p] = CORNER
    L = np.linalg.cholesky(bordered)
    diagonal = np.diagonal(L, axis1=1, axis2=2)[:, :p]
    return 2 * np.log(diagonal).sum(1), (L[:, p, :p] ** 2).sum(1)


# d_mu: the first terms of d_J and d_B (eq. 12 corrected), and the roots that section 5 has in their place.
MEAN_DISTANCES: dict[str, Callable[[Pairs], Floats]] = {
    "jeffreys": lambda pairs: 0.5 * pairs.psi_form,
    "bhattacharyya": lambda pairs: pairs.gamma_form[1] / 8,
    "root_jeffreys": lambda pairs: np.sqrt(pairs.psi_form),
    "root_bhattacharyya": lambda pairs: np.sqrt(pairs.gamma_form[1]),
}
# d_Sigma: the second terms of d_J and d_B (eq. 13 corrected), and the metric that eq. 14 has in their place.
COVARIANCE_DISTANCES: dict[str, Callable[[Pairs], Floats]] = {
    "jeffreys": jeffreys_of_covariances,
    "bhattacharyya": bhattacharyya_of_covariances,
    "riemannian": riemannian_of_covariances,
}
