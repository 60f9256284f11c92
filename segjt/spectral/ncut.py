"""Normalized cuts of a dense affinity matrix (paper 001, Algorithm 1, steps 2 to 5)."""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats, Groups
from segjt.runtime.compiled import compiled
from segjt.spectral.kmeans import kmeans
from segjt.spectral.lanczos import krylov_eigenpairs

SMALLEST_EIGENVALUE = 1e-13
# Rows of an affinity may differ by this factor, e^600, before they have to be handled in logarithms.
SAFE_EXPONENT = 600.0
# Below this many rows per eigenvector the dense solver is as fast.
LANCZOS_FROM = 12


def partition(log_W: Floats, k: int, rng: np.random.Generator) -> Groups:
    """Return the cluster, from 0, of each point: at most k clusters.

    Parameters
    ----------
    log_W : (N, N) array
        Logarithm of a symmetric non-negative affinity; -inf for none.
    k : int
        Number of eigenvectors and clusters.
    rng : numpy.random.Generator
        Random numbers for k-means.
    """
    k = min(k, len(log_W))
    if k <= 1:
        return np.zeros(len(log_W), np.intp)
    return cluster(top_eigenpairs(normalise(log_W), k), rng)


def cluster(eigenpairs: tuple[Floats, Floats], rng: np.random.Generator) -> Groups:
    """Return the cluster, from 0, of each row of the eigenvectors, brought to length 1."""
    U = eigenpairs[1]
    return kmeans(unit_rows(U), U.shape[1], rng)


def normalise(log_W: Floats) -> Floats:
    """Return Z = D^(-1/2) W D^(-1/2) from the logarithm of W; rows without affinity are 0 (errata 2.4, 2.5)."""
    largest = log_W.max(1)
    finite = largest[np.isfinite(largest)]
    if len(finite) and np.ptp(finite) > SAFE_EXPONENT:
        return normalise_in_logarithms(log_W)
    # A common factor drops out, and without it no row of W is lost to underflow.
    Z = log_W - (finite.max() if len(finite) else 0.0)
    np.exp(Z, out=Z)
    divide_by_degrees(Z)
    return Z


def normalise_in_logarithms(log_W: Floats) -> Floats:
    """Return `normalise` of rows of W that differ by more powers of ten than float64 has."""
    largest = log_W.max(1, keepdims=True)
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_degree = np.log(np.exp(log_W - finite).sum(1, keepdims=True)) + finite
        half = np.where(np.isfinite(log_degree), log_degree / 2, 0.0)
    return np.exp(log_W - half - half.T)


@compiled
def divide_by_degrees(W: Floats) -> None:
    """Divide W, in place, by the roots of the sums of its rows and columns; rows of 0 stay 0."""
    N = len(W)
    root = np.empty(N)
    for i in range(N):
        degree = W[i].sum()
        root[i] = 1 / np.sqrt(degree) if degree > 0 else 0.0
    for i in range(N):
        for j in range(N):
            W[i, j] *= root[i] * root[j]


def top_eigenpairs(Z: Floats, k: int) -> tuple[Floats, Floats]:
    """Return the k largest eigenvalues, largest first, and their unit eigenvectors as columns.

    Fewer than k, but one at least, if the matrix has a smaller rank: eigenvectors of round-off are noise (errata
    2.6, 2.14). By Lanczos' method where that is in no doubt, else by the dense solver.
    """
    trusted = krylov_eigenpairs(Z, k) if len(Z) >= LANCZOS_FROM * k else None
    return meaningful(*(dense_eigenpairs(Z, k) if trusted is None else trusted))


def meaningful(values: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Return the eigenpairs that are more than round-off, one at least."""
    rank = max(int((values > SMALLEST_EIGENVALUE).sum()), 1)
    return values[:rank], vectors[:, :rank]


def dense_eigenpairs(Z: Floats, k: int) -> tuple[Floats, Floats]:
    """Return the k largest eigenvalues, largest first, and their unit eigenvectors, by LAPACK."""
    from scipy.linalg import eigh

    N = len(Z)
    values, vectors = eigh(Z, subset_by_index=[N - k, N - 1], check_finite=False)
    return values[::-1], vectors[:, ::-1]


def unit_rows(U: Floats) -> Floats:
    """Return U with rows of length 1; rows of (nearly) 0 become 0."""
    lengths = np.sqrt((U * U).sum(1, keepdims=True))
    return np.where(lengths > 1e-12, U / np.maximum(lengths, 1e-12), 0.0)
