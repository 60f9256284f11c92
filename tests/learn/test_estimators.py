"""What all clustering estimators share, and the kernels inside scikit-learn's own estimators."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import segjt.learn
from segjt.kernels import make_kernel
from segjt.learn import KernelKMeans, KernelPCAKMeans, KernelSpectralClustering

ESTIMATORS = [
    KernelKMeans(),
    KernelSpectralClustering(),
    KernelSpectralClustering(normalisation="shi-malik"),
    KernelPCAKMeans(),
    KernelPCAKMeans(centre=False),
]
KERNELS = [
    make_kernel("exponential"),
    make_kernel("gaussian", sigma=0.5),
    make_kernel("jt2", q=1.25),
    make_kernel("expjt2"),
    make_kernel("jt3"),
    make_kernel("nlin", n=4),
]

each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)


@pytest.fixture(scope="module")
def iris():
    return MinMaxScaler().fit_transform(load_iris().data)


# A process of its own: scikit-learn skips a check unless this variable is set before scipy is imported.
CHECK = """
from sklearn.utils.estimator_checks import check_estimator
from segjt.learn import *
results = check_estimator({})  # raises; None before scikit-learn 1.6
for result in results or []:
    if result["status"] != "passed" and "not installed" not in str(result["exception"]):
        raise SystemExit(f"{{result['check_name']}} {{result['status']}}: {{result['exception']}}")
"""


@each_estimator
def test_scikit_learns_own_checks(estimator):
    done = subprocess.run(
        [sys.executable, "-c", CHECK.format(repr(estimator))],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
    )
    assert done.returncode == 0, done.stderr


@each_kernel
@each_estimator
def test_every_kernel(iris, estimator, kernel):
    model = clone(estimator).set_params(n_clusters=3, kernel=kernel).fit(iris)
    assert model.labels_.shape == (150,)
    assert model.labels_.dtype.kind == "i"
    assert set(model.labels_) == {0, 1, 2}
    assert (model.predict(iris) == model.labels_).all()
    assert model.kernel_ is model.kernel
    assert model.n_features_in_ == 4


@each_estimator
def test_a_kernel_is_its_name_and_parameters(iris, estimator):
    by_name = clone(estimator).set_params(n_clusters=3, kernel="jt2", kernel_params={"q": 0.5}).fit(iris)
    as_object = clone(estimator).set_params(n_clusters=3, kernel=make_kernel("jt2", q=0.5)).fit(iris)
    assert (by_name.labels_ == as_object.labels_).all()
    assert by_name.kernel_ == as_object.kernel_


@each_estimator
def test_new_points_that_are_nearly_the_old_ones(iris, estimator):
    model = clone(estimator).set_params(n_clusters=3, kernel="jt2").fit(iris[::2])
    assert adjusted_rand_score(model.predict(iris[::2] * 0.999), model.labels_) > 0.9


@each_estimator
def test_copies_and_pickles(iris, estimator):
    original = clone(estimator).set_params(n_clusters=3, kernel=make_kernel("jt3", q=0.5))
    assert clone(original).get_params() == original.get_params()
    original.fit(iris)
    loaded = pickle.loads(pickle.dumps(original))
    assert loaded.get_params() == original.get_params()
    assert (loaded.predict(iris[::3]) == original.predict(iris[::3])).all()
    assert (clone(loaded).fit(iris).labels_ == original.labels_).all()


@each_estimator
def test_what_happens_to_x_after_fit_does_not_matter(iris, estimator):
    X = iris.copy()
    model = clone(estimator).set_params(n_clusters=3).fit(X)
    X[:] = 0.5
    assert (model.predict(iris) == model.labels_).all()


@each_estimator
def test_seeds(iris, estimator):
    def labels(rng):
        return clone(estimator).set_params(n_clusters=7, rng=rng).fit(iris).labels_

    assert (labels(3) == labels(3)).all()
    assert (labels(None) == labels(0)).all()
    assert (labels(np.int64(3)) == labels(3)).all()
    assert (labels(np.random.default_rng(5)) == labels(np.random.default_rng(5))).all()
    with pytest.raises(TypeError, match=r"rng = 'now' is not valid; give a whole number of at least 0"):
        labels("now")
    with pytest.raises(ValueError, match=r"rng = -1 is out of range"):
        labels(-1)


@each_estimator
def test_all_rows_equal(estimator):
    model = clone(estimator).set_params(n_clusters=3).fit(np.full((20, 2), 0.3))
    assert (model.labels_ == 0).all()
    assert (model.predict([[0.3, 0.3], [0.7, 0.1]]) == 0).all()


@each_kernel
@each_estimator
@pytest.mark.filterwarnings("ignore:.*eigenvalues:UserWarning")
def test_fewer_distinct_rows_than_clusters(estimator, kernel):
    X = np.repeat([[0.1, 0.9, 0.2], [0.9, 0.2, 0.1], [0.4, 0.4, 0.9]], [5, 7, 3], axis=0)
    model = clone(estimator).set_params(n_clusters=6, kernel=kernel).fit(X)
    assert 1 <= len(set(model.labels_)) <= 3
    assert all(len(set(model.labels_[rows])) == 1 for rows in (slice(0, 5), slice(5, 12), slice(12, 15)))
    assert (model.predict(X) == model.labels_).all()


@each_estimator
def test_one_cluster(iris, estimator):
    model = clone(estimator).set_params(n_clusters=1).fit(iris)
    assert (model.labels_ == 0).all()
    assert (model.predict(iris) == 0).all()


@each_estimator
def test_as_many_clusters_as_points(estimator):
    X = [[0.0, 0.2], [0.9, 0.1], [0.5, 0.8]]
    assert sorted(clone(estimator).set_params(n_clusters=3).fit_predict(X)) == [0, 1, 2]


@each_estimator
def test_wrong_values(iris, estimator):
    def fit(X=iris, **params):
        return clone(estimator).set_params(**params).fit(X)

    with pytest.raises(ValueError, match="n_clusters = 200 is more than n_samples = 150"):
        fit(n_clusters=200)
    with pytest.raises(ValueError, match="n_clusters = 0 is out of range; give a whole number of at least 1"):
        fit(n_clusters=0)
    with pytest.raises(TypeError, match=r"n_clusters = 2\.5 is not valid"):
        fit(n_clusters=2.5)
    with pytest.raises(ValueError, match=r"kernel = 'gausian' is unknown .did you mean 'gaussian'"):
        fit(kernel="gausian")
    with pytest.raises(ValueError, match="no parameter 'w'"):
        fit(kernel="jt2", kernel_params={"w": 1})
    with pytest.raises(TypeError, match="kernel_params = 2 is not valid; give a dict"):
        fit(kernel="jt2", kernel_params=2)
    with pytest.raises(ValueError, match="leave kernel_params out, or give the kernel by name"):
        fit(kernel=make_kernel("jt2"), kernel_params={"q": 1.0})
    with pytest.raises(ValueError, match=r"X\[0, 1\] is -0\.5, and jt2 takes no negative values; scale each column"):
        fit([[0.2, -0.5], [0.1, 0.3]], kernel="jt2", n_clusters=2)
    with pytest.raises(ValueError, match="is expecting 4 features"):
        fit(n_clusters=2).predict(iris[:, :2])


@each_estimator
def test_in_a_pipeline_and_a_grid(estimator):
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(MinMaxScaler(clip=True), clone(estimator).set_params(n_clusters=3))
    step = pipeline.steps[-1][0]
    grid = {f"{step}__kernel": [make_kernel("expjt2"), make_kernel("nlin", n=3), "exponential"]}
    search = GridSearchCV(pipeline, grid, scoring=make_scorer(adjusted_rand_score), cv=StratifiedKFold(3)).fit(X, y)
    assert search.best_score_ > 0.4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert (search.predict(X) == search.best_estimator_[-1].labels_).all()


def test_importing_is_light():
    code = "import sys, segjt.learn; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "scipy", "sklearn", "numba"} & set(loaded)


def test_public_names():
    assert set(segjt.learn.__all__) <= set(dir(segjt.learn))
    for name in segjt.learn.__all__:
        assert getattr(segjt.learn, name).__doc__
    with pytest.raises(AttributeError, match=r"No segjt\.learn attribute KernelPCA"):
        _ = segjt.learn.KernelPCA


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize(
    "kernel",
    [
        make_kernel("jt2", q=1.0),
        make_kernel("expjt2"),
        make_kernel("exponential"),
        make_kernel("jt3"),
        make_kernel("nlin", n=4),
    ],
    ids=str,
)
def test_support_vector_machine(load, kernel):
    X, y = load(return_X_y=True)
    model = make_pipeline(MinMaxScaler(clip=True), SVC(kernel=kernel, C=100.0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
    model.fit(X[::2], y[::2])
    loaded = pickle.loads(pickle.dumps(model))
    assert (loaded.predict(X[1::2]) == model.predict(X[1::2])).all()
    assert loaded[-1].kernel == kernel


def test_grid_search_over_kernels_of_a_support_vector_machine():
    X, y = load_iris(return_X_y=True)
    grid = {
        "svc__kernel": [make_kernel("jt2", q=q) for q in (0.5, 1.0, 2.0)] + [make_kernel("nlin", n=3)],
        "svc__C": [1.0, 100.0],
    }
    search = GridSearchCV(make_pipeline(MinMaxScaler(clip=True), SVC()), grid, cv=3, n_jobs=1).fit(X, y)
    assert search.best_score_ > 0.93
    assert search.best_params_["svc__kernel"] in grid["svc__kernel"]
    assert (pickle.loads(pickle.dumps(search)).predict(X) == search.predict(X)).all()
