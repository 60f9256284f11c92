import numpy as np

from segjt.runtime.vector_math import add_multiple, exponentials


def exp(x):
    out = np.empty_like(x)
    exponentials(x, out)
    return out


def test_within_four_units_of_the_last_place():
    rng = np.random.default_rng(0)
    for scale in (1e-12, 1e-3, 1.0, 30.0, 700.0):
        x = rng.uniform(-scale, scale, 10_001)
        assert (np.abs(exp(x) - np.exp(x)) <= 4 * np.spacing(np.exp(x))).all()


def test_halves_of_ln_2_and_whole_multiples():
    x = np.arange(-2000, 2000) * np.log(2) / 4
    np.testing.assert_allclose(exp(x), np.exp(x), rtol=1e-15)


def test_ends_of_the_range():
    np.testing.assert_array_equal(exp(np.array([0.0, -0.0, -708.1, -1e300, -np.inf])), [1, 1, 0, 0, 0])
    np.testing.assert_allclose(exp(np.array([-707.9, 709.0])), np.exp([-707.9, 709.0]), rtol=1e-14)


def test_add_multiple():
    total, row = np.random.default_rng(0).random((2, 37))
    expected = total - 2.5 * row
    add_multiple(total, -2.5, row)
    np.testing.assert_allclose(total, expected, rtol=1e-14, atol=1e-15)
