"""Label maps keep every label."""

import io

import numpy as np
import pytest
import tifffile
from PIL import Image as pillow

from segjt.io import encode_labels, read_labels, write_labels


@pytest.mark.parametrize(
    ("most", "suffix", "dtype"), [(1, ".png", "uint16"), (65535, ".png", "uint16"), (65536, ".tif", "uint32")]
)
def test_labels_are_never_8_bits(tmp_path, most, suffix, dtype):
    labels = np.array([[0, 1], [most, most]], np.int32)
    path = write_labels(tmp_path / "a.png", labels)
    assert path.suffix == suffix
    stored = tifffile.imread(path) if suffix == ".tif" else np.asarray(pillow.open(path))
    assert stored.dtype == dtype
    assert (stored == labels).all()
    assert (read_labels(path) == labels).all()
    assert read_labels(path).dtype == np.int32


def test_encoded_labels_are_png():
    assert pillow.open(io.BytesIO(encode_labels(np.ones((2, 2), np.int32)))).format == "PNG"
