"""Nodes added up from sums over small segments are those of their masks."""

import numpy as np
import pytest
from reference.nodes import masks, node_facts

import segjt
from segjt.image import as_image
from segjt.region_graph.pixel_levels import PARTS, pixel_levels
from segjt.trees.merge_tree import MergeTree
from segjt.trees.nodes import all_nodes, ellipse_fills, segment_geometry


def seen_values(image, mask=None):
    """Return the colours as the merge sees them, in Lab units."""
    pixels = pixel_levels(as_image(image, mask), "lab", 8)
    units = [(channel.high - channel.low) / (PARTS * (channel.bins - 1)) for channel in pixels.channels[:-1]]
    return pixels.levels[:, :, :-1] * np.array(units)


@pytest.mark.parametrize("masked", [False, True])
def test_nodes_are_those_of_their_masks(photograph, masked):
    image = photograph[40:66, 60:92]
    mask = np.ones(image.shape[:2], bool)
    if masked:
        mask[:, 14] = mask[5:9, 3:11] = False
    tree = segjt.hierarchy(image, mask=mask)
    nodes = all_nodes(tree)
    values, found = seen_values(image, mask), masks(tree)
    assert len(nodes) == len(found) == 2 * len(tree) - 1
    for node in {0, 7, len(tree), *range(len(found) - 12, len(found))}:
        for name, expected in node_facts(found[node], tree.initial > 0, values).items():
            # Distances are stored in parts of a Lab unit, and of its root.
            tolerance = {"unlike": 0.05, "evenness": 0.05}.get(name, 1e-9)
            np.testing.assert_allclose(
                getattr(nodes, name)[node], expected, atol=tolerance, err_msg=f"{name} of {node}"
            )


def test_parents_seams_and_heights():
    image = np.zeros((12, 20), np.uint8)
    image[:, 10:] = 250
    tree = segjt.hierarchy(image, segments_per_block=1, block_size=10)
    nodes = all_nodes(tree)
    root = len(nodes) - 1
    assert nodes.parents[root] == root
    assert nodes.sizes[root] == 240
    assert nodes.outlines[root] == 0
    assert nodes.frames[root] == 64
    assert nodes.seams[root] == 12
    assert nodes.seam_steps[root] > 50
    assert nodes.seams[: len(tree)].max() == 0
    assert np.isneginf(nodes.made_at[: len(tree)]).all()
    assert np.isposinf(nodes.merged_at[root])
    np.testing.assert_array_equal(nodes.merged_at[tree.merges], np.stack([tree.heights] * 2, 1))
    (bright,) = [node for node in range(root) if nodes.sizes[node] == 120 and nodes.brighter[node] > 0]
    assert nodes.evenness[bright] > 0.99
    assert nodes.brighter[bright] == pytest.approx(nodes.unlike[bright], abs=0.1)


def test_an_ellipse_fills_itself():
    y, x = np.mgrid[:60, :80]
    ellipse = ((x - 40) / 30) ** 2 + ((y - 30) / 15) ** 2 < 1
    initial = np.where(ellipse, 1, 2).astype(np.int32)
    assert ellipse_fills(segment_geometry(initial, 2))[0] == pytest.approx(1.0, abs=0.01)
    tree = MergeTree(initial, np.array([[0, 1]]), np.array([-3.0]), 2)
    with pytest.raises(ValueError, match=r"the tree has no evidence of the pixels; make it with segjt\.hierarchy"):
        all_nodes(tree)
