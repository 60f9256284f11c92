"""Distinct rows and sums: the same whether told apart by codes of 8-bit levels or by the rows themselves."""

import numpy as np
import pytest
from reference.rows import block, points
from scipy.special import logsumexp

from segjt.kernels.evaluators import distinct_sums
from segjt.kernels.evaluators.distinct_sums import (
    DistinctSums,
    add_rows,
    distinct_rows,
    level_codes,
    sums_that_matter,
    weighted_sums,
)
from segjt.kernels.jensen import jt


def test_distinct_rows_make_up_all_rows():
    X = points(0, 6)[[3, 1, 1, 0, 5, 3, 3]]
    distinct = distinct_rows(X)
    np.testing.assert_array_equal(distinct.rows[distinct.inverse], X)
    assert sorted(distinct.counts.tolist()) == [1, 1, 2, 3]


def test_sums_by_codes_are_those_of_the_rows():
    rows = distinct_rows(points(0, 9)).rows
    sums, group = add_rows(rows, rows)
    assert level_codes(rows, rows) is not None
    every = (rows[:, None] + rows[None, :]).reshape(-1, 3)
    np.testing.assert_allclose(sums[group], every, atol=1e-15)
    assert len(sums) == len(np.unique(np.rint(255 * every), axis=0))
    assert level_codes(rows / np.pi, rows / np.pi) is None
    real_sums, real_group = add_rows(rows / np.pi, rows / np.pi)
    np.testing.assert_array_equal(
        real_sums[real_group], (rows / np.pi)[:, None].repeat(9, 1).reshape(-1, 3) + np.tile(rows / np.pi, (9, 1))
    )


def test_codes_that_would_overflow_are_not_made():
    rows = np.random.default_rng(0).integers(0, 256, (5, 12)) / 255
    assert level_codes(rows, rows) is None
    assert len(add_rows(rows, rows)[0]) == 15


def test_weights_of_sums_are_means_over_tuples():
    """At t = 0 every tuple counts the same, whatever its sum."""
    for n in (2, 3, 4):
        _, log_weights = weighted_sums(distinct_rows(points(0, 5)), 1.0, 0.0, n)
        np.testing.assert_allclose(np.exp(log_weights).sum(), 1.0)


@pytest.mark.parametrize("q", [0.0, 0.01, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("t", [0.01, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("kind", ["cup", "random", "few", "dark"])
def test_sums_that_are_left_out_do_not_matter(photograph, monkeypatch, q, t, kind):
    X = block(kind, photograph, 8) / 255
    for Z in (X, X[::-3] / 2):
        some = DistinctSums.of(X, Z, X, q, t, 3).evaluate()
        with monkeypatch.context() as patch:
            patch.setattr(distinct_sums, "NEGLIGIBLE", 1e-300)
            every = DistinctSums.of(X, Z, X, q, t, 3).evaluate()
        np.testing.assert_allclose(some, every, rtol=1e-14, atol=2e-10)


@pytest.mark.parametrize(("q", "t"), [(2.0, 300.0), (0.5, 1e4), (1.0, 1e3), (0.0, 1e3), (1.0, 1e-3)])
@pytest.mark.parametrize("scale", [1.0, 1 / np.pi])
def test_huge_exponents_are_those_of_the_definition(monkeypatch, q, t, scale):
    """The logarithm of the mean over all pairs of points, whose terms fall far out of the range of float64."""
    X, Z = points(0, 7) * scale, points(1, 5) * scale
    X[0] = 0.0
    pairs = np.array([a + b for a in X for b in X])
    within = jt(X, X, q).ravel()
    terms = t * (jt(X, pairs, q)[:, None] + jt(Z, pairs, q)[None, :] + 2 * within)
    expected = logsumexp(terms, axis=2) - np.log(len(pairs))
    for many in (8192, 5):
        monkeypatch.setattr(distinct_sums, "SUMS_AT_A_TIME", many)
        np.testing.assert_allclose(DistinctSums.of(X, Z, X, q, t, 3).evaluate(), expected, rtol=1e-12, atol=1e-9)


def test_rows_whose_largest_terms_differ_are_added_up_in_logarithms():
    """At q = 2 k is 2 x's: a row of the first feature and one of the second have no sum in common that is large."""
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = DistinctSums.of(X, X, X, 2.0, 1e3, 3).evaluate()
    # Pairs (a, b) with the sums (2, 0), (1, 1) twice, (0, 2); k of x with them is 4, 2, 0 or 0, 2, 4, within 2, 0, 2.
    expected = 1e3 * np.array([[12.0, 8.0], [8.0, 12.0]]) - np.log(4) + np.log([[1.0, 2.0], [2.0, 1.0]])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_too_many_tiny_entries_are_an_error(monkeypatch):
    strategy = DistinctSums.of(np.eye(3), np.eye(3), np.eye(3), 2.0, 1e3, 3)
    monkeypatch.setattr(distinct_sums, "MOST_SIMILARITIES", 20)
    with pytest.raises(ValueError, match=r"t = 1000 is too large for these rows: .*; use a smaller t"):
        strategy.evaluate()


def test_few_sums_matter_where_t_is_large(photograph):
    rows = distinct_rows(block("cup", photograph, 16) / 255)
    shares = {}
    for t in (0.01, 100.0):
        sums, log_weights = weighted_sums(rows, 1.0, t, 3)
        shares[t] = sums_that_matter(rows.rows, rows.rows, sums, log_weights, 1.0, t).mean()
    assert shares[0.01] == 1
    assert shares[100.0] < 0.2
