"""Three-point JT kernels of rows with many columns, for which products of all pairs of features do not fit into memory.

With the exponential features u and g (`exponential_sums`), summed over all features of all columns,
k(x, y + z) = k(x, y) + k(x, z) - sum_l g_l u_l(x) u_l(y) u_l(z). The values that a column has span a space of few
dimensions, r, instead of some 60 features: 15 or 20, and 1 for a column of zeros and ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segjt.kernels.base import Array, Matrix

# Three axes: columns, features or directions, points.
Stack = NDArray[np.float64]

# Directions with a smaller share of a column's features are left out; V changes by less than 1e-9 of it.
SMALLEST_SHARE = 1e-9


def column_spaces(features: list[Matrix], n_columns: int) -> tuple[Stack, list[Stack]]:
    """Return for each column an orthonormal basis (d, L, r) of its features, and coordinates (d, r, N) of the points.

    `features` are arrays (N, d L); r is the largest number of directions that a column needs.
    """
    stacks = [U.reshape(len(U), n_columns, -1).transpose(1, 2, 0) for U in features]
    directions, sizes, _ = np.linalg.svd(np.concatenate(stacks, axis=2), full_matrices=False)
    rank = max(1, int((sizes > SMALLEST_SHARE * sizes[:, :1]).sum(1).max()))
    basis = np.ascontiguousarray(directions[:, :, :rank])
    return basis, [basis.transpose(0, 2, 1) @ stack for stack in stacks]


def single_features(basis: Stack, coordinates: list[Stack], g: Array) -> tuple[list[Matrix], Array]:
    """Return features (N, d) and g for columns of one direction each, so that u(y + z) = u(y) + u(z) - g u(y) u(z).

    With u = b a for a basis vector b and a coordinate a, sum_l g_l u_l(x) u_l(y) u_l(z) is sum_l g_l b_l^3 times the
    coordinates. It holds for the sum of two points only.
    """
    return [a[:, 0].T.copy() for a in coordinates], (g.reshape(basis.shape[:2]) * basis[:, :, 0] ** 3).sum(1)


def flattened_by_pairs(x: Stack, z: Stack, y: Stack, basis: Stack, g: Array) -> Matrix:
    """Return V / N^2 of jt3, the points x, z and y given by coordinates, and the tuples drawn from the N points y.

    V_ij is the mean over pairs (y, y') of A_i A_j, A_i = k(x_i, y + y') + k(y, y'). For each y all y' are done at
    once, those before it in the mean twice, in O(N^2 (N + d r) n) for n points x and z.
    """
    N = y.shape[2]
    weights = g.reshape(basis.shape[:2])
    rows_x, rows_z, rows_y = (a.reshape(-1, a.shape[2]).T for a in (x, z, y))
    V: Matrix = np.zeros((len(rows_x), len(rows_z)))
    k_yy = rows_y @ rows_y.T
    k_xy = rows_x @ rows_y.T
    k_zy = k_xy if z is x else rows_z @ rows_y.T
    for i in range(N):
        # The form B' diag(g u(y)) B of each column, applied to all y'.
        u = (basis @ y[:, :, i, None])[:, :, 0]
        form = basis.transpose(0, 2, 1) @ ((weights * u)[:, :, None] * basis)
        product = (form @ y[:, :, i:]).reshape(-1, N - i)
        A = k_xy[:, i:] + k_xy[:, i, None] + k_yy[i, i:] - rows_x @ product
        B = A if z is x else k_zy[:, i:] + k_zy[:, i, None] + k_yy[i, i:] - rows_z @ product
        V += 2 * A @ B.T - np.outer(A[:, 0], B[:, 0])
    V /= N**2
    return V
