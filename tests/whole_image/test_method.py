"""Paper 001's whole-image method, end to end."""

import numpy as np
import pytest
from PIL import Image

import segjt
from segjt.evaluation.scores import best_f_measure, region_f_measures
from segjt.labels import connected_parts
from segjt.whole_image import method as whole


@pytest.mark.parametrize("name", ["cells", "landscape", "quilt"])
def test_samples_are_segmented_as_they_were_drawn(samples, name):
    image, truth = samples[name]
    # Left to itself, it takes the nucleus of a cell as part of it.
    n = 4 if name == "cells" else "auto"
    labels = segjt.segment(image, n, method="whole", kernel="gaussian", sigma=0.1)
    assert labels.max() == 4
    assert min(region_f_measures(labels, truth).values()) > 0.98


def test_edges_follow_the_image_at_full_size():
    y, x = np.mgrid[:300, :400]
    disc = np.hypot(y - 150, x - 190) < 90
    rng = np.random.default_rng(0)
    image = np.where(disc[:, :, None], [0.7, 0.4, 0.2], [0.2, 0.5, 0.7]) + rng.normal(0, 0.02, (300, 400, 3))
    labels = segjt.segment(image.clip(0, 1), method="whole", kernel="gaussian", n_segments=2)
    assert best_f_measure(labels, disc) > 0.995


def ncut(M, groups):
    """The normalized cut of a partition of the pixels."""
    return sum(M[groups == g][:, groups != g].sum() / M[groups == g].sum() for g in np.unique(groups))


@pytest.mark.parametrize("seed", range(5))
def test_merging_neighbours_reduces_ncut_of_the_pixel_graph_most(seed):
    """Against Ncut from the pixels' affinities, for every pair of groups that touch."""
    rng = np.random.default_rng(seed)
    A = rng.random((40, 40)) * (rng.random((40, 40)) < 0.5)
    M = A + A.T + np.eye(40)
    clusters = np.arange(40) % 7
    member = np.eye(7)[clusters]
    pairs = np.array([(i, (i + 1) % 7) for i in range(7)] + [(0, 3)])  # a ring and a chord
    for n in range(6, 0, -1):
        earlier, now = (whole.merge_neighbours(member.T @ M @ member, pairs, k) for k in (n + 1, n))
        touching = {tuple(sorted(pair)) for pair in earlier[pairs].tolist() if pair[0] != pair[1]}
        before = earlier[clusters]
        best = min(ncut(M, np.where(before == b, a, before)) for a, b in touching)
        assert len(np.unique(now)) == n
        np.testing.assert_allclose(ncut(M, now[clusters]), best, atol=1e-12)


def test_only_neighbours_are_merged():
    """Stripes of grey 0.1, 0.5 and 0.9: the outer ones do not touch, however alike the cut would like them to be."""
    grey = np.repeat([0.1, 0.5, 0.9], [10, 30, 10])[None].repeat(40, 0)
    image = np.clip(grey + np.random.default_rng(0).normal(0, 0.01, grey.shape), 0, 1)
    labels = segjt.segment(image, 2, method="whole", kernel="gaussian", sigma=0.1, clusters=3)
    left, middle, right = labels[:, :10], labels[:, 10:40], labels[:, 40:]
    assert all(len(np.unique(stripe)) == 1 for stripe in (left, middle, right))
    assert left[0, 0] != right[0, 0]


@pytest.mark.parametrize("n", [3, 9])
def test_segments_are_connected(photograph, n):
    for labels in whole_maps(photograph, n):
        assert connected_parts(labels).max() == labels.max()


def whole_maps(image, n):
    fitted = segjt.Segmenter(method="whole", kernel="gaussian", sigma=0.05, n_segments=n).fit(image)
    return fitted.initial_labels_, fitted.labels_


def test_number_of_clusters_and_segments(crop):
    small = segjt.oversegment(crop, method="whole", clusters=7)
    assert small.max() >= 7  # clusters that fall apart are several small segments
    assert segjt.segment(crop, method="whole", clusters=7, n_segments=3).max() == 3
    fitted = segjt.Segmenter(method="whole", clusters=7, n_segments=3).fit(crop)
    assert (fitted.initial_labels_ == small).all()
    # Segments are unions of clusters.
    pairs = {(a, b) for a, b in zip(small.ravel().tolist(), fitted.labels_.ravel().tolist(), strict=True)}
    assert len(pairs) == small.max()


def test_more_segments_than_clusters(crop):
    """As many clusters are made as there shall be segments."""
    assert segjt.segment(crop, 14, method="whole", kernel="gaussian").max() == 14
    assert segjt.segment(crop, 14, method="whole", kernel="gaussian", clusters=3).max() == 14
    with pytest.raises(ValueError, match=r"n_segments = 500 is more than method = 'whole' can find, which is 200"):
        segjt.segment(crop, 500, method="whole")


def test_many_islands_of_a_mask(crop):
    mask = np.zeros(crop.shape[:2], bool)
    for corner in ((slice(0, 12), slice(0, 16)), (slice(30, 48), slice(0, 16)), (slice(0, 12), slice(40, 64))):
        mask[corner] = True
    mask[30:48, 40:64] = True
    for n in (1, 2, 3):
        assert segjt.segment(crop, n, method="whole", kernel="gaussian", mask=mask, radius=3).max() == n


def test_the_seed_reaches_k_means(photograph):
    maps = [segjt.oversegment(photograph, method="whole", clusters=25, working_size=32, rng=seed) for seed in range(4)]
    assert any((maps[0] != other).any() for other in maps[1:])


def test_a_black_image_gives_no_warning(recwarn):
    for kernel in ("jt2", "linear", "nlin"):
        assert (segjt.segment(np.zeros((30, 30, 3), np.uint8), method="whole", kernel=kernel) == 1).all()
        islands = np.ones((30, 30), bool)
        islands[:, 15] = False
        assert segjt.segment(np.zeros((30, 30)), 1, method="whole", kernel=kernel, mask=islands).max() == 1
    assert not recwarn.list


def test_auto_finds_the_number():
    image = np.zeros((60, 90, 3))
    image[:, :30], image[:, 30:60], image[:, 60:] = [0.8, 0.2, 0.2], [0.2, 0.7, 0.3], [0.2, 0.3, 0.8]
    image = (image + np.random.default_rng(0).normal(0, 0.02, image.shape)).clip(0, 1)
    assert segjt.segment(image, method="whole", kernel="gaussian").max() == 3


@pytest.mark.parametrize("kernel", ["gaussian", "jt2", "nlin", "js", "relaxed_h", "normalized"])
def test_kernels_and_features(crop, kernel):
    labels = segjt.segment(crop, method="whole", kernel=kernel, n_segments=3, working_size=24)
    assert labels.max() == 3
    assert labels.shape == crop.shape[:2]


def test_masks_flat_and_tiny_images(crop):
    mask = np.ones(crop.shape[:2], bool)
    mask[:, 20:24] = False
    labels = segjt.segment(crop, method="whole", mask=mask, n_segments=2, radius=3)
    assert ((labels == 0) == ~mask).all()
    assert labels.max() == 2  # parts that the mask has separated can be joined
    assert (segjt.segment(np.full((50, 70), 0.4), method="whole") == 1).all()
    assert (segjt.segment(np.zeros((50, 70)), method="whole") == 1).all()
    assert segjt.segment(np.zeros((1, 1)), method="whole").tolist() == [[1]]
    assert not segjt.segment(crop, method="whole", mask=np.zeros(crop.shape[:2], bool)).any()


def test_same_labels_whatever_the_workers(crop):
    first = segjt.segment(crop, method="whole", n_segments=4, workers=1)
    assert (segjt.segment(crop, method="whole", n_segments=4, workers=2) == first).all()


def test_too_large_a_working_size_is_refused(crop):
    big = np.zeros((400, 500))
    with pytest.raises(ValueError, match=r"working_size = 200 makes an image of 187 x 150 pixels.*method = 'blocks'"):
        segjt.segment(big, method="whole", working_size=200)


def test_command_line(run, tmp_path, photograph):
    path = tmp_path / "coffee.png"
    Image.fromarray(photograph).save(path)
    done = run("segment", path, "--method", "whole", "--kernel", "gaussian", "--n-segments", "5", "--show-stages")
    assert done.returncode == 0
    assert "5 segments" in done.stdout
    assert (tmp_path / "coffee_initial.png").exists()
