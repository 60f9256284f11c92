import numpy as np
import pytest

from segjt.evaluation.scores import best_f_measure, f_measures, region_f_measures


def test_f_by_hand():
    labels = np.repeat([1, 2], [10, 10])
    truth = np.zeros(20, bool)
    truth[4:12] = True  # 6 pixels in segment 1, 2 in segment 2
    np.testing.assert_allclose(f_measures(labels, truth), [2 * 6 / 18, 2 * 2 / 18])
    assert best_f_measure(labels, truth) == 2 * 6 / 18


def test_segments_of_five_pixels_are_skipped():
    truth = np.repeat([True, False], [5, 20])
    assert best_f_measure(np.repeat([1, 2], [5, 20]), truth) == 0
    truth = np.repeat([True, False], [6, 20])
    assert best_f_measure(np.repeat([1, 2], [6, 20]), truth) == 1


def test_a_segment_need_not_be_connected_and_zero_is_one():
    labels = np.repeat([0, 1, 0], [10, 10, 10])
    assert best_f_measure(labels, labels == 0) == 1


def test_regions():
    truth = np.repeat([3, 7], [10, 30])
    assert region_f_measures(np.ones(40, int), truth) == {3: 20 / 50, 7: 60 / 70}


def test_wrong_truth():
    with pytest.raises(ValueError, match="no pixel"):
        best_f_measure(np.ones(4), np.zeros(4))
    with pytest.raises(ValueError, match="4 pixels and the truth 5"):
        best_f_measure(np.ones(4), np.ones(5))
