"""The affinities of pixels less than a radius apart, as a sparse matrix from the start (paper 001, Section 5)."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.sparse import csr_array

from segjt.image import Image
from segjt.parameters import Parameters
from segjt.runtime.arrays import Floats, Groups, Indices, Mask
from segjt.superpixels import features


@dataclasses.dataclass(frozen=True, eq=False)
class PixelGraph:
    """M = V^(1 - lambda) R^lambda with R_ij = exp(-d_ij^2) if d_ij < r and 0 if not, in logarithms.

    Attributes
    ----------
    size : int
        Number of pixels.
    first, second : int arrays
        The pixels of each pair that is less than r apart, each pair once; a pixel and itself are a pair, too.
    log_M : array
        ln M of each pair; -inf where the kernel is 0.
    """

    size: int
    first: Indices
    second: Indices
    log_M: Floats

    def normalised(self) -> csr_array:
        """Return D^(-1/2) M D^(-1/2); rows without affinity are 0 (errata 2.4).

        In logarithms, because rows may differ by more powers of ten than float64 has (errata 2.5).
        """
        i, j, log_M = self.both_ways()
        largest = np.full(self.size, -np.inf)
        np.maximum.at(largest, i, log_M)
        shift = np.where(np.isfinite(largest), largest, 0.0)
        degree = np.bincount(i, np.exp(log_M - shift[i]), self.size)
        with np.errstate(divide="ignore"):
            half = np.where(degree > 0, (np.log(degree) + shift) / 2, 0.0)
        Z = csr_array((np.exp(log_M - half[i] - half[j]), (i, j)), shape=(self.size, self.size))
        Z.eliminate_zeros()
        return Z

    def both_ways(self) -> tuple[Indices, Indices, Floats]:
        """Return the pairs as (i, j) and as (j, i), those of a pixel with itself once, and their ln M."""
        different = self.first != self.second
        i = np.concatenate([self.first, self.second[different]])
        j = np.concatenate([self.second, self.first[different]])
        return i, j, np.concatenate([self.log_M, self.log_M[different]])

    def sums_over(self, part_of: Groups) -> Floats:
        """Return the sums of M, without its largest entry as a factor, over the pixels of all pairs of parts."""
        largest = self.log_M.max()
        i, j, log_M = self.both_ways()
        # Black pixels have no affinity at all with some kernels.
        M = np.exp(log_M - (largest if np.isfinite(largest) else 0.0))
        K = int(part_of.max()) + 1
        sums = np.bincount(part_of[i] * K + part_of[j], M, K * K)
        return sums.astype(np.float64, copy=False).reshape(K, K)


def pixel_graph(small: Image, parameters: Parameters) -> PixelGraph:
    """Return the affinities of the unmasked pixels of an image."""
    kernel = parameters.make_kernel()
    rows, columns = slice(0, small.shape[0]), slice(0, small.shape[1])
    X = features.extract(small, rows, columns, parameters.feature_name(), kernel)
    first, second, squared = pairs_within(small.mask, parameters.radius)
    log_V = kernel.log_affinity_of_pairs(X, first, second)
    lam = parameters.whole_lambda
    # With lambda = 1 the kernel does not count, but where it is 0 there is no affinity.
    log_M = np.where(np.isneginf(log_V), -np.inf, (1 - lam) * np.where(np.isneginf(log_V), 0.0, log_V) - lam * squared)
    return PixelGraph(int(small.mask.sum()), first, second, log_M)


def pairs_within(mask: Mask, radius: float) -> tuple[Indices, Indices, Floats]:
    """Return the pairs of unmasked pixels less than `radius` apart, each once, and their squared distances.

    Pixels are counted in reading order, without masked-out ones.
    """
    height, width = mask.shape
    number = np.full(mask.shape, -1)
    number[mask] = np.arange(mask.sum())
    first, second, squared = [], [], []
    # One half of the neighbours of a pixel: below it, or to its right in the same row, or itself.
    for dy in range(min(int(np.ceil(radius)), height)):
        widest = min(int(np.ceil(radius)), width) - 1
        for dx in range(-widest if dy else 0, widest + 1):
            if dy**2 + dx**2 < radius**2:
                one = number[: height - dy, max(-dx, 0) : width - max(dx, 0)]
                other = number[dy:, max(dx, 0) : width - max(-dx, 0)]
                there = (one >= 0) & (other >= 0)
                first.append(one[there])
                second.append(other[there])
                squared.append(np.full(int(there.sum()), float(dy**2 + dx**2)))
    return np.concatenate(first), np.concatenate(second), np.concatenate(squared)
