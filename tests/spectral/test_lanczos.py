"""Eigenvectors by Lanczos' method: those of the dense solver, or none."""

import numpy as np
import pytest

from segjt.kernels import make_kernel
from segjt.spectral import lanczos, ncut
from segjt.spectral.lanczos import krylov_eigenpairs
from segjt.superpixels.affinity import weight_by_distance
from segjt.superpixels.features import coordinates


def block_matrix(block, kernel="jt2"):
    """Z of a block of a photograph."""
    X = block.reshape(-1, block.shape[2]) / 255
    positions = coordinates(np.ones(block.shape[:2], bool))
    return ncut.normalise(weight_by_distance(make_kernel(kernel).log_affinity(X), positions, 0.08, 2.0))


def assert_same_space(eigenpairs, Z, k):
    values, vectors = eigenpairs
    dense_values, dense_vectors = ncut.dense_eigenpairs(Z, k)
    np.testing.assert_allclose(values, dense_values, atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)
    np.testing.assert_allclose(Z @ vectors, vectors * values, atol=1e-7)
    # The same space: what of one is outside of the other.
    assert np.linalg.norm(dense_vectors - vectors @ (vectors.T @ dense_vectors), 2) < 1e-5


@pytest.mark.parametrize("kernel", ["jt2", "expjt2", "gaussian", "nlin", "self_tuning", "linear"])
@pytest.mark.parametrize("size", [16, 32])
def test_on_real_blocks(photograph, kernel, size):
    trusted = 0
    for top, left in [(0, 0), (90, 120), (150, 40), (64, 200)]:
        Z = block_matrix(photograph[top : top + size, left : left + size], kernel)
        eigenpairs = krylov_eigenpairs(Z, 8)
        if eigenpairs is not None:
            trusted += 1
            assert_same_space(eigenpairs, Z, 8)
    # The dense solver is the exception, but for large blocks with many eigenvalues near 1.
    assert trusted >= (1 if (kernel, size) == ("self_tuning", 32) else 3)


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_on_random_matrices_with_falling_eigenvalues(k):
    rng = np.random.default_rng(k)
    Q = np.linalg.qr(rng.standard_normal((200, 200)))[0]
    Z = (Q * 0.8 ** np.arange(200)) @ Q.T
    assert_same_space(krylov_eigenpairs(Z, k), Z, k)


def test_negative_eigenvalues_do_not_disturb():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((150, 150)))[0]
    values = np.concatenate([[1, 0.7, 0.5, 0.3], np.linspace(0.05, -0.9, 146)])
    Z = (Q * values) @ Q.T
    eigenpairs = krylov_eigenpairs(Z, 4)
    assert eigenpairs is not None
    assert_same_space(eigenpairs, Z, 4)


def test_multiple_eigenvalues_are_left_to_the_dense_solver():
    """One starting vector sees one eigenvector of a multiple eigenvalue; the second look notices."""
    rng = np.random.default_rng(0)
    A = rng.random((60, 60)) ** 4
    part = ncut.normalise(np.log(A + A.T))
    Z = np.zeros((120, 120))
    Z[:60, :60] = Z[60:, 60:] = part  # every eigenvalue twice
    assert krylov_eigenpairs(Z, 6) is None
    values, vectors = ncut.top_eigenpairs(Z, 6)
    np.testing.assert_allclose(values[::2], values[1::2], atol=1e-10)
    np.testing.assert_allclose(Z @ vectors, vectors * values, atol=1e-10)


def test_no_gap_is_left_to_the_dense_solver():
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((100, 100)))[0]
    values = np.concatenate([[1, 0.5, 0.5 - 1e-14], 0.4 * 0.8 ** np.arange(97)])
    assert krylov_eigenpairs((Q * values) @ Q.T, 2) is None


def test_an_exhausted_space_is_left_to_the_dense_solver():
    assert krylov_eigenpairs(np.eye(100), 3) is None
    assert krylov_eigenpairs(np.zeros((100, 100)), 3) is None
    x = np.random.default_rng(0).random((100, 2))
    assert krylov_eigenpairs(x @ x.T, 3) is None


def test_slow_convergence_is_left_to_the_dense_solver():
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((300, 300)))[0]
    Z = (Q * np.linspace(1, 0.99, 300)) @ Q.T
    assert krylov_eigenpairs(Z, 8) is None


def test_the_space_grows_before_it_is_given_up(monkeypatch):
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((300, 300)))[0]
    Z = (Q * 0.97 ** np.arange(300)) @ Q.T
    assert_same_space(krylov_eigenpairs(Z, 4), Z, 4)
    monkeypatch.setattr(lanczos, "LARGEST_DIMENSION", 4)
    assert krylov_eigenpairs(Z, 4) is None


def test_same_vectors_every_time(crop):
    Z = block_matrix(crop[:16, :16])
    (_, first), (_, second) = krylov_eigenpairs(Z, 8), krylov_eigenpairs(Z, 8)
    assert (first == second).all()


@pytest.mark.parametrize("N", [1, 2, 3, 4, 7, 64, 129])
def test_product_reads_the_lower_half_only(N):
    rng = np.random.default_rng(N)
    Z, x = rng.standard_normal((N, N)), rng.standard_normal(N)
    whole = np.tril(Z) + np.tril(Z, -1).T
    Z[np.triu_indices(N, 1)] = np.nan
    np.testing.assert_allclose(lanczos.symmetric_product(Z, x), whole @ x, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("kind", ["random", "split", "equal", "zero"])
def test_tridiagonal_eigenpairs_are_those_of_lapack(m, kind):
    rng = np.random.default_rng(m)
    d, e = rng.standard_normal(m), rng.standard_normal(m)
    if kind == "split":
        e[::3] = 0
    if kind == "equal":
        d[:] = 1
        e[:] = 1e-9
    if kind == "zero":
        d[:] = e[:] = 0
    T = np.diag(d) + np.diag(e[:-1], 1) + np.diag(e[:-1], -1)
    values, rows = lanczos.tridiagonal_eigenpairs(d, e, np.eye(m))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(T)[::-1], atol=1e-13)
    np.testing.assert_allclose(rows @ T, values[:, None] * rows, atol=1e-13)
    np.testing.assert_allclose(rows @ rows.T, np.eye(m), atol=1e-13)
    _, last = lanczos.tridiagonal_eigenpairs(d, e, np.eye(m)[:, -1:])
    np.testing.assert_allclose(last[:, 0], rows[:, -1], atol=1e-13)
