"""Spectral embeddings in the ways that the papers leave open: which eigenvectors, which rows, which graph."""

from __future__ import annotations

import dataclasses

import numpy as np

from segjt.runtime.arrays import Floats, Indices
from segjt.spectral.ncut import normalise, top_eigenpairs, unit_rows

# Which eigenvectors make up the rows: how many of the first are left out, and how many follow the k-th.
EIGENVECTORS = {"k": (0, 0), "k + 1": (0, 1), "2 to k + 1": (1, 1)}
# Rows of length 1 (Ng, Jordan, Weiss), or the eigenvectors of the random walk D^-1 W as they are (Shi, Malik).
UNIT_LENGTH, RANDOM_WALK = "unit length", "random walk"
# Eigenvalues that differ by a smaller share are equal, and their eigenvectors are whatever the solver makes of them.
EQUAL = 1e-6
# Eigenpairs beyond the k + 1 that are used: equal eigenvalues must be there all together to be rotated.
BEYOND = 5


@dataclasses.dataclass(frozen=True)
class Spectrum:
    """The largest eigenvalues of D^(-1/2) W D^(-1/2), at least k + 1 where it has as many, and their eigenvectors.

    Attributes
    ----------
    k : int
        The number of clusters.
    values : (m,) array
        Eigenvalues, largest first; those that are round-off are left out.
    vectors : (N, m) array
        Unit eigenvectors as columns.
    degrees : (N,) array
        Diagonal of D, up to a common factor; 0 where a point has no affinity.
    """

    k: int
    values: Floats
    vectors: Floats
    degrees: Floats

    @property
    def gap(self) -> float:
        """The eigengap lambda_k - lambda_(k+1): how clearly the graph falls into k parts."""
        values = np.pad(self.values, (0, max(self.k + 1 - len(self.values), 0)))
        return float(values[self.k - 1] - values[self.k])

    def rows(self, eigenvectors: str = "k", scaling: str = UNIT_LENGTH) -> Floats:
        """Return the rows that k-means clusters (paper 001, Algorithm 1, step 4)."""
        left_out, beyond = EIGENVECTORS[eigenvectors]
        # A matrix of rank 1 has nothing but the first.
        columns = self.vectors[:, min(left_out, len(self.values) - 1) : self.k + beyond]
        if scaling == UNIT_LENGTH:
            return unit_rows(columns)
        # u is an eigenvector of D^(-1/2) W D^(-1/2) where D^(-1/2) u is one of D^-1 W.
        root = np.sqrt(np.where(self.degrees > 0, self.degrees, np.inf))
        walk: Floats = columns / root[:, None]
        return walk

    def rotated(self, rng: np.random.Generator) -> Spectrum:
        """Return the spectrum with another basis of each space of equal eigenvalues, drawn at random."""
        vectors = self.vectors.copy()
        for space in equal_values(self.values):
            gaussian = rng.normal(size=(len(space), len(space)))
            Q, R = np.linalg.qr(gaussian)
            vectors[:, space] = vectors[:, space] @ (Q * np.sign(np.diagonal(R)))
        return dataclasses.replace(self, vectors=vectors)


def spectrum(log_W: Floats, k: int) -> Spectrum:
    """Return the spectrum of an affinity from its logarithm."""
    values, vectors = top_eigenpairs(normalise(log_W), min(k + 1 + BEYOND, len(log_W)))
    finite = log_W - log_W.max(initial=-np.inf, where=np.isfinite(log_W))
    return Spectrum(k, values, vectors, np.exp(finite).sum(1))


def equal_values(values: Floats) -> list[Indices]:
    """Return the places of eigenvalues that are equal, largest first, in groups of one or more."""
    apart = values[:-1] - values[1:] > EQUAL * np.abs(values[:-1])
    return np.split(np.arange(len(values)), np.flatnonzero(apart) + 1)


def nearest_neighbour_graph(log_W: Floats, neighbours: int) -> Floats:
    """Return the affinity with no edges but those between a point and its nearest others, in either direction.

    Of equally near ones the first are taken. There are no loops.
    """
    N = len(log_W)
    similarity = log_W.copy()
    np.fill_diagonal(similarity, -np.inf)
    nearest = np.argsort(-similarity, axis=1, kind="stable")[:, : min(neighbours, N - 1)]
    edges = np.zeros((N, N), bool)
    np.put_along_axis(edges, nearest, True, axis=1)
    return np.where(edges | edges.T, similarity, -np.inf)
