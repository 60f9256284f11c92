import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from reference import kernels as oracle

from segjt.kernels import kernel_names, make_kernel

QS = [0.0, 0.3, 1 - 1e-7, 1.0, 1.4, 2.0]
unit = st.one_of(st.sampled_from([0.0, 1.0, 1 / 255]), st.floats(0, 1, allow_subnormal=False))
rows = hnp.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 3)), elements=unit)


def points(seed=0, N=6, d=3, levels=True):
    """Random rows with some zeros, on 8-bit levels or not."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, (N, d)) / 255 if levels else rng.random((N, d))
    X[0] = 0
    X[1, 0] = 0
    return X


def as_printed(q):
    """Values of q within 1e-6 of 1 use the q = 1 form."""
    return 1 if abs(q - 1) < 1e-6 else q


def test_gaussian():
    X, Y = points(0), points(1, 4)
    expected = [[np.exp(-np.sum((x - y) ** 2) / (2 * 0.3**2)) for y in Y] for x in X]
    np.testing.assert_allclose(make_kernel("gaussian", sigma=0.3)(X, Y), expected, rtol=1e-12)


def test_linear_and_polynomial():
    X, Y = points(0), points(1, 4)
    np.testing.assert_allclose(make_kernel("linear")(X, Y), X @ Y.T)
    np.testing.assert_allclose(make_kernel("polynomial", degree=3, c=0.5)(X, Y), (X @ Y.T + 0.5) ** 3)
    assert make_kernel("polynomial", degree=1, c=0)(X, Y).tolist() == (X @ Y.T).tolist()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 1.7, 2.0])
def test_jtn_against_all_tuples(n, q):
    X, Y = points(2, 5), points(3, 3)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(lambda p: oracle.jt(p, q), A, n, B)
        assert np.linalg.norm(make_kernel("jtn", q=q, n=n)(A, B) - expected) <= 1e-10 * np.linalg.norm(expected)


def test_jtn_meets_its_relatives():
    X = points(0, 8)
    np.testing.assert_allclose(make_kernel("jtn", n=3, q=0.7)(X), make_kernel("jt3", q=0.7)(X))
    np.testing.assert_allclose(make_kernel("jtn", n=6, q=2)(X), make_kernel("nlin", n=6)(X), rtol=1e-10)
    K = make_kernel("jt2")(X)
    np.testing.assert_allclose(make_kernel("jtn", n=2)(X), K @ K / 8, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("q", QS)
def test_jt2(q):
    X, Y = points(0), points(1, 4)
    expected = oracle.gram(lambda p: oracle.jt(p, as_printed(q)), X, Y)
    np.testing.assert_allclose(
        make_kernel("jt2", q=q)(X, Y), expected, rtol=1e-6 if q == 1 - 1e-7 else 1e-12, atol=1e-13
    )


@pytest.mark.parametrize("q", QS)
@pytest.mark.parametrize("t", [0.1, 2.0])
def test_expjt2(q, t):
    X, Y = points(0), points(1, 4)
    expected = oracle.gram(lambda p: oracle.exp_jt(p, as_printed(q), t), X, Y)
    np.testing.assert_allclose(make_kernel("expjt2", q=q, t=t)(X, Y), expected, rtol=1e-6 if q == 1 - 1e-7 else 1e-12)


@pytest.mark.parametrize("q", QS)
@pytest.mark.parametrize("levels", [True, False])
def test_jt3_against_all_tuples(q, levels):
    X, Y = points(0, levels=levels), points(1, 4, levels=levels)
    k = make_kernel("jt3", q=q)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(lambda p: oracle.jt(p, as_printed(q)), A, 3, B)
        found = k(A, B)
        assert np.linalg.norm(found - expected) <= (1e-5 if q == 1 - 1e-7 else 1e-8) * np.linalg.norm(expected)


@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("levels", [True, False])
@pytest.mark.parametrize("t", [0.2, 3.0])
def test_expjt3_against_all_tuples(q, levels, t):
    X, Y = points(0, levels=levels), points(1, 4, levels=levels)
    k = make_kernel("expjt3", q=q, t=t)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(lambda p: oracle.exp_jt(p, q, t), A, 3, B)
        np.testing.assert_allclose(k(A, B), expected, rtol=1e-11)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_nlin_against_all_tuples(n):
    X, Y = points(0, 4), points(1, 3)
    for A, B in ((X, X), (X, Y)):
        expected = oracle.flatten(oracle.n_linear, A, n, B)
        np.testing.assert_allclose(make_kernel("nlin", n=n)(A, B), expected, rtol=1e-10, atol=1e-12)


def test_nlin_stays_finite_for_many_points():
    assert np.isfinite(make_kernel("nlin", n=20)(np.random.default_rng(0).random((2000, 3)))).all()


@pytest.mark.parametrize("name", ["jt3", "expjt3"])
def test_multipoint_on_a_real_block(name, crop):
    X = crop[:4, :6].reshape(-1, 3) / 255
    k = {"jt3": lambda p: oracle.jt(p, 1), "expjt3": lambda p: oracle.exp_jt(p, 1, 1)}[name]
    expected = oracle.flatten(k, X, 3)
    assert np.linalg.norm(make_kernel(name).affinity(X) - expected) <= 1e-8 * np.linalg.norm(expected)


@pytest.mark.parametrize("name", kernel_names())
@given(X=rows)
def test_gram_is_symmetric_finite_and_positive_semidefinite(name, X):
    gram = make_kernel(name)(X)
    assert gram.shape == (len(X), len(X))
    assert gram.dtype == np.float64
    assert np.isfinite(gram).all()
    np.testing.assert_allclose(gram, gram.T, rtol=1e-9, atol=1e-12)
    values = np.linalg.eigvalsh(gram)
    assert values.min() >= -1e-10 * max(values.max(), 1)


@pytest.mark.parametrize("name", kernel_names())
def test_affinity_is_the_gram_matrix(name):
    k, X = make_kernel(name), points(0, 9)
    np.testing.assert_allclose(k.affinity(X), k(X), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.exp(k.log_affinity(X)), k(X), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", kernel_names())
def test_part_of_the_gram_matrix(name):
    # With the same anchors, rows of X can be asked for one at a time.
    k, X = make_kernel(name), points(0, 9)
    np.testing.assert_allclose(k(X[2:5], X), k(X)[2:5], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", kernel_names())
def test_equal_pickled_and_reproducible(name):
    k, X = make_kernel(name), points(0, 9)
    copy = pickle.loads(pickle.dumps(k))
    assert copy == k
    assert (copy(X) == k(X)).all()


@pytest.mark.parametrize("name", kernel_names())
def test_works_in_scikit_learn(name):
    from sklearn.svm import SVC

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = np.clip(rng.normal(0.3 + 0.4 * y[:, None], 0.05, (40, 3)), 0, 1)
    assert SVC(kernel=make_kernel(name), C=100).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("name", ["jt2", "jt3"])
@given(X=rows)
def test_q_goes_to_one_from_both_sides(name, X):
    at_one = make_kernel(name, q=1.0)(X)
    for q in (1 - 2e-6, 1 + 2e-6):
        np.testing.assert_allclose(make_kernel(name, q=q)(X), at_one, rtol=1e-3, atol=1e-6)


def test_q_0_is_boolean_and_q_2_twice_linear():
    X = points(0)
    np.testing.assert_array_equal(make_kernel("jt2", q=0)(X), (X > 0).astype(float) @ (X > 0).T)
    np.testing.assert_allclose(make_kernel("jt2", q=2)(X), 2 * X @ X.T, atol=1e-15)


@pytest.mark.parametrize("name", ["expjt2", "expjt3"])
def test_large_t_overflows_the_gram_matrix_but_not_the_affinity(name):
    k, X = make_kernel(name, t=2000.0), points(0)
    with pytest.raises(ValueError, match=r"overflows float64.*affinity"):
        k(X)
    affinity = k.affinity(X)
    assert np.isfinite(affinity).all()
    assert affinity.max() == 1
    assert np.isfinite(np.diag(k.log_affinity(X))).all()


def test_tiny_positive_values_do_not_break_anything():
    X = np.array([[1e-300, 0.5], [1.0, 5e-324], [0.3, 0.2]])
    for q in (0.0, 0.5, 1.0, 1.5, 2.0):
        assert np.isfinite(make_kernel("jt2", q=q)(X)).all()
        assert np.isfinite(make_kernel("jt3", q=q)(X)).all()


def test_unknown_kernel_and_parameter_list_the_choices():
    with pytest.raises(
        ValueError, match=r"'jtt' is unknown.*gaussian, linear, polynomial, jt2, expjt2, jt3, expjt3, jtn, nlin"
    ):
        make_kernel("jtt")
    with pytest.raises(ValueError, match=r"'expjt2' has no parameter 'sigma'; it takes q, t"):
        make_kernel("expjt2", sigma=1)


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("jt2", {"q": 2.5}, "q = 2.5 is out of range; give a number from 0 to 2"),
        ("jt3", {"q": -0.1}, "q = -0.1 is out of range"),
        ("expjt2", {"t": 0}, "t = 0 is out of range; give a number from 1e-06"),
        ("nlin", {"n": 1}, "n = 1 is out of range; give a whole number from 2 to 1000"),
        ("gaussian", {"sigma": -1}, "sigma = -1 is out of range"),
    ],
)
def test_parameters_out_of_range(name, parameters, words):
    with pytest.raises(ValueError, match=words):
        make_kernel(name, **parameters)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.array([[0.1, -0.2]]), ValueError, r"X\[0, 1\] is -0.2, and jt2 takes no negative values; scale"),
        (np.array([[0.1, np.nan]]), ValueError, r"X\[0, 1\] is nan"),
        (np.zeros(3), ValueError, r"shape \(3,\)"),
        (np.array([["a"]]), TypeError, "dtype <U1"),
    ],
)
def test_wrong_rows_are_named(X, error, words):
    with pytest.raises(error, match=words):
        make_kernel("jt2")(X)


def test_different_numbers_of_columns():
    with pytest.raises(ValueError, match="X has 3 columns and Y has 2"):
        make_kernel("gaussian")(np.zeros((2, 3)), np.zeros((2, 2)))


@pytest.mark.parametrize("scale", [1e-6, 255.0, 1e6])
@pytest.mark.parametrize("q", [0.3, 1.0, 1.7])
def test_jt3_is_exact_at_any_scale(scale, q):
    X = scale * points(0)
    expected = oracle.flatten(lambda p: oracle.jt(p, q), X, 3)
    assert np.linalg.norm(make_kernel("jt3", q=q)(X) - expected) <= 1e-8 * np.linalg.norm(expected)


def test_gaussian_does_not_see_a_common_offset():
    X = np.array([[1e8], [1e8 + 1]])
    np.testing.assert_allclose(make_kernel("gaussian", sigma=1.0)(X)[0, 1], np.exp(-0.5), rtol=1e-6)


def test_negative_similarities_are_no_affinity():
    k, X = make_kernel("nlin", n=2), np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]])
    assert (k.affinity(X) < 0).any()
    with pytest.raises(ValueError, match="an affinity cannot be negative"):
        k.log_affinity(X)


@pytest.mark.parametrize("name", kernel_names())
def test_no_rows(name):
    with pytest.raises(ValueError, match=r"shape \(0, 3\); give at least one row"):
        make_kernel(name)(np.zeros((0, 3)))
