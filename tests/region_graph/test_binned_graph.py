import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from reference import regions as reference

from segjt.image import as_image
from segjt.labels import compact
from segjt.merging.affinities import bhattacharyya_coefficients
from segjt.region_graph.graph import region_graph
from segjt.region_graph.pixel_levels import PARTS, colour_levels

label_maps = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.integers(0, 4))


def binned_graph(image, labels, bins):
    """The graph as the papers' merges see it."""
    return region_graph(colour_levels(image, bins), labels)


def counts(graph):
    """Its histograms as pixels by channel and bin."""
    assert not (graph.histograms % PARTS).any()
    return graph.histograms.reshape(len(graph), len(graph.channels), graph.channels[0].bins) // PARTS


def by_hand(labels):
    """Lengths of common edges, pixel by pixel."""
    lengths = {}
    for (y, x), label in np.ndenumerate(labels):
        for v, u in ((y + 1, x), (y, x + 1)):
            if v < labels.shape[0] and u < labels.shape[1]:
                other = labels[v, u]
                if label and other and label != other:
                    pair = tuple(sorted((int(label) - 1, int(other) - 1)))
                    lengths[pair] = lengths.get(pair, 0) + 1
    return lengths


@given(label_maps)
def test_contacts_agree_with_counting_by_hand(labels):
    labels = compact(labels)
    graph = binned_graph(as_image(np.zeros(labels.shape)), labels, 4)
    lengths = dict(zip(map(tuple, graph.ends.tolist()), graph.lengths.tolist(), strict=True))
    assert lengths == by_hand(labels)
    assert graph.sizes.tolist() == [int((labels == k).sum()) for k in range(1, labels.max() + 1)]


@given(label_maps, st.integers(2, 32), st.integers(0, 10**6))
def test_histograms_are_counts(labels, bins, seed):
    labels = compact(labels)
    pixels = np.random.default_rng(seed).integers(0, 256, (*labels.shape, 3), dtype=np.uint8)
    graph = binned_graph(as_image(pixels), labels, bins)
    histograms = counts(graph)
    assert histograms.shape == (labels.max(), 3, bins)
    for k in range(len(graph)):
        for channel in range(3):
            values = pixels[labels == k + 1][:, channel] / 255
            expected = np.histogram(values, bins=bins, range=(0, 1))[0]
            assert abs(histograms[k, channel] - expected).sum() <= 2 * np.isin(values * bins, range(1, bins)).sum()
            assert histograms[k, channel].sum() == graph.sizes[k]


def test_float_images_go_row_by_row(monkeypatch, crop):
    whole = colour_levels(as_image(crop / 255), 8)
    monkeypatch.setattr("segjt.region_graph.pixel_levels.PIXELS_AT_A_TIME", 200)
    assert (colour_levels(as_image(crop / 255), 8).levels == whole.levels).all()
    assert (colour_levels(as_image(crop), 8).levels == whole.levels).all()


def test_bhattacharyya_by_hand():
    # Left: values 0, 0, 0.9, 0.9; right: 0, 0.9, 0.9, 0.9. Two bins: (1/2, 1/2) and (1/4, 3/4).
    pixels = np.array([[0, 0, 0, 0.9], [0.9, 0.9, 0.9, 0.9]])
    labels = np.array([[1, 1, 2, 2], [1, 1, 2, 2]], np.int32)
    expected = np.sqrt(1 / 2 * 1 / 4) + np.sqrt(1 / 2 * 3 / 4)
    graph = binned_graph(as_image(pixels), labels, 2)
    np.testing.assert_allclose(bhattacharyya_coefficients(graph, graph.ends), [expected])


def test_bhattacharyya_of_black_and_white_is_zero_and_of_equals_one():
    labels = np.array([[1, 2, 3]], np.int32)
    graph = binned_graph(as_image(np.array([[0.0, 1.0, 1.0]])), labels, 8)
    assert bhattacharyya_coefficients(graph, graph.ends).tolist() == [0.0, 1.0]


def random_pixels(rng, shape, dtype):
    """Pixels that fall on the borders of bins as well, and 0 and 1."""
    if np.dtype(dtype).kind == "u":
        return rng.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)
    return (rng.integers(0, 33, shape) / 32).astype(dtype)


def assert_is_the_reference(image, labels, bins):
    graph, expected = binned_graph(image, labels, bins), reference.region_graph(image, labels, bins)
    for name in ("sizes", "ends", "lengths"):
        np.testing.assert_array_equal(getattr(graph, name), expected[name], err_msg=name)
    np.testing.assert_array_equal(counts(graph), expected["histograms"])
    coefficients = bhattacharyya_coefficients(graph, graph.ends)
    np.testing.assert_allclose(coefficients, reference.bhattacharyya(expected), rtol=1e-14, atol=0)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32", "float64"])
@pytest.mark.parametrize("channels", [1, 3, 5])
@pytest.mark.parametrize("regions", [1, 2, 30, 10**6])
@pytest.mark.parametrize("shape", [(1, 1), (1, 17), (23, 1), (19, 40)])
def test_the_graph_is_that_of_the_obvious_version(dtype, channels, regions, shape):
    rng = np.random.default_rng(regions)
    for masked in (0.0, 0.3):
        labels = compact(rng.integers(1, regions, shape, endpoint=True) * (rng.random(shape) >= masked))
        pixels = random_pixels(rng, (*shape, channels), dtype)
        image = as_image(pixels, labels > 0, channel_axis=-1)
        for bins in (2, 7, 8, 32):
            assert_is_the_reference(image, labels, bins)


def test_large_segments_and_many_contacts_between_few():
    # Rows that alternate between two labels, more rows than are counted at a time, and colours in another memory order.
    labels = np.repeat(np.arange(600) % 2 + 1, 50).reshape(600, 50).astype(np.int32)
    pixels = np.random.default_rng(0).integers(0, 256, (3, 600, 50), dtype=np.uint8)
    assert_is_the_reference(as_image(pixels, channel_axis=0), labels, 8)


def test_one_segment_that_touches_thousands():
    labels = np.ones((200, 200), np.int32)
    labels[1::2, 1::2] = np.arange(2, 10002).reshape(100, 100)
    assert_is_the_reference(as_image(np.random.default_rng(0).random((200, 200))), labels, 8)


def test_a_photograph_cut_into_squares(photograph):
    rows, columns = np.indices(photograph.shape[:2]) // 5
    assert_is_the_reference(as_image(photograph), compact(rows * 100 + columns), 8)


def test_nothing_but_masked_pixels(crop):
    labels = np.zeros(crop.shape[:2], np.int32)
    graph = binned_graph(as_image(crop, labels > 0), labels, 8)
    assert len(graph) == len(graph.ends) == 0
