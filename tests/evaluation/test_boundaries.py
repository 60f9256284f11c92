import numpy as np
import pytest
from scipy.io import loadmat

from segjt.datasets import bsds
from segjt.evaluation.boundaries import (
    BoundaryCounts,
    BoundaryTruth,
    average_precision,
    boundary_map,
    boundary_score,
    curves_of,
)
from segjt.evaluation.peers import gpb_owt_ucm
from segjt.evaluation.pixel_matching import thinned

# The diagonal of 30 x 40 pixels is 50: pixels may be 2.5 apart.
SHAPE, TOLERANCE = (30, 40), 0.05


def lines(*columns):
    """A label map with boundaries to the right of some columns."""
    labels = np.zeros(SHAPE, np.int32)
    for column in columns:
        labels[:, column + 1 :] += 1
    return labels + 1


def counts(labels, *people):
    found = BoundaryTruth(np.stack(people), TOLERANCE).counts(labels)
    return found.precise, found.drawn, found.recalled, found.true


def test_boundary_of_a_label_map():
    labels = np.array([[1, 1, 1, 1], [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1]])
    # Before thinning: pixels (0, 0) to (2, 2) without (1, 1).
    assert boundary_map(labels).astype(int).tolist() == [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert boundary_map(lines(12)).sum(0).tolist() == [30 * (column == 12) for column in range(40)]
    assert not boundary_map(lines()).any()
    assert not boundary_map(np.ones((1, 1), int)).any()


def test_identical_and_shifted_lines():
    assert counts(lines(12), lines(12)) == (30, 30, 30, 30)
    assert counts(lines(12), lines(14)) == (30, 30, 30, 30)
    assert counts(lines(12), lines(15)) == (0, 30, 0, 30)


def test_a_pixel_of_the_truth_is_matched_once():
    assert counts(lines(11, 13), lines(12)) == (30, 60, 30, 30)
    assert counts(lines(12), lines(11, 13)) == (30, 30, 30, 60)


def test_precision_counts_pixels_of_any_person_and_recall_those_of_all():
    assert counts(lines(10, 30), lines(10), lines(30)) == (60, 60, 60, 60)
    assert counts(lines(10), lines(10), lines(11), lines(30)) == (30, 30, 60, 90)


def test_without_boundaries():
    assert counts(lines(), lines(12)) == (0, 0, 0, 30)
    assert counts(lines(12), lines()) == (0, 30, 0, 0)
    for none in (BoundaryCounts(0, 0, 0, 30), BoundaryCounts(0, 30, 0, 0), BoundaryCounts(0, 0, 0, 0)):
        assert (none.precision, none.recall, none.f) == (0, 0, 0)
    with pytest.raises(ValueError, match=r"labels have the shape \(3, 3\) and the truth \(30, 40\)"):
        BoundaryTruth(lines()[None]).counts(np.ones((3, 3), int))


def test_ods_and_ois_by_hand():
    found = {
        "fine": [BoundaryCounts(10, 40, 9, 10), BoundaryCounts(10, 10, 5, 10)],
        "coarse": [BoundaryCounts(8, 10, 8, 10), BoundaryCounts(2, 5, 2, 10)],
    }
    score = boundary_score(found)
    # fine: 20 / 50 and 14 / 20; coarse: 10 / 15 and 10 / 20. The best of the images: coarse, then fine.
    assert (score.setting, score.ods) == ("coarse", pytest.approx(2 / (15 / 10 + 20 / 10)))
    assert score.ois == pytest.approx(2 / (20 / 18 + 20 / 13))
    assert score.ap is None
    assert boundary_score(found, [["fine", "coarse"]]).ap > 0


def test_average_precision_of_a_known_curve():
    low, high = BoundaryCounts(9, 10, 2, 10), BoundaryCounts(3, 10, 8, 10)
    # A line from 0.9 at recall 0.2 to 0.3 at 0.8, and 0 elsewhere: 61 values with a mean of 0.6.
    assert average_precision([high, low]) == pytest.approx(61 * 0.6 / 100)
    assert average_precision([BoundaryCounts(10, 10, 0, 10), BoundaryCounts(10, 10, 10, 10)]) == pytest.approx(1.01)
    assert average_precision([low]) == average_precision([low, low]) == 0


def test_hierarchies_are_settings_that_differ_in_the_threshold():
    settings = [{"q": 1, "height": -4}, {"q": 2, "height": -4}, {"q": 1, "height": -3}, {"n_segments": 4}]
    assert curves_of([*settings, {"q": 2, "height": -3}]) == [[0, 2], [1, 4]]
    assert curves_of(settings[1:2]) == []


def test_boundaries_are_those_of_berkeleys_files(data_folder):
    """People's label maps give their boundaries, and the regions of a contour map its contours, to the pixel."""
    for item in bsds(data_folder)[::60]:
        people = loadmat(item.truth_files[0].path)["groundTruth"].ravel()
        for person, labels in zip(people, item.truth(), strict=True):
            assert (boundary_map(labels) == person["Boundaries"][0, 0]).all()
        if item.contour_file is not None:
            contours = item.contours()
            regions = gpb_owt_ucm(contours, 0.1)
            assert (boundary_map(regions) == thinned(contours[2::2, 2::2] > 0.1)).all()


def test_gpb_on_a_few_images(data_folder):
    """F of gPb-owt-ucm is what is known of it: 0.73 on the test images at one threshold."""
    items = [item for item in bsds(data_folder)[::30] if item.contour_file is not None]
    if not items:
        pytest.skip("the data have no contour maps in ucm2")
    found = {threshold: [] for threshold in (0.1, 0.16)}
    for item in items:
        truth, contours = BoundaryTruth(item.truth()), item.contours()
        for threshold, of_threshold in found.items():
            of_threshold.append(truth.counts(gpb_owt_ucm(contours, threshold)))
    assert 0.6 < boundary_score(found).ods < 0.8
