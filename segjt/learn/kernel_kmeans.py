"""`KernelKMeans`: Lloyd's algorithm in the feature space of a kernel.

Means exist there only as weights of the points: m_c = sum_j weights_jc phi(x_j).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from segjt.fields import Field
from segjt.kernels.base import Kernel
from segjt.learn.base import KernelClusterer, nearest
from segjt.learn.features import approximate_features
from segjt.runtime.arrays import Floats, Groups

# A squared distance is a difference of kernel values; below this share of them it is round-off.
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
        Number of k-means++ starts; the result is that of the smallest objective.
    max_iter : int
        Largest number of iterations per start.
    approximation : {"explicit", "nystroem"}, optional
        Features that stand for the kernel, in time and memory linear in the number of points: `ExplicitFeatures`
        where the kernel has them, or `NystroemFeatures`. None compares all pairs.
    n_components : int, optional
        Number of these features: all of the explicit ones, or 100 landmarks, if it is not given. All pairs need none.
    rng : int or numpy.random.Generator, optional
        Seed of the starts, and of the landmarks.

    Attributes
    ----------
    labels_ : (N,) int array
        Cluster of each point, from 0.
    inertia_ : float
        The objective.
    n_iter_ : int
        Iterations of the best start.
    kernel_ : Kernel
        The kernel.

    Notes
    -----
    A cluster that loses all its points takes the point that is farthest from its own mean. If every point is at its
    mean, because the kernel can tell fewer points apart than there are clusters, there are fewer clusters.

    References
    ----------
    Dhillon, Guan, Kulis: Kernel k-means, spectral clustering and normalized cuts, KDD 2004.

    Examples
    --------
    >>> from segjt.learn import KernelKMeans
    >>> model = KernelKMeans(2, kernel="gaussian", kernel_params={"sigma": 1.0}).fit([[0.0], [0.1], [5.0]])
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    >>> bool(model.predict([[4.0]])[0] == model.labels_[2])
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        kernel: str | Kernel = "exponential",
        kernel_params: Mapping[str, Any] | None = None,
        n_init: int = 10,
        max_iter: int = 300,
        approximation: str | None = None,
        n_components: int | None = None,
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_init = n_init
        self.max_iter = max_iter
        self.approximation = approximation
        self.n_components = n_components
        self.rng = rng

    def _fit(self, X: Floats, k: int, rng: np.random.Generator) -> None:
        n_init = Field("number of starts", int, low=1).check("n_init", self.n_init)
        max_iter = Field("largest number of iterations", int, low=1).check("max_iter", self.max_iter)
        self._features = approximate_features(self.kernel_, self.approximation, self.n_components, rng)
        if self._features is not None:
            self._fit_features(self._features.fit_transform(X), k, n_init, max_iter, rng)
            return
        gram = self.kernel_(X)
        best = best_clustering(gram, rng.random((n_init, k)), max_iter)
        used, self.labels_ = np.unique(best.groups, return_inverse=True)
        self.inertia_, self.n_iter_ = best.inertia, best.n_iter
        self._weights = best.weights[:, used]
        self._lengths = squared_lengths(self._weights, gram @ self._weights)

    def _fit_features(self, Z: Floats, k: int, n_init: int, max_iter: int, rng: np.random.Generator) -> None:
        """Cluster features: the means are vectors there, and scikit-learn's k-means does the rest."""
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

        model = KMeans(k, n_init=n_init, max_iter=max_iter, random_state=int(rng.integers(2**32)))
        with warnings.catch_warnings():
            # Fewer clusters are what is promised where the kernel can tell fewer points apart.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(Z)
        means = model.cluster_centers_
        used, self.labels_ = np.unique(nearest_mean(Z @ means.T, (means**2).sum(1)), return_inverse=True)
        self.inertia_, self.n_iter_ = float(model.inertia_), int(model.n_iter_)
        self._means = means[used]

    def _predict(self, X: Floats) -> Groups:
        if self._features is not None:
            return nearest_mean(self._features.transform(X) @ self._means.T, (self._means**2).sum(1))
        return nearest_mean(self.kernel_(X, self.X_fit_) @ self._weights, self._lengths)


class Clustering(NamedTuple):
    """Where one start leads to. Column c of `weights` holds the weights of the points in the mean m_c."""

    groups: Groups
    inertia: float
    weights: Floats
    n_iter: int


def best_clustering(gram: Floats, draws: Floats, max_iter: int) -> Clustering:
    """Return the clustering with the smallest inertia; each row of `draws` leads to one."""
    best: Clustering | None = None
    for start in draws:
        means = means_at(starting_points(gram, start), len(gram))
        clustering = move_means(gram, means, len(start), max_iter)
        # A later start must win clearly, so that round-off does not decide between equal results.
        if best is None or clustering.inertia < best.inertia - 1e-9 * abs(best.inertia):
            best = clustering
        if best.inertia == 0:
            break
    assert best is not None
    return best


def starting_points(gram: Floats, draws: Floats) -> list[int]:
    """Return the points that k-means++ starts from, one per draw.

    The first is any point; the others are drawn in proportion to their squared distance from the nearest one so far.
    There are fewer points than draws if none is left at a distance.
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


def move_means(gram: Floats, weights: Floats, k: int, max_iter: int) -> Clustering:
    """Assign each point to its nearest mean and move the means to their points until nothing changes (Lloyd)."""
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        moved = memberships(fill_empty(*assign(gram, weights), k))
        if np.array_equal(moved, weights):
            break
        weights = moved
    groups, far = assign(gram, weights)
    return Clustering(groups, float(far.sum()), weights, n_iter)


def assign(gram: Floats, weights: Floats) -> tuple[Groups, Floats]:
    """Return the nearest mean of each point and its squared distance, K_xx - 2 mean_j K_xj + mean_jl K_jl."""
    products = gram @ weights
    lengths = squared_lengths(weights, products)
    groups = nearest_mean(products, lengths)
    squares, product, length = np.diag(gram), products[np.arange(len(gram)), groups], lengths[groups]
    far = squares - 2 * product + length
    size = np.abs(squares) + 2 * np.abs(product) + np.abs(length)
    return groups, np.where(np.abs(far) <= ROUND_OFF * size, 0.0, far)


def nearest_mean(products: Floats, lengths: Floats) -> Groups:
    """Return the cluster c of the smallest |m_c|^2 - 2 phi(x) . m_c for each row; K(x, x) is the same for all c."""
    size = (2 * np.abs(products) + np.abs(lengths)).max(1, keepdims=True)
    return nearest(lengths - 2 * products, ROUND_OFF * size)


def squared_lengths(weights: Floats, products: Floats) -> Floats:
    """Return |m_c|^2 = mean_jl K_jl of each cluster, from the products mean_j K_xj."""
    lengths: Floats = (weights * products).sum(0)
    return lengths


def fill_empty(groups: Groups, far: Floats, k: int) -> Groups:
    """Give each of the k clusters without points the point farthest from its own mean, while one is at a distance."""
    filled, left = groups.copy(), far.copy()
    for empty in np.setdiff1d(np.arange(k), groups):
        farthest = left.argmax()
        if left[farthest] <= 0:
            break
        filled[farthest], left[farthest] = empty, 0.0
    return filled


def memberships(groups: Groups) -> Floats:
    """Return the weights of the points in the mean of each cluster that has points, one column per cluster."""
    members = (groups[:, None] == np.unique(groups)).astype(np.float64)
    weights: Floats = members / members.sum(0)
    return weights


def means_at(points: list[int], n_points: int) -> Floats:
    """Return the weights of means that lie at single points, one column per mean."""
    weights = np.zeros((n_points, len(points)))
    weights[points, range(len(points))] = 1.0
    return weights
