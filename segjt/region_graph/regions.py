"""The region graph: which segments touch, how long their common edge is, and their histograms.

Everything in it is a sum (of pixels, of edge pieces), so graphs of parts of an image add up to the
graph of the whole. `tests/reference/regions.py` is the obvious version.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.image import FULL_SCALE, Image
from segjt.runtime.compiled import compiled

# Rows of the image handled at a time, so that float copies of a large image never exist whole.
ROWS_AT_A_TIME = 256
# Marks a free place in the table of contacts, and a place that has not been found.
NOTHING = -1
# Odd, with bits all over: spreads keys that follow one another.
SPREAD = 0x9E3779B97F4A7C15


@dataclasses.dataclass(frozen=True)
class RegionGraph:
    """Segments as nodes 0..K-1 and their contacts as edges, in compressed sparse rows.

    Attributes
    ----------
    sizes : (K,) int array
        Pixels of each segment.
    histograms : (K, C, bins) int array
        Pixel counts of each segment by channel and bin.
    indptr, indices : int arrays
        The neighbours of segment k are ``indices[indptr[k]:indptr[k + 1]]``, ascending.
    lengths : int array
        Length of the common edge with each of these neighbours, in pixel sides.
    """

    sizes: NDArray[np.int64]
    histograms: NDArray[np.signedinteger]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)


def region_graph(image: Image, labels: NDArray[np.int32], bins: int) -> RegionGraph:
    """Return the region graph of compact labels 1..K (0 is no segment), in one pass over the pixels."""
    K = int(labels.max(initial=0))
    labels = np.ascontiguousarray(labels)
    sizes = np.zeros(K, np.int64)
    histograms = np.zeros((K, image.channels, bins), np.int32 if labels.size < 2**31 else np.int64)
    whole_numbers = image.pixels.dtype.kind == "u"
    bin_of = level_bins(image.pixels.dtype, bins) if whole_numbers else np.arange(bins, dtype=np.uint16)
    keys, lengths, used = np.full(1024, NOTHING), np.zeros(1024, np.int64), 0
    for top in range(0, image.shape[0], ROWS_AT_A_TIME):
        rows = slice(top, top + ROWS_AT_A_TIME)
        levels = np.ascontiguousarray(image.pixels[rows] if whole_numbers else bin_index(image.values(rows), bins))
        keys, lengths, used = count_rows(levels, bin_of, labels, top, sizes, histograms, keys, lengths, used)
    return RegionGraph(sizes, histograms, *sparse_rows(keys, lengths, K))


def level_bins(dtype: np.dtype[Any], bins: int) -> NDArray[np.uint16]:
    """Return the bin of each value that pixels of a type of whole numbers can have."""
    return bin_index(np.arange(np.iinfo(dtype).max + 1) / FULL_SCALE[dtype.name], bins)


def bin_index(values: NDArray[np.float64], bins: int) -> NDArray[np.uint16]:
    """Return which of `bins` equal bins of [0, 1] each value falls into; 1 belongs to the last."""
    return np.minimum(values * bins, bins - 1).astype(np.uint16)


@compiled
def count_rows(
    levels: NDArray[Any],
    bin_of: NDArray[np.uint16],
    labels: NDArray[np.int32],
    top: int,
    sizes: NDArray[np.int64],
    histograms: NDArray[np.signedinteger],
    keys: NDArray[np.int64],
    lengths: NDArray[np.int64],
    used: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Add the pixels of some rows, and their sides to the left and above, to the counts.

    Contacts are kept in a table with open addressing, which is returned as it may have grown: `lengths` counts
    the sides between segments a < b under the key a K + b, `used` the places taken.
    """
    K = len(sizes)
    for y in range(levels.shape[0]):
        for x in range(levels.shape[1]):
            label = labels[top + y, x]
            if label == 0:
                continue
            sizes[label - 1] += 1
            for channel in range(levels.shape[2]):
                histograms[label - 1, channel, bin_of[levels[y, x, channel]]] += 1
            for side in range(2):
                if (x == 0) if side == 0 else (top + y == 0):
                    continue
                other = labels[top + y, x - 1] if side == 0 else labels[top + y - 1, x]
                if other == 0 or other == label:
                    continue
                key = (min(label, other) - 1) * K + max(label, other) - 1
                place = find_place(keys, key)
                if keys[place] == NOTHING:
                    keys[place] = key
                    used += 1
                lengths[place] += 1
                if 2 * used > len(keys):
                    keys, lengths = twice_as_large(keys, lengths)
    return keys, lengths, used


@compiled
def find_place(keys: NDArray[np.int64], key: int) -> int:
    """Return where a key is, or should be, in a table of 2^m places."""
    place = ((np.uint64(key) * np.uint64(SPREAD)) >> np.uint64(32)) & np.uint64(len(keys) - 1)
    while keys[place] != key and keys[place] != NOTHING:
        place = (place + np.uint64(1)) & np.uint64(len(keys) - 1)
    return int(place)


@compiled
def twice_as_large(keys: NDArray[np.int64], sums: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a table with twice as many places for the same keys and their sums."""
    none = np.zeros_like(sums)
    new_keys, new_sums = np.full(2 * len(keys), NOTHING), np.concatenate((none, none))
    for old in range(len(keys)):
        if keys[old] != NOTHING:
            place = find_place(new_keys, keys[old])
            new_keys[place], new_sums[place] = keys[old], sums[old]
    return new_keys, new_sums


def sparse_rows(
    keys: NDArray[np.int64], lengths: NDArray[np.int64], K: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return indptr, indices and lengths of a table of contacts."""
    taken = np.flatnonzero(keys != NOTHING)
    order = taken[np.argsort(keys[taken])]
    one, other = np.divmod(keys[order], max(K, 1))
    indptr = np.zeros(K + 1, np.int64)
    np.cumsum(np.bincount(one, minlength=K) + np.bincount(other, minlength=K), out=indptr[1:])
    return indptr, *both_ways(one, other, lengths[order], indptr)


@compiled
def both_ways(
    one: NDArray[np.int64], other: NDArray[np.int64], lengths: NDArray[np.int64], indptr: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return indices and lengths of contacts one < other, which are sorted."""
    free = indptr[:-1].copy()
    indices, both = np.empty(2 * len(one), np.int64), np.empty(2 * len(one), np.int64)
    # The smaller neighbours of a segment come first, so the rows are filled in ascending order.
    for row, column in ((other, one), (one, other)):
        for contact in range(len(one)):
            place = free[row[contact]]
            free[row[contact]] += 1
            indices[place], both[place] = column[contact], lengths[contact]
    return indices, both


def bhattacharyya(graph: RegionGraph) -> NDArray[np.float64]:
    """Return the Bhattacharyya coefficient sum_b sqrt(p_b q_b) of each edge, averaged over the channels."""
    channels, bins = graph.histograms.shape[1:]
    histograms = graph.histograms.reshape(-1, channels * bins)
    sums = edge_coefficients(graph.sizes, histograms, graph.indptr, graph.indices)
    coefficients: NDArray[np.float64] = np.minimum(sums / channels, 1.0)
    return coefficients


@compiled
def edge_coefficients(
    sizes: NDArray[np.int64],
    histograms: NDArray[np.signedinteger],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return sum_b sqrt(p_b q_b) of each edge, summed over the channels, for histograms (K, channels times bins)."""
    coefficients = np.empty(len(indices))
    free = indptr[:-1].copy()
    for i in range(len(sizes)):
        # Neighbours ascend, and so do the i: what is left of the row are the neighbours after i, and the next
        # entry of the row of each of them is i.
        for edge in range(free[i], indptr[i + 1]):
            j = indices[edge]
            coefficient = root_product(histograms[i], sizes[i], histograms[j], sizes[j])
            coefficients[edge] = coefficients[free[j]] = coefficient
            free[j] += 1
    return coefficients


@compiled
def root_product(
    one: NDArray[np.signedinteger], one_size: int, other: NDArray[np.signedinteger], other_size: int
) -> float:
    """Return sum_b sqrt(p_b q_b) of two histograms.

    In flat parts of an image many edges are equally good and the last bit decides. So this adds in the order of numpy's
    einsum on x86-64, with which segjt began: even and odd bins apart, of each eight bins the last first.
    """
    even = odd = 0.0
    in_eights = len(one) // 8 * 8
    for place in range(len(one)):
        b = place ^ 6 if place < in_eights else place
        if one[b] > 0 and other[b] > 0:
            product = np.sqrt(one[b] / one_size) * np.sqrt(other[b] / other_size)
            if b % 2 == 0:
                even += product
            else:
                odd += product
    return even + odd
