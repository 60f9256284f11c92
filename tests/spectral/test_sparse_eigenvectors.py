import numpy as np
from scipy.sparse import csr_array

from segjt.image import as_image
from segjt.merging.registry import MergeSettings
from segjt.merging.weights import weight_matrix
from segjt.pipeline import oversegment
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import colour_levels
from segjt.spectral import sparse_eigenvectors


def normalised_graph(image):
    """D^(-1/2) W D^(-1/2) of the region graph of an image."""
    W = weight_matrix(region_graph(colour_levels(as_image(image), 8), oversegment(image)), MergeSettings())
    d = W.sum(1)
    return csr_array(W / np.sqrt(d)[:, None] / np.sqrt(d)[None, :])


def pairs(K):
    """K / 2 separate pairs: as many eigenvalues of exactly 1 and no gap, which Lanczos cannot judge."""
    i = np.arange(K)
    return csr_array((np.ones(K), (i, i ^ 1)), shape=(K, K))


def test_sparse_eigenvectors_agree_with_dense(samples):
    Z = normalised_graph(samples["quilt"][0])
    assert Z.shape[0] > sparse_eigenvectors.DENSE_UP_TO
    U = sparse_eigenvectors.top_eigenvectors(Z, 5)
    dense = np.linalg.eigh(Z.toarray())[1][:, -5:]
    np.testing.assert_allclose(np.linalg.svd(U.T @ dense)[1], 1.0, atol=1e-8)


def test_eigenvectors_that_did_not_converge_come_from_the_dense_solver():
    U = sparse_eigenvectors.top_eigenvectors(pairs(900), 3)
    np.testing.assert_allclose(pairs(900) @ U, U, atol=1e-10)


def test_the_sparse_solver_is_used_and_judged(samples, monkeypatch):
    used = []
    dense = sparse_eigenvectors.dense_eigenvectors
    monkeypatch.setattr(
        sparse_eigenvectors, "dense_eigenvectors", lambda *arguments: used.append("dense") or dense(*arguments)
    )
    sparse_eigenvectors.top_eigenvectors(normalised_graph(samples["quilt"][0]), 5)
    assert used == []
    sparse_eigenvectors.top_eigenvectors(pairs(900), 3)
    assert used == ["dense"]
