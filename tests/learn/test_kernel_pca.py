import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from segjt.evaluation.scores import normalized_mutual_information
from segjt.kernels import make_kernel
from segjt.learn import KernelPCAKMeans
from segjt.learn.base import nearest_centre


@pytest.fixture(scope="module")
def wine():
    return StandardScaler().fit_transform(load_wine().data)


@pytest.fixture(scope="module")
def iris():
    return MinMaxScaler().fit_transform(load_iris().data)


def same_up_to_sign(first, second):
    np.testing.assert_allclose(np.abs(first), np.abs(second), atol=1e-8)


@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_centred_linear_is_pca(wine, offset):
    model = KernelPCAKMeans(4, kernel="linear", centre=True).fit(wine + offset)
    same_up_to_sign(model.embedding_, PCA(3).fit_transform(wine))


def test_as_printed_it_is_the_matrix_itself(wine):
    model = KernelPCAKMeans(4, kernel="linear", centre=False).fit(wine + 3.0)
    U, S, _ = np.linalg.svd(wine + 3.0, full_matrices=False)
    same_up_to_sign(model.embedding_, U[:, :3] * S[:3])
    np.testing.assert_allclose(model.eigenvalues_, S[:3] ** 2)


@pytest.mark.parametrize("name", ["exponential", "jt2", "jt3"])
def test_new_points_are_projected_as_by_scikit_learn(iris, name):
    old, new = iris[::2], iris[1::2]
    kernel = make_kernel(name)
    theirs = KernelPCA(2, kernel="precomputed").fit(kernel(old))
    model = KernelPCAKMeans(3, kernel=kernel).fit(old)
    same_up_to_sign(model.embedding_, theirs.transform(kernel(old)))
    sign = np.sign((model.embedding_ * theirs.transform(kernel(old))).sum(0))
    projected = theirs.transform(kernel(new, old)) * sign
    centres = np.array([model.embedding_[model.labels_ == c].mean(0) for c in range(3)])
    assert (model.predict(new) == nearest_centre(projected, centres)).all()


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize(
    "kernel",
    [
        make_kernel("exponential"),
        make_kernel("linear"),
        make_kernel("polynomial"),
        make_kernel("jt2"),
        make_kernel("expjt2"),
        make_kernel("jt3"),
        make_kernel("nlin", n=5),
    ],
    ids=str,
)
def test_predict_gives_the_labels_of_fit(iris, kernel, centre):
    model = KernelPCAKMeans(3, kernel=kernel, centre=centre).fit(iris)
    assert model.embedding_.shape == (150, 2)
    assert (model.predict(iris) == model.labels_).all()
    assert (model.predict(iris[45:55]) == model.labels_[45:55]).all()


def test_k_means_on_the_components_is_as_good_as_scikit_learn(wine):
    model = KernelPCAKMeans(3, kernel="linear").fit(wine)
    rows = model.embedding_
    inertia = sum(((rows[model.labels_ == c] - rows[model.labels_ == c].mean(0)) ** 2).sum() for c in range(3))
    expected = KMeans(3, n_init=10, tol=0, random_state=0).fit(PCA(2).fit_transform(wine))
    assert inertia <= expected.inertia_ * 1.01
    assert adjusted_rand_score(model.labels_, expected.labels_) > 0.9


def test_components_of_round_off_are_left_out():
    X = np.random.default_rng(0).random((30, 2))
    model = KernelPCAKMeans(6, kernel="linear").fit(X)
    assert model.embedding_.shape == (30, 2)
    assert len(np.unique(model.labels_)) == 6


def test_one_cluster_has_no_components(wine):
    model = KernelPCAKMeans(1).fit(wine)
    assert model.embedding_.shape == (178, 0)
    assert (model.labels_ == 0).all()
    assert (model.predict(wine) == 0).all()


def test_what_the_paper_says_of_iris():
    """Paper 002, Section 4.3: normalized kernels beat the self-tuning Gaussian; polynomial, order 1 is best."""
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)

    def score(name, **params):
        model = KernelPCAKMeans(3, kernel=make_kernel(name, **params), centre=False).fit(X)
        return normalized_mutual_information(model.labels_, y)

    baseline = score("self_tuning")
    polynomial = {t: score("normalized", kernel="polynomial", order=t) for t in (0.0, 1.0, 10.0)}
    linear = {t: score("normalized", kernel="linear", order=t) for t in (0.0, 1.0, 10.0)}
    assert min(*polynomial.values(), *linear.values()) > baseline
    assert max(polynomial, key=polynomial.get) == 1.0
    assert linear[0.0] <= linear[1.0] <= linear[10.0]


def test_wrong_centre(wine):
    with pytest.raises(TypeError, match="centre = 'yes' is not valid; give True or False"):
        KernelPCAKMeans(3, centre="yes").fit(wine)
