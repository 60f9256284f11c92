"""`KernelKMeans`: Lloyd's algorithm in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segjt.fields import Field
from segjt.kernels.base import Kernel
from segjt.learn.base import KernelClusterer, Labels, Matrix, nearest

Array = NDArray[np.float64]

# The share of the kernel's values below which a squared distance, a difference of them, is round-off.
ROUND_OFF = 1e-14


class KernelKMeans(KernelClusterer):
    """k-means in the feature space of a kernel.

    Minimises sum_i |phi(x_i) - m_c(i)|^2, where m_c is the mean of cluster c, from the kernel's values alone::

        |phi(x) - m_c|^2 = K(x, x) - 2 mean_j K(x, x_j) + mean_jl K(x_j, x_l),    x_j, x_l in c

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    kernel : str or Kernel
        A name of `segjt.kernels.kernel_names()` or what `segjt.kernels.make_kernel` returns.
    kernel_params : dict, optional
        The kernel's parameters, if it is given by name.
    n_init : int
        Number of k-means++ starts; the one with the smallest objective counts.
    max_iter : int
        Largest number of iterations of a start.
    rng : int or numpy.random.Generator, optional
        Seed.

    Attributes
    ----------
    labels_ : (N,) int array
        Cluster of each point, from 0.
    inertia_ : float
        The objective.
    n_iter_ : int
        Iterations of the start that counts.
    kernel_ : Kernel
        The kernel.

    Notes
    -----
    A cluster that loses all its points takes the point that is farthest from its own centre; if no point is at a
    distance, because there are fewer points that the kernel can tell apart than clusters, there are fewer clusters.

    References
    ----------
    Dhillon, Guan, Kulis: Kernel k-means, spectral clustering and normalized cuts, KDD 2004.

    Examples
    --------
    >>> from segjt.learn import KernelKMeans
    >>> found = KernelKMeans(2, kernel="gaussian", kernel_params={"sigma": 1.0}).fit([[0.0], [0.1], [5.0]])
    >>> bool(found.labels_[0] == found.labels_[1] != found.labels_[2])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        kernel: str | Kernel = "exponential",
        kernel_params: Mapping[str, Any] | None = None,
        n_init: int = 10,
        max_iter: int = 300,
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.rng = rng

    def _fit(self, X: Matrix, k: int, rng: np.random.Generator) -> None:
        n_init = Field("number of starts", int, low=1).check("n_init", self.n_init)
        max_iter = Field("largest number of iterations", int, low=1).check("max_iter", self.max_iter)
        gram = self.kernel_(X)
        best = best_run(gram, rng.random((n_init, k)), max_iter)
        used, self.labels_ = np.unique(best.labels, return_inverse=True)
        self.inertia_, self.n_iter_ = best.inertia, best.n_iter
        self._weights = best.weights[:, used]
        self._lengths = squared_lengths(self._weights, gram @ self._weights)

    def _predict(self, X: Matrix) -> Labels:
        return nearest_mean(self.kernel_(X, self.X_fit_) @ self._weights, self._lengths)


class Run(NamedTuple):
    """The result of one start. The columns of `weights` are the clusters: m_c = sum_j weights_jc phi(x_j)."""

    labels: Labels
    inertia: float
    weights: Matrix
    n_iter: int


def best_run(gram: Matrix, draws: Matrix, max_iter: int) -> Run:
    """Return the run with the smallest inertia; each row of `draws` starts one run."""
    best: Run | None = None
    for start in draws:
        run = lloyd(gram, one_each(plus_plus(gram, start), len(gram)), len(start), max_iter)
        # A later run must win clearly, so that round-off does not decide between equal results.
        if best is None or run.inertia < best.inertia - 1e-9 * abs(best.inertia):
            best = run
        if best.inertia == 0:
            break
    assert best is not None
    return best


def plus_plus(gram: Matrix, draws: Array) -> list[int]:
    """Return starting points, one a draw: each point's chance is its squared distance to those so far.

    The first has equal chances. There are fewer if no point is left at a distance.
    """
    squares = np.diag(gram)
    chosen = [int(draws[0] * len(gram))]
    near = np.full(len(gram), np.inf)
    for draw in draws[1:]:
        last = chosen[-1]
        far = squares + squares[last] - 2 * gram[:, last]
        far[far <= ROUND_OFF * (np.abs(squares) + np.abs(squares[last]))] = 0.0
        near = np.minimum(near, far)
        if not near.any():
            break
        passed = np.cumsum(near)
        chosen.append(int(np.searchsorted(passed, draw * passed[-1], side="right")))
    return chosen


def lloyd(gram: Matrix, weights: Matrix, k: int, max_iter: int) -> Run:
    """Move the means to their nearest points until nothing changes."""
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        moved = memberships(fill_empty(*assign(gram, weights), k))
        if np.array_equal(moved, weights):
            break
        weights = moved
    labels, far = assign(gram, weights)
    return Run(labels, float(far.sum()), weights, n_iter)


def assign(gram: Matrix, weights: Matrix) -> tuple[Labels, Array]:
    """Return the nearest mean of each point and its squared distance, K_xx - 2 mean_j K_xj + mean_jl K_jl."""
    products = gram @ weights
    lengths = squared_lengths(weights, products)
    labels = nearest_mean(products, lengths)
    squares, product, length = np.diag(gram), products[np.arange(len(gram)), labels], lengths[labels]
    far = squares - 2 * product + length
    size = np.abs(squares) + 2 * np.abs(product) + np.abs(length)
    return labels, np.where(np.abs(far) <= ROUND_OFF * size, 0.0, far)


def nearest_mean(products: Matrix, lengths: Array) -> Labels:
    """Return the smallest |m_c|^2 - 2 phi(x) . m_c of each row: K(x, x) is the same for every cluster."""
    size = (2 * np.abs(products) + np.abs(lengths)).max(1, keepdims=True)
    return nearest(lengths - 2 * products, ROUND_OFF * size)


def squared_lengths(weights: Matrix, products: Matrix) -> Array:
    """Return |m_c|^2 = mean_jl K_jl of each cluster, from the products mean_j K_xj."""
    lengths: Array = (weights * products).sum(0)
    return lengths


def fill_empty(labels: Labels, far: Array, k: int) -> Labels:
    """Give each cluster without points the point that is farthest from its own mean, if any is at a distance."""
    filled, left = labels.copy(), far.copy()
    for empty in np.setdiff1d(np.arange(k), labels):
        farthest = left.argmax()
        if left[farthest] <= 0:
            break
        filled[farthest], left[farthest] = empty, 0.0
    return filled


def memberships(labels: Labels) -> Matrix:
    """Return the weights of the points in the mean of each cluster that has any, as columns."""
    members = (labels[:, None] == np.unique(labels)).astype(np.float64)
    weights: Matrix = members / members.sum(0)
    return weights


def one_each(points: list[int], n_points: int) -> Matrix:
    """Return the weights of clusters of one point each."""
    weights = np.zeros((n_points, len(points)))
    weights[points, range(len(points))] = 1.0
    return weights
