import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjt.kernels.tsallis import jensen_difference, phi

value = st.floats(0, 1, allow_subnormal=False)


@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 2.0])
def test_phi_of_zero_is_zero(q):
    assert phi(np.array([0.0]), q).item() == 0


@given(value, value, st.floats(0, 2))
def test_jensen_difference_is_the_difference_of_phi(x, s, q):
    if 0 < abs(q - 1) < 1e-4:
        return  # there phi itself loses its digits, and the difference form is the better one
    direct = phi(np.array(x + s), q) - phi(np.array(x), q) - phi(np.array(s), q)
    np.testing.assert_allclose(jensen_difference(np.array(x), np.array(s), q), direct, rtol=1e-9, atol=1e-11)


@given(value, value, st.floats(0, 2))
def test_jensen_difference_is_never_negative(x, s, q):
    assert jensen_difference(np.array(x), np.array(s), q) >= 0


def test_no_cancellation_near_q_1():
    # 50 digits of the exact value, from the series of ((x + s)^q - x^q - s^q) / (q - 1) at q = 1 + 1e-5.
    import fractions
    import math

    x, s, q = 0.3, 0.2, 1.00001
    e = fractions.Fraction(q) - 1

    def power(u):
        return fractions.Fraction(u) * sum(
            (e * fractions.Fraction(math.log(u))) ** k / math.factorial(k) for k in range(6)
        )

    exact = float((power(x + s) - power(x) - power(s)) / e)
    np.testing.assert_allclose(jensen_difference(np.array(x), np.array(s), q), exact, rtol=1e-13)
