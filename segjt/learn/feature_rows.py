"""Eigenvectors of D^(-1/2) Z Z' D^(-1/2) in linear time: from features Z, a part of the rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from segjt.kernels.feature_maps import chunks
from segjt.learn.features import KernelFeatures
from segjt.runtime.arrays import Floats
from segjt.spectral.ncut import SMALLEST_EIGENVALUE, dense_eigenpairs, meaningful

# Features of all rows are kept if they have no more numbers than this, 512 MB, and else computed on each pass.
MOST_KEPT = 2**26


class FeatureRows:
    """The features of all rows, to be passed through several times."""

    def __init__(self, features: KernelFeatures, X: Floats) -> None:
        self.features, self.X = features, X
        self.width = len(features.get_feature_names_out())
        self.kept = features.transform(X) if len(X) * self.width <= MOST_KEPT else None

    def parts(self) -> Iterator[Floats]:
        """Yield the features of all rows, in parts."""
        for rows in chunks(self.X if self.kept is None else self.kept, self.width):
            yield self.features.transform(rows) if self.kept is None else rows


def feature_eigenvectors(rows: FeatureRows, k: int) -> tuple[Floats, Floats, Floats]:
    """Return the top eigenvalues of D^(-1/2) Z Z' D^(-1/2), P and s: Z s are the degrees, Z P / (Z s) the vectors u.

    With Y = D^(-1/2) Z, Y'Y = Q Lambda Q' is small, and the eigenvectors are Y Q Lambda^(-1/2); u is D^(-1/2) times
    these, scaled by the root of the sum of D, so that the first is 1 or -1 everywhere.
    """
    s = np.sum([Z.sum(0) for Z in rows.parts()], axis=0)
    G, total = np.zeros((rows.width, rows.width)), 0.0
    for Z in rows.parts():
        degrees = Z @ s
        total += degrees.sum()
        Y = Z * np.sqrt(reciprocals(degrees))[:, None]
        G += Y.T @ Y
    values, Q = meaningful(*dense_eigenpairs(G, min(k, rows.width)))
    # Where no point has any affinity all eigenvalues are 0, and so are all rows.
    P = Q * np.sqrt(max(total, 0.0) / np.maximum(values, SMALLEST_EIGENVALUE))
    return values, P, s


def reciprocals(degrees: Floats) -> Floats:
    """Return 1 / d; 0 where d is not above 0: such points have no affinity, or only the error of an approximation."""
    return np.where(degrees > 0, 1 / np.where(degrees > 0, degrees, 1.0), 0.0)
