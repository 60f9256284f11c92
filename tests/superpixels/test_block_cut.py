"""A block in one compiled function against the same in steps."""

import numpy as np
import pytest
from reference import affinity as obvious
from sklearn.metrics import adjusted_rand_score

import segjt
from segjt.kernels import make_kernel
from segjt.spectral import ncut
from segjt.superpixels import block_cut
from segjt.superpixels.affinity import weight_by_distance
from segjt.superpixels.block_cut import cut_block, to_normalised_affinity
from segjt.superpixels.features import coordinates


def in_steps(log_V, positions, k, seed):
    return ncut.partition(weight_by_distance(log_V, positions, 0.08, 2.0), k, np.random.default_rng(seed))


@pytest.mark.parametrize("kernel", ["jt2", "expjt2", "gaussian", "nlin", "jt3", "self_tuning"])
@pytest.mark.parametrize("size", [16, 32])
def test_labels_are_those_of_the_steps(photograph, kernel, size):
    positions = coordinates(np.ones((size, size), bool))
    for seed, (top, left) in enumerate([(0, 0), (90, 120), (150, 40), (64, 200)]):
        X = photograph[top : top + size, left : left + size].reshape(-1, 3) / 255
        log_V = make_kernel(kernel).log_affinity(X)
        found = cut_block(log_V.copy(), positions, 0.08, 2.0, 8, [0, seed])
        assert adjusted_rand_score(found, in_steps(log_V, positions, 8, [0, seed])) > 0.99
        assert set(found) == set(range(found.max() + 1))


@pytest.mark.parametrize("kernel", ["jt2", "expjt2", "gaussian"])
def test_affinity_is_the_obvious_one(crop, kernel):
    X = crop[:12, :13].reshape(-1, 3) / 255
    X[5] = 0  # a black pixel has no affinity to any other in jt2
    positions = coordinates(np.ones((12, 13), bool))
    k = make_kernel(kernel)
    Z = k.log_affinity(X)
    assert to_normalised_affinity(Z, positions, 0.92, 0.02)
    expected = obvious.normalise(obvious.weight_by_distance(k(X), positions, 0.08, 2.0))
    np.testing.assert_allclose(np.tril(Z), np.tril(expected), rtol=1e-9, atol=1e-15)


def test_doubt_is_left_to_the_steps(crop, monkeypatch):
    calls = []
    steps = ncut.partition
    monkeypatch.setattr(block_cut.ncut, "partition", lambda *given: calls.append(1) or steps(*given))
    positions = coordinates(np.ones((16, 16), bool))
    X = crop[:16, :16].reshape(-1, 3) / 255
    cut_block(make_kernel("jt2").log_affinity(X), positions, 0.08, 2.0, 8, [0, 0])
    assert not calls
    # Rows that differ by more powers of ten than float64 has, no affinity at all, few pixels.
    dark = X.copy()
    dark[:40] /= 40
    labels = cut_block(make_kernel("expjt2", t=3000.0).log_affinity(dark), positions, 0.08, 2.0, 8, [0, 0])
    assert len(calls) == 1
    assert len(set(labels)) > 1
    cut_block(np.full((256, 256), -np.inf), positions, 0.08, 2.0, 8, [0, 0])
    assert len(calls) == 2
    cut_block(np.zeros((9, 9)), positions[:9], 0.08, 2.0, 3, [0, 0])
    assert len(calls) == 3


def test_eigenvectors_in_doubt_are_those_of_the_dense_solver(monkeypatch):
    """Two stripes far apart in colour and of equal size: eigenvalues come in pairs, which Lanczos does not see."""
    calls = []
    dense = ncut.dense_eigenpairs
    monkeypatch.setattr(block_cut.ncut, "dense_eigenpairs", lambda *given: calls.append(1) or dense(*given))
    positions = coordinates(np.ones((16, 16), bool))
    side = np.repeat([0.0, 1.0], 128)
    log_V = -1e4 * (side[:, None] - side[None, :]) ** 2
    found = cut_block(log_V.copy(), positions, 0.08, 2.0, 2, [0, 0])
    assert calls == [1]
    assert adjusted_rand_score(found, side) == 1
    assert adjusted_rand_score(found, in_steps(log_V, positions, 2, [0, 0])) == 1


def test_unit_columns():
    columns = np.array([[3.0, 0.0, 1e-13], [4.0, 0.0, 0.0]])
    block_cut.to_unit_columns(columns)
    np.testing.assert_allclose(columns, [[0.6, 0, 0], [0.8, 0, 0]])


def test_masked_blocks_take_the_same_way(crop):
    mask = np.random.default_rng(0).random(crop.shape[:2]) < 0.7
    labels = segjt.oversegment(crop, mask=mask)
    assert ((labels == 0) == ~mask).all()
