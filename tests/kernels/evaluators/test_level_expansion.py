"""expjt3 of 8-bit colours by expansion: against all pairs, and against all sums where there are too many pairs."""

import numpy as np
import pytest
from PIL import Image
from reference import all_pairs
from reference.rows import block
from threadpoolctl import threadpool_limits

from segjt.kernels import make_kernel
from segjt.kernels.evaluators import level_expansion as module
from segjt.kernels.evaluators import strategies
from segjt.kernels.evaluators.colours import colours_of
from segjt.kernels.evaluators.distinct_sums import DistinctSums
from segjt.kernels.evaluators.scaled_pairs import ScaledPairs

QS = [0.25, 0.5, 1.0, 1.5, 1.75, 2.0]
TS = [0.1, 1.0, 10.0, 100.0]
BLOCKS = ["cup", "dark", "random", "few", "black and white", "grey", "one channel", "one bright"]


@pytest.fixture(autouse=True)
def one_thread():
    """BLAS as in the pipeline: more threads than cores would make small products slow."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def always(monkeypatch):
    """The expansion also where all pairs are cheaper."""
    monkeypatch.setattr(strategies, "CHEAP", 0)


def expanded(X, Z, Y, q, t):
    """The result of the expansion, or None where another strategy is chosen."""
    strategy = strategies.choose_expjt_strategy(X, Z, Y, q, t, 3)
    return strategy.evaluate() if isinstance(strategy, module.LevelExpansion) else None


def by_sums(X, q, t):
    return DistinctSums.of(X, X, X, q, t, 3).evaluate()


def frobenius(log_V, log_expected):
    """The relative error in the Frobenius norm."""
    top = log_expected.max()
    V, expected = np.exp(log_V - top), np.exp(log_expected - top)
    return np.linalg.norm(V - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("q", QS)
def test_against_all_pairs(name, q, photograph, always):
    X = block(name, photograph, 8) / 255
    K = all_pairs.jt3(X, X, q)
    for t in TS:
        expected = all_pairs.log_flatten(t * K, t * K)
        log_V = expanded(X, X, X, q, t)
        if log_V is None:
            assert t >= 10 or len(np.unique(X, axis=0)) <= 5  # where few pairs matter, no more than there are nodes
        else:
            # Each entry, which is more than the Frobenius norm asks for.
            assert np.abs(np.expm1(log_V - expected)).max() <= module.TARGET
            assert (log_V == log_V.T).all()
        chosen = make_kernel("expjt3", q=q, t=t).log_affinity(X)
        assert frobenius(chosen, expected) <= 1e-6
        assert np.isfinite(chosen).all()


@pytest.mark.parametrize("name", ["cup", "random"])
def test_the_choice_at_100_rows(name, photograph):
    X = block(name, photograph, 10) / 255
    K = all_pairs.jt3(X, X, 1.25)
    for t in TS:
        chosen = make_kernel("expjt3", q=1.25, t=t).log_affinity(X)
        assert frobenius(chosen, all_pairs.log_flatten(t * K, t * K)) <= 1e-6


@pytest.mark.parametrize("name", ["cup", "dark", "random", "grey"])
@pytest.mark.parametrize("t", TS)
@pytest.mark.parametrize("q", [0.25, 1.0, 1.75])
def test_against_all_sums(name, q, t, photograph, always):
    X = block(name, photograph, 16) / 255
    log_V = expanded(X, X, X, q, t)
    if log_V is None:
        assert t >= 10
        return
    assert np.abs(np.expm1(log_V - by_sums(X, q, t))).max() <= module.TARGET


def test_against_all_sums_of_1024_rows(photograph):
    X = photograph[96:128, 128:160].reshape(-1, 3) / 255
    log_V = expanded(X, X, X, 1.0, 1.0)
    assert log_V is not None
    assert np.abs(np.expm1(log_V - by_sums(X, 1.0, 1.0))).max() <= module.TARGET
    np.testing.assert_array_equal(make_kernel("expjt3", q=1.0, t=1.0).log_affinity(X), log_V)


def test_on_blocks_of_benchmark_images(data_folder, always):
    files = sorted((data_folder / "weizmann" / "1obj").rglob("src_color/*.png"))[::12]
    assert len(files) >= 3
    for file in files:
        image = np.asarray(Image.open(file).convert("RGB"))
        row, column = image.shape[0] // 2, image.shape[1] // 2
        X = image[row : row + 16, column : column + 16].reshape(-1, 3) / 255
        log_V = expanded(X, X, X, 1.0, 1.0)
        assert np.abs(np.expm1(log_V - by_sums(X, 1.0, 1.0))).max() <= module.TARGET


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_new_rows_against_old(channels, photograph, always):
    old = block("cup", photograph, 6)[:, :channels] / 255
    new = block("random", photograph, 4)[:, :channels] / 255
    K_new, K_old = (all_pairs.jt3(rows, old, 0.8) for rows in (new, old))
    log_V = expanded(new, old, old, 0.8, 2.0)
    expected = all_pairs.log_flatten(2.0 * K_new, 2.0 * K_old)
    assert np.abs(np.expm1(log_V - expected)).max() <= module.TARGET


def test_weights_that_cancel_are_not_trusted(photograph, always, monkeypatch):
    """Where float64 lacks the digits there is no expansion, whatever the number of nodes."""
    X = block("cup", photograph, 16) / 255
    assert expanded(X, X, X, 1.0, 1.0) is not None
    with monkeypatch.context() as patch:
        patch.setattr(module, "ROUND_OFF", 1.0)
        assert expanded(X, X, X, 1.0, 1.0) is None
    with monkeypatch.context() as patch:
        patch.setattr(module, "LARGEST_SUM", 0.5)
        assert expanded(X, X, X, 1.0, 1.0) is None
    monkeypatch.setattr(module, "MOST_NODES", 3)
    assert expanded(X, X, X, 1.0, 1.0) is None


def test_weights_of_nodes_add_up_to_the_pairs(photograph):
    """Nodes stand for the pairs: summed over pairs or over nodes, products of E are the same."""
    X = block("cup", photograph, 16) / 255
    pairs = ScaledPairs.of(colours_of(X, X, X), 1.0, 1.0)
    expansion = module.LevelExpansion.of(pairs)
    assert len(expansion.weights) < len(pairs.rho) / 10
    assert (np.diff(expansion.weights) <= 0).all()
    A, B = (pairs.terms(pairs.colours.x.rows, sums, np.ones(sums.shape[1])) for sums in (pairs.sums, expansion.nodes))
    np.testing.assert_allclose((B.T * expansion.weights) @ B, (A.T * pairs.rho) @ A, atol=module.TARGET)


def test_expjtn_of_three_points_is_the_same(photograph):
    X = block("cup", photograph, 16) / 255
    np.testing.assert_array_equal(make_kernel("expjtn", n=3).log_affinity(X), make_kernel("expjt3").log_affinity(X))
