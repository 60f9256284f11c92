import numpy as np
import pytest
from scipy.sparse import csc_array, eye_array, random_array

from segjt.spectral import sparse_cholesky, sparse_eigenvectors
from segjt.spectral.sparse_cholesky import Factors, plan_elimination, superlu
from tests.spectral.test_sparse_eigenvectors import normalised_graph, pairs


def definite(K, density, seed):
    """A random symmetric matrix, sparse and positive definite."""
    A = random_array((K, K), density=density, rng=np.random.default_rng(seed))
    A = A + A.T
    return csc_array(A + (A.sum(1).max() + 0.1) * eye_array(K))


@pytest.mark.parametrize(
    ("K", "density"), [(1, 1.0), (2, 0.0), (2, 1.0), (30, 0.0), (30, 0.1), (30, 1.0), (400, 0.002), (400, 0.02)]
)
def test_the_factors_are_those_of_the_matrix(K, density):
    A = definite(K, density, K)
    factors = Factors(A)
    order, starts, rows, row_starts, columns = (whole.astype(np.int64) for whole in factors.plan)
    L = np.eye(K) + csc_array((factors.L, rows, starts), shape=(K, K)).toarray()
    np.testing.assert_allclose(L @ np.diag(factors.D) @ L.T, A.toarray()[np.ix_(order, order)], atol=1e-12)
    assert sorted(order) == list(range(K))
    by_row = [(row, column) for row in range(K) for column in columns[row_starts[row] : row_starts[row + 1]]]
    by_column = [(row, column) for column in range(K) for row in rows[starts[column] : starts[column + 1]]]
    assert sorted(by_row) == sorted(by_column)


@pytest.mark.parametrize("seed", range(5))
def test_systems_are_solved_as_by_superlu_and_numpy(seed):
    A = definite(300, 0.01, seed)
    b = np.random.default_rng(seed).normal(size=300)
    x = Factors(A).solve(b)
    np.testing.assert_allclose(x, np.linalg.solve(A.toarray(), b), rtol=1e-10)
    np.testing.assert_allclose(x, superlu(A).solve(b), rtol=1e-10)


def test_a_nearly_singular_region_graph_is_solved_as_well_as_by_superlu(samples):
    Z = normalised_graph(samples["quilt"][0])
    A = csc_array((1 + 1e-9) * eye_array(Z.shape[0]) - Z)
    b = np.random.default_rng(0).random(Z.shape[0])
    x = Factors(A).solve(b)
    other = superlu(A).solve(b)
    assert np.abs(A @ x - b).max() < 10 * np.abs(A @ other - b).max()


def test_matrices_of_one_pattern_share_the_plan_and_others_do_not():
    plan_elimination.cache_clear()
    A = definite(200, 0.01, 0)
    Factors(A)
    Factors(csc_array(2 * A))
    assert plan_elimination.cache_info()[:2] == (1, 1)
    B = definite(200, 0.01, 1)
    np.testing.assert_allclose(B @ Factors(B).solve(np.ones(200)), 1.0)
    assert plan_elimination.cache_info()[:2] == (1, 2)


def test_the_plan_does_not_depend_on_the_values():
    A = definite(200, 0.02, 3)
    other = csc_array((np.random.default_rng(5).random(A.nnz), A.indices, A.indptr), shape=A.shape)
    diagonal = csc_array(other + other.T + 100 * eye_array(200))
    assert (np.argsort(superlu(A).perm_c) == np.argsort(superlu(diagonal).perm_c)).all()


def test_graphs_of_regions_are_factored_by_our_code_and_dense_rows_by_superlu(samples, monkeypatch):
    used = []
    ours, theirs = sparse_cholesky.Factors, sparse_cholesky.superlu
    monkeypatch.setattr(sparse_cholesky, "Factors", lambda A: used.append("ours") or ours(A))
    monkeypatch.setattr(sparse_cholesky, "superlu", lambda A: used.append("superlu") or theirs(A))
    sparse_eigenvectors.top_eigenvectors(normalised_graph(samples["quilt"][0]), 5)
    assert used[0] == "ours"
    used.clear()
    sparse_eigenvectors.solver(definite(300, 0.1, 0))
    assert used == ["superlu"]
    # Eigenvalues of exactly 1 without end: whoever factors it, the judge turns the vectors down.
    assert sparse_eigenvectors.judged_eigenvectors(pairs(900), [3]) == {}
