"""Functions of a sum by their values at few nodes, found by cross approximation (errata 3.4 D).

The functions are products E(l, s) E(l', s) of two rows of a smooth matrix, weighted by nu(s). Elimination with pivots
turns up rows whose combinations are all others, and nodes s_k where the products of those rows determine them:

    E(l, s) E(l', s) = sum over k of E(l, s_k) E(l', s_k) cardinal_k(s).

Hand-written: for the first elimination of a channel, scipy's pivoted QR and `interpolative` take 8 to 22 times as long.
"""

from __future__ import annotations

import numpy as np

from segjt.runtime.arrays import Floats, Indices
from segjt.runtime.compiled import compiled, compiled_reordering


@compiled_reordering
def eliminate(A: Floats, error: float) -> tuple[Indices, Indices, Floats, Floats]:
    """Return pivots and factors of A = U V, off by at most `error` in the sum of a row's absolute values.

    A is overwritten. V is 1 at its own pivot column and 0 at those before; U is the pivot at its own pivot row and 0 at
    those before. Rows that are near enough take no part any more.
    """
    most = min(A.shape)
    rows, columns = np.empty(most, np.intp), np.empty(most, np.intp)
    U, V = np.zeros((most, A.shape[0])), np.empty((most, A.shape[1]))
    sizes = np.empty(len(A))
    for i in range(len(A)):
        sizes[i] = np.abs(A[i]).sum()
    rank = 0
    while rank < most:
        row = sizes.argmax()
        if sizes[row] <= error:
            break
        pivots = A[row]
        column = np.abs(pivots).argmax()
        rows[rank], columns[rank] = row, column
        v = V[rank]
        for j in range(len(v)):
            v[j] = pivots[j] / pivots[column]
        for i in range(len(A)):
            if sizes[i] > error:
                u = A[i, column]
                U[rank, i] = u
                rest, size = A[i], 0.0
                for j in range(len(v)):
                    rest[j] -= u * v[j]
                    size += abs(rest[j])
                rest[column] = 0.0
                sizes[i] = size
        sizes[row] = 0.0
        rank += 1
    return rows[:rank], columns[:rank], U[:rank], V[:rank]


@compiled
def cardinal_functions(V: Floats, pivots: Indices) -> Floats:
    """Return the combinations of rows of V, triangular at the pivots, that are 1 at their own and 0 at all others."""
    C = V.copy()
    for k in range(len(V) - 1, -1, -1):
        for j in range(k + 1, len(V)):
            C[k] -= V[k, pivots[j]] * C[j]
        C[k] /= V[k, pivots[k]]
    return C


@compiled
def interpolate(E: Floats, nu: Floats, error: float) -> tuple[Indices, Floats]:
    """Return nodes and cardinal functions for products of two rows of E.

    The sum over s of nu(s) times the error of a product is at most `error`; nu is positive.
    """
    root = np.sqrt(nu)
    weighted = E * root
    # e e' - f f' = (e - f) e' + f (e' - f'), and none of e', f exceeds root by more than the error.
    rows, _, U, _ = eliminate(weighted.copy(), error / 5 / root.max())
    combined = np.abs(cardinal_functions(U, rows)).sum(0).max()
    rank = len(rows)
    products = np.empty((rank * (rank + 1) // 2, len(nu)))
    pair = 0
    for m in range(rank):
        for n in range(m + 1):
            products[pair] = weighted[rows[m]] * weighted[rows[n]]
            pair += 1
    _, nodes, _, V = eliminate(products, error / 2 / combined**2)
    cardinal = cardinal_functions(V, nodes)
    for k in range(len(nodes)):
        for s in range(len(nu)):
            cardinal[k, s] *= nu[nodes[k]] / nu[s]
    return nodes, cardinal
