"""Cross approximation: pivots, cardinal functions, and the error of interpolated products."""

import numpy as np
import pytest

from segjt.kernels.evaluators.interpolation import cardinal_functions, eliminate, interpolate
from segjt.kernels.evaluators.level_tables import jt_table


def smooth(q, t, first=0, last=255):
    """E of a channel, scaled such that its columns have the maximum 1."""
    K = t * jt_table(q, 2)[first : last + 1, 2 * first : 2 * last + 1]
    F = K - K[len(K) // 2] - K[:, K.shape[1] // 2, None]
    return np.exp(F - F.max(0))


@pytest.mark.parametrize("error", [1e-3, 1e-8])
def test_factors_are_triangular_at_their_pivots_and_keep_the_error(error):
    A = smooth(1.0, 1.0)
    rows, columns, U, V = eliminate(A.copy(), error)
    assert len(rows) == len(columns) == len(U) == len(V) < 20
    assert np.abs(A - U.T @ V).sum(1).max() <= error
    np.testing.assert_allclose(np.tril(V[:, columns]), np.eye(len(rows)), atol=1e-12)
    np.testing.assert_allclose(np.tril(U[:, rows], -1), 0, atol=1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (5, 5)])
def test_matrices_without_structure_are_eliminated_whole(shape):
    A = np.random.default_rng(0).random(shape)
    rows, _, U, V = eliminate(A.copy(), 0.0)
    assert len(rows) == min(shape)
    np.testing.assert_allclose(U.T @ V, A, atol=1e-12)


def test_a_matrix_below_the_error_has_no_pivots():
    rows, _, U, V = eliminate(np.full((3, 4), 1e-9), 1e-6)
    assert len(rows) == len(U) == len(V) == 0


def test_cardinal_functions_are_1_at_their_node_and_0_at_others():
    _, columns, _, V = eliminate(smooth(0.5, 10.0), 1e-8)
    np.testing.assert_allclose(cardinal_functions(V, columns)[:, columns], np.eye(len(V)), atol=1e-10)


@pytest.mark.parametrize(("first", "last"), [(0, 255), (0, 31), (64, 191), (40, 40)])
@pytest.mark.parametrize(("q", "t"), [(0.0, 1.0), (0.01, 100.0), (0.25, 10.0), (1.0, 1.0), (2.0, 100.0)])
@pytest.mark.parametrize("error", [1e-4, 2.5e-7])
def test_products_of_rows_keep_the_error(first, last, q, t, error):
    E = smooth(q, t, first, last)
    nu = np.exp(-np.linspace(0, 12, E.shape[1]))
    nu = np.maximum(nu / nu.sum(), 10 * error)
    nodes, cardinal = interpolate(E, nu, error)
    assert len(nodes) <= E.shape[1]
    some = E[np.linspace(0, len(E) - 1, 20).astype(int)]
    products = some[:, None] * some[None, :]
    off = np.abs(products[:, :, nodes] @ cardinal - products)
    assert (off * nu).sum(2).max() <= error
    assert off.max() <= 0.1
