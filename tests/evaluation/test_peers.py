import numpy as np
import pytest
from benchmark_data import picture

from segjt.evaluation import peers
from segjt.evaluation.weizmann import one_segment


@pytest.mark.parametrize("name", peers.SEGMENT_PEERS)
def test_every_peer_segments_a_picture(name):
    image, disc, _ = picture(0)
    labels = peers.peer_labels(image, name, {})
    assert labels.shape == image.shape[:2]
    assert np.unique(labels).tolist() == list(range(1, labels.max() + 1))
    assert (labels == peers.peer_labels(image, name, {})).all()
    assert one_segment(labels, disc).f > 0.3
    assert name in peers.TITLES


@pytest.mark.parametrize("name", peers.SEGMENT_PEERS)
def test_one_colour(name):
    labels = peers.peer_labels(np.full((24, 30, 3), 90, np.uint8), name, {})
    assert labels.shape == (24, 30)
    assert labels.min() == 1


def test_mean_shift_joins_neighbours_that_differ_little():
    image = np.zeros((20, 30, 3), np.uint8)
    image[:, 10:20], image[:, 20:] = 100, 1
    labels = peers.peer_labels(image, "mean_shift", {"colour": 5})
    # The pyramid blurs edges by some pixels; on both sides of them there is one segment each.
    assert [len(np.unique(part)) for part in (labels[:, :6], labels[:, 14:17], labels[:, 25:])] == [1, 1, 1]
    assert len({labels[0, 0], labels[0, 15], labels[0, 29]}) == 3
    assert peers.peer_labels(image, "mean_shift", {"colour": 5, "tolerance": 255}).max() == 1


def test_parameters_are_checked():
    peers.check_peer("otsu", {"classes": 3})
    with pytest.raises(
        ValueError, match=r"no peer is called 'otus' \(did you mean 'otsu'\?\); choose from felzenszwalb"
    ):
        peers.check_peer("otus", {})
    with pytest.raises(ValueError, match="otsu has no parameter 'scale'; choose from classes"):
        peers.check_peer("otsu", {"scale": 3})
