"""Objects: the best set of disjoint nodes, and what it finds in pictures of many things."""

import itertools

import numpy as np
import pytest
from object_pictures import picture
from skimage import data

import segjt
from segjt.evaluation.instances import instance_score
from segjt.labels import connected_parts
from segjt.trees.objects import best_disjoint, numbers_below


def random_merges(rng, K):
    """Return merges of K nodes in a random order."""
    alive, merges = list(range(K)), []
    for merge in range(K - 1):
        pair = rng.choice(len(alive), 2, replace=False)
        one, other = (alive[place] for place in pair)
        alive = [node for node in alive if node not in (one, other)] + [K + merge]
        merges.append((one, other))
    return np.array(merges)


def leaves_of(merges):
    K = len(merges) + 1
    below = [{node} for node in range(K)]
    for one, other in merges:
        below.append(below[one] | below[other])
    return below


@pytest.mark.parametrize("seed", range(8))
def test_the_best_set_of_disjoint_nodes(seed):
    """Against all sets of nodes."""
    rng = np.random.default_rng(seed)
    merges = random_merges(rng, 5)
    gains = rng.normal(-0.1, 1, 9)
    below = leaves_of(merges)

    def is_disjoint(nodes):
        return all(not below[one] & below[other] for one, other in itertools.combinations(nodes, 2))

    sets = (nodes for n in range(6) for nodes in itertools.combinations(range(9), n) if is_disjoint(nodes))
    expected = max(sets, key=lambda nodes: gains[list(nodes)].sum())
    chosen = best_disjoint(merges, gains)
    assert chosen.tolist() == sorted(expected)
    numbers = numbers_below(merges, chosen)
    for place, node in enumerate(chosen):
        assert set(np.flatnonzero(numbers == place + 1)) == below[node]


def test_nothing_worth_choosing():
    assert best_disjoint(np.empty((0, 2), np.int64), np.array([-1.0])).tolist() == []
    assert best_disjoint(np.empty((0, 2), np.int64), np.array([1.0])).tolist() == [0]


def test_every_thing_of_a_picture_is_found():
    for ground, colours in ((30, (150, 210)), (220, (60, 110))):
        image, truth = picture(ground, colours)
        score = instance_score(segjt.objects(image), truth)
        assert score.f1() > 0.95, (ground, score)


def test_bit_depth_and_colour_do_not_matter():
    image, truth = picture(30, (150, 210))
    expected = segjt.objects(image)
    assert (segjt.objects(np.stack([image] * 3, -1)) == expected).all()
    for other in (image.astype(np.uint16) * 257, image / 255):
        assert instance_score(segjt.objects(other), truth).f1() > 0.95
    channels = np.stack([image, image // 2, image, 255 - image, image], -1)
    assert instance_score(segjt.objects(channels, channel_axis=-1), truth).f1() > 0.9


def test_all_coins_and_nothing_else():
    found = segjt.hierarchy(data.coins()).find_objects()
    assert len(found) == 24
    assert found.labels.max() == 24
    assert found.confidences.min() > 0.9
    assert connected_parts(found.labels).max() == 24


def test_options():
    image, truth = picture(128, (40, 220))
    tree = segjt.hierarchy(image)
    bright, dark = (tree.objects(polarity=polarity) for polarity in ("bright", "dark"))
    assert instance_score(bright, np.where(image > 180, truth, 0)).f1() > 0.9
    assert instance_score(dark, np.where(image < 80, truth, 0)).f1() > 0.9
    sizes = np.bincount(tree.objects().ravel())[1:]
    middle = int(np.median(sizes))
    for option, fits in (({"min_size": middle}, sizes >= middle), ({"max_size": middle}, sizes <= middle)):
        assert np.bincount(tree.objects(**option).ravel())[1:].tolist() == sizes[fits].tolist()
    assert tree.objects(min_size=10**6).max() == 0
    found = tree.find_objects()
    assert len(found.nodes) == len(found.confidences) == found.labels.max()
    assert ((found.confidences > 0) & (found.confidences <= 1)).all()
    assert found.labels[found.labels > 0][0] == 1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"min_size": 0}, "min_size = 0 is out of range; give a whole number of at least 1"),
        ({"max_size": 2.5}, r"max_size = 2\.5 is not valid"),
        ({"polarity": "brigth"}, "polarity = 'brigth' is unknown .did you mean 'bright'"),
        ({"max_size": 14}, "max_size = 14 is below min_size = 15, so that no object fits; give a larger max_size"),
    ],
)
def test_bad_options(option, message):
    with pytest.raises((ValueError, TypeError), match=message):
        segjt.objects(np.zeros((20, 20), np.uint8), **option)


def test_pictures_without_things():
    assert segjt.objects(np.full((40, 40), 90, np.uint8)).max() == 0
    assert segjt.objects(np.zeros((1, 1), np.uint8)).tolist() == [[0]]
    assert segjt.objects(np.zeros((9, 9), np.uint8), mask=np.zeros((9, 9), bool)).max() == 0


def test_a_saved_tree_finds_the_same(tmp_path):
    tree = segjt.hierarchy(picture(30, (150, 210))[0])
    tree.save(tmp_path / "tree.npz")
    assert (segjt.MergeTree.load(tmp_path / "tree.npz").objects() == tree.objects()).all()
