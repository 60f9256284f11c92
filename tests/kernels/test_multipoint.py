"""Multi-point kernels against the sum over all tuples, one by one."""

import decimal
from decimal import Decimal

import numpy as np
import pytest
from reference import all_pairs
from reference import kernels as oracle
from reference.rows import points

from segjt.kernels import make_kernel
from segjt.kernels.evaluators import distinct_sums

QS = [0.0, 0.3, 1 - 1e-7, 1.0, 1.4, 2.0]


def difference(V, expected):
    """Relative, in the Frobenius norm."""
    return np.linalg.norm(V - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 1.7, 2.0])
def test_jtn_against_all_tuples(n, q):
    X, Y = points(2, 4), points(3, 3)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(lambda p: oracle.jt(p, q), A, n, B)
        assert difference(make_kernel("jtn", q=q, n=n)(A, B), expected) <= 1e-12


def test_jtn_meets_its_relatives():
    X = points(0, 8)
    np.testing.assert_allclose(make_kernel("jtn", n=3, q=0.7)(X), make_kernel("jt3", q=0.7)(X))
    np.testing.assert_allclose(make_kernel("jtn", n=6, q=2)(X), make_kernel("nlin", n=6)(X), rtol=1e-10)
    K = make_kernel("jt2")(X)
    np.testing.assert_allclose(make_kernel("jtn", n=2)(X), K @ K / 8, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("q", QS)
@pytest.mark.parametrize("levels", [True, False])
def test_jt3_against_all_tuples(q, levels):
    X, Y = points(0, levels=levels), points(1, 4, levels=levels)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(lambda p: oracle.jt(p, q), A, 3, B)
        # Near q = 1 the oracle, eq. 9 in float64, has 8 digits.
        assert difference(make_kernel("jt3", q=q)(A, B), expected) <= (1e-7 if q == 1 - 1e-7 else 1e-12)


NEAR_THE_SPECIAL_CASES = sorted(
    {abs(centre + sign * 10.0**-k) for centre in (0, 1) for sign in (-1, 1) for k in (1, 2, 3, 5, 6, 7, 9, 12)}
    | {2 - 10.0**-k for k in (1, 2, 3, 6, 9, 12)}
)


@pytest.mark.parametrize("q", NEAR_THE_SPECIAL_CASES)
def test_stated_error_of_jt_near_the_special_cases(q):
    """1e-12 of V whatever the distance of q to 0, 1 and 2, against 40 digits; 4e-13 is the largest seen."""
    rng = np.random.default_rng(0)
    for X in (points(0, 4), points(1, 4, d=2, levels=False), 10.0 ** rng.uniform(-12, 0, (4, 2))):
        assert difference(make_kernel("jt3", q=q)(X), oracle.flatten_jt_exactly(X, q, 3)) <= 1e-12
    assert difference(make_kernel("jtn", q=q, n=5)(X[:3]), oracle.flatten_jt_exactly(X[:3], q, 5)) <= 1e-12


@pytest.mark.parametrize("q", [1e-9, 0.5, 1 - 1e-9, 1.0, 1.5, 2 - 1e-9])
@pytest.mark.parametrize("n", [10, 1000])
def test_stated_error_of_jtn_does_not_grow_with_n(q, n):
    """Of n equal points x there is one tuple, and K_n = phi_q(n x) - n phi_q(x)."""
    for x in (1.0, 0.3):
        with decimal.localcontext() as context:
            context.prec = 40
            value, order = Decimal(x), Decimal(q)
            K = oracle.phi_exactly(n * value, order) - n * oracle.phi_exactly(value, order)
            expected = float(K * K)
        np.testing.assert_allclose(make_kernel("jtn", q=q, n=n)(np.full((3, 1), x)), expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 255.0, 1e6])
@pytest.mark.parametrize("q", [0.3, 1.0, 1.7])
def test_jt3_is_exact_at_any_scale(scale, q):
    X = scale * points(0)
    assert difference(make_kernel("jt3", q=q)(X), oracle.flatten_jt_exactly(X, q, 3)) <= 1e-12


@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("levels", [True, False])
@pytest.mark.parametrize("t", [0.2, 3.0])
def test_expjt3_against_all_tuples(q, levels, t):
    X, Y = points(0, levels=levels), points(1, 4, levels=levels)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(lambda p: oracle.exp_jt(p, q, t), A, 3, B)
        np.testing.assert_allclose(make_kernel("expjt3", q=q, t=t)(A, B), expected, rtol=1e-11)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("q", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("levels", [True, False])
def test_expjtn_against_all_tuples(n, q, levels):
    X, Y = points(0, 4, levels=levels), points(1, 3, levels=levels)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(lambda p: oracle.exp_jt(p, q, 0.7), A, n, B)
        np.testing.assert_allclose(make_kernel("expjtn", q=q, t=0.7, n=n)(A, B), expected, rtol=1e-10)


def test_expjtn_refuses_what_would_take_too_long(monkeypatch):
    X = points(0, 30, levels=False)
    assert np.isfinite(make_kernel("expjtn", n=4)(X)).all()
    monkeypatch.setattr(distinct_sums, "MOST_PAIRS", 10_000)
    with pytest.raises(ValueError, match=r"30 distinct rows with 465 sums .* \(expjt3\+ or expjtn\+ with fewer"):
        make_kernel("expjtn", n=4)(X)


@pytest.mark.parametrize("q", [0.0, 0.01, 0.1, 1.0])
@pytest.mark.parametrize("near", [1e-12, 1e-300, 0.5 + 1e-7])
def test_values_near_8_bit_levels_are_not_taken_for_them(q, near):
    X = np.array([[0.0], [near], [1.0], [128 / 255]])
    expected = oracle.flatten(lambda p: oracle.exp_jt(p, q, 1), X, 3)
    np.testing.assert_allclose(make_kernel("expjt3", q=q)(X), expected, rtol=1e-9)
    by_two = oracle.gram(lambda p: oracle.jt(p, q), X, X)
    np.testing.assert_allclose(make_kernel("jt2", q=q)(X), by_two, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("q", QS)
def test_jt3_of_two_levels_against_all_tuples(q):
    X = np.where(np.random.default_rng(0).random((7, 300)) > 0.6, 0.7, 0.0)
    X[:, 3], X[4] = 0, 0
    for A, B in ((X, X), (X[:3], X[3:])):
        expected = oracle.flatten(lambda p: oracle.jt(p, 1 if abs(q - 1) < 1e-6 else q), A, 3, B)
        assert difference(make_kernel("jt3", q=q)(A, B), expected) <= (1e-5 if q == 1 - 1e-7 else 1e-12)


def test_many_features_are_refused_with_a_remedy():
    X = np.random.default_rng(0).random((5, 300))
    with pytest.raises(ValueError, match=r"300 columns make \d+ exponential features.*\(jt3\+, jtn\+\)"):
        make_kernel("jt3")(X)
    assert np.isfinite(make_kernel("jt3+")(X)).all()


def test_too_many_rows_are_refused_with_a_remedy(monkeypatch):
    monkeypatch.setattr(distinct_sums, "MOST_SIMILARITIES", 10_000)
    with pytest.raises(ValueError, match=r"30 distinct rows with 465 sums .* \(expjt3\+ or expjtn\+ with fewer"):
        make_kernel("expjt3")(points(0, 31, levels=False)[1:])


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_nlin_against_all_tuples(n):
    X, Y = points(0, 4), points(1, 3)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(oracle.n_linear, A, n, B)
        np.testing.assert_allclose(make_kernel("nlin", n=n)(A, B), expected, rtol=1e-10, atol=1e-12)


BASES = [("gaussian", {"sigma": 0.3}), ("jt2", {"q": 0.7}), ("linear", {}), ("expjt2", {"t": 0.5})]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize(("base", "parameters"), BASES)
def test_npoint_against_all_tuples(n, base, parameters):
    X, Y = points(0, 4), points(1, 3)
    k = make_kernel(base, **parameters)
    every = np.concatenate([X, Y])
    value = {(a.tobytes(), b.tobytes()): k([a], [b]).item() for a in every for b in every}
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(
            lambda p: oracle.extension(p, lambda x, y: value[x.tobytes(), y.tobytes()]), A, n, B
        )  # fmt: skip
        assert difference(make_kernel("npoint", kernel=k, n=n)(A, B), expected) <= 1e-10


def test_npoint_of_twice_the_linear_kernel_is_nlin():
    X = points(0, 7)
    for coefficient in ("exact", "published"):
        extended = make_kernel("npoint", kernel="jt2", q=2, n=7, coefficient=coefficient)(X)
        np.testing.assert_allclose(extended, make_kernel("nlin", n=7, coefficient=coefficient)(X), rtol=1e-10)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8])
def test_published_coefficient_is_the_printed_formula(n):
    """Proposition 5 as printed; it is exact up to n = 4 and off from n = 5 on (errata, part 1)."""
    X = points(0, 5)
    K = make_kernel("gaussian")(X)
    printed = oracle.closed_form_as_printed(K, n)
    published = make_kernel("npoint", kernel="gaussian", n=n, coefficient="published")(X)
    assert difference(published, printed) <= 1e-12
    exact = make_kernel("npoint", kernel="gaussian", n=n)(X)
    assert (difference(published, exact) <= 1e-12) == (n <= 4)
    # The surplus is a positive multiple of 11'.
    surplus = published - exact
    assert np.ptp(surplus) <= 1e-12 * published.max()
    assert surplus.min() >= -1e-12 * published.max()
    linear = oracle.closed_form_as_printed(2 * X @ X.T, n)
    np.testing.assert_allclose(make_kernel("nlin", n=n, coefficient="published")(X), linear, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["nlin", "npoint", "jtn"])
def test_closed_forms_stay_finite_for_many_points(name):
    X = np.random.default_rng(0).random((2000, 3))
    V = make_kernel(name, n=20)(X)
    assert np.isfinite(V).all()
    assert V.min() > 0


def test_npoint_wants_a_kernel_of_two_points():
    with pytest.raises(ValueError, match="'nlin' compares 6 points already"):
        make_kernel("npoint", kernel="nlin")
    with pytest.raises(ValueError, match="'jt3' compares 3 points already"):
        make_kernel("npoint+", kernel="jt3")


@pytest.mark.parametrize("name", ["jt3", "expjt3"])
def test_multipoint_on_a_real_block(name, crop):
    X = crop[:4, :6].reshape(-1, 3) / 255
    k = {"jt3": lambda p: oracle.jt(p, 1), "expjt3": lambda p: oracle.exp_jt(p, 1, 1)}[name]
    assert difference(make_kernel(name).affinity(X), oracle.flatten(k, X, 3)) <= 1e-8


def rows_of(name, crop):
    """64 rows: of a photograph, random colours or numbers, or of few values."""
    rng = np.random.default_rng(3)
    return {
        "photograph": crop[20:28, 30:38].reshape(-1, 3) / 255,
        "random": rng.integers(0, 256, (64, 3)) / 255,
        "float": rng.random((64, 5)),
        "black and white": np.repeat(rng.integers(0, 2, (64, 1)), 3, 1).astype(float),
        "small and large": 10.0 ** rng.uniform(-6, 3, (64, 3)),
    }[name]


@pytest.mark.parametrize("name", ["photograph", "random", "float", "black and white", "small and large"])
def test_stated_error_of_jt3_and_nlin(name, crop):
    X = rows_of(name, crop)
    for q in (0.25, 0.5, 1.0, 1.5, 1.75, 2.0):
        K = all_pairs.jt3(X, X, q)
        assert difference(make_kernel("jt3", q=q)(X), all_pairs.flatten(K, K)) <= 1e-12
    K = all_pairs.linear3(X, X)
    assert difference(make_kernel("nlin", n=3)(X), all_pairs.flatten(K, K)) <= 1e-8


def test_negative_similarities_are_not_an_affinity():
    k, X = make_kernel("nlin", n=2), np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]])
    assert (k.affinity(X) < 0).any()
    with pytest.raises(ValueError, match="an affinity cannot be negative"):
        k.log_affinity(X)
