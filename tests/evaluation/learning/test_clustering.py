"""What the clustering experiments share, against scikit-learn and against the kernels themselves."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from segjt.evaluation.learning import affinities, clustering, paper000
from segjt.evaluation.scores import adjusted_rand_index
from segjt.kernels import make_kernel
from segjt.kernels.evaluators.triples import triple_values
from segjt.spectral.kmeans import kmeans
from segjt.spectral.ncut import normalise, top_eigenpairs


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return (X - X.min(0)) / np.ptp(X, axis=0), y


def test_rows_of_a_kernel_have_its_inner_products(iris):
    gram = make_kernel("jt2", q=0.5)(iris[0])
    rows = clustering.feature_rows(gram)
    np.testing.assert_allclose(rows @ rows.T, gram, atol=1e-10)
    assert clustering.feature_rows(np.zeros((3, 3))).tolist() == [[0.0]] * 3


def test_criteria_are_those_of_scikit_learn(iris):
    X, _ = iris
    actual = [kmeans(X, k, np.random.default_rng(0)) for k in (2, 3, 5)]
    for labels in actual:
        assert clustering.variance_ratio(X, labels) == pytest.approx(calinski_harabasz_score(X, labels))
        assert clustering.mean_silhouette(X, [labels]) == pytest.approx(silhouette_score(X, labels))
    assert clustering.variance_ratio(X, np.zeros(len(X), np.int64)) == 0.0
    assert clustering.mean_silhouette(X, [np.zeros(len(X), np.int64)]) == 0.0


@pytest.mark.parametrize(
    ("kernel", "parameters"), [("jt3+", {"q": 1.0}), ("expjt3+", {"q": 1.0, "t": 2.0}), ("nlin+", {"n": 4})]
)
def test_sampled_columns_and_their_vectors_are_those_of_the_kernel(iris, kernel, parameters):
    X, _ = iris
    log_A = paper000.log_columns(X, {"kernel": kernel} | parameters, 3, {})
    log_V = make_kernel(kernel, columns=paper000.COLUMNS, rng=3, **parameters).log_affinity(X)
    A = np.exp(log_A)
    np.testing.assert_allclose(A @ A.T / paper000.COLUMNS, np.exp(log_V), rtol=1e-8)
    expected = top_eigenpairs(normalise(log_V), 3)[1]
    actual = paper000.sampled_spectrum(log_A, 3)
    np.testing.assert_allclose(np.abs((expected * actual.vectors[:, :3]).sum(0)), 1.0, atol=1e-6)
    degrees = np.exp(log_V).sum(1)
    np.testing.assert_allclose(actual.degrees / actual.degrees[0], degrees / degrees[0])


def test_kernels_with_the_same_tuples_share_them(iris):
    drawn = {}
    first = paper000.log_columns(iris[0], {"kernel": "jt3+", "q": 1.0}, 3, drawn)
    second = paper000.log_columns(iris[0], {"kernel": "expjt3+", "q": 1.0, "t": 2.0}, 3, drawn)
    assert len(drawn) == 1
    np.testing.assert_allclose(second, 2 * np.exp(first))
    paper000.log_columns(iris[0], {"kernel": "jt3+", "q": 0.5}, 3, drawn)
    assert len(drawn) == 2


def test_sampled_columns_are_taken_from_the_triples_where_these_are_known(iris):
    X = iris[0][::2]
    setting = {"kernel": "expjt3+", "q": 0.5, "t": 2.0}
    triples = {0.5: list(triple_values(X, 0.5))}
    actual = paper000.log_columns(X, setting, 1, {}, triples)
    np.testing.assert_allclose(actual, paper000.log_columns(X, setting, 1, {}), atol=1e-8)


def test_sampled_vectors_of_huge_values_are_finite(iris):
    log_A = 1000 * paper000.log_columns(iris[0], {"kernel": "expjt3+", "q": 1.0, "t": 1.0}, 0, {})
    assert np.isfinite(paper000.sampled_spectrum(log_A, 3).vectors).all()


def test_affinities_are_those_of_the_kernels_whichever_way_they_are_computed(monkeypatch):
    X = np.random.default_rng(0).random((70, 4))
    kernels = [
        ("expjt3", {"q": 1.0, "t": 0.5}),
        ("jt3", {"q": 1.0}),
        ("expjt3", {"q": 0.5, "t": 2.0}),
        ("jt2", {"q": 1.0}),
        ("expjt2", {"q": 1.0, "t": 0.5}),
        ("expjt2", {"q": 1.0, "t": 3.0}),
        ("expjt2", {"q": 0.5, "t": 3.0}),
    ]
    for many in (100, 2):
        monkeypatch.setattr(affinities, "MANY_COLUMNS", many)
        for (name, parameters), log_V in zip(kernels, affinities.log_affinities(X, kernels), strict=True):
            expected = make_kernel(name, **parameters).log_affinity(X)
            np.testing.assert_allclose(log_V, expected, atol=1e-8)


def test_triples_of_one_q_are_kept_at_a_time_unless_they_are_wanted(monkeypatch):
    X = np.random.default_rng(0).random((10, 4))
    monkeypatch.setattr(affinities, "MANY_COLUMNS", 2)
    kernels = [("jt3", {"q": 0.5}), ("jt3", {"q": 1.0}), ("expjt3", {"q": 1.0, "t": 1.0})]
    computed = []

    def counted(X, q):
        computed.append(q)
        return triple_values(X, q)

    monkeypatch.setattr("segjt.kernels.evaluators.triples.triple_values", counted)
    kept = {}
    assert len(list(affinities.log_affinities(X, kernels, kept))) == 3
    assert list(kept) == computed == [0.5, 1.0]


@pytest.mark.parametrize("start", [clustering.PLUS_PLUS, clustering.SAMPLE])
def test_both_learners_find_the_classes_of_iris(iris, start):
    X, y = iris
    settings = [
        {"learner": paper000.KERNEL_K_MEANS, "kernel": "gaussian", "sigma": 0.316, "start": start},
        {"learner": paper000.SPECTRAL, "kernel": "gaussian", "sigma": 0.316, "eigenvectors": "k + 1", "start": start},
        {"learner": paper000.SPECTRAL, "kernel": "jt3+", "q": 1.0, "eigenvectors": "k", "start": start},
    ]
    trials = paper000.run_clusterings(X, y, settings, runs=3)
    assert [len(trial.scores) for trial in trials] == [3, 3, 3]
    assert max(trials[0].scores) > 0.7
    assert np.median(trials[1].scores) > 0.7
    assert all(trial.criterion > 0 for trial in trials)
    assert all(trial.seconds > 0 for trial in trials)
    assert paper000.run_clusterings(X, y, settings, runs=3) == trials


def test_a_run_is_that_of_the_library(iris):
    X, _ = iris
    for seed in range(5):
        expected = kmeans(X, 3, np.random.default_rng(seed), restarts=4)
        np.testing.assert_array_equal(clustering.kmeans_run(X, 3, np.random.default_rng(seed), 4), expected)


def test_runs_that_share_starts_take_the_best_of_their_half():
    inertia = [5.0, 3.0, 4.0, 9.0, 7.0, 8.0]
    found = [clustering.Clustering(np.array([start]), value) for start, value in enumerate(inertia)]

    def chosen(starts):
        return [int(groups[0]) for groups in clustering.runs_that_share_starts(found, starts)]

    assert chosen(1) == [0, 1, 2, 3, 4, 5]
    assert chosen(2) == [1, 1, 2, 4, 4, 5]
    assert chosen(10) == [1, 1, 1, 4, 4, 4]
    # Equal but for round-off: the first stays.
    assert clustering.best_start([found[1], clustering.Clustering(np.array([7]), 3.0 - 1e-12)]) is found[1].groups


def test_shared_starts_have_the_mean_of_independent_runs(iris):
    """Single starts of k-means on Iris often end elsewhere; the best of ten hardly ever does."""
    X, y = iris
    shared = {"learner": paper000.KERNEL_K_MEANS, "kernel": "jt2", "q": 2.0, "start": clustering.PLUS_PLUS}
    one, ten = paper000.run_clusterings(X, y, [shared, shared | {"starts": 10}], runs=60)
    rows = clustering.feature_rows(make_kernel("jt2", q=2.0)(X))
    independent = clustering.kmeans_runs(rows, 3, 40, restarts=10)
    expected = np.mean([adjusted_rand_index(groups, y) for groups in independent])
    assert np.mean(ten.scores) == pytest.approx(expected, abs=0.01)
    assert np.mean(one.scores) < expected - 0.03
