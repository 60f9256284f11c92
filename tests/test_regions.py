import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from segjt.blocks import compact
from segjt.images import as_image
from segjt.regions import bhattacharyya, region_graph

label_maps = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.integers(0, 4))


def by_hand(labels):
    """Lengths of common edges, pixel by pixel."""
    lengths = {}
    for (y, x), label in np.ndenumerate(labels):
        for v, u in ((y + 1, x), (y, x + 1)):
            if v < labels.shape[0] and u < labels.shape[1]:
                other = labels[v, u]
                if label and other and label != other:
                    for pair in ((label - 1, other - 1), (other - 1, label - 1)):
                        lengths[pair] = lengths.get(pair, 0) + 1
    return lengths


@given(label_maps)
def test_contacts_agree_with_counting_by_hand(labels):
    labels = compact(labels)
    graph = region_graph(as_image(np.zeros(labels.shape)), labels, 4)
    found = dict(
        zip(zip(graph.sources().tolist(), graph.indices.tolist(), strict=True), graph.lengths.tolist(), strict=True)
    )
    assert found == by_hand(labels)
    assert graph.sizes.tolist() == [int((labels == k).sum()) for k in range(1, labels.max() + 1)]


@given(label_maps, st.integers(2, 32), st.integers(0, 10**6))
def test_histograms_are_counts(labels, bins, seed):
    labels = compact(labels)
    pixels = np.random.default_rng(seed).integers(0, 256, (*labels.shape, 3), dtype=np.uint8)
    graph = region_graph(as_image(pixels), labels, bins)
    assert graph.histograms.shape == (labels.max(), 3, bins)
    for k in range(len(graph)):
        for channel in range(3):
            values = pixels[labels == k + 1][:, channel] / 255
            expected = np.histogram(values, bins=bins, range=(0, 1))[0]
            assert (
                abs(graph.histograms[k, channel] - expected).sum() <= 2 * np.isin(values * bins, range(1, bins)).sum()
            )
            assert graph.histograms[k, channel].sum() == graph.sizes[k]


def test_large_images_go_row_by_row(monkeypatch, crop):
    labels = compact(np.arange(crop.shape[0] * crop.shape[1]).reshape(crop.shape[:2]) // 200)
    whole = region_graph(as_image(crop), labels, 8)
    monkeypatch.setattr("segjt.regions.ROWS_AT_A_TIME", 7)
    assert (region_graph(as_image(crop), labels, 8).histograms == whole.histograms).all()


def test_bhattacharyya_by_hand():
    # Left: values 0, 0, 0.9, 0.9; right: 0, 0.9, 0.9, 0.9. Two bins: (1/2, 1/2) and (1/4, 3/4).
    pixels = np.array([[0, 0, 0, 0.9], [0.9, 0.9, 0.9, 0.9]])
    labels = np.array([[1, 1, 2, 2], [1, 1, 2, 2]], np.int32)
    expected = np.sqrt(1 / 2 * 1 / 4) + np.sqrt(1 / 2 * 3 / 4)
    np.testing.assert_allclose(bhattacharyya(region_graph(as_image(pixels), labels, 2)), [expected, expected])


def test_bhattacharyya_of_black_and_white_is_zero_and_of_equals_one():
    labels = np.array([[1, 2, 3]], np.int32)
    graph = region_graph(as_image(np.array([[0.0, 1.0, 1.0]])), labels, 8)
    assert bhattacharyya(graph).tolist() == [0.0, 0.0, 1.0, 1.0]
