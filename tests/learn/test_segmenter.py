import pickle

import numpy as np
import pytest
from sklearn.base import clone

import segjt
from segjt.fields import fields_of


def test_fit_is_segment(crop):
    segmenter = segjt.Segmenter(kernel="jt2", n_segments=4).fit(crop)
    assert (segmenter.labels_ == segjt.segment(crop, n_segments=4, kernel="jt2")).all()
    assert (segmenter.initial_labels_ == segjt.hierarchy(crop, kernel="jt2").initial).all()
    assert segmenter.n_segments_ == 4
    assert (segjt.Segmenter(kernel="jt2", n_segments=4).fit_predict(crop) == segmenter.labels_).all()


def test_parameters_are_those_of_parameters():
    assert set(segjt.Segmenter().get_params()) == set(fields_of(segjt.Parameters))
    assert segjt.Segmenter(bins=4).get_params()["bins"] == 4


def test_set_params_and_clone():
    original = segjt.Segmenter(kernel="jt2", q=0.5)
    copy = clone(original).set_params(q=1.5, block_size=32)
    assert (copy.q, copy.block_size, original.q, original.block_size) == (1.5, 32, 0.5, 12)
    assert pickle.loads(pickle.dumps(copy)).get_params() == copy.get_params()
    assert "q=1.5" in repr(copy)


def test_wrong_names_and_values():
    with pytest.raises(ValueError, match="did you mean 'kernel'"):
        segjt.Segmenter(kernal="jt2")
    with pytest.raises(ValueError, match="Invalid parameter 'kernal'"):
        segjt.Segmenter().set_params(kernal="jt2")
    with pytest.raises(ValueError, match=r"bins = 99 is out of range"):
        segjt.Segmenter(bins=99).fit(np.zeros((8, 8)))


def test_mask_and_channels():
    image = np.zeros((6, 12, 12))
    mask = np.ones((12, 12), bool)
    mask[0] = False
    segmenter = segjt.Segmenter().fit(image, mask=mask, channel_axis=0)
    assert ((segmenter.labels_ == 0) == ~mask).all()


def test_a_generator_seeds_it(crop):
    expected = segjt.segment(crop, n_segments=4, rng=np.random.default_rng(5))
    assert (segjt.Segmenter(n_segments=4, rng=np.random.default_rng(5)).fit(crop).labels_ == expected).all()


def test_presets_are_those_of_the_functions(crop):
    assert (segjt.Segmenter.preset("fast").fit_predict(crop) == segjt.segment(crop, preset="fast")).all()
    assert segjt.Segmenter.preset("paper").get_params()["power"] == 16
    with pytest.raises(ValueError, match="preset = 'fastest' is unknown"):
        segjt.Segmenter.preset("fastest")
