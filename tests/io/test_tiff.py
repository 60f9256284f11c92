"""TIFF files of all kinds, written by the libraries that usually write them."""

import numpy as np
import pytest
import tifffile
from PIL import Image as pillow

from segjt.io import read_image
from segjt.io.decoding import orient


@pytest.mark.parametrize("compression", [None, "lzw", "zlib", "packbits", "jpeg", "zstd"])
def test_compressed_tiff(tmp_path, photograph, compression):
    tifffile.imwrite(tmp_path / "a.tif", photograph, compression=compression, photometric="rgb")
    difference = read_image(tmp_path / "a.tif").pixels.astype(int) - photograph
    assert abs(difference).mean() < (5 if compression == "jpeg" else 1e-9)


def test_multichannel_tiff(tmp_path):
    bands = np.random.default_rng(0).integers(0, 65536, (11, 17, 6), dtype=np.uint16)
    tifffile.imwrite(tmp_path / "contig.tif", bands, photometric="minisblack", planarconfig="contig")
    tifffile.imwrite(
        tmp_path / "separate.tif", np.moveaxis(bands, 2, 0), photometric="minisblack", planarconfig="separate"
    )
    tifffile.imwrite(tmp_path / "imagej.tif", np.moveaxis(bands, 2, 0), imagej=True, metadata={"axes": "CYX"})
    for name in ("contig.tif", "separate.tif", "imagej.tif"):
        assert (read_image(tmp_path / name).pixels == bands).all(), name


def test_four_bands_without_alpha_are_four_bands(tmp_path):
    bands = np.random.default_rng(0).integers(0, 256, (11, 17, 4), dtype=np.uint8)
    tifffile.imwrite(tmp_path / "a.tif", bands, photometric="rgb", extrasamples=["unspecified"])
    assert (read_image(tmp_path / "a.tif").pixels == bands).all()
    tifffile.imwrite(tmp_path / "b.tif", bands, photometric="rgb", extrasamples=["unassalpha"])
    assert read_image(tmp_path / "b.tif").channels == 3


def test_float_tiff(tmp_path):
    values = np.random.default_rng(0).random((11, 17), dtype=np.float32)
    tifffile.imwrite(tmp_path / "a.tif", values)
    assert (read_image(tmp_path / "a.tif").pixels[:, :, 0] == values).all()
    tifffile.imwrite(tmp_path / "b.tif", values * 300)
    with pytest.raises(ValueError, match=r"b\.tif: the image is .* float images lie in \[0, 1\]"):
        read_image(tmp_path / "b.tif")
    tifffile.imwrite(tmp_path / "c.tif", (values * 300).astype(np.int16))
    with pytest.raises(TypeError, match=r"c\.tif: the image has dtype int16"):
        read_image(tmp_path / "c.tif")


def test_ycbcr_tiff_is_converted(tmp_path, photograph):
    pillow.fromarray(photograph).convert("YCbCr").save(tmp_path / "a.tif")
    assert abs(read_image(tmp_path / "a.tif").pixels.astype(int) - photograph).mean() < 2


def test_volumes_are_refused(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((16, 32, 32), np.uint8), volumetric=True, tile=(16, 32, 32))
    with pytest.raises(ValueError, match=r"a\.tif: the page has axes ZYX; give a two-dimensional image"):
        read_image(tmp_path / "a.tif")


def test_cmyk_tiff_is_oriented(tmp_path):
    stored = np.zeros((8, 16, 3), np.uint8)
    stored[:4, :4] = 250
    pillow.fromarray(stored).convert("CMYK").save(tmp_path / "a.tif", tiffinfo={274: 6})
    assert ((read_image(tmp_path / "a.tif").pixels > 127) == (orient(stored, 6) > 127)).all()
