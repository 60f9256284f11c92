"""Spectral embeddings of the experiments: eigenvectors, random walks, equal eigenvalues, nearest neighbours."""

import itertools

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph

from segjt.evaluation.learning import spectra
from segjt.evaluation.learning.clustering import PLUS_PLUS, SAMPLE, kmeans_run, kmeans_runs
from segjt.evaluation.learning.trials import by_affinity
from segjt.kernels import make_kernel
from segjt.spectral.ncut import unit_rows


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).random((60, 3))


@pytest.fixture(scope="module")
def full_grid():
    """All points of a grid, the same in its three columns: kernels have equal eigenvalues on it."""
    return np.array(list(itertools.product([0.2, 0.5, 0.8], repeat=3)))


@pytest.mark.parametrize(("eigenvectors", "columns"), [("k", (0, 3)), ("k + 1", (0, 4)), ("2 to k + 1", (1, 4))])
def test_the_named_eigenvectors_make_up_the_rows(points, eigenvectors, columns):
    found = spectra.spectrum(make_kernel("gaussian").log_affinity(points), 3)
    np.testing.assert_array_equal(found.rows(eigenvectors), unit_rows(found.vectors[:, slice(*columns)]))
    assert found.gap == pytest.approx(found.values[2] - found.values[3])


def test_rows_of_the_random_walk_are_its_eigenvectors(points):
    log_W = make_kernel("gaussian", sigma=0.3).log_affinity(points)
    found = spectra.spectrum(log_W, 3)
    walk = np.exp(log_W) / np.exp(log_W).sum(1, keepdims=True)
    rows = found.rows("k", spectra.RANDOM_WALK)
    np.testing.assert_allclose(walk @ rows, rows * found.values[:3], atol=1e-10 * np.abs(rows).max())


def test_points_without_affinity_and_matrices_of_rank_one():
    with np.errstate(divide="ignore"):
        log_W = np.log(np.outer([1, 2, 0], [1, 2, 0]))
    found = spectra.spectrum(log_W, 2)
    for eigenvectors, scaling in itertools.product(spectra.EIGENVECTORS, (spectra.UNIT_LENGTH, spectra.RANDOM_WALK)):
        rows = found.rows(eigenvectors, scaling)
        assert rows.shape == (3, 1)
        assert np.isfinite(rows).all()
    assert found.gap == 0.0


def test_rotations_change_bases_of_equal_eigenvalues_only(full_grid):
    found = spectra.spectrum(make_kernel("jt2").log_affinity(full_grid), 2)
    sizes = [len(space) for space in spectra.equal_values(found.values)]
    assert sizes[:2] == [1, 2]
    other = found.rotated(np.random.default_rng(0))
    np.testing.assert_allclose(np.abs(other.vectors[:, 0]), np.abs(found.vectors[:, 0]))
    assert np.abs(other.vectors[:, 1] @ found.vectors[:, 1]) < 0.999
    projections = [vectors[:, 1:3] @ vectors[:, 1:3].T for vectors in (found.vectors, other.vectors)]
    np.testing.assert_allclose(*projections, atol=1e-12)
    # All of an eigenspace is used by k + 1 vectors, part of it by k.
    distances = [np.linalg.norm(spectrum.rows("k + 1")[0] - spectrum.rows("k + 1")[5]) for spectrum in (found, other)]
    assert distances[0] == pytest.approx(distances[1])
    assert not np.allclose(found.rows("k") @ found.rows("k").T, other.rows("k") @ other.rows("k").T)


def test_graph_of_nearest_neighbours_is_that_of_scikit_learn(points):
    log_W = make_kernel("exponential").log_affinity(points)
    graph = spectra.nearest_neighbour_graph(log_W, 5)
    either = kneighbors_graph(points, 5).toarray().astype(bool)
    either |= either.T
    np.testing.assert_array_equal(np.isfinite(graph), either)
    np.testing.assert_array_equal(graph[either], log_W[either])
    assert np.isneginf(spectra.nearest_neighbour_graph(log_W[:1, :1], 5)).all()


def test_starts_from_points_are_seeded_and_find_blobs():
    X = np.concatenate([np.random.default_rng(1).normal(centre, 0.05, (20, 2)) for centre in (0, 1, 2)])
    for start in (PLUS_PLUS, SAMPLE):
        runs = kmeans_runs(X, 3, 5, 10, start)
        assert all(len(np.unique(groups.reshape(3, 20)[0])) == 1 and groups.max() == 2 for groups in runs)
    first, again = (kmeans_run(X, 3, np.random.default_rng(0), start=SAMPLE) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_settings_of_one_affinity_are_run_together():
    settings = [{"q": q, "start": start} for q in (1, 2) for start in (PLUS_PLUS, SAMPLE)]
    assert by_affinity(settings) == [({"q": 1}, settings[:2]), ({"q": 2}, settings[2:])]
    assert by_affinity([]) == []
