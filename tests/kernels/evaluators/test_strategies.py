"""Which strategy is chosen for which rows, and that all of them agree."""

import numpy as np
import pytest
from reference.rows import block

from segjt.kernels import make_kernel
from segjt.kernels.evaluators import strategies
from segjt.kernels.evaluators.distinct_sums import DistinctSums
from segjt.kernels.evaluators.exponential_sums import ExponentialSums, TwoLevelSums, rows_in_units
from segjt.kernels.evaluators.level_expansion import LevelExpansion
from segjt.kernels.evaluators.scaled_pairs import ScaledPairs
from segjt.kernels.evaluators.strategies import choose_expjt_strategy, choose_jt_strategy
from segjt.kernels.evaluators.triples import AllTriples


def chosen(X, t=1.0, points=3):
    return type(choose_expjt_strategy(X, X, X, 1.0, t, points))


def test_8_bit_colours_are_expanded_where_it_pays(photograph):
    assert chosen(block("cup", photograph, 16) / 255) is LevelExpansion
    assert chosen(block("dark", photograph, 32) / 255, t=10.0) is LevelExpansion


def test_all_pairs_of_few_colours_and_where_few_of_them_matter(photograph):
    assert chosen(block("few", photograph, 32) / 255) is ScaledPairs
    assert chosen(block("cup", photograph, 4) / 255) is ScaledPairs
    assert chosen(block("random", photograph, 16) / 255, t=100.0) is ScaledPairs


def test_all_sums_where_float64_lacks_the_range_or_nodes_are_many(photograph, monkeypatch):
    assert chosen(block("few", photograph, 8) / 255, t=1e4) is DistinctSums
    monkeypatch.setattr(LevelExpansion, "of", lambda pairs: None)
    assert chosen(block("cup", photograph, 8) / 255) is ScaledPairs
    monkeypatch.setattr(strategies, "SLOW", 1.0)
    assert chosen(block("cup", photograph, 8) / 255) is DistinctSums


def test_more_than_three_points_go_by_sums(photograph):
    for points in (2, 4, 5):
        assert chosen(block("cup", photograph, 16) / 255, points=points) is DistinctSums


def test_real_rows_go_through_triples():
    rng = np.random.default_rng(0)
    assert chosen(rng.random((256, 3))) is AllTriples
    # More channels than the expansion has.
    assert chosen(rng.integers(0, 256, (256, 4)) / 255) is AllTriples
    assert chosen(rng.random((30, 3))) is DistinctSums


def test_new_rows_against_old_never_go_through_triples(photograph):
    X, Y = np.random.default_rng(0).random((2, 100, 3))
    assert isinstance(choose_expjt_strategy(X, Y, Y, 1.0, 1.0, 3), DistinctSums)
    colours = block("cup", photograph, 16) / 255
    assert isinstance(choose_expjt_strategy(colours[:100], colours, colours, 1.0, 1.0, 3), LevelExpansion)


def test_two_levels_have_features_of_their_own():
    X = np.where(np.random.default_rng(0).random((20, 5)) > 0.5, 0.7, 0.0)
    assert isinstance(choose_jt_strategy(X, X, X, 1.0, 3), TwoLevelSums)
    assert isinstance(choose_jt_strategy(X, X, X, 1.0, 4), ExponentialSums)
    assert isinstance(choose_jt_strategy(X, X + 0.1, X, 1.0, 3), ExponentialSums)
    rows = rows_in_units(X, X, X)
    assert rows.arrays[0] is rows.arrays[1] is rows.arrays[2]
    by_sums = ExponentialSums.of(rows, 1.0, 3).evaluate()
    np.testing.assert_allclose(TwoLevelSums.of(rows, 1.0, 3).evaluate(), by_sums, rtol=1e-9)


@pytest.mark.parametrize("name", ["cup", "real"])
def test_a_choice_computes_nothing_twice(name, photograph, monkeypatch):
    """What is distinct in an array is looked for once while choosing, and not again while evaluating.

    Rows of 8-bit colours never go through numpy: they are told apart by a table.
    """
    X = block("cup", photograph, 16) / 255 if name == "cup" else np.random.default_rng(0).random((100, 3))
    calls = []
    unique = np.unique

    def counted(array, *args, **options):
        if array.shape == X.shape or (array.shape == (len(X),) and array.dtype.kind == "i"):  # rows, or their codes
            calls.append(array.shape)
        return unique(array, *args, **options)

    monkeypatch.setattr(np, "unique", counted)
    assert np.isfinite(choose_expjt_strategy(X, X, X, 1.0, 1.0, 3).evaluate()).all()
    assert len(calls) == (0 if name == "cup" else 1)


def test_kernels_run_what_was_chosen(photograph, monkeypatch):
    X = block("cup", photograph, 16) / 255
    log_V = make_kernel("expjt3").log_affinity(X)
    np.testing.assert_array_equal(log_V, choose_expjt_strategy(X, X, X, 1.0, 1.0, 3).evaluate())
    monkeypatch.setattr(strategies, "CHEAP", np.inf)
    monkeypatch.setattr(strategies, "SLOW", np.inf)
    assert chosen(X) is ScaledPairs
    assert np.abs(np.expm1(log_V - make_kernel("expjt3").log_affinity(X))).max() <= 1e-6
