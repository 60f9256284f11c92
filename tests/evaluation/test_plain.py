"""segjt against the papers' method in plain numpy and scikit-learn: the same affinities, nearly the same segments."""

import numpy as np
import pytest
from reference import kmeans as obvious
from sklearn.metrics import adjusted_rand_score

import segjt
from segjt.datasets import weizmann
from segjt.evaluation import plain
from segjt.evaluation.agreement import agreement
from segjt.kernels import make_kernel
from segjt.labels import connected_segments
from segjt.superpixels.blocks import tile
from segjt.superpixels.oversegmentation import SMALLEST_PART


@pytest.mark.parametrize("name", plain.KERNELS)
def test_kernels_are_the_same(name, crop):
    X = crop[:16, :16].reshape(-1, 3) / 255
    np.testing.assert_allclose(plain.KERNELS[name](X), make_kernel(name)(X), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("name", "tolerance"), [("jt3", 1e-10), ("expjt3", 1e-6)])
def test_three_point_kernels_are_the_same(name, tolerance, crop):
    X = crop[:12, :12].reshape(-1, 3) / 255
    np.testing.assert_allclose(plain.SLOW_KERNELS[name](X), make_kernel(name)(X), rtol=tolerance)


@pytest.mark.parametrize("name", plain.SAMPLED_KERNELS)
def test_sampled_kernels_draw_the_same_tuples(name, crop):
    X = crop[:16, :16].reshape(-1, 3) / 255
    np.testing.assert_allclose(plain.SAMPLED_KERNELS[name](X), make_kernel(name)(X), rtol=1e-10)


@pytest.mark.parametrize("name", plain.KERNELS)
def test_segments_are_nearly_the_same(name, photograph):
    """Block by block, with k-means from the same starts: affinities, eigenvectors and k-means are all compared."""
    part = np.ascontiguousarray(photograph[48:144, 80:208])
    fast = segjt.oversegment(part, kernel=name, block_size=16)
    scores = []
    for block in tile(part.shape[:2], 16):

        def cluster(rows, k, block=block):
            return obvious.kmeans(rows[:, ::-1], k, np.random.default_rng([0, block.index]))

        slow = plain.segment_block(part[block.rows, block.columns], plain.KERNELS[name], 8, cluster)
        slow = connected_segments(slow, int(SMALLEST_PART * slow.size))
        scores.append(adjusted_rand_score(fast[block.rows, block.columns].ravel(), slow.ravel()))
    assert len(scores) == 48
    assert np.median(scores) >= 0.99
    assert np.mean(scores) >= 0.97


def test_the_plain_pipeline_runs(crop):
    labels = plain.oversegment(crop, "expjt2", 16)
    assert labels.shape == crop.shape[:2]
    assert set(np.unique(labels)) == set(range(1, labels.max() + 1))


def test_degenerate_blocks():
    image = np.zeros((20, 20, 3), np.uint8)
    assert (np.unique(plain.oversegment(image, "jt2", 16)) == [1, 2, 3, 4]).all()
    image[:, 10:] = 200
    assert plain.oversegment(image, "jt2", 20).max() == 2


def test_agreement_on_real_images(data_folder):
    """What `python -m segjt.evaluation.agreement` measures on all images."""
    images = [item.image() for item in weizmann(data_folder)[::20]]
    scores = [agreement(image, "expjt2", 16) for image in images]
    assert len(scores) == 3
    assert np.median(scores) >= 0.99
    assert np.median([agreement(image, "jt3", 12, some=2) for image in images]) >= 0.99
