from itertools import pairwise, product

import numpy as np
import pytest
from reference import kmeans as oracle
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from segjt.kernels import make_kernel
from segjt.learn import KernelKMeans
from segjt.learn import kernel_kmeans as parts

GAUSSIAN = {"kernel": "gaussian", "kernel_params": {"sigma": 0.3}}


@pytest.fixture(scope="module")
def iris():
    return MinMaxScaler().fit_transform(load_iris().data)


def objective(gram, labels):
    """sum_i |phi(x_i) - m_c(i)|^2, pair by pair: half the mean squared distance within each cluster, times its size."""
    far = np.diag(gram)[:, None] + np.diag(gram)[None, :] - 2 * gram
    return sum(far[np.ix_(labels == c, labels == c)].sum() / (2 * (labels == c).sum()) for c in np.unique(labels))


@pytest.mark.parametrize("seed", range(10))
def test_with_the_linear_kernel_it_is_lloyds_algorithm(seed):
    rng = np.random.default_rng(seed)
    X, k = rng.normal(size=(60, 3)), 4
    gram = make_kernel("linear")(X)
    start = rng.choice(60, k, replace=False)
    expected, inertia = oracle.lloyd(X, X[start], 100)
    clustering = parts.move_means(gram, parts.means_at(list(start), 60), k, 100)
    assert (clustering.groups == expected).all()
    assert clustering.inertia == pytest.approx(inertia, rel=1e-10)


def test_starting_points_are_those_of_kmeans_plus_plus():
    X = np.random.default_rng(0).normal(size=(40, 2))
    draws = np.random.default_rng(1).random(5)
    chosen = parts.starting_points(make_kernel("linear")(X), draws)
    np.testing.assert_allclose(X[chosen], oracle.plus_plus(X, draws))


@pytest.mark.parametrize(
    ("name", "params"), [("linear", {}), ("gaussian", {"sigma": 0.4}), ("jt2", {}), ("jt3", {}), ("nlin", {"n": 4})]
)
@pytest.mark.parametrize("k", [2, 3])
def test_reaches_the_best_of_all_partitions(name, params, k):
    X = np.random.default_rng(k).random((8, 2))
    gram = make_kernel(name, **params)(X)
    best = min(objective(gram, np.array(labels)) for labels in product(range(k), repeat=8))
    model = KernelKMeans(k, kernel=name, kernel_params=params, n_init=50).fit(X)
    assert model.inertia_ == pytest.approx(best, rel=1e-9)
    assert objective(gram, model.labels_) == pytest.approx(best, rel=1e-9)


def test_objective_on_wine_is_that_of_scikit_learn():
    X = StandardScaler().fit_transform(load_wine().data)
    plain = KMeans(3, n_init=10, random_state=0).fit(X)
    model = KernelKMeans(3, kernel="linear").fit(X)
    assert model.inertia_ == pytest.approx(plain.inertia_, rel=1e-6)
    assert adjusted_rand_score(model.labels_, plain.labels_) == 1
    assert (model.predict(X + 0.01) == model.labels_).mean() > 0.95


def test_rings_need_a_kernel():
    rng = np.random.default_rng(0)
    radius, angle = np.repeat([0.1, 1.0], 100), rng.uniform(0, 2 * np.pi, 200)
    X = (radius * [np.cos(angle), np.sin(angle)]).T + rng.normal(0, 0.03, (200, 2))
    truth = radius > 0.5
    assert adjusted_rand_score(truth, KernelKMeans(2, kernel="linear").fit_predict(X)) < 0.5
    assert adjusted_rand_score(truth, KernelKMeans(2, **GAUSSIAN).fit_predict(X)) == 1


@pytest.mark.parametrize("max_iter", [1, 2, 300])
def test_predict_gives_the_labels_of_fit(iris, max_iter):
    model = KernelKMeans(5, **GAUSSIAN, max_iter=max_iter).fit(iris)
    assert (model.predict(iris) == model.labels_).all()
    assert model.n_iter_ <= max_iter


def test_predict_takes_the_nearest_mean(iris):
    old, new = iris[::2], iris[1::2]
    model = KernelKMeans(3, kernel="jt2").fit(old)
    kernel = make_kernel("jt2")
    for x, label in zip(new, model.predict(new), strict=True):
        far = []
        for c in range(3):
            members = old[model.labels_ == c]
            far.append(kernel([x])[0, 0] - 2 * kernel([x], members).mean() + kernel(members).mean())
        assert label == np.argmin(far)


def test_an_emptied_cluster_takes_the_farthest_point():
    labels, far = np.array([0, 0, 0, 2]), np.array([1.0, 5.0, 2.0, 0.0])
    assert parts.fill_empty(labels, far, 3).tolist() == [0, 1, 0, 2]
    assert parts.fill_empty(labels, far, 4).tolist() == [0, 1, 3, 2]
    assert parts.fill_empty(labels, np.zeros(4), 3).tolist() == [0, 0, 0, 2]


def test_a_cluster_that_empties_on_the_way_is_filled():
    # From these three starts the second mean loses its only point to the others.
    X = np.array([[0.0], [0.0], [0.0], [1.0], [9.0], [10.0]])
    gram = make_kernel("linear")(X)
    clustering = parts.move_means(gram, parts.means_at([0, 1, 2], 6), 3, 100)
    assert len(np.unique(clustering.groups)) == 3
    assert clustering.inertia < 2


def test_inertia_never_grows(iris):
    gram = make_kernel("gaussian", sigma=0.3)(iris)
    start = parts.means_at(parts.starting_points(gram, np.random.default_rng(3).random(6)), len(iris))
    inertias = [parts.move_means(gram, start, 6, n).inertia for n in range(1, 15)]
    assert all(later <= sooner + 1e-9 for sooner, later in pairwise(inertias))


def test_gram_matrices_that_overflow_are_the_kernels_error(iris):
    with pytest.raises(ValueError, match="overflows float64"):
        KernelKMeans(3, kernel="expjt2", kernel_params={"t": 1000.0}).fit(iris)


@pytest.mark.parametrize("name", ["n_init", "max_iter"])
def test_wrong_numbers(iris, name):
    with pytest.raises(ValueError, match=f"{name} = 0 is out of range"):
        KernelKMeans(3, **{name: 0}).fit(iris)
