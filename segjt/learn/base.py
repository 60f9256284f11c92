"""What the clustering estimators share: their parameters, the checks of X, k-means on an embedding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from segjt.fields import Field
from segjt.kernels.base import Kernel
from segjt.kernels.registry import make_kernel
from segjt.runtime.arrays import Floats, Groups
from segjt.spectral.kmeans import kmeans

# Runs of k-means on an embedding.
EMBEDDING_RESTARTS = 10
# The share of |row|^2 + |centre|^2 below which two squared distances count as equal.
EQUAL_DISTANCES = 1e-12


class KernelClusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """A clustering method that sees its points through a kernel.

    Subclasses define `_fit` and `_predict`. There are at most `n_clusters` clusters, numbered from 0; fewer if there
    are fewer distinct points, or fewer that the kernel can tell apart.
    """

    n_clusters: int
    kernel: str | Kernel
    kernel_params: Mapping[str, Any] | None
    rng: int | np.random.Generator | None

    labels_: Groups

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Cluster the rows of X; `y` is ignored."""
        # A copy, because `predict` compares new rows with these.
        rows = checked_rows(self, X, reset=True, copy=True)
        n_clusters = check_n_clusters(self.n_clusters, len(rows))
        self.kernel_ = resolve_kernel(self.kernel, self.kernel_params)
        self.X_fit_ = rows
        self._fit(rows, min(n_clusters, len(np.unique(rows, axis=0))), generator(self.rng))
        return self

    def predict(self, X: ArrayLike) -> Groups:
        """Return the cluster of each row of X; for the rows of `fit` these are `labels_`."""
        check_is_fitted(self)
        return self._predict(checked_rows(self, X, reset=False))

    def _fit(self, X: Floats, k: int, rng: np.random.Generator) -> None:
        """Cluster the rows of X, which have been checked, into at most k clusters and store the result."""
        raise NotImplementedError

    def _predict(self, X: Floats) -> Groups:
        """Return the cluster of each row of X, which has been checked."""
        raise NotImplementedError


def checked_rows(estimator: BaseEstimator, X: ArrayLike, reset: bool, copy: bool = False) -> Floats:
    """Return X as float64 rows; scikit-learn checks them, and their features against those of `fit` unless `reset`."""
    rows: Floats
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6 it is a method
        rows = estimator._validate_data(X, dtype=np.float64, reset=reset, copy=copy)
    else:
        rows = validate_data(estimator, X, dtype=np.float64, reset=reset, copy=copy)
    return rows


def check_n_clusters(n_clusters: Any, n_samples: int) -> int:
    """Return the number of clusters, or raise an error if it is not a whole number from 1 to the number of rows."""
    k: int = Field("number of clusters", int, low=1).check("n_clusters", n_clusters)
    if k > n_samples:
        raise ValueError(
            f"n_clusters = {k} is more than n_samples = {n_samples}, the rows of X; ask for at most one cluster per row"
        )
    return k


def resolve_kernel(kernel: Any, kernel_params: Any) -> Kernel:
    """Return the kernel of a name and its parameters; a kernel object is returned as it is."""
    if kernel_params is not None and not isinstance(kernel_params, Mapping):
        raise TypeError(f"kernel_params = {kernel_params!r} is not valid; give a dict such as {{'q': 1.0}}, or None")
    if not isinstance(kernel, Kernel):
        return make_kernel(kernel, **(kernel_params or {}))
    if kernel_params:
        raise ValueError(
            f"kernel_params = {dict(kernel_params)!r} cannot change {kernel}, which has parameters of its own; "
            "leave kernel_params out, or give the kernel by name"
        )
    return kernel


def generator(rng: Any) -> np.random.Generator:
    """Return a random generator from a seed; None is seed 0, and a Generator is asked for a seed at each fit."""
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(2**32))
    seed = Field("seed of the random numbers", int, low=0).check("rng", 0 if rng is None else rng)
    return np.random.default_rng(seed)


def nearest(far: Floats, round_off: Floats | float) -> Groups:
    """Return the column of the smallest value in each row; of values equal up to `round_off`, the first."""
    columns: Groups = (far <= far.min(1, keepdims=True) + round_off).argmax(1)
    return columns


def nearest_centre(rows: Floats, centres: Floats) -> Groups:
    """Return the index of the centre with the smallest |row - centre|^2, for each row."""
    far = np.stack([((rows - centre) ** 2).sum(1) for centre in centres], axis=1)
    size = (rows**2).sum(1, keepdims=True) + (centres**2).sum(1).max()
    return nearest(far, EQUAL_DISTANCES * size)


def cluster_rows(rows: Floats, k: int, rng: np.random.Generator) -> tuple[Groups, Floats]:
    """Cluster rows by k-means; return the cluster of each row, that of its nearest centre, and the centres."""
    groups = kmeans(rows, k, rng, restarts=EMBEDDING_RESTARTS)
    centres = np.array([rows[groups == c].mean(0) for c in range(groups.max() + 1)])
    # Of centres that are equal up to round-off only the first is used.
    used, nearest_used = np.unique(nearest_centre(rows, centres), return_inverse=True)
    return nearest_used.reshape(-1), centres[used]
