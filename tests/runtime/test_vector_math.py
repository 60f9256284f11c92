import numpy as np

from segjt.runtime.vector_math import add_multiple, exponentials, logarithms


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


def log(x):
    out = np.empty_like(x)
    logarithms(x, out)
    return out


def test_logarithms_within_four_units_of_the_last_place():
    rng = np.random.default_rng(0)
    for scale in (1e-12, 1e-3, 1.0, 30.0, 700.0):
        x = np.exp(rng.uniform(-scale, scale, 10_001))
        assert (np.abs(log(x) - np.log(x)) <= 4 * np.spacing(np.abs(np.log(x)))).all()


def test_logarithms_of_powers_of_2_and_the_ends_of_the_range():
    n = np.arange(-1022, 1024)
    np.testing.assert_allclose(log(np.ldexp(1.0, n)), n * np.log(2), rtol=1e-15)
    x = np.array([1.0, np.sqrt(0.5), np.sqrt(2.0), np.nextafter(1.0, 0), np.finfo(float).tiny, np.finfo(float).max])
    np.testing.assert_allclose(log(x), np.log(x), rtol=1e-15)


def test_add_multiple():
    total, row = np.random.default_rng(0).random((2, 37))
    expected = total - 2.5 * row
    add_multiple(total, -2.5, row)
    np.testing.assert_allclose(total, expected, rtol=1e-14, atol=1e-15)
