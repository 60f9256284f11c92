"""Support vector machines of paper 000: what the row number gives away, scales, sampled kernels."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from segjt.datasets.vectors import VectorSet
from segjt.evaluation.learning.experiment import published_figure
from segjt.evaluation.learning.paper000_table4 import Paper000Table4, both_scales, log_product


@pytest.fixture(scope="module")
def sorted_noise():
    """Points that tell nothing, sorted by class."""
    X = np.random.default_rng(0).random((60, 4))
    return VectorSet("noise", X, np.repeat([0, 1], 30), ("a", "b", "c", "d"))


@pytest.mark.parametrize("kernel", ["gaussian", "jt2", "nlin+"])
def test_the_row_number_gives_the_classes_of_sorted_rows_away(sorted_noise, kernel):
    settings = [{"kernel": kernel, "id": id_} for id_ in (False, True)]
    without, with_id = Paper000Table4().run(sorted_noise, settings, quick=True)
    assert len(without.scores) == len(with_id.scores) == 2
    assert np.mean(with_id.scores) > np.mean(without.scores)
    assert with_id.criterion > without.criterion


@pytest.mark.parametrize("kernel", ["jt2", "expjt3", "jt3+"])
def test_iris_is_learned(kernel):
    X, y = load_iris(return_X_y=True)
    data = VectorSet("iris", X, y, tuple("abcd"))
    (trial,) = Paper000Table4().run(data, [{"kernel": kernel, "id": False}], quick=True)
    assert min(trial.scores) > 0.6
    assert 0 < trial.criterion <= 1


def test_scales_of_a_kernel():
    log_V = np.log([[4.0, 1.0], [1.0, 2.0]])
    by_diagonal, as_given, *huge = both_scales([log_V, 1000 * log_V])
    np.testing.assert_allclose(by_diagonal, [[4 / 3, 1 / 3], [1 / 3, 2 / 3]])
    np.testing.assert_allclose(as_given, [[4, 1], [1, 2]])
    assert np.isfinite(huge).all()


def test_glass_is_compared_once():
    cells = {(cell.row, cell.column): cell.published for cell in Paper000Table4().cells(quick=False)}
    assert len([value for value in cells.values() if value is not None]) == 75
    assert cells["JT2", "Glass"] == published_figure("76.6±3.7%")
    assert cells["JT2", "Glass, with Id"] is None


def test_products_of_logarithms():
    A = np.random.default_rng(0).random((5, 3))
    np.testing.assert_allclose(log_product(np.log(A)), np.log(A @ A.T))
    assert np.isfinite(log_product(np.log(A) + 5000)).all()
