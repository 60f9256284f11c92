import numpy as np
import pytest

from segjt.datasets import load_sample, make_samples, sample_names


def test_names():
    assert sample_names() == ["cells", "landscape", "quilt"]
    with pytest.raises(ValueError, match=r"'quild' \(did you mean 'quilt'\?\)"):
        load_sample("quild")


@pytest.mark.parametrize("name", ["cells", "landscape", "quilt"])
def test_stored_samples_are_what_the_script_draws(name):
    image, truth = load_sample(name)
    drawn, drawn_truth = make_samples.draw_sample(name)
    assert (truth == drawn_truth).all()
    # sin and exp may differ in the last bit between machines.
    assert np.abs(image.astype(int) - drawn).max() <= 1
    assert image.shape == (192, 256, 3)
    assert np.unique(truth).tolist() == [1, 2, 3, 4]


def test_script_writes_all_files(tmp_path, monkeypatch):
    monkeypatch.setattr(make_samples, "SAMPLES_FOLDER", tmp_path)
    make_samples.main()
    assert len(list(tmp_path.glob("*.png"))) == 6
