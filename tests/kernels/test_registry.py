"""A walk through the registry: what holds for every kernel, from Gram matrix to `segjt segment`."""

import inspect
import json
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image
from reference.rows import in_domain, points
from scipy.sparse import csr_array

import segjt.cli
from segjt.fields import fields_of
from segjt.io import read_labels
from segjt.kernels import kernel_names, make_kernel
from segjt.kernels.base import DISTRIBUTIONS, POSITIVE_MEASURES, REAL, Composite
from segjt.kernels.registry import COMPOSITES, kernel_class

unit = st.one_of(st.sampled_from([0.0, 1.0, 1 / 255]), st.floats(0, 1, allow_subnormal=False))
rows = hnp.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 3)), elements=unit)
every_kernel = pytest.mark.parametrize("name", kernel_names())


def having(parameter):
    """The kernels that have a parameter."""
    return [name for name in kernel_names() if parameter in fields_of(kernel_class(name))]


def rows_for(k, seed=0, N=9):
    return in_domain(k, points(seed, N))


def test_names_of_the_design():
    """The names that design.md promises, and the parameters that they take."""
    promised = {
        "gaussian": "sigma", "self_tuning": "neighbour", "linear": "", "polynomial": "degree c", "jt2": "q",
        "expjt2": "q t", "jt3": "q", "expjt3": "q t", "jtn": "q n", "expjtn": "q t n", "nlin": "n", "npoint": "n",
        "jt3+": "q columns rng", "expjt3+": "q t columns rng", "nlin+": "n columns rng", "js": "", "weighted_jt": "q",
        "weighted_jt_normalized": "q", "expjs": "t", "boolean": "", "expjr": "q t", "heat": "tau",
        "relaxed_j": "neighbours gamma sigma", "relaxed_h": "neighbours gamma sigma",
        "relaxed_b": "neighbours gamma sigma", "relaxed_jr": "neighbours gamma sigma",
        "relaxed_br": "neighbours gamma sigma", "relaxed_mu": "neighbours gamma sigma mean_distance",
        "relaxed_sigma": "neighbours gamma sigma covariance_distance", "relaxed_r": "neighbours gamma sigma",
        "relaxed_product": "neighbours gamma sigma mean_distance covariance_distance", "normalized": "order",
    }  # fmt: skip
    assert set(promised) <= set(kernel_names())
    for name, parameters in promised.items():
        assert set(parameters.split()) <= set(fields_of(kernel_class(name))), name


def test_composites_are_the_kernels_made_of_another():
    assert [name for name in kernel_names() if issubclass(kernel_class(name), Composite)] == COMPOSITES


@every_kernel
def test_documented(name):
    """A formula or definition, the paper it is from, and where the kernel is positive semi-definite."""
    kernel = kernel_class(name)
    text = inspect.getdoc(kernel)
    assert kernel.name == name
    assert re.search(r"paper 00\d", text.splitlines()[0]), text
    assert len(text.splitlines()[0]) <= 120
    assert re.search(r"References\n----------\nPaper 00\d: \w+", text)
    assert f"Domain: {kernel.domain}." in text
    assert f"Positive semi-definite: {kernel.positive_semidefinite}." in text
    assert text.count("Parameters\n----------") == (1 if fields_of(kernel) else 0)
    for parameter, declared in fields_of(kernel).items():
        default = kernel.__dataclass_fields__[parameter].default
        expected = f"{parameter} : {declared.kind.__name__}, default {default!r}\n    {declared.doc}; "
        assert text.count(expected + declared.range_text()) == 1


@every_kernel
@given(X=rows)
def test_gram_is_symmetric_and_finite(name, X):
    k = make_kernel(name)
    X = in_domain(k, X)
    gram = k(X)
    assert gram.shape == (len(X), len(X))
    assert gram.dtype == np.float64
    assert np.isfinite(gram).all()
    assert (gram >= -1e-12).all()
    np.testing.assert_allclose(gram, gram.T, rtol=1e-9, atol=1e-12)


@every_kernel
def test_types_and_shapes(name):
    k = make_kernel(name)
    counts = np.array([[3, 0, 1], [1, 1, 2], [2, 2, 2], [0, 1, 3]])
    for dtype in (np.uint8, np.int64, np.float32, np.float64):
        X = in_domain(k, counts)
        X = X.astype(dtype) if k.innermost().domain != DISTRIBUTIONS else X.astype(np.float32)
        gram = k(X)
        assert gram.dtype == np.float64
        np.testing.assert_allclose(gram, k(in_domain(k, counts)), rtol=1e-4, atol=1e-6)
        assert k(X, X[:2]).shape == (4, 2)
    assert k(in_domain(k, counts).tolist()).shape == (4, 4)
    assert k(in_domain(k, counts)[:1]).shape == (1, 1)


@every_kernel
def test_affinity_is_the_gram_matrix(name):
    k = make_kernel(name)
    X = rows_for(k)
    np.testing.assert_allclose(k.affinity(X), k(X), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.exp(k.log_affinity(X)), k(X), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.exp(k.log_affinity(X, X[:4])), k(X, X[:4]), rtol=1e-12, atol=1e-15)


@every_kernel
def test_part_of_the_gram_matrix(name):
    # With the same old points, new ones can be asked for one at a time.
    k = make_kernel(name)
    X = rows_for(k)
    np.testing.assert_allclose(k(X[2:5], X), k(X)[2:5], rtol=1e-9, atol=1e-12)


@every_kernel
def test_diagonal(name):
    k = make_kernel(name)
    X = rows_for(k)
    np.testing.assert_allclose(np.exp(k.log_diagonal(X, X)), np.diag(k(X)), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.exp(k.log_diagonal(X[2:5], X)), np.diag(k(X))[2:5], rtol=1e-9, atol=1e-12)


@every_kernel
def test_equal_pickled_and_reproducible(name):
    k = make_kernel(name)
    X = rows_for(k)
    copy = pickle.loads(pickle.dumps(k))
    assert copy == k
    assert hash(copy) == hash(k)
    assert (copy(X) == k(X)).all()
    assert make_kernel(name, **k.parameters()) == k


@every_kernel
def test_works_in_scikit_learn(name):
    from sklearn.svm import SVC

    k = make_kernel(name)
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = np.clip(rng.normal(0.3 + 0.4 * y[:, None], 0.05, (40, 3)), 0, 1)
    if k.innermost().domain in (DISTRIBUTIONS, POSITIVE_MEASURES) or name == "boolean":
        X[:, 0] = np.where(y, 0.0, X[:, 0])  # a difference that is left when rows are divided by their sum
    X = in_domain(k, X)
    assert SVC(kernel=k, C=100).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("name", having("q"))
@given(X=rows)
def test_q_goes_to_one_from_both_sides(name, X):
    at_one = make_kernel(name, q=1.0)
    X = in_domain(at_one, X)
    for q in (1 - 2e-6, 1 + 2e-6):
        np.testing.assert_allclose(make_kernel(name, q=q)(X), at_one(X), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", having("q"))
@pytest.mark.parametrize("end", [0.0, 2.0])
def test_q_goes_to_its_ends(name, end):
    """The limit is the value at the end; values far above 0 only, since 0.01^q turns to 1 very slowly."""
    k = make_kernel(name, q=end)
    X = in_domain(k, 0.2 + 0.8 * np.random.default_rng(0).random((6, 3)))
    near = make_kernel(name, q=abs(end - 1e-7))
    np.testing.assert_allclose(near(X), k(X), rtol=1e-4)


@pytest.mark.parametrize("name", having("t"))
def test_t_goes_to_0(name):
    k = make_kernel(name, t=1e-6)
    np.testing.assert_allclose(k(rows_for(k)), 1, atol=1e-3)


@pytest.mark.parametrize("base", [name for name in kernel_names() if name not in COMPOSITES])
def test_orders_go_to_their_limits(base):
    for near, order in ((1e-9, 0), (1e9, "inf")):
        k = make_kernel("normalized", kernel=base, order=order)
        X = rows_for(k)
        np.testing.assert_allclose(make_kernel("normalized", kernel=base, order=near)(X), k(X), atol=1e-6)


@pytest.mark.parametrize("name", ["expjt2", "expjt3", "expjtn", "expjt3+", "weighted_expjs"])
def test_large_t_overflows_the_gram_matrix_but_not_the_affinity(name):
    k = make_kernel(name, t=2000.0)
    X = rows_for(k, N=6)
    with pytest.raises(ValueError, match=r"overflows float64.*affinity"):
        k(X)
    affinity = k.affinity(X)
    assert np.isfinite(affinity).all()
    assert affinity.max() == 1
    assert np.isfinite(np.diag(k.log_affinity(X))).all()


@pytest.mark.parametrize(
    ("name", "parameters", "X"),
    [
        ("polynomial", {"degree": 50}, np.full((3, 2), 1e10)),
        ("normalized", {"kernel": "polynomial", "degree": 50}, np.full((3, 2), 1e10)),
        ("npoint", {"kernel": "expjt2", "t": 1000}, np.ones((3, 3))),
        ("linear", {}, np.full((3, 2), 1e200)),
        ("jt3", {}, np.full((3, 2), 1e160)),
    ],
)
def test_overflow_without_logarithms_is_an_error_everywhere(name, parameters, X):
    k = make_kernel(name, **parameters)
    for method in (k, k.affinity, k.log_affinity):
        with pytest.raises(
            ValueError, match=r"overflows float64 on these rows; use smaller parameters, scale the data"
        ):
            method(X)


@pytest.mark.parametrize("name", ["gaussian", "exponential", "self_tuning"])
@pytest.mark.parametrize("scale", [1e160, 1e-200])
def test_distances_of_any_size(name, scale):
    X = points(0)
    gram = make_kernel(name)(scale * X)
    if name == "gaussian":  # it has a scale of its own
        assert (gram == (np.eye(len(X)) if scale > 1 else 1)).all()
    else:
        np.testing.assert_allclose(gram, make_kernel(name)(X), rtol=1e-9)


# --- Kernels from outside ---


def test_the_list_of_kernels_imports_no_numpy():
    code = "import sys, segjt.kernels; segjt.kernels.kernel_names(); print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


# --- Errors ---


def test_unknown_kernel_and_parameter_list_the_choices():
    with pytest.raises(ValueError, match=r"'jtt' is unknown.*" + re.escape(", ".join(kernel_names()))):
        make_kernel("jtt")
    with pytest.raises(ValueError, match=r"'expjt2' has no parameter 'sigma'; it takes q, t"):
        make_kernel("expjt2", sigma=1)
    with pytest.raises(ValueError, match=r"'js' has no parameter 'q'; it takes no parameters"):
        make_kernel("js", q=1)


def test_what_composites_are_made_of():
    assert make_kernel("normalized", kernel="jt2", q=0.5, order=2).base == make_kernel("jt2", q=0.5)
    assert make_kernel("npoint", q=0.5, kernel="jt2").base == make_kernel("jt2", q=0.5)
    assert make_kernel("npoint", sigma=0.7).base == make_kernel("gaussian", sigma=0.7)
    with pytest.raises(ValueError, match=r"'jt2' has no parameter 'sigma'; it takes q"):
        make_kernel("normalized", kernel="jt2", sigma=1)
    with pytest.raises(ValueError, match=r"has its parameters already; set q where it is made"):
        make_kernel("normalized", kernel=make_kernel("jt2"), q=0.5)
    with pytest.raises(ValueError, match=r"kernel = 'jt22' is unknown \(did you mean 'jt2'\?\)"):
        make_kernel("npoint", kernel="jt22")
    with pytest.raises(TypeError, match="kernel = 3 is not a kernel"):
        make_kernel("npoint", kernel=3)


@pytest.mark.parametrize("name", having("q"))
def test_q_out_of_range(name):
    for q in (2.5, -0.1, np.nan):
        with pytest.raises(ValueError, match=f"q = {q} is out of range; give a number from 0 to 2"):
            make_kernel(name, q=q)


@pytest.mark.parametrize("name", having("t"))
def test_t_out_of_range(name):
    with pytest.raises(ValueError, match="t = 0 is out of range; give a number from 1e-06"):
        make_kernel(name, t=0)


@pytest.mark.parametrize("name", having("n"))
def test_n_out_of_range(name):
    with pytest.raises(ValueError, match="n = 1 is out of range; give a whole number from 2 to 1000"):
        make_kernel(name, n=1)


@pytest.mark.parametrize("name", [n for n in kernel_names() if make_kernel(n).innermost().domain != REAL])
def test_negative_values_are_named(name):
    k = make_kernel(name)
    words = rf"X\[0, 1\] is -0.2, and {re.escape(k.innermost().name)} takes no negative values; scale each column"
    with pytest.raises(ValueError, match=words):
        k(np.array([[1.2, -0.2]]))


@pytest.mark.parametrize("name", [n for n in kernel_names() if make_kernel(n).domain == DISTRIBUTIONS])
def test_rows_that_do_not_sum_to_1_are_named(name):
    words = rf"row 1 of X sums to 0.9, and {name} compares probability vectors, whose sum is 1; divide each row"
    with pytest.raises(ValueError, match=words):
        make_kernel(name)(np.array([[0.5, 0.5], [0.5, 0.4]]))
    make_kernel(name)(np.array([[0.1, 0.9], [1 / 3, 2 / 3]], np.float32))


@pytest.mark.parametrize("name", [n for n in kernel_names() if make_kernel(n).domain == POSITIVE_MEASURES])
def test_rows_of_zeros_are_named(name):
    with pytest.raises(ValueError, match=rf"row 1 of X is all 0, and {name} divides by the sum of a row; leave such"):
        make_kernel(name)(np.array([[0.5, 0.5], [0, 0]]))


@every_kernel
@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.array([[0.1, np.nan]]), ValueError, r"X\[0, 1\] is nan"),
        (np.zeros(3), ValueError, r"shape \(3,\)"),
        (np.array([["a"]]), TypeError, "dtype <U1"),
        (np.zeros((0, 3)), ValueError, r"shape \(0, 3\); give at least one row"),
        (np.zeros((3, 0)), ValueError, r"shape \(3, 0\); give at least one feature"),
        (csr_array(np.eye(3)), TypeError, r"X is a sparse matrix.*X.toarray\(\)"),
    ],
)
def test_wrong_rows_are_named(name, X, error, words):
    with pytest.raises(error, match=words):
        make_kernel(name)(X)


def test_a_wrong_y_is_named_y():
    X = np.full((2, 2), 0.5)
    with pytest.raises(ValueError, match=r"^Y\[1, 0\] is nan"):
        make_kernel("normalized")(X, np.array([[0.5, 0.5], [np.nan, 1.0]]))
    with pytest.raises(ValueError, match=r"^Y has shape \(2,\).*Y.reshape"):
        make_kernel("relaxed_j")(X, np.zeros(2))
    with pytest.raises(ValueError, match=r"^Y\[0, 1\] is -0.5, and jt2 takes no negative values"):
        make_kernel("jt2")(X, -X * [-1, 1])
    with pytest.raises(ValueError, match=r"^row 0 of Y sums to 2, .* Y / Y.sum\(1"):
        make_kernel("js")(X, 2 * X)


@every_kernel
def test_different_numbers_of_columns(name):
    with pytest.raises(ValueError, match="X has 3 columns and Y has 2"):
        make_kernel(name)(np.full((2, 3), 1 / 3), np.full((2, 2), 1 / 2))


# --- In segmentation ---


@pytest.fixture(scope="module")
def sample_file(tmp_path_factory, samples):
    """The middle of a sample, where its four patches meet."""
    image, truth = (array[72:120, 104:152] for array in samples["quilt"])
    path = tmp_path_factory.mktemp("sample") / "quilt.png"
    Image.fromarray(image).save(path)
    return path, truth


@every_kernel
def test_segments_a_sample(name, sample_file, tmp_path):
    from segjt.evaluation.scores import region_f_measures

    path, truth = sample_file
    arguments = ["segment", str(path), "-o", str(tmp_path), "--kernel", name, "--n-segments", "4", "--quiet"]
    assert segjt.cli.main(arguments) == 0
    labels = read_labels(tmp_path / "quilt_labels.png")
    assert labels.max() == 4
    assert min(region_f_measures(labels, truth).values()) > 0.75
    # The record has every parameter of the kernel, and makes the same again.
    record = json.loads((tmp_path / "quilt_segments.json").read_text())["parameters"]
    k = segjt.Parameters.from_dict(record).make_kernel()
    assert k.name == record["kernel"] == name
    assert set(fields_of(k)) <= set(record)
