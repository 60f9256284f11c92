"""expjt3 of 8-bit colours from scaled pairs: the scale is what it claims, and the pairs left out do not matter."""

import numpy as np
import pytest
from reference import all_pairs
from reference.rows import block

from segjt.kernels.evaluators import scaled_pairs
from segjt.kernels.evaluators.colours import colours_of
from segjt.kernels.evaluators.scaled_pairs import ScaledPairs

BLOCKS = ["cup", "dark", "random", "few", "black and white", "grey", "one channel", "one bright"]
TS = [0.01, 1.0, 10.0, 100.0, 1e4]


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("q", [0.0, 0.01, 0.5, 1.0, 1.75, 2.0])
def test_against_all_pairs(name, q, photograph):
    X = block(name, photograph, 7) / 255
    K = all_pairs.jt3(X, X, q)
    for t in TS:
        pairs = ScaledPairs.of(colours_of(X, X, X), q, t)
        if pairs is None:
            assert t == 1e4  # where float64 lacks the range
            continue
        log_V = pairs.evaluate()
        np.testing.assert_allclose(log_V, all_pairs.log_flatten(t * K, t * K), rtol=1e-13, atol=2e-10)
        assert (log_V == log_V.T).all()


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_new_rows_against_old(channels, photograph):
    old = block("cup", photograph, 6)[:, :channels] / 255
    new = block("random", photograph, 4)[:, :channels] / 255
    K_new, K_old = (all_pairs.jt3(rows, old, 0.8) for rows in (new, old))
    for t in TS[:-1]:
        log_V = ScaledPairs.of(colours_of(new, old, old), 0.8, t).evaluate()
        np.testing.assert_allclose(log_V, all_pairs.log_flatten(t * K_new, t * K_old), rtol=1e-13, atol=2e-10)


def test_one_pixel_and_one_colour():
    for X in (np.array([[0.2, 0.4, 1.0]]), np.full((9, 3), 0.2), np.zeros((4, 3))):
        K = all_pairs.jt3(X, X, 1.0)
        log_V = ScaledPairs.of(colours_of(X, X, X), 1.0, 3.0).evaluate()
        np.testing.assert_allclose(log_V, all_pairs.log_flatten(3.0 * K, 3.0 * K), atol=1e-13)


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("q", [0.01, 1.0, 2.0])
def test_no_sum_is_below_1(name, q, photograph):
    X = block(name, photograph, 16) / 255
    for t in TS:
        pairs = ScaledPairs.of(colours_of(X, X, X), q, t)
        if pairs is None:
            assert t == 1e4
            continue
        assert all(channel.E.max() <= 1 for channel in pairs.channels)
        assert pairs.sum_of_products(pairs.sums, pairs.rho).min() >= 1 - 2 * scaled_pairs.NEGLIGIBLE


@pytest.mark.parametrize("t", TS)
def test_rho_by_column_adds_up(t, photograph):
    X = block("cup", photograph, 16) / 255
    pairs = ScaledPairs.of(colours_of(X, X, X), 1.0, t)
    for sums, channel in zip(pairs.sums, pairs.channels, strict=True):
        expected = np.bincount(sums, pairs.rho, minlength=channel.E.shape[1])
        np.testing.assert_allclose(channel.rho, expected, rtol=1e-12)
        assert (channel.rho > 0).all()


def test_few_pairs_matter_where_t_is_large(photograph):
    X = block("cup", photograph, 16) / 255
    colours = colours_of(X, X, X)
    every = len(colours.x.rows) * (len(colours.x.rows) + 1) // 2
    assert len(ScaledPairs.of(colours, 1.0, 0.01).rho) == every
    assert len(ScaledPairs.of(colours, 1.0, 100.0).rho) < 0.2 * every


def test_pairs_in_parts_are_the_same(photograph, monkeypatch):
    X = block("cup", photograph, 8) / 255
    pairs = ScaledPairs.of(colours_of(X, X, X), 1.0, 1.0)
    whole = pairs.evaluate()
    monkeypatch.setattr(scaled_pairs, "SUMS_AT_A_TIME", 100)
    np.testing.assert_allclose(pairs.evaluate(), whole, rtol=1e-14, atol=1e-14)
