import warnings
from itertools import product

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler

from segjt.kernels import make_kernel
from segjt.learn import KernelSpectralClustering
from segjt.spectral.ncut import unit_rows

BOTH = ["ng-jordan-weiss", "shi-malik"]


def rings():
    rng = np.random.default_rng(0)
    radius, angle = np.repeat([0.3, 1.0], 150), np.tile(np.linspace(0, 2 * np.pi, 150, endpoint=False), 2)
    return (radius * [np.cos(angle), np.sin(angle)]).T + rng.normal(0, 0.02, (300, 2)), radius > 0.5


def moons():
    rng = np.random.default_rng(1)
    angle = np.linspace(0, np.pi, 100)
    X = np.concatenate([np.c_[np.cos(angle), np.sin(angle)], np.c_[1 - np.cos(angle), 0.5 - np.sin(angle)]])
    return X + rng.normal(0, 0.03, X.shape), np.repeat([0, 1], 100)


@pytest.fixture(scope="module")
def wine():
    return MinMaxScaler().fit_transform(load_wine().data)


@pytest.fixture(scope="module")
def iris():
    return MinMaxScaler().fit_transform(load_iris().data)


@pytest.mark.parametrize("normalisation", BOTH)
@pytest.mark.parametrize("data", [rings, moons])
def test_finds_what_k_means_cannot(data, normalisation):
    X, truth = data()
    model = KernelSpectralClustering(
        2, kernel="gaussian", kernel_params={"sigma": 0.08}, normalisation=normalisation
    ).fit(X)
    theirs = SpectralClustering(2, affinity="precomputed", random_state=0)
    expected = theirs.fit_predict(make_kernel("gaussian", sigma=0.08).affinity(X))
    assert adjusted_rand_score(model.labels_, expected) == 1
    assert adjusted_rand_score(model.labels_, truth) == 1


@pytest.mark.parametrize("kernel", ["jt2", "expjt2"])
def test_close_to_scikit_learn_on_wine(wine, kernel):
    expected = SpectralClustering(3, affinity="precomputed", random_state=0).fit_predict(
        make_kernel(kernel).affinity(wine)
    )
    model = KernelSpectralClustering(3, kernel=kernel, normalisation="shi-malik").fit(wine)
    assert adjusted_rand_score(model.labels_, expected) > 0.8


def test_algorithm_1_step_by_step():
    """Paper 001: the tensor entry by entry, A, V = A A', Z, its eigenvectors, unit rows."""
    X = np.random.default_rng(2).random((7, 2))
    N, m = len(X), 3

    def similarity(*points):  # eq. 6 with q = 1
        total = np.sum(points, axis=0)
        return (total * np.log(total)).sum() - sum((x * np.log(x)).sum() for x in points)

    A = np.array([[similarity(X[i], X[j], X[k]) for j, k in product(range(N), repeat=2)] for i in range(N)])
    V = A @ A.T
    root = np.sqrt(V.sum(1))
    values, vectors = np.linalg.eigh(V / np.outer(root, root))
    U = vectors[:, -m:] / np.linalg.norm(vectors[:, -m:], axis=1, keepdims=True)
    model = KernelSpectralClustering(m, kernel="jt3", kernel_params={"q": 1.0}).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:m], rtol=1e-6, atol=1e-12)
    # Eigenvectors have no sign of their own; their products have.
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, U @ U.T, atol=1e-4)


def test_shi_malik_rows_are_eigenvectors_of_the_random_walk(wine):
    model = KernelSpectralClustering(4, kernel="gaussian", normalisation="shi-malik").fit(wine)
    W = make_kernel("gaussian").affinity(wine)
    U = model.embedding_
    np.testing.assert_allclose((W / W.sum(1, keepdims=True)) @ U, U * model.eigenvalues_, atol=1e-10)
    np.testing.assert_allclose(np.abs(U[:, 0]), 1, rtol=1e-8)
    assert model.eigenvalues_[0] == pytest.approx(1, rel=1e-12)


def test_the_normalisations_differ_where_they_should(wine):
    njw, sm = (
        KernelSpectralClustering(6, kernel="exponential", normalisation=normalisation).fit(wine)
        for normalisation in BOTH
    )
    np.testing.assert_allclose(np.linalg.norm(njw.embedding_, axis=1), 1)
    assert np.ptp(np.linalg.norm(sm.embedding_, axis=1)) > 0.1
    # The degree is a factor of a point's row, so unit rows of both are the same.
    np.testing.assert_allclose(unit_rows(sm.embedding_), njw.embedding_, atol=1e-8)
    assert adjusted_rand_score(njw.labels_, sm.labels_) < 1


@pytest.mark.parametrize("normalisation", BOTH)
@pytest.mark.parametrize(
    "kernel",
    [
        make_kernel("exponential"),
        make_kernel("gaussian", sigma=0.5),
        make_kernel("jt2"),
        make_kernel("expjt2", t=1.0),
        make_kernel("expjt2", t=30.0),
        make_kernel("jt3"),
        make_kernel("nlin", n=4),
    ],
    ids=str,
)
def test_predict_gives_the_labels_of_fit(iris, kernel, normalisation):
    model = KernelSpectralClustering(3, kernel=kernel, normalisation=normalisation).fit(iris)
    assert (model.predict(iris) == model.labels_).all()
    assert (model.predict(iris[40:60]) == model.labels_[40:60]).all()


@pytest.mark.parametrize("normalisation", BOTH)
def test_new_points_join_their_neighbours(normalisation):
    X, truth = rings()
    model = KernelSpectralClustering(
        2, kernel="gaussian", kernel_params={"sigma": 0.08}, normalisation=normalisation
    ).fit(X[::2])
    assert adjusted_rand_score(model.predict(X[1::2]), truth[1::2]) == 1


def test_affinities_beyond_float64(iris):
    model = KernelSpectralClustering(2, kernel="expjt2", kernel_params={"t": 400.0})
    with pytest.raises(ValueError, match="overflows"):
        model.set_params(n_clusters=2).fit(iris).kernel_(iris)
    assert np.isfinite(model.embedding_).all()
    assert (model.predict(iris) == model.labels_).all()


def test_eigenvalues_of_round_off_are_left_out_with_a_warning(iris):
    # The n-point linear kernel of d features has rank d + 1 at most (errata 2.14).
    X = iris[:, :2]
    with pytest.warns(UserWarning, match=r"with 3 eigenvalues above 1e-13, and 6 clusters need 6; ask for fewer"):
        model = KernelSpectralClustering(6, kernel="nlin", kernel_params={"n": 3}).fit(X)
    assert model.embedding_.shape == (150, 3)
    assert len(np.unique(model.labels_)) == 6
    assert (model.predict(X) == model.labels_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelSpectralClustering(3, kernel="nlin", kernel_params={"n": 3}).fit(X)


@pytest.mark.parametrize("normalisation", BOTH)
def test_points_without_affinity(normalisation):
    """jt2 is 0 wherever one point is 0: such a row has no degree (errata 2.4)."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [0.9, 0.1], [0.8, 0.1], [0.1, 0.9], [0.1, 0.8]])
    model = KernelSpectralClustering(3, kernel="jt2", normalisation=normalisation)
    with pytest.warns(UserWarning, match="2 eigenvalues"):
        model.set_params(kernel_params={"q": 2.0}).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert (model.embedding_[:2] == 0).all()
    assert (model.predict(X) == model.labels_).all()
    assert model.predict([[0.0, 0.0]]) == model.labels_[0]


def test_no_affinity_at_all():
    with pytest.warns(UserWarning, match="1 eigenvalues"):
        model = KernelSpectralClustering(2, kernel="linear").fit([[0.0], [1e-200], [2e-200]])
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.predict([[1.0]]).tolist() == [0]


def test_negative_affinities_are_the_kernels_error():
    with pytest.raises(ValueError, match="an affinity cannot be negative"):
        KernelSpectralClustering(2, kernel="linear").fit([[-1.0], [1.0], [2.0]])


def test_an_unknown_normalisation(iris):
    with pytest.raises(ValueError, match="did you mean 'shi-malik'"):
        KernelSpectralClustering(2, normalisation="shi_malik").fit(iris)
