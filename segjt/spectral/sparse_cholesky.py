"""A = L D L' of sparse, symmetric, positive definite matrices; what those of the same pattern share is found once.

Hand-written: for the graph of 2,000 regions of a photograph SuperLU takes four times as long to factor a matrix, since
it plans the elimination again each time, and three times as long to solve a system.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array

from segjt.runtime.arrays import Floats, Indices, Unsigned
from segjt.runtime.compiled import compiled, compiled_reordering


class Elimination(NamedTuple):
    """The plan for all matrices of one pattern.

    Attributes
    ----------
    order : (K,) array
        The row of the matrix that is eliminated first, second, ...: what keeps L sparse.
    starts, rows : (K + 1,), (entries,) arrays
        The entries of L below its diagonal, by column: column j has rows[starts[j]:starts[j + 1]].
    row_starts, columns : (K + 1,), (entries,) arrays
        The same by row.
    """

    order: Unsigned
    starts: Unsigned
    rows: Unsigned
    row_starts: Unsigned
    columns: Unsigned


class Factors:
    """The factors of a matrix whose entries, those of its diagonal among them, are sorted within each column."""

    def __init__(self, A: csc_array) -> None:
        starts, rows = A.indptr.astype(np.uint64), A.indices.astype(np.uint64)
        self.plan = plan_elimination(starts.tobytes(), rows.tobytes())
        self.L, self.D = factor(starts, rows, A.data, *self.plan)

    def solve(self, b: Floats) -> Floats:
        """Return x with A x = b."""
        return solve(self.L, self.D, self.plan.order, self.plan.starts, self.plan.rows, b)


@functools.lru_cache(maxsize=2)
def plan_elimination(starts: bytes, rows: bytes) -> Elimination:
    """Return the plan for matrices with entries in these rows, by column."""
    indptr, indices = np.frombuffer(starts, np.int64), np.frombuffer(rows, np.int64)
    order = minimum_degree_order(indptr, indices)
    patterns = pattern_of_factor(indptr, indices, order)
    return Elimination(*(places.astype(np.uint64) for places in (order, *patterns)))


def minimum_degree_order(indptr: Indices, indices: Indices) -> Indices:
    """Return the order of elimination of SuperLU, which needs values for it: any that are definite give the same."""
    K = len(indptr) - 1
    column = np.repeat(np.arange(K), np.diff(indptr))
    values = np.where(indices == column, np.diff(indptr)[column], -0.5)
    order: Indices = np.argsort(superlu(csc_array((values, indices, indptr), shape=(K, K))).perm_c)
    return order


def superlu(A: csc_array) -> Any:
    """Return SuperLU's factors of a symmetric and definite matrix.

    An order for symmetric matrices, and no pivots, leave factors half as large, and take a fifth of the time for the
    pixels of an image.
    """
    from scipy.sparse.linalg import splu

    return splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


@compiled
def pattern_of_factor(indptr: Indices, indices: Indices, order: Indices) -> tuple[Indices, Indices, Indices, Indices]:
    """Return starts, rows, row_starts and columns of L: row k has what A_k reaches in the tree of eliminations.

    The columns of a row are sorted, so that each comes after those that it depends on.
    """
    K = len(order)
    place = np.empty(K, np.int64)
    place[order] = np.arange(K)
    parent, seen = np.full(K, -1), np.full(K, -1)
    counts, row_starts = np.zeros(K, np.int64), np.zeros(K + 1, np.int64)
    columns = np.empty(4 * len(indices), np.int64)
    used = 0
    for k in range(K):
        seen[k] = k
        row_starts[k] = used
        for p in range(indptr[order[k]], indptr[order[k] + 1]):
            i = place[indices[p]]
            while i < k and seen[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                if used == len(columns):
                    columns = np.concatenate((columns, np.empty_like(columns)))
                columns[used] = i
                used += 1
                counts[i] += 1
                seen[i] = k
                i = parent[i]
        columns[row_starts[k] : used].sort()
    row_starts[K] = used
    starts = np.zeros(K + 1, np.int64)
    starts[1:] = np.cumsum(counts)
    filled, rows = starts[:-1].copy(), np.empty(used, np.int64)
    for k in range(K):
        for p in range(row_starts[k], row_starts[k + 1]):
            rows[filled[columns[p]]] = k
            filled[columns[p]] += 1
    return starts, rows, row_starts, columns[:used].copy()


@compiled
def factor(
    indptr: Unsigned,
    indices: Unsigned,
    data: Floats,
    order: Unsigned,
    starts: Unsigned,
    rows: Unsigned,
    row_starts: Unsigned,
    columns: Unsigned,
) -> tuple[Floats, Floats]:
    """Return L, by column, and D: each row of L solves a triangular system with the rows above it (T. Davis, LDL)."""
    K = len(order)
    place = np.empty(K, np.int64)
    for k in range(K):
        place[order[k]] = k
    L, D, y = np.empty(len(rows)), np.empty(K), np.zeros(K)
    # Where the next entry of each column goes: those before it belong to rows above.
    ends = starts[:-1].copy()
    for k in range(K):
        for p in range(indptr[order[k]], indptr[order[k] + np.uint64(1)]):
            if place[indices[p]] <= k:
                y[place[indices[p]]] = data[p]
        D_k, y[k] = y[k], 0.0
        for p in range(row_starts[k], row_starts[k + 1]):
            i = columns[p]
            y_i, y[i] = y[i], 0.0
            end = ends[i]
            for e in range(starts[i], end):
                y[rows[e]] -= L[e] * y_i
            L[end] = y_i / D[i]
            D_k -= L[end] * y_i
            ends[i] = end + np.uint64(1)
        D[k] = D_k
    return L, D


@compiled_reordering
def solve(L: Floats, D: Floats, order: Unsigned, starts: Unsigned, rows: Unsigned, b: Floats) -> Floats:
    """Return x with L D L' x = b, rows of x and b in the order of elimination."""
    K = len(order)
    y = np.empty(K)
    for j in range(K):
        y[j] = b[order[j]]
    for j in range(K):
        y_j = y[j]
        for p in range(starts[j], starts[j + 1]):
            y[rows[p]] -= L[p] * y_j
    x = np.empty(K)
    for j in range(K - 1, -1, -1):
        below = 0.0
        for p in range(starts[j], starts[j + 1]):
            below += L[p] * y[rows[p]]
        y[j] = y[j] / D[j] - below
        x[order[j]] = y[j]
    return x
