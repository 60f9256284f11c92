"""The papers' pipeline in plain numpy and scikit-learn, as anyone would write it: the reference for speed and labels.

Functions have the names of those they are compared with; nothing here is used to segment images.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from segjt.datasets.items import Photo
from segjt.runtime.arrays import Floats, Groups, Labels
from segjt.superpixels.blocks import stitch, tile

# Columns of the sampled kernels, as in the paper.
SAMPLED_TUPLES = 50


def phi(u: Floats) -> Floats:
    """Return u ln u."""
    return np.where(u > 0, u * np.log(np.where(u > 0, u, 1.0)), 0.0)


def jt2(X: Floats) -> Floats:
    """Return the Jensen-Tsallis kernel with q = 1 (paper 000, eq. 7)."""
    both = X[:, None, :] + X[None, :, :]
    total: Floats = (phi(both) - phi(X)[:, None, :] - phi(X)[None, :, :]).sum(2)
    return np.maximum(total, 0.0)


def expjt2(X: Floats) -> Floats:
    """Return the exponential Jensen-Tsallis kernel with q = t = 1 (eq. 8)."""
    return np.exp(jt2(X))


def gaussian(X: Floats, sigma: float = 0.2) -> Floats:
    """Return the Gaussian kernel exp(-|x - y|^2 / (2 sigma^2))."""
    squared = ((X[:, None, :] - X[None, :, :]) ** 2).sum(2)
    affinity: Floats = np.exp(-squared / (2 * sigma**2))
    return affinity


def nlin(X: Floats, n: int = 6) -> Floats:
    """Return the flattened n-point linear kernel by its closed form (eq. 15, the last coefficient corrected)."""
    m, N = n - 1, len(X)
    K = 2 * X @ X.T
    r = K.mean(1)
    s = r.mean()
    u = m * (m - 1) * (K @ r / N + (m - 2) / 2 * s * r)
    c = m * (m - 1) / 2 * ((K * K).mean() + 2 * (m - 2) * r @ r / N + (m - 2) * (m - 3) / 2 * s**2)
    V: Floats = m / N * K @ K + m * (m - 1) * np.outer(r, r) + u[:, None] + u[None, :] + c
    return V


def of_three_points(X: Floats) -> Floats:
    """Return K(x_i, x_a, x_b) with q = 1 (eq. 9) of all rows i and all N^2 pairs (a, b)."""
    N = len(X)
    return on_pairs(X, np.repeat(np.arange(N), N), np.tile(np.arange(N), N))


def on_pairs(X: Floats, a: Groups, b: Groups) -> Floats:
    """Return K(x_i, x_a, x_b) with q = 1 (eq. 9) of all rows i and given pairs (a, b)."""
    own = phi(X).sum(1)
    pairs = X[a] + X[b]
    return np.array([phi(x + pairs).sum(1) - phi(x).sum() - own[a] - own[b] for x in X])


def jt3(X: Floats) -> Floats:
    """Return the flattened three-point kernel with q = 1 (eq. 12), as a mean over the pairs."""
    A = of_three_points(X)
    return A @ A.T / len(X) ** 2


def expjt3(X: Floats) -> Floats:
    """Return the flattened exponential three-point kernel with q = t = 1 (eq. 11)."""
    A = np.exp(of_three_points(X))
    return A @ A.T / len(X) ** 2


def drawn_tuples(N: int, members: int) -> NDArray[np.integer]:
    """Return 50 tuples of points, drawn independently and with replacement, as `segjt.kernels.sampled` draws them."""
    return np.random.default_rng(0).integers(N, size=(SAMPLED_TUPLES, members))


def jt3_sampled(X: Floats) -> Floats:
    """Return the sampled three-point kernel with q = 1 (eq. 13)."""
    A = on_pairs(X, *drawn_tuples(len(X), 2).T)
    return A @ A.T / SAMPLED_TUPLES


def expjt3_sampled(X: Floats) -> Floats:
    """Return the sampled exponential three-point kernel with q = t = 1 (eq. 11 and 13)."""
    A = np.exp(on_pairs(X, *drawn_tuples(len(X), 2).T))
    return A @ A.T / SAMPLED_TUPLES


def nlin_sampled(X: Floats, n: int = 6) -> Floats:
    """Return the sampled n-point linear kernel (eq. 13 and 14)."""
    members = X[drawn_tuples(len(X), n - 1)]
    total = members.sum(1)
    A: Floats = 2 * X @ total.T + (total**2).sum(1) - (members**2).sum((1, 2))
    return A @ A.T / SAMPLED_TUPLES


KERNELS: dict[str, Callable[[Floats], Floats]] = {
    "gaussian": gaussian,
    "jt2": jt2,
    "expjt2": expjt2,
    "nlin": nlin,
}
# These take seconds per block.
SLOW_KERNELS: dict[str, Callable[[Floats], Floats]] = {"jt3": jt3, "expjt3": expjt3}
SAMPLED_KERNELS: dict[str, Callable[[Floats], Floats]] = {
    "jt3+": jt3_sampled,
    "expjt3+": expjt3_sampled,
    "nlin+": nlin_sampled,
}


def oversegment(image: Photo, kernel: str, block_size: int, k: int = 8) -> Labels:
    """Return the initial segments of an (H, W, 3) image: normalized cuts in every block (paper 000, Section VI-C)."""
    blocks = tile(image.shape[:2], block_size)
    parts = [
        segment_block(image[block.rows, block.columns], KERNELS[kernel], k, functools.partial(kmeans, seed=block.index))
        for block in blocks
    ]
    return stitch(image.shape[:2], blocks, parts)


def kmeans(rows: Floats, k: int, seed: int) -> NDArray[np.integer]:
    """Return the cluster of each row."""
    from sklearn.cluster import KMeans

    groups: NDArray[np.integer] = KMeans(k, n_init=4, random_state=seed).fit_predict(rows)
    return groups


def affinity(pixels: Photo, kernel: Callable[[Floats], Floats]) -> Floats:
    """Return the affinity of the pixels of a block: V^(1 - lambda) exp(-lambda d^2 / sigma^2) (eq. 17)."""
    positions = np.argwhere(np.ones(pixels.shape[:2], bool))
    squared = ((positions[:, None, :] - positions[None, :, :]) ** 2).sum(2)
    W: Floats = kernel(pixels.reshape(-1, pixels.shape[2]) / 255) ** 0.92 * np.exp(-0.08 * squared / 2.0**2)
    return W


def segment_block(
    pixels: Photo,
    kernel: Callable[[Floats], Floats],
    k: int,
    cluster: Callable[[Floats, int], NDArray[np.integer]],
) -> Labels:
    """Return up to k segments of a block, labels from 1; `cluster` groups the rows of the eigenvectors."""
    X = pixels.reshape(-1, pixels.shape[2]) / 255
    k = min(k, len(np.unique(X, axis=0)))
    if k == 1:
        return np.ones(pixels.shape[:2], np.int32)
    W = affinity(pixels, kernel)
    degree = W.sum(1)
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)
    _, vectors = np.linalg.eigh(W * root[:, None] * root[None, :])
    U = vectors[:, -k:]
    lengths = np.linalg.norm(U, axis=1, keepdims=True)
    rows = np.where(lengths > 1e-12, U / np.maximum(lengths, 1e-12), 0.0)
    numbers: Labels = np.unique(cluster(rows, k), return_inverse=True)[1].astype(np.int32)
    return (numbers + 1).reshape(pixels.shape[:2])
