"""Transformers whose inner products are a kernel, and the clusterings that use them."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC

from segjt.kernels import make_kernel
from segjt.learn import ExplicitFeatures, KernelKMeans, KernelSpectralClustering, NystroemFeatures
from segjt.learn import feature_rows as linear_time

EXPLICIT = [
    make_kernel("jt2", q=0.3),
    make_kernel("jt2", q=1.0),
    make_kernel("jt2", q=2.0),
    make_kernel("weighted_jt"),
    make_kernel("linear"),
    make_kernel("jt3", q=0.0),
    make_kernel("jt3", q=1.5),
    make_kernel("jtn", n=2),
    make_kernel("jtn", n=5),
    make_kernel("nlin", n=7),
    make_kernel("nlin", n=7, coefficient="published"),
    make_kernel("nlin+"),
]

each_explicit = pytest.mark.parametrize("kernel", EXPLICIT, ids=str)


@pytest.fixture(scope="module")
def iris():
    return MinMaxScaler().fit_transform(load_iris().data)


@pytest.fixture(scope="module")
def colours(photograph):
    return photograph[::9, ::9].reshape(-1, 3) / 255


CHECK = """
from sklearn.utils.estimator_checks import check_estimator
from segjt.learn import *
# Our own message names the value, its place and the remedy.
worded = {{"check_positive_only_tag_during_fit": "the error has other words than 'Negative values in data'"}}
for result in check_estimator({}, expected_failed_checks=worded):
    if result["status"] not in ("passed", "xfail") and "not installed" not in str(result["exception"]):
        raise SystemExit(f"{{result['check_name']}} {{result['status']}}: {{result['exception']}}")
"""


@pytest.mark.parametrize(
    "transformer",
    [ExplicitFeatures(), ExplicitFeatures("nlin", n_components=2), NystroemFeatures(), NystroemFeatures("expjt2")],
    ids=str,
)
def test_scikit_learns_own_checks(transformer):
    pytest.importorskip("sklearn", minversion="1.6")  # where checks that are meant to fail can be named
    command = [sys.executable, "-c", CHECK.format(repr(transformer))]
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


# Explicit features


@each_explicit
def test_inner_products_are_the_kernel(iris, colours, kernel):
    for X in (iris, colours, 300 * iris):
        Z = ExplicitFeatures(kernel).fit_transform(X)
        gram = kernel(X)
        np.testing.assert_allclose(Z @ Z.T, gram, rtol=0, atol=1e-11 * gram.max())


@each_explicit
def test_new_rows_are_compared_with_those_of_fit(iris, kernel):
    old, new = iris[::2], iris[1::2]
    features = ExplicitFeatures(kernel).fit(old)
    expected = kernel(new, old)
    atol = 1e-11 * expected.max()
    np.testing.assert_allclose(features.transform(new) @ features.transform(old).T, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("q", [0.0, 0.1, 1.0, 1.9, 2.0])
def test_values_outside_of_the_range_of_fit(q):
    """Exact with rows of the range, and an underestimate, a projection, of a row with itself."""
    old = np.random.default_rng(0).uniform(0.1, 1, (40, 2))
    old[3, 0] = 0.0
    new = np.array([[1e-9, 0.5], [0.02, 7.0], [100.0, 0.0], [1e-3, 1e-3]])
    kernel = make_kernel("jt2", q=q)
    features = ExplicitFeatures(kernel).fit(old)
    u, v = features.transform(new), features.transform(old)
    np.testing.assert_allclose(u @ v.T, kernel(new, old), rtol=1e-10, atol=1e-11)
    assert ((u * u).sum(1) <= np.diag(kernel(new)) * (1 + 1e-10)).all()


def test_fewer_components_are_the_best_ones(colours):
    kernel = make_kernel("jt2")
    exact = kernel(colours)
    values = np.linalg.eigvalsh(exact)[::-1]
    for n in (3, 8):
        Z = ExplicitFeatures(kernel, n_components=n).fit_transform(colours)
        assert Z.shape == (len(colours), n)
        error = np.linalg.norm(Z @ Z.T - exact)
        assert error == pytest.approx(np.sqrt((values[n:] ** 2).sum()), rel=1e-4)
    many = ExplicitFeatures(kernel, n_components=10**6).fit(colours)
    assert len(many.get_feature_names_out()) == many.transform(colours).shape[1]


def test_chunks_make_no_difference(colours, monkeypatch):
    whole = ExplicitFeatures("jt3").fit_transform(colours)
    monkeypatch.setattr("segjt.kernels.feature_maps.NUMBERS_AT_A_TIME", 5000)
    parts = ExplicitFeatures("jt3").fit_transform(colours)
    np.testing.assert_allclose(parts @ parts.T, whole @ whole.T, rtol=1e-11)


def test_degenerate_rows():
    for kernel in ("jt2", "jt3", "nlin", "linear"):
        assert (ExplicitFeatures(kernel).fit_transform(np.zeros((3, 2))) == 0).all()
        one = ExplicitFeatures(kernel, n_components=1).fit_transform([[0.5, 0.2]])
        assert (one @ one.T).item() == pytest.approx(make_kernel(kernel)([[0.5, 0.2]]).item())
        assert NystroemFeatures(kernel).fit_transform(np.zeros((3, 2))).shape == (3, 1)


# Nystroem features


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++"])
@pytest.mark.parametrize(
    "kernel",
    [make_kernel("gaussian"), make_kernel("expjt2"), make_kernel("exponential", sigma=0.5), make_kernel("normalized")],
    ids=str,
)
def test_all_rows_as_landmarks_give_the_kernel(iris, kernel, landmarks):
    features = NystroemFeatures(kernel, n_components=150, landmarks=landmarks).fit(iris)
    Z = features.transform(iris)
    np.testing.assert_allclose(Z @ Z.T, kernel(iris), atol=1e-6)
    assert Z.shape[1] == len(features.eigenvalues_) <= 150


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++"])
def test_error_falls_with_the_number_of_landmarks(colours, landmarks):
    kernel = make_kernel("expjt2")
    exact = kernel(colours)
    off = []
    for n in (5, 20, 80):
        Z = NystroemFeatures(kernel, n_components=n, landmarks=landmarks).fit_transform(colours)
        off.append(np.linalg.norm(Z @ Z.T - exact) / np.linalg.norm(exact))
    assert off[0] > 3 * off[1] > 9 * off[2]
    assert off[2] < 1e-5


def test_kernels_of_several_points_take_the_landmarks_for_their_set(iris):
    kernel = make_kernel("jt3")
    features = NystroemFeatures(kernel, n_components=60).fit(iris)
    L = features.landmarks_
    Z, at_landmarks = features.transform(iris), features.transform(L)
    np.testing.assert_allclose(Z @ at_landmarks.T, kernel(iris, L), rtol=1e-6)
    # A fair sample of the points, so that it is near the kernel of all of them.
    exact = kernel(iris)
    assert np.linalg.norm(Z @ Z.T - exact) < 0.2 * np.linalg.norm(exact)


def test_seeds(iris):
    def landmarks(rng, **settings):
        return NystroemFeatures(n_components=7, rng=rng, **settings).fit(iris).landmarks_

    for settings in ({}, {"landmarks": "kmeans++"}):
        assert (landmarks(3, **settings) == landmarks(3, **settings)).all()
        assert (landmarks(None, **settings) == landmarks(0, **settings)).all()
        assert (landmarks(3, **settings) != landmarks(4, **settings)).any()


def test_wrong_values(iris):
    with pytest.raises(ValueError, match=r"ExpJT2.*has no explicit features; use NystroemFeatures, or .* linear, jt2"):
        ExplicitFeatures("expjt2").fit(iris)
    with pytest.raises(ValueError, match="n_components = 0 is out of range"):
        ExplicitFeatures(n_components=0).fit(iris)
    with pytest.raises(ValueError, match="n_components = 0 is out of range"):
        NystroemFeatures(n_components=0).fit(iris)
    with pytest.raises(ValueError, match=r"landmarks = 'kmean' is unknown"):
        NystroemFeatures(landmarks="kmean").fit(iris)
    with pytest.raises(ValueError, match="jt2 takes no negative values"):
        ExplicitFeatures().fit(iris).transform(-iris)
    for estimator in (KernelKMeans(3), KernelSpectralClustering(3)):
        with pytest.raises(ValueError, match=r"approximation = 'nystrom' is unknown .did you mean 'nystroem'"):
            clone(estimator).set_params(approximation="nystrom").fit(iris)
        with pytest.raises(ValueError, match="has no explicit features"):
            clone(estimator).set_params(approximation="explicit", kernel="gaussian").fit(iris)


# Methods on features


@pytest.mark.parametrize("normalisation", ["ng-jordan-weiss", "shi-malik"])
@pytest.mark.parametrize("kernel", ["jt2", "jt3", "nlin", "linear"])
def test_spectral_clustering_from_features_is_that_of_all_pairs(iris, kernel, normalisation):
    exact = KernelSpectralClustering(3, kernel=kernel, normalisation=normalisation)
    fast = clone(exact).set_params(approximation="explicit").fit(iris)
    exact.fit(iris)
    np.testing.assert_allclose(fast.eigenvalues_, exact.eigenvalues_, atol=1e-12)
    products = [model.embedding_ @ model.embedding_.T for model in (fast, exact)]
    np.testing.assert_allclose(*products, atol=1e-6)
    assert adjusted_rand_score(fast.labels_, exact.labels_) == 1
    assert (fast.predict(iris) == fast.labels_).all()
    new = iris * 0.98
    assert adjusted_rand_score(fast.predict(new), exact.predict(new)) > 0.98


@pytest.mark.parametrize("kernel", ["gaussian", "expjt2"])
def test_spectral_clustering_from_landmarks(kernel):
    wine = MinMaxScaler().fit_transform(load_wine().data)
    exact = KernelSpectralClustering(3, kernel=kernel).fit(wine)
    fast = KernelSpectralClustering(3, kernel=kernel, approximation="nystroem").fit(wine)
    assert adjusted_rand_score(fast.labels_, exact.labels_) > 0.95
    assert (fast.predict(wine) == fast.labels_).all()
    assert (pickle.loads(pickle.dumps(fast)).predict(wine[:20]) == fast.labels_[:20]).all()


def test_features_that_are_not_kept_are_computed_again(iris, monkeypatch):
    model = KernelSpectralClustering(3, kernel="jt2", approximation="explicit")
    kept = clone(model).fit(iris)
    monkeypatch.setattr(linear_time, "MOST_KEPT", 0)
    monkeypatch.setattr("segjt.kernels.feature_maps.NUMBERS_AT_A_TIME", 5000)
    again = clone(model).fit(iris)
    assert (again.labels_ == kept.labels_).all()
    assert (again.predict(iris) == again.labels_).all()


def test_points_without_affinity():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [0.9, 0.1], [0.8, 0.1], [0.1, 0.9], [0.1, 0.8]])
    model = KernelSpectralClustering(2, kernel="jt2", kernel_params={"q": 2.0}, approximation="explicit").fit(X)
    assert (model.embedding_[:2] == 0).all()
    assert np.isfinite(model.embedding_).all()
    assert (model.predict(X) == model.labels_).all()
    with pytest.warns(UserWarning, match="1 eigenvalues"):
        black = KernelSpectralClustering(2, kernel="linear", approximation="explicit").fit([[0.0], [1e-200], [2e-200]])
    assert black.labels_.tolist() == [0, 0, 0]


@pytest.mark.parametrize("kernel", ["jt2", "jt3"])
def test_kernel_k_means_from_features_is_that_of_all_pairs(iris, kernel):
    exact = KernelKMeans(3, kernel=kernel).fit(iris)
    fast = KernelKMeans(3, kernel=kernel, approximation="explicit").fit(iris)
    assert fast.inertia_ == pytest.approx(exact.inertia_, rel=1e-3)
    assert adjusted_rand_score(fast.labels_, exact.labels_) > 0.97
    assert (fast.predict(iris) == fast.labels_).all()
    plain = KMeans(3, n_init=10, random_state=0).fit(ExplicitFeatures(kernel).fit_transform(iris))
    assert fast.inertia_ == pytest.approx(plain.inertia_, rel=1e-6)


@pytest.mark.parametrize("estimator", [KernelKMeans(6), KernelSpectralClustering(6)], ids=str)
@pytest.mark.parametrize(("kernel", "approximation"), [("jt2", "explicit"), ("gaussian", "nystroem")])
@pytest.mark.filterwarnings("ignore:.*eigenvalues:UserWarning")
def test_fewer_distinct_rows_than_clusters(estimator, kernel, approximation):
    X = np.repeat([[0.1, 0.9, 0.2], [0.9, 0.2, 0.1], [0.4, 0.4, 0.9]], [5, 7, 3], axis=0)
    model = clone(estimator).set_params(kernel=kernel, approximation=approximation).fit(X)
    assert len(set(model.labels_)) <= 3
    assert all(len(set(model.labels_[rows])) == 1 for rows in (slice(0, 5), slice(5, 12), slice(12, 15)))
    assert (model.predict(X) == model.labels_).all()


def test_a_linear_support_vector_machine_is_that_of_the_kernel(iris):
    y = load_iris().target
    exact = cross_val_score(SVC(kernel=make_kernel("jt2"), C=10.0), iris, y, cv=5).mean()
    linear = make_pipeline(ExplicitFeatures("jt2"), LinearSVC(C=10.0, dual=False))
    assert cross_val_score(linear, iris, y, cv=5).mean() == pytest.approx(exact, abs=0.03)
