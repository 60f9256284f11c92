import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score

import segjt
from segjt.datasets import weizmann
from segjt.evaluation.scores import best_f_measure, region_f_measures
from segjt.kernels import kernel_names, make_kernel
from segjt.labels import connected_parts
from segjt.superpixels.block_cut import cut_block
from segjt.trees.number_of_segments import MOST_SEGMENTS


def assert_labels(labels, shape, mask=None):
    """Labels as promised: int32, 1..K, compact, 0 only where masked out."""
    assert labels.dtype == np.int32
    assert labels.shape == shape
    mask = np.ones(shape, bool) if mask is None else mask
    assert ((labels == 0) == ~mask).all()
    assert set(np.unique(labels[mask]).tolist()) == set(range(1, labels.max() + 1))


def two_halves(height=32, width=32, dark=0.1, light=0.9):
    image = np.full((height, width), dark)
    image[:, width // 2 :] = light
    return image


@pytest.mark.parametrize("name", ["landscape", "quilt"])
def test_samples_are_segmented_as_they_were_drawn(samples, name):
    image, truth = samples[name]
    labels = segjt.segment(image)
    assert labels.max() == 4
    assert min(region_f_measures(labels, truth).values()) >= 0.98
    assert (segjt.segment(image, n_segments=4) == labels).all()


def test_cells_and_a_nucleus_are_found(samples):
    image, truth = samples["cells"]
    tree = segjt.hierarchy(image)
    assert tree.n_auto == 4
    assert min(region_f_measures(tree.cut(), truth).values()) >= 0.95
    whole_cells = np.where(truth == 3, 2, truth)  # the nucleus with its cell
    assert min(region_f_measures(tree.cut(3), whole_cells).values()) >= 0.98


@pytest.mark.parametrize("kernel", kernel_names())
@pytest.mark.parametrize("block_size", [16, 32])
def test_every_kernel_and_block_size_on_a_photograph(crop, kernel, block_size):
    small = crop[:36, :36]
    labels = segjt.segment(small, n_segments=3, kernel=kernel, block_size=block_size)
    assert_labels(labels, small.shape[:2])
    assert labels.max() == 3


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"merge_method": "ncut"},
        {"merge_method": "spectral"},
        {"kernel": "gaussian", "features": "texture"},
        {"kernel": "expjs"},
        {"kernel": "relaxed_j"},
        {"method": "whole", "kernel": "gaussian", "working_size": 30},
    ],
    ids=str,
)
def test_grey_is_rgb_of_equal_channels(crop, settings):
    grey = crop[:, :, 1]
    mask = np.ones(grey.shape, bool)
    mask[:9, :20] = False
    rgb = np.dstack([grey] * 3)
    for image in (grey, grey[:, :, None]):
        np.testing.assert_array_equal(
            segjt.segment(image, 4, mask=mask, **settings), segjt.segment(rgb, 4, mask=mask, **settings)
        )


def test_a_photograph_of_the_usual_size(photograph):
    labels = segjt.segment(photograph)
    assert_labels(labels, photograph.shape[:2])
    assert 2 <= labels.max() <= MOST_SEGMENTS


def test_real_objects_are_found(data_folder):
    """Seven photographs of the Weizmann benchmark with one setting; measured are 0.92, and 0.93 in the tree."""
    from skimage.segmentation import felzenszwalb

    items = weizmann(data_folder)[3::8]
    ours, best, peer = [], [], []
    for item in items:
        image, truth = item.image(), item.truth()[0]
        tree = segjt.hierarchy(image)
        ours.append(best_f_measure(tree.cut(), truth))
        best.append(max(best_f_measure(labels, truth) for labels in tree.cuts(range(2, 33))))
        peer.append(best_f_measure(felzenszwalb(image, scale=1000, sigma=0.8, min_size=200), truth))
    assert len(items) == 7
    assert np.mean(ours) > 0.8
    assert np.mean(best) > 0.9
    assert np.mean(ours) > np.mean(peer) + 0.1


# 2 to 6 regions of known colours in stripes, blocks and rings, with noise.
COLOURS = np.array([[200, 60, 50], [50, 130, 70], [60, 80, 190], [210, 200, 80], [130, 130, 130], [30, 35, 50]])


@pytest.mark.parametrize("regions", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("shape", ["stripes", "rings"])
@pytest.mark.parametrize("noise", [5, 13])
def test_auto_finds_the_number_of_regions(regions, shape, noise):
    y, x = np.mgrid[:110, :150]
    if shape == "stripes":
        truth = np.minimum((x + 12 * np.sin(y / 17)) * regions // 150, regions - 1).clip(0).astype(int)
    else:
        radius = np.hypot(y - 55, x - 75) / 52
        truth = np.minimum(radius**1.4 * (regions - 1), regions - 1).astype(int)
    rng = np.random.default_rng(regions)
    image = np.clip(COLOURS[truth] + rng.normal(0, noise, (110, 150, 3)), 0, 255).astype(np.uint8)
    labels = segjt.segment(image)
    # Rings have thin segments of mixed colours between them, of which one or two may be left.
    assert regions <= labels.max() <= regions + (0 if shape == "stripes" else 2)
    assert min(region_f_measures(labels, truth).values()) > 0.95


def test_auto_finds_one_region_in_noise():
    rng = np.random.default_rng(0)
    image = np.clip(rng.normal(120, 13, (80, 100, 3)), 0, 255).astype(np.uint8)
    assert segjt.segment(image).max() == 1


def test_auto_finds_low_contrast():
    rng = np.random.default_rng(0)
    image = np.clip(255 * two_halves(80, 100, 0.45, 0.55) + rng.normal(0, 3, (80, 100)), 0, 255).astype(np.uint8)
    labels = segjt.segment(image)
    assert labels.max() <= 4
    assert min(region_f_measures(labels, two_halves(80, 100) > 0.5).values()) > 0.95


@pytest.mark.parametrize("merge_method", ["cues", "ncut", "spectral"])
def test_same_labels_whatever_the_workers(crop, merge_method):
    first = segjt.segment(crop, n_segments=5, merge_method=merge_method, workers=1)
    for workers in (1, 2, 5):
        again = segjt.segment(crop, n_segments=5, merge_method=merge_method, workers=workers)
        assert (again == first).all()


def test_seeds(crop):
    assert (segjt.oversegment(crop, rng=1) != segjt.oversegment(crop, rng=2)).any()
    generators = [segjt.oversegment(crop, rng=np.random.default_rng(3)) for _ in range(2)]
    assert (generators[0] == generators[1]).all()
    assert (segjt.oversegment(crop) == segjt.oversegment(crop, rng=0)).all()


def test_stages_make_the_whole(crop):
    small = segjt.oversegment(crop)
    assert_labels(small, crop.shape[:2])
    assert (segjt.merge(crop, small, n_segments=5) == segjt.segment(crop, n_segments=5, outline_sweeps=0)).all()
    # The merge only joins small segments.
    joined = segjt.merge(crop, small, n_segments=5)
    assert all(len(np.unique(joined[small == k])) == 1 for k in range(1, small.max() + 1))


def test_at_most_eight_segments_a_block(crop):
    small = segjt.oversegment(crop, block_size=16)
    for top in range(0, 48, 16):
        for left in range(0, 64, 16):
            assert len(np.unique(small[top : top + 16, left : left + 16])) <= 8


def test_parameters_object_and_arguments_agree(crop):
    chosen = segjt.Parameters(kernel="jt2", q=1.25, n_segments=4)
    expected = segjt.segment(crop, 4, kernel="jt2", q=1.25)
    assert (segjt.segment(crop, parameters=chosen) == expected).all()
    assert (segjt.segment(crop, parameters=chosen.replace(n_segments=9), n_segments=4) == expected).all()


def test_merge_takes_segments_of_other_methods(crop):
    from skimage.segmentation import slic

    superpixels = slic(crop, n_segments=60, start_label=1)
    assert segjt.merge(crop, superpixels, n_segments=4).max() == 4


@pytest.mark.parametrize("labels", [np.full((48, 64), -1), np.full((48, 64), 0.5), [], [["a"]], [1, 2]])
def test_merge_refuses_labels_that_are_none(crop, labels):
    with pytest.raises(ValueError, match="whole numbers from 0"):
        segjt.merge(crop, labels)


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (2, 2), (3, 50), (17, 33), (1, 1, 3), (1, 9, 3)])
@pytest.mark.parametrize("kernel", kernel_names())
def test_odd_sizes(shape, kernel):
    image = np.random.default_rng(0).random(shape)
    assert_labels(segjt.segment(image, n_segments=3, kernel=kernel), shape[:2])


@pytest.mark.parametrize("kernel", kernel_names())
@pytest.mark.parametrize("level", [0.0, 0.4, 1.0])
def test_one_colour_is_one_segment(kernel, level):
    labels = segjt.segment(np.full((40, 40, 3), level), kernel=kernel)
    assert (labels == 1).all()


# In blocks of 16 each block has one colour; in others some kernels, such as the linear one, cannot tell them apart.
@pytest.mark.parametrize(
    ("kernel", "block_size"), [*((kernel, 16) for kernel in kernel_names()), ("expjt2", 12), ("js", 9)]
)
@pytest.mark.parametrize("dark", [0.0, 0.2])
def test_two_colours_are_two_segments(kernel, block_size, dark):
    image = two_halves(dark=dark)
    labels = segjt.segment(image, kernel=kernel, block_size=block_size)
    score = adjusted_rand_score(labels.ravel(), (image > 0.5).ravel())
    if kernel.startswith(("relaxed", "heat")):  # what they see of pixels at the edge has both colours
        assert labels.max() <= 4
        assert score > 0.85
    else:
        assert labels.max() == 2
        assert score == 1


def test_fewer_colours_than_segments_a_block():
    image = np.zeros((16, 16), np.uint8)
    image[:, 5:] = 100
    image[:, 11:] = 200
    assert segjt.oversegment(image, block_size=16).max() == 3


def test_more_segments_than_there_are_give_as_many_as_there_are():
    # Four blocks of one colour each.
    assert segjt.segment(two_halves(), n_segments=50, block_size=16).max() == 4


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_types_of_the_same_picture(dtype):
    levels = (two_halves() * 255).astype(np.uint8)
    image = {"uint8": levels, "uint16": levels.astype(np.uint16) * 257}.get(
        np.dtype(dtype).name, (levels / 255).astype(dtype)
    )
    assert (segjt.segment(image) == segjt.segment(levels)).all()


def test_masked_pixels_are_zero_and_do_not_matter(crop):
    mask = np.ones(crop.shape[:2], bool)
    mask[10:30, 5:50] = False
    labels = segjt.segment(crop, mask=mask)
    assert_labels(labels, mask.shape, mask)
    painted = crop.copy()
    painted[~mask] = 255
    assert (segjt.segment(painted, mask=mask) == labels).all()
    rgba = np.dstack([crop, np.where(mask, 255, 0).astype(np.uint8)])
    assert (segjt.segment(rgba) == labels).all()


def test_everything_masked_is_all_zero(crop):
    labels = segjt.segment(crop, mask=np.zeros(crop.shape[:2], bool))
    assert (labels == 0).all()


@pytest.mark.parametrize("channels", [2, 5, 12])
def test_multichannel(channels):
    rng = np.random.default_rng(0)
    image = np.repeat(two_halves()[None], channels, 0) * rng.uniform(0.3, 1, (channels, 1, 1))
    labels = segjt.segment(image, channel_axis=0)
    assert labels.max() == 2
    assert (segjt.segment(np.moveaxis(image, 0, -1), channel_axis=-1) == labels).all()


@settings(max_examples=25)
@given(
    hnp.arrays(
        np.uint8,
        st.one_of(
            st.tuples(st.integers(1, 20), st.integers(1, 20)),
            st.tuples(st.integers(1, 12), st.integers(1, 12), st.just(3)),
        ),
        elements=st.sampled_from([0, 1, 100, 254, 255]),
    ),
    st.sampled_from(["gaussian", "jt2", "expjt2", "jt3", "nlin"]),
    st.sampled_from(["cues", "ncut", "spectral"]),
    st.one_of(st.just("auto"), st.integers(1, 5)),
)
def test_any_small_image_gets_valid_labels(image, kernel, merge_method, n_segments):
    labels = segjt.segment(image, n_segments=n_segments, kernel=kernel, merge_method=merge_method, block_size=8)
    assert_labels(labels, image.shape[:2])
    if n_segments != "auto":
        assert labels.max() <= n_segments


def test_extreme_exponents_give_valid_labels(crop):
    for kernel in ("expjt2", "expjt3"):
        assert_labels(segjt.segment(crop[:16, :16], kernel=kernel, t=500.0, n_segments=2), (16, 16))


def test_progress_is_reported(crop):
    seen = []
    segjt.segment(crop, block_size=16, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 12) for i in range(1, 13)]


def test_wrong_settings_are_errors(crop):
    with pytest.raises(ValueError, match="did you mean 'block_size'"):
        segjt.segment(crop, blocksize=8)
    with pytest.raises(ValueError, match=r"n_segments = 0"):
        segjt.segment(crop, n_segments=0)


@pytest.mark.parametrize("kernel", ["expjt2", "jt3"])
def test_the_usual_photograph_with_both_block_sizes(photograph, kernel):
    for block_size in (16, 32):
        labels = segjt.segment(photograph, n_segments=5, kernel=kernel, block_size=block_size)
        assert_labels(labels, photograph.shape[:2])
        assert labels.max() == 5


@pytest.mark.parametrize(
    ("stage", "changes"),
    [
        ("oversegment", {"distance_lambda": 0.5}),
        ("oversegment", {"distance_sigma": 8.0}),
        ("oversegment", {"segments_per_block": 3}),
        ("oversegment", {"block_size": 24}),
        ("oversegment", {"q": 0.2}),
        ("oversegment", {"t": 30.0}),
        ("ncut", {"power": 2.0}),
        ("ncut", {"bins": 3}),
        ("merge", {"merge_method": "spectral"}),
    ],
)
def test_every_parameter_has_an_effect(photograph, stage, changes):
    part = photograph[60:140, 80:200]
    if stage == "oversegment":
        assert (segjt.oversegment(part) != segjt.oversegment(part, **changes)).any()
    else:
        small = segjt.oversegment(part)
        before = {"merge_method": "ncut"} if stage == "ncut" else {}
        assert (segjt.merge(part, small, 30, **before) != segjt.merge(part, small, 30, **before | changes)).any()


def test_blocks_that_would_not_fit_in_memory_are_refused():
    image = np.random.default_rng(0).random((200, 200))
    with pytest.raises(
        ValueError, match=r"block_size = 200 needs \d+ GiB for one block of this image; choose 64 or less"
    ):
        segjt.segment(image, block_size=200)
    # What counts is the block, not its largest allowed side.
    assert segjt.segment(image[:20, :20], block_size=200, n_segments=2).max() == 2


def test_large_blocks_run_one_at_a_time():
    from segjt.superpixels.blocks import tile
    from segjt.superpixels.oversegmentation import affordable_workers

    assert affordable_workers(tile((300, 300), 16), segjt.Parameters(workers=64)) == 64
    assert affordable_workers(tile((180, 180), 90), segjt.Parameters(workers=64, block_size=90)) == 1


def test_low_rank_gives_fewer_segments_instead_of_noise(crop):
    # Without pixel distance the n-point linear kernel of three colours has rank 4 (errata 2.14).
    block = crop[:16, :16]
    V = make_kernel("nlin").log_affinity(block.reshape(-1, 3) / 255)
    assert cut_block(V, np.argwhere(np.ones((16, 16))).astype(float), 0.0, 2.0, 8, [0, 0]).max() < 4


def test_parameters_of_a_wrong_type(crop):
    with pytest.raises(TypeError, match=r"give segjt\.Parameters"):
        segjt.segment(crop, parameters={"kernel": "jt2"})
    with pytest.raises(TypeError, match="is not a name"):
        segjt.segment(crop, kernel=["jt2"])
    with pytest.raises(TypeError, match="give the number of the axis"):
        segjt.segment(crop, channel_axis="last")


def assert_connected(labels):
    """Every segment is one 4-connected part."""
    assert connected_parts(labels).max() == labels.max()


@pytest.mark.parametrize("kernel", ["expjt2", "gaussian", "jt3", "nlin", "relaxed_h"])
def test_every_cut_consists_of_connected_segments(photograph, kernel):
    image = photograph[60:160, 80:220]
    tree = segjt.hierarchy(image, kernel=kernel, block_size=16)
    for labels in (tree.initial, *tree.cuts([2, 5, 11, 40, 200]), tree.cut_at(-4.5)):
        assert_connected(labels)
    assert_connected(segjt.segment(image, 11, kernel=kernel, merge_method="ncut"))


def test_superpixels_that_fall_apart_are_split_before_they_are_merged(crop):
    stripes = (np.indices(crop.shape[:2])[1] // 4 % 2 + 1).astype(np.int32)  # two labels, sixteen stripes
    for method in ("cues", "ncut"):
        labels = segjt.merge(crop, stripes, 3, merge_method=method)
        assert labels.max() == 3
        assert_connected(labels)


def test_few_small_segments_are_added_by_splitting(photograph):
    """Parts of a few pixels join their neighbours: normalized cuts would separate them before anything else."""
    initial = segjt.oversegment(photograph, block_size=16)
    assert np.bincount(initial.ravel())[1:].min() >= 3
    sizes = np.bincount(segjt.segment(photograph, 6, merge_method="ncut", block_size=16).ravel())[1:]
    assert sizes.min() >= 9


def test_a_kernel_goes_where_its_name_goes(crop):
    kernel = make_kernel("jt2", q=0.5)
    expected = segjt.segment(crop, 4, kernel="jt2", q=0.5)
    assert (segjt.segment(crop, 4, kernel=kernel) == expected).all()
    assert (segjt.hierarchy(crop, kernel=kernel).cut(4) == expected).all()
    assert (segjt.Segmenter(kernel=kernel, n_segments=4).fit(crop).labels_ == expected).all()
    nested = make_kernel("normalized", kernel=make_kernel("npoint", kernel="gaussian"), order=0)
    assert_labels(segjt.oversegment(crop, kernel=nested), crop.shape[:2])
    whole = segjt.segment(crop, 4, method="whole", kernel=make_kernel("gaussian", sigma=0.1))
    assert (whole == segjt.segment(crop, 4, method="whole", kernel="gaussian", sigma=0.1)).all()
