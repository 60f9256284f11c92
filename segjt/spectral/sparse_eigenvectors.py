"""The top eigenvectors of a sparse symmetric matrix whose largest eigenvalue is 1, judged before they are trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array

from segjt.runtime.arrays import Floats

# Up to this many rows, all eigenvectors at once are as fast as a few, and more robust.
DENSE_UP_TO = 400
# What rounding leaves of the residual in the dense solver.
DENSE_RESIDUAL = 1e-14
# Lanczos' method stops at this relative accuracy.
TOLERANCE = 1e-9
# How far above the largest eigenvalue the pole is.
SHIFT = 1e-9
# Up to so many rows the dense solver decides between equal eigenvalues, too.
FLAT_DENSE_UP_TO = 1000
# Graphs of so few edges a row and so few rows, such as those of regions, are factored by our own code. SuperLU is as
# fast for a single matrix of 40,000 rows, and faster where rows have many entries, as for the pixels of an image.
MOST_ENTRIES_A_ROW = 8
MOST_ROWS = 40_000


def top_eigenvectors(Z: csr_array, n: int) -> Floats:
    """Return the eigenvectors of the n largest eigenvalues as columns, largest first."""
    return embeddings(Z, [n])[n]


def embeddings(Z: csr_array, numbers: Sequence[int]) -> dict[int, Floats]:
    """Return for each n the eigenvectors of the n largest eigenvalues.

    Lanczos on (Z - 1 - shift)^-1 with a fixed start, once for the largest n; the shift is small, for in a graph that
    nearly falls apart many eigenvalues lie within 1e-9 of 1. Its vectors are judged: where the residual is not small
    against the gap to the next eigenvalue, nor as small as that of the dense solver would be, that one decides. Where
    eigenvalues are equal, as in flat images, there is no gap, and any of their eigenvectors are as good as others: in
    large graphs the dense solver is not asked then.
    """
    few = [n for n in numbers if Z.shape[0] > DENSE_UP_TO and 3 * n < Z.shape[0]]
    vectors = judged_eigenvectors(Z, few) if few else {}
    rest = [n for n in numbers if n not in vectors]
    if rest:
        dense = dense_eigenvectors(Z, max(rest))
        vectors |= {n: dense[:, :n] for n in rest}
    return vectors


def judged_eigenvectors(Z: csr_array, numbers: Sequence[int]) -> dict[int, Floats]:
    """Return the eigenvectors by Lanczos' method for those n for which they can be trusted."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    K, pole = Z.shape[0], 1 + SHIFT
    solve = solver(csc_array(pole * eye_array(K) - Z))
    inverse = LinearOperator(Z.shape, lambda b: -solve(b), dtype=np.float64)
    wanted = max(numbers) + 1
    trusted: dict[int, Floats] = {}
    # Where that is not enough to be trusted, once more to all digits, and with more vectors at a time.
    for tolerance, dimension in ((TOLERANCE, None), (0.0, min(4 * wanted + 40, K - 1))):
        try:
            # More restarts than that take longer than the dense solver, and seldom end well.
            values, vectors = eigsh(
                Z,
                wanted,
                sigma=pole,
                OPinv=inverse,
                v0=np.ones(K),
                ncv=dimension,
                maxiter=20 + K // 100,
                tol=tolerance,
            )
        except ArpackNoConvergence:
            continue
        order = np.argsort(-values)
        trusted = trusted_eigenvectors(Z, values[order], vectors[:, order], numbers)
        if len(trusted) == len(set(numbers)):
            break
    return trusted


def solver(A: csc_array) -> Callable[[Floats], Floats]:
    """Return the function that solves A x = b for x; A is symmetric and definite, with all of its diagonal stored."""
    from segjt.spectral.sparse_cholesky import Factors, superlu

    planar = A.shape[0] <= MOST_ROWS and A.nnz <= MOST_ENTRIES_A_ROW * A.shape[0]
    solve: Callable[[Floats], Floats] = (Factors if planar else superlu)(A).solve
    return solve


def trusted_eigenvectors(Z: csr_array, values: Floats, vectors: Floats, numbers: Sequence[int]) -> dict[int, Floats]:
    """Return the n top eigenvectors for those n whose residuals are small against the gap, see `embeddings`."""
    residuals = np.sqrt(((Z @ vectors - vectors * values) ** 2).sum(0))
    trusted = {}
    for n in numbers:
        residual, gap = residuals[:n].max(), values[n - 1] - values[n]
        flat = gap <= 10 * DENSE_RESIDUAL and Z.shape[0] <= FLAT_DENSE_UP_TO
        if residual < 1e-6 * gap or (residual < DENSE_RESIDUAL and not flat):
            trusted[n] = vectors[:, :n]
    return trusted


def dense_eigenvectors(Z: csr_array, n: int) -> Floats:
    """Return the eigenvectors of the n largest eigenvalues by the solver for dense matrices."""
    from scipy.linalg import eigh

    K = Z.shape[0]
    vectors: Floats = eigh(Z.toarray(), subset_by_index=[K - n, K - 1])[1]
    return vectors[:, ::-1]
