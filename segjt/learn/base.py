"""What the clustering estimators share: their parameters, the checks of X, the nearest centre."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from segjt.fields import Field
from segjt.kernels.base import Kernel
from segjt.kernels.registry import make_kernel
from segjt.spectral.kmeans import kmeans

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

# Runs of k-means on an embedding, and the share of |e|^2 + |c|^2 below which two squared distances count as equal.
RESTARTS = 10
ROUND_OFF = 1e-12


class KernelClusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """A clustering method that sees its points through a kernel.

    Subclasses define `_fit` and `_predict`. Points get at most `n_clusters` labels, from 0: fewer if there are fewer
    distinct points, or fewer that the kernel can tell apart.
    """

    n_clusters: int
    kernel: str | Kernel
    kernel_params: Mapping[str, Any] | None
    rng: int | np.random.Generator | None

    labels_: Labels

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Cluster the rows of X; `y` is not used."""
        # A copy: predict compares new rows with these.
        rows = checked_rows(self, X, reset=True, copy=True)
        n_clusters = check_n_clusters(self.n_clusters, len(rows))
        self.kernel_ = resolve_kernel(self.kernel, self.kernel_params)
        self.X_fit_ = rows
        self._fit(rows, min(n_clusters, len(np.unique(rows, axis=0))), generator(self.rng))
        return self

    def predict(self, X: ArrayLike) -> Labels:
        """Return the cluster of each row of X; for the rows of `fit` these are `labels_`."""
        check_is_fitted(self)
        return self._predict(checked_rows(self, X, reset=False))

    def _fit(self, X: Matrix, k: int, rng: np.random.Generator) -> None:
        """Cluster checked rows and store the result."""
        raise NotImplementedError

    def _predict(self, X: Matrix) -> Labels:
        """Return the cluster of checked rows."""
        raise NotImplementedError


def checked_rows(estimator: BaseEstimator, X: ArrayLike, reset: bool, copy: bool = False) -> Matrix:
    """Return X as float64 rows after scikit-learn's checks, which count and name the features."""
    rows: Matrix
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6 it is a method
        rows = estimator._validate_data(X, dtype=np.float64, reset=reset, copy=copy)
    else:
        rows = validate_data(estimator, X, dtype=np.float64, reset=reset, copy=copy)
    return rows


def check_n_clusters(n_clusters: Any, n_samples: int) -> int:
    """Return the number of clusters, or raise an error if it is no whole number from 1 to the number of rows."""
    found: int = Field("number of clusters", int, low=1).check("n_clusters", n_clusters)
    if found > n_samples:
        raise ValueError(
            f"n_clusters = {found} is more than n_samples = {n_samples}, the rows of X; ask for at most one a row"
        )
    return found


def resolve_kernel(kernel: Any, kernel_params: Any) -> Kernel:
    """Return the kernel that a name and its parameters, or a kernel itself, stand for."""
    if kernel_params is not None and not isinstance(kernel_params, Mapping):
        raise TypeError(f"kernel_params = {kernel_params!r} is not valid; give a dict such as {{'q': 1.0}}, or None")
    if not isinstance(kernel, Kernel):
        return make_kernel(kernel, **(kernel_params or {}))
    if kernel_params:
        raise ValueError(
            f"kernel_params = {dict(kernel_params)!r} cannot change the kernel {kernel}, which has its parameters; "
            "leave kernel_params out, or give the kernel by name"
        )
    return kernel


def generator(rng: Any) -> np.random.Generator:
    """Return the random numbers of a seed; None is seed 0, a Generator gives one seed a fit."""
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(2**32))
    seed = Field("seed of the random numbers", int, low=0).check("rng", 0 if rng is None else rng)
    return np.random.default_rng(seed)


def nearest(far: Matrix, round_off: Matrix | float) -> Labels:
    """Return the column of the smallest value of each row: the first of those that differ by round-off only."""
    labels: Labels = (far <= far.min(1, keepdims=True) + round_off).argmax(1)
    return labels


def nearest_centre(rows: Matrix, centres: Matrix) -> Labels:
    """Return the centre with the smallest |row - centre|^2, for each row."""
    far = np.stack([((rows - centre) ** 2).sum(1) for centre in centres], axis=1)
    size = (rows**2).sum(1, keepdims=True) + (centres**2).sum(1).max()
    return nearest(far, ROUND_OFF * size)


def cluster_rows(rows: Matrix, k: int, rng: np.random.Generator) -> tuple[Labels, Matrix]:
    """Return the labels and the centres of k-means; every row has the label of its nearest centre."""
    found = kmeans(rows, k, rng, restarts=RESTARTS)
    centres = np.array([rows[found == c].mean(0) for c in range(found.max() + 1)])
    # Centres that differ by round-off only are one.
    used, labels = np.unique(nearest_centre(rows, centres), return_inverse=True)
    return labels.reshape(-1), centres[used]
