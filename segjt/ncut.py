"""Normalized cuts of a dense affinity matrix (paper 001, Algorithm 1, steps 2 to 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segjt.kmeans import kmeans

Matrix = NDArray[np.float64]

SMALLEST_EIGENVALUE = 1e-13


def partition(log_W: Matrix, k: int, rng: np.random.Generator) -> NDArray[np.intp]:
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
    U = top_eigenvectors(normalise(log_W), k)
    return kmeans(unit_rows(U), U.shape[1], rng)


def normalise(log_W: Matrix) -> Matrix:
    """Return Z = D^(-1/2) W D^(-1/2), formed in logarithms; rows without affinity are 0 (errata 2.4, 2.5)."""
    largest = log_W.max(1, keepdims=True)
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_degree = np.log(np.exp(log_W - finite).sum(1, keepdims=True)) + finite
        half = np.where(np.isfinite(log_degree), log_degree / 2, 0.0)
    return np.exp(log_W - half - half.T)


def top_eigenvectors(Z: Matrix, k: int) -> Matrix:
    """Return the unit eigenvectors of the k largest eigenvalues, largest first, as columns."""
    return top_eigenpairs(Z, k)[1]


def top_eigenpairs(Z: Matrix, k: int) -> tuple[NDArray[np.float64], Matrix]:
    """Return the k largest eigenvalues, largest first, and their unit eigenvectors as columns.

    Fewer than k, but one at least, if the matrix has a smaller rank: eigenvectors of round-off are noise (errata
    2.6, 2.14).
    """
    from scipy.linalg import eigh

    N = len(Z)
    values, vectors = eigh(Z, subset_by_index=[N - k, N - 1], check_finite=False)
    meaningful = max(int((values > SMALLEST_EIGENVALUE).sum()), 1)
    return values[::-1][:meaningful], vectors[:, ::-1][:, :meaningful]


def unit_rows(U: Matrix) -> Matrix:
    """Return U with rows of length 1; rows of (nearly) 0 become 0."""
    lengths = np.sqrt((U * U).sum(1, keepdims=True))
    return np.where(lengths > 1e-12, U / np.maximum(lengths, 1e-12), 0.0)
