"""Outlines move to where colours end: against the obvious version, and what must hold for every map of a tree."""

import numpy as np
import pytest
from reference.refinement import members_of
from reference.refinement import refine_outlines as obvious
from skimage.draw import disk

import segjt
from segjt.image import as_image
from segjt.labels import compact, connected_parts
from segjt.region_graph.pixel_levels import lab_levels
from segjt.trees import refinement
from segjt.trees.refinement import leaf_intervals, refine_outlines


def colours_of(pixels):
    """The colours of pixels in Lab units, as whole levels have them."""
    return pixels.levels[:, :, :-1] * np.array([channel.unit for channel in pixels.channels[:-1]])


@pytest.mark.parametrize("masked", [False, True])
def test_equals_the_obvious_version(crop, masked):
    piece = crop[:30, 10:40]
    mask = np.full(piece.shape[:2], True)
    if masked:
        mask[5:12, 8:20] = False
    tree = segjt.hierarchy(piece, mask=mask, outline_sweeps=0, block_size=10)
    pixels = lab_levels(as_image(piece, mask))
    fast = refine_outlines(tree.initial, tree.merges, tree.heights, pixels, 2)
    slow = obvious(tree.initial, tree.merges, tree.heights, colours_of(pixels), 2)
    assert (fast != tree.initial).sum() > 20
    assert (fast == slow).all()


def test_equals_the_obvious_version_in_noise():
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (20, 24, 3), dtype=np.uint8)
    tree = segjt.hierarchy(image, outline_sweeps=0)
    pixels = lab_levels(as_image(image))
    fast = refine_outlines(tree.initial, tree.merges, tree.heights, pixels, 3)
    assert (fast == obvious(tree.initial, tree.merges, tree.heights, colours_of(pixels), 3)).all()


def test_intervals_hold_the_segments_of_their_nodes():
    merges = np.array([[1, 3], [0, 4], [2, 5]])
    intervals, members = leaf_intervals(merges), members_of(merges.tolist())
    order = np.argsort(intervals[:4, 0])
    for (start, end), node in zip(intervals, members, strict=True):
        assert {int(k) + 1 for k in order[start:end]} == node


def test_every_map_stays_connected_and_nothing_vanishes(photograph):
    small = np.ascontiguousarray(photograph[60:160, 80:220])
    rough, tree = segjt.hierarchy(small, outline_sweeps=0), segjt.hierarchy(small, outline_sweeps=8)
    assert (tree.heights == rough.heights).all()
    assert (tree.merges >= len(tree)).tolist() == (rough.merges >= len(rough)).tolist()
    assert (compact(tree.initial) == tree.initial).all()
    assert tree.n_auto == rough.n_auto
    assert (tree.initial != rough.initial).any()
    for n in (2, 4, 9, 30, 100, len(tree)):
        assert connected_parts(tree.cut(n)).max() == tree.cut(n).max() == n


def test_a_round_outline_is_found_to_the_pixel():
    image = np.full((90, 90, 3), 60, np.uint8)
    image[disk((45, 43), 21.5)] = (150, 130, 90)
    noisy = np.clip(image + np.random.default_rng(1).normal(0, 12, image.shape), 0, 255).astype(np.uint8)
    truth = image[:, :, 0] == 150

    def wrong(sweeps):
        labels = segjt.segment(noisy, 2, outline_sweeps=sweeps)
        return ((labels == labels[45, 43]) != truth).sum()

    assert wrong(3) < 0.6 * wrong(0)
    assert wrong(3) < 20


def test_evidence_is_that_of_the_refined_segments(crop):
    tree = segjt.hierarchy(crop)
    sizes = np.bincount(tree.initial.ravel())[1:]
    levels = lab_levels(as_image(crop)).levels
    sums = [np.bincount(tree.initial.ravel(), levels[:, :, c].ravel())[1:] for c in range(3)]
    assert (tree.evidence.colours == np.stack(sums, 1)).all()
    assert sizes.min() >= 1


def test_merge_keeps_the_outlines_it_is_given(crop):
    small = segjt.oversegment(crop)
    merged = segjt.merge(crop, small, 5)
    assert len(np.unique(small.astype(np.int64) * 10 + merged)) == small.max()
    assert (merged == segjt.segment(crop, 5, outline_sweeps=0)).all()


def test_degenerate_images():
    for image in (np.zeros((1, 1), np.uint8), np.zeros((40, 40), np.uint8), np.zeros((1, 60), np.uint8)):
        assert segjt.hierarchy(image).initial.shape == image.shape
    nothing = segjt.hierarchy(np.zeros((20, 20), np.uint8), mask=np.zeros((20, 20), bool))
    assert not nothing.initial.any()


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_the_same_whatever_the_workers(photograph, workers, monkeypatch):
    monkeypatch.setattr(refinement, "ROWS_PER_WORKER", 9)
    piece = photograph[60:161, 80:200]
    tree = segjt.hierarchy(piece, outline_sweeps=0)
    tree_and_pixels = tree.initial, tree.merges, tree.heights, lab_levels(as_image(piece)), 3
    assert len(refinement.row_bands(101, workers)) == workers
    assert (refine_outlines(*tree_and_pixels, workers) == refine_outlines(*tree_and_pixels, 1)).all()


def test_bands_cover_all_rows():
    assert refinement.row_bands(1, 8) == [(0, 1)]
    assert refinement.row_bands(300, 8) == [(0, 150), (150, 300)]
    assert refinement.row_bands(2000, 3) == [(0, 666), (666, 1333), (1333, 2000)]
