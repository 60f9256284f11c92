"""The hierarchy of whole images: ordinary ones, masks and islands, and images with next to nothing in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score

import segjt
from segjt.evaluation.weizmann import check_nested
from segjt.image import as_image
from segjt.labels import compact
from segjt.merging.registry import merge_method
from segjt.pipeline import merge_tree
from segjt.trees.building import never_falling


def tree_of(image, labels):
    """The default tree of small segments."""
    return merge_tree(image, labels, merge_method("cues"), bins=8)


def test_segment_is_a_cut_of_the_hierarchy(crop):
    tree = segjt.hierarchy(crop, rng=3)
    for n in ("auto", 1, 2, 7, 150, 10**6):
        assert (segjt.segment(crop, n_segments=n, rng=3) == tree.cut(n)).all()
    rough = segjt.hierarchy(crop, rng=3, outline_sweeps=0)
    assert (rough.initial == segjt.oversegment(crop, rng=3)).all()
    assert (segjt.merge(crop, rough.initial, 7) == rough.cut(7)).all()


def test_settings_reach_the_hierarchy(crop):
    settings = {"block_size": 16, "kernel": "jt2", "q": 0.5, "outline_sweeps": 0}
    tree = segjt.hierarchy(crop, **settings)
    assert (tree.initial == segjt.oversegment(crop, **settings)).all()
    assert (tree.cut(4) == segjt.segment(crop, 4, **settings)).all()
    with pytest.raises(ValueError, match=r"merge_method = 'ncut' makes no hierarchy; choose merge_method = 'cues'"):
        segjt.hierarchy(crop, merge_method="ncut")
    with pytest.raises(ValueError, match=r"method = 'whole' makes no hierarchy"):
        segjt.hierarchy(crop, method="whole")


def test_presets(crop):
    paper = segjt.segment(crop, 4, block_size=16, merge_method="spectral", power=16)
    assert (segjt.segment(crop, 4, preset="paper") == paper).all()
    # What is given by name wins over the preset.
    assert (segjt.oversegment(crop, preset="paper", block_size=8) == segjt.oversegment(crop, block_size=8)).all()
    assert (segjt.segment(crop, preset="default") == segjt.segment(crop)).all()
    with pytest.raises(ValueError, match="give parameters or preset, not both"):
        segjt.segment(crop, preset="paper", parameters=segjt.Parameters())
    with pytest.raises(ValueError, match="did you mean 'paper'"):
        segjt.hierarchy(crop, preset="papr")


def test_same_tree_whatever_the_workers(crop):
    first = segjt.hierarchy(crop, workers=1)
    for workers in (2, 5):
        again = segjt.hierarchy(crop, workers=workers)
        assert (again.merges == first.merges).all()
        assert (again.heights == first.heights).all()
        assert again.n_auto == first.n_auto


def test_the_same_picture_in_other_types_has_the_same_tree(crop):
    initial = segjt.oversegment(crop)
    first = tree_of(as_image(crop), initial)
    for pixels in (crop.astype(np.uint16) * 257, crop / 255, (crop / 255).astype(np.float32)):
        again = tree_of(as_image(pixels), initial)
        assert adjusted_rand_score(again.cut(6).ravel(), first.cut(6).ravel()) > 0.99
    grey = crop[:, :, 1]
    tree = tree_of(as_image(grey), initial)
    assert (tree.merges == tree_of(as_image(np.dstack([grey] * 3)), initial).merges).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (2, 2), (17, 33), (1, 1, 3), (1, 9, 3)])
def test_odd_sizes(shape):
    tree = segjt.hierarchy(np.random.default_rng(0).random(shape))
    assert len(tree.merges) == len(tree) - 1
    for n in range(1, min(len(tree), 12) + 1):
        assert tree.cut(n).max() == n
    assert tree.contours().shape == shape[:2]


@pytest.mark.parametrize("level", [0, 1, 128, 255])
def test_one_colour(level):
    tree = segjt.hierarchy(np.full((40, 50, 3), level, np.uint8))
    assert tree.n_auto == 1
    assert np.isfinite(tree.heights).all()
    assert tree.contours().max() == 0


def test_everything_masked(crop):
    tree = segjt.hierarchy(crop, mask=np.zeros(crop.shape[:2], bool))
    assert len(tree) == 0
    assert not tree.cut().any()
    assert not tree.cut_at(0.0).any()
    assert not tree.contours().any()


def test_masked_pixels_do_not_matter(crop):
    mask = np.ones(crop.shape[:2], bool)
    mask[10:30, 5:50] = False
    painted = crop.copy()
    painted[~mask] = 255
    one, other = segjt.hierarchy(crop, mask=mask), segjt.hierarchy(painted, mask=mask)
    assert (one.merges == other.merges).all()
    assert (one.heights == other.heights).all()
    assert ((one.cut(5) == 0) == ~mask).all()


def test_hundreds_of_islands():
    # Single pixels, black and white in turn, none of which touch.
    labels = np.zeros((40, 40), np.int32)
    labels[::2, ::2] = np.arange(1, 401).reshape(20, 20)
    pixels = np.where(labels % 2, 0.9, 0.1)
    tree = tree_of(as_image(pixels, labels > 0), labels)
    two = tree.cut(2)[::2, ::2]
    assert len(np.unique(two[:, ::2])) == len(np.unique(two[:, 1::2])) == 1
    assert tree.cut(2).max() == 2


@pytest.mark.parametrize("channels", [2, 5])
def test_channels_that_are_no_colours(channels):
    rng = np.random.default_rng(0)
    pixels = rng.normal(0.4, 0.03, (60, 80, channels))
    pixels[20:40, 30:60, channels - 1] += 0.4
    truth = np.zeros((60, 80), int)
    truth[20:40, 30:60] = 1
    labels = segjt.segment(np.clip(pixels, 0, 1), 2, channel_axis=-1)
    assert adjusted_rand_score(truth.ravel(), labels.ravel()) > 0.95


def test_superpixels_of_other_methods_make_a_tree(photograph):
    from skimage.segmentation import slic

    superpixels = slic(photograph, n_segments=300, start_label=1)
    tree = tree_of(as_image(photograph), superpixels.astype(np.int32))
    assert len(tree) == superpixels.max()
    check_nested(tree.cuts([2, 5, 50, 200]))


def test_heights_are_raised_to_those_below():
    merges = np.array([[0, 1], [2, 3], [4, 6], [5, 7]])
    assert never_falling(merges, np.array([3.0, 1.0, 0.5, 2.0])).tolist() == [3.0, 1.0, 1.0, 3.0]


@hypothesis_settings(max_examples=25)
@given(
    hnp.arrays(np.uint8, st.tuples(st.integers(1, 14), st.integers(1, 14), st.just(3)), elements=st.integers(0, 255)),
    st.randoms(use_true_random=False),
)
def test_any_labels_of_any_image_make_a_tree(image, random):
    labels = np.array([[random.randrange(6) for _ in range(image.shape[1])] for _ in range(image.shape[0])])
    initial = compact(labels)
    tree = tree_of(as_image(image, initial > 0), initial)
    K = initial.max(initial=0)
    assert len(tree.merges) == max(K - 1, 0)
    assert 1 <= tree.n_auto <= max(K, 1)
    for n in range(1, K + 1):
        cut = tree.cut(n)
        assert cut.max() == n
        assert ((cut == 0) == (initial == 0)).all()
