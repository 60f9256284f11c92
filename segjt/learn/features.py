"""Transformers: points become vectors whose inner products are a kernel, exactly or nearly, in time linear in N."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from segjt.fields import Field
from segjt.kernels.base import REAL, Kernel
from segjt.kernels.feature_maps import FeatureMap, chunks
from segjt.kernels.registry import kernel_class, kernel_names, make_kernel
from segjt.learn.base import checked_rows, generator, resolve_kernel
from segjt.runtime.arrays import Floats

# Eigenvalues that are a smaller share of the largest than this are round-off.
ROUND_OFF = 1e-13
LANDMARKS = ("uniform", "kmeans++")
APPROXIMATIONS = ("explicit", "nystroem")


class KernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Vectors z(x) with z(x) . z(y) = k(x, y). Subclasses define `_fit`, which returns the map of rows to features."""

    kernel: str | Kernel
    kernel_params: Mapping[str, Any] | None

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Prepare the map for rows like those of X; `y` is ignored."""
        rows = checked_rows(self, X, reset=True)
        self.kernel_ = resolve_kernel(self.kernel, self.kernel_params)
        self._map, self._projection = self._fit(self.kernel_.check_rows(rows))
        self._n_features_out = (self._map(rows[:1]) if self._projection is None else self._projection).shape[1]
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Return the features of the rows of X, (rows, features); in chunks, so that no more than these are held."""
        check_is_fitted(self)
        rows = self.kernel_.check_rows(checked_rows(self, X, reset=False))
        features = np.empty((len(rows), self._n_features_out))
        done = 0
        for part in chunks(rows, self._n_features_out if self._projection is None else len(self._projection)):
            Z = self._map(part)
            features[done : done + len(part)] = Z if self._projection is None else Z @ self._projection
            done += len(part)
        return features

    def _fit(self, X: Floats) -> tuple[FeatureMap, Floats | None]:
        """Return a map of checked rows, and the matrix that its features are multiplied by, if any."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        domain = self.kernel.domain if isinstance(self.kernel, Kernel) else domain_of(self.kernel)
        tags.input_tags.positive_only = domain != REAL
        return tags


class ExplicitFeatures(KernelFeatures):
    """Features whose inner products are a Jensen-Tsallis or n-point kernel, exact but for a tolerance.

    The two-point kernel is an integral of products (1 - e^(-lambda x)) (1 - e^(-lambda y)), which a quadrature with
    some 65 nodes per column turns into an inner product; the flattened n-point kernels `jt3`, `jtn` and `nlin` are
    quadratic forms of such features. So methods for vectors, such as linear support vector machines and k-means, are
    methods for these kernels in time linear in the number of points.

    Parameters
    ----------
    kernel : str or Kernel
        One with an explicit map: ``"jt2"``, ``"weighted_jt"``, ``"js"``, ``"linear"``, ``"jt3"``, ``"jtn"``,
        ``"nlin"``, and the sampled ``"jt3+"``, ``"jtn+"``, ``"nlin+"``. For all others: `NystroemFeatures`.
    kernel_params : dict, optional
        The kernel's parameters, if it is given by name.
    n_components : int, optional
        Largest number of features: the leading principal directions of the rows of `fit`, not centred, so that the
        Gram matrix of so many features is the best one. None keeps all features, and the tolerance.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel.

    Notes
    -----
    |z(x) . z(y) - k(x, y)| is at most 1e-11 sqrt(k(x, x) k(y, y)), for n points 1e-11 of the largest entry, if all
    values are 0 or in the range of those of `fit`. A value outside is compared as exactly with the rows of `fit`;
    two values outside are compared by their projections. n-point kernels draw their other points from the rows of
    `fit`.

    With `n_components` the squared Frobenius norm of the error of the Gram matrix of `fit` is the sum of the squared
    eigenvalues left out.

    References
    ----------
    Ghoshdastidar, Adsul, Dukkipati: Learning with Jensen-Tsallis Kernels, IEEE TNNLS 2016.

    Examples
    --------
    >>> from segjt.kernels import make_kernel
    >>> from segjt.learn import ExplicitFeatures
    >>> X = [[0.1, 0.9], [0.2, 0.8], [0.9, 0.1]]
    >>> Z = ExplicitFeatures("jt2").fit_transform(X)
    >>> bool(abs(Z @ Z.T - make_kernel("jt2")(X)).max() < 1e-11)
    True
    """

    def __init__(
        self,
        kernel: str | Kernel = "jt2",
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_components = n_components

    def _fit(self, X: Floats) -> tuple[FeatureMap, Floats | None]:
        if self.n_components is not None:
            Field("largest number of features", int, low=1).check("n_components", self.n_components)
        features = self.kernel_.feature_map(X)
        if features is None:
            one = np.ones((1, 1))
            known = ", ".join(name for name in kernel_names() if make_kernel(name).feature_map(one) is not None)
            raise ValueError(
                f"{self.kernel_} has no explicit features; use NystroemFeatures, or one of the kernels {known}"
            )
        R = features(X[:1]).shape[1]
        if self.n_components is None or self.n_components >= R:
            return features, None
        _, directions = principal(second_moments(map(features, chunks(X, R)), R))
        return features, directions[:, : self.n_components]


class NystroemFeatures(KernelFeatures):
    """Nystroem features of any kernel: the kernel between all points is estimated from that with some landmarks.

    With L the landmarks, k(X, L) k(L, L)^+ k(L, X) stands for k(X, X), and is the best approximation in the span of
    the landmarks. Its error falls with the eigenvalues of the kernel: quickly for smooth kernels of few columns.

    Parameters
    ----------
    kernel : str or Kernel
        A name of `segjt.kernels.kernel_names()` or what `segjt.kernels.make_kernel` returns.
    kernel_params : dict, optional
        The kernel's parameters, if it is given by name.
    n_components : int
        Number of landmarks, and largest number of features; all rows if there are fewer.
    landmarks : {"uniform", "kmeans++"}
        How landmarks are drawn from the rows of `fit`: any with equal chance, or far apart, as k-means++ starts.
    rng : int or numpy.random.Generator, optional
        Seed of the landmarks.

    Attributes
    ----------
    landmarks_ : (n, d) array
        The landmarks.
    eigenvalues_ : array
        Those of k(L, L), largest first, that are more than round-off: at least 1e-13 of the largest. There are as many
        features.
    kernel_ : Kernel
        The kernel.

    Notes
    -----
    Kernels that look at a set of points (n points, ``sigma="auto"``, self-tuning, relaxed) take the landmarks for that
    set, so that every pair of points is compared by the same kernel. Uniform landmarks are a fair sample of the points,
    and the n-point kernels are means over tuples of them; with k-means++, which prefers outlying points, they would
    be means over other tuples. `ExplicitFeatures` draws tuples from all points.

    scikit-learn's Nystroem calls a function once per pair of rows, which takes 750 times as long for `expjt2` of 2,000
    pixels and 100 landmarks, and with ``kernel="precomputed"`` it does not transform new rows.

    References
    ----------
    Williams, Seeger: Using the Nystroem method to speed up kernel machines, NIPS 2000.

    Examples
    --------
    >>> from segjt.learn import NystroemFeatures
    >>> NystroemFeatures("expjt2", n_components=2).fit_transform([[0.1, 0.9], [0.2, 0.8], [0.9, 0.1]]).shape
    (3, 2)
    """

    def __init__(
        self,
        kernel: str | Kernel = "exponential",
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int = 100,
        landmarks: str = "uniform",
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.landmarks = landmarks
        self.rng = rng

    def _fit(self, X: Floats) -> tuple[FeatureMap, Floats]:
        count = min(Field("number of landmarks", int, low=1).check("n_components", self.n_components), len(X))
        Field("how landmarks are drawn", str, words=lambda: LANDMARKS).check("landmarks", self.landmarks)
        rng = generator(self.rng)
        if self.landmarks == "uniform":
            chosen = rng.choice(len(X), count, replace=False)
        else:
            from sklearn.cluster import kmeans_plusplus

            chosen = kmeans_plusplus(X, count, random_state=int(rng.integers(2**32)))[1]
        self.landmarks_ = X[np.sort(chosen)]
        self.eigenvalues_, vectors = principal(self.kernel_(self.landmarks_))
        return LandmarkMap(self.kernel_, self.landmarks_), vectors / np.sqrt(self.eigenvalues_)


@dataclasses.dataclass(frozen=True, eq=False)
class LandmarkMap:
    """The similarity of rows to landmarks."""

    kernel: Kernel
    landmarks: Floats

    def __call__(self, X: Floats) -> Floats:
        return self.kernel(X, self.landmarks)


def approximate_features(
    kernel: Kernel, approximation: Any, n_components: Any, rng: np.random.Generator
) -> KernelFeatures | None:
    """Return the transformer that an estimator's `approximation` and `n_components` stand for; None without."""
    if approximation is None:
        return None
    Field("how the kernel is approximated", str, words=lambda: APPROXIMATIONS).check("approximation", approximation)
    if approximation == "explicit":
        return ExplicitFeatures(kernel, n_components=n_components)
    return NystroemFeatures(kernel, n_components=100 if n_components is None else n_components, rng=rng)


def domain_of(name: Any) -> str:
    """Return the domain of a kernel by name; an unknown name is the error of `fit`."""
    return kernel_class(name).domain if name in kernel_names() else REAL


def second_moments(parts: Iterator[Floats], R: int) -> Floats:
    """Return the sum of z z' over rows of R features that come in parts."""
    total = np.zeros((R, R))
    for Z in parts:
        total += Z.T @ Z
    return total


def principal(S: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues of a symmetric matrix, largest first, without round-off, and their eigenvectors.

    One at least; it is 1 where all are 0, so that it can be divided by.
    """
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    if not values[0] > 0:
        return np.ones(1), vectors[:, :1]
    kept = values > ROUND_OFF * values[0]
    return values[kept], vectors[:, kept]
