"""`KernelSpectralClustering`: normalized cuts of points, with any kernel."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from segjt.fields import Field
from segjt.kernels.base import Kernel
from segjt.learn.base import KernelClusterer, cluster_rows, nearest_centre
from segjt.learn.feature_rows import FeatureRows, feature_eigenvectors, reciprocals
from segjt.learn.features import approximate_features
from segjt.runtime.arrays import Floats, Groups
from segjt.spectral.ncut import SMALLEST_EIGENVALUE, normalise, top_eigenpairs, unit_rows

NORMALISATIONS = ("ng-jordan-weiss", "shi-malik")


class KernelSpectralClustering(KernelClusterer):
    """Spectral clustering with a two-point or an n-point kernel.

    With V the kernel's affinity, D = diag(V 1) and z_1, z_2, ... the top eigenvectors of D^(-1/2) V D^(-1/2), k-means
    clusters the rows of

    - ``"ng-jordan-weiss"``: z, scaled to unit rows (with an n-point kernel this is Algorithm 1 of the reference);
    - ``"shi-malik"``: u = D^(-1/2) z, the top eigenvectors of D^-1 V, not scaled.

    Only the logarithm of V is used, so kernels whose values overflow float64 work as well.

    Parameters
    ----------
    n_clusters : int
        Number of eigenvectors and clusters.
    kernel : str or Kernel
        A name of `segjt.kernels.kernel_names()` or what `segjt.kernels.make_kernel` returns.
    kernel_params : dict, optional
        The kernel's parameters, if it is given by name.
    normalisation : {"ng-jordan-weiss", "shi-malik"}
        Which rows are clustered.
    approximation : {"explicit", "nystroem"}, optional
        Features that stand for the kernel, in time and memory linear in the number of points: `ExplicitFeatures`
        where the kernel has them, or `NystroemFeatures`. None compares all pairs.
    n_components : int, optional
        Number of these features: all of the explicit ones, or 100 landmarks, if it is not given. All pairs need none.
    rng : int or numpy.random.Generator, optional
        Seed of k-means, and of the landmarks.

    Attributes
    ----------
    labels_ : (N,) int array
        Cluster of each point, from 0.
    embedding_ : (N, K) array
        The rows that were clustered. Eigenvectors with an eigenvalue below 1e-13 are noise and left out.
    eigenvalues_ : (K,) array
        Their eigenvalues, largest first.
    kernel_ : Kernel
        The kernel.

    Notes
    -----
    New points are placed by u(x) = (1 / lambda) sum_j (V(x, x_j) / d(x)) u_j (Nystroem), which for the points of `fit`
    is the eigenvalue equation, and join the cluster of the nearest centre. Points without affinity to any other lie
    at 0.

    With features Z in place of V = Z Z', the degrees are Z (Z' 1), and z_1, z_2, ... the left singular vectors of
    D^(-1/2) Z, from the small matrix Z' D^-1 Z: nothing is as large as V.

    References
    ----------
    Ghoshdastidar, Dukkipati, Adsul, Vijayan: Spectral Clustering with Jensen-type kernels and their multi-point
    extensions, Section 4.1. Ng, Jordan, Weiss: On spectral clustering, 2002. Shi, Malik: Normalized cuts and image
    segmentation, 2000.

    Examples
    --------
    >>> from segjt.learn import KernelSpectralClustering
    >>> KernelSpectralClustering(2, kernel="jt3").fit_predict([[0.1, 0.9], [0.2, 0.8], [0.9, 0.1]]).tolist()
    [0, 0, 1]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        kernel: str | Kernel = "exponential",
        kernel_params: Mapping[str, Any] | None = None,
        normalisation: str = "ng-jordan-weiss",
        approximation: str | None = None,
        n_components: int | None = None,
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.normalisation = normalisation
        self.approximation = approximation
        self.n_components = n_components
        self.rng = rng

    def _fit(self, X: Floats, k: int, rng: np.random.Generator) -> None:
        Field("rows that are clustered", str, words=lambda: NORMALISATIONS).check("normalisation", self.normalisation)
        self._features = approximate_features(self.kernel_, self.approximation, self.n_components, rng)
        if self._features is None:
            log_W = self.kernel_.log_affinity(X)
            self.eigenvalues_, Z = top_eigenpairs(normalise(log_W), k)
            # Where no point has any affinity all eigenvalues are 0, and so are all rows.
            self._extension = random_walk_vectors(log_W, Z) / np.maximum(self.eigenvalues_, SMALLEST_EIGENVALUE)
            self.embedding_ = self._scaled(transition(log_W) @ self._extension)
        else:
            rows = FeatureRows(self._features.fit(X), X)
            self.eigenvalues_, self._extension, self._sums = feature_eigenvectors(rows, k)
            self.embedding_ = np.concatenate([self._embed(Z) for Z in rows.parts()])
        if len(self.eigenvalues_) < k:
            warnings.warn(
                f"{self.kernel_} has an affinity with {len(self.eigenvalues_)} eigenvalues above "
                f"{SMALLEST_EIGENVALUE:g}, and {k} clusters need {k}; ask for fewer clusters, a smaller t, normalise "
                "the kernel, make_kernel('normalized', kernel=...), or choose another one",
                stacklevel=3,
            )
        self.labels_, self._centres = cluster_rows(self.embedding_, k, rng)

    def _predict(self, X: Floats) -> Groups:
        if self._features is None:
            U = self._scaled(transition(self.kernel_.log_affinity(X, self.X_fit_)) @ self._extension)
        else:
            U = np.concatenate([self._embed(Z) for Z in FeatureRows(self._features, X).parts()])
        return nearest_centre(U, self._centres)

    def _embed(self, Z: Floats) -> Floats:
        """Return the rows to cluster from features: u(x) = z(x) P / d(x) with d(x) = z(x) . sums."""
        return self._scaled((Z @ self._extension) * reciprocals(Z @ self._sums)[:, None])

    def _scaled(self, U: Floats) -> Floats:
        """Return the rows to cluster, from u.

        The unit rows of z and of u = D^(-1/2) z are the same: the degree of a point is a factor of its row.
        """
        return U if self.normalisation == "shi-malik" else unit_rows(U)


def random_walk_vectors(log_W: Floats, Z: Floats) -> Floats:
    """Return u = D^(-1/2) z as columns, scaled by the root of the sum of D, so that the first is 1 or -1 everywhere."""
    from scipy.special import logsumexp

    log_degree = logsumexp(log_W, axis=1)
    connected = np.isfinite(log_degree)
    if not connected.any():
        return Z
    half = (logsumexp(log_degree[connected]) - log_degree[connected]) / 2
    U = np.zeros_like(Z)
    # Where a degree is a smaller share of all than this allows, z is round-off; neighbours place such points.
    U[connected] = Z[connected] * np.exp(np.minimum(half, -np.log(np.finfo(np.float64).eps)))[:, None]
    return U


def transition(log_W: Floats) -> Floats:
    """Return D^-1 W, the steps of a random walk; rows without affinity are 0."""
    largest = log_W.max(1, keepdims=True)
    W = np.exp(log_W - np.where(np.isfinite(largest), largest, 0.0))
    P: Floats = W / np.maximum(W.sum(1, keepdims=True), np.finfo(np.float64).tiny)
    return P
