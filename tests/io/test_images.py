"""Every kind of file a user may bring, written by the libraries that usually write them."""

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image as pillow

from segjt.io import read_image
from segjt.io.decoding import orient


@pytest.fixture(scope="module")
def rgb():
    return np.random.default_rng(0).integers(0, 256, (11, 17, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def deep():
    return np.random.default_rng(1).integers(0, 65536, (11, 17, 3), dtype=np.uint16)


@pytest.mark.parametrize("suffix", [".png", ".tif", ".bmp", ".webp"])
def test_colour(tmp_path, rgb, suffix):
    path = tmp_path / f"a{suffix}"
    pillow.fromarray(rgb).save(path, **({"lossless": True} if suffix == ".webp" else {}))
    image = read_image(path)
    assert (image.pixels == rgb).all()
    assert image.mask.all()


def test_jpeg_is_close(tmp_path, photograph):
    pillow.fromarray(photograph).save(tmp_path / "a.jpg", quality=95)
    difference = read_image(tmp_path / "a.jpg").pixels.astype(int) - photograph
    assert abs(difference).mean() < 3


@pytest.mark.parametrize("suffix", [".png", ".tif", ".bmp", ".jpg"])
def test_grey_has_one_channel(tmp_path, rgb, suffix):
    pillow.fromarray(rgb[:, :, 0]).save(tmp_path / f"a{suffix}")
    assert read_image(tmp_path / f"a{suffix}").channels == 1


def test_16_bits_stay_16_bits(tmp_path, deep):
    cv2.imwrite(str(tmp_path / "rgb.png"), deep[:, :, ::-1])
    assert (read_image(tmp_path / "rgb.png").pixels == deep).all()
    pillow.fromarray(deep[:, :, 0]).save(tmp_path / "grey.png")
    assert (read_image(tmp_path / "grey.png").pixels[:, :, 0] == deep[:, :, 0]).all()
    tifffile.imwrite(tmp_path / "rgb.tif", deep)
    assert (read_image(tmp_path / "rgb.tif").pixels == deep).all()


def test_alpha_in_8_and_16_bits(tmp_path, rgb, deep):
    alpha = np.full((11, 17), 255, np.uint8)
    alpha[2:5] = 0
    pillow.fromarray(np.dstack([rgb, alpha])).save(tmp_path / "rgba.png")
    pillow.fromarray(np.dstack([rgb[:, :, 0], alpha])).save(tmp_path / "la.png")
    pillow.fromarray(np.dstack([rgb, alpha])).save(tmp_path / "rgba.tif")
    pillow.fromarray(np.dstack([rgb, alpha])).save(tmp_path / "rgba.webp", lossless=True, exact=True)
    cv2.imwrite(str(tmp_path / "deep.png"), np.dstack([deep[:, :, ::-1], alpha.astype(np.uint16) * 257]))
    for name, pixels in (
        ("rgba.png", rgb),
        ("la.png", rgb[:, :, :1]),
        ("rgba.tif", rgb),
        ("rgba.webp", rgb),
        ("deep.png", deep),
    ):
        image = read_image(tmp_path / name)
        assert (image.mask == (alpha > 0)).all(), name
        assert (image.pixels == pixels).all(), name


def test_palette_black_and_white_and_cmyk(tmp_path, rgb):
    paletted = pillow.fromarray(rgb).quantize(16)
    expected = np.asarray(paletted.convert("RGB"))
    for name in ("p.png", "p.tif", "p.bmp"):
        paletted.save(tmp_path / name)
        np.testing.assert_allclose(read_image(tmp_path / name).values(), expected / 255, atol=1e-4)
    bits = pillow.fromarray(rgb).convert("1")
    for name in ("1.png", "1.tif", "1.bmp"):
        bits.save(tmp_path / name)
        assert (read_image(tmp_path / name).values()[:, :, 0] == np.asarray(bits)).all(), name
    cmyk = pillow.fromarray(rgb).convert("CMYK")
    for name in ("c.tif", "c.jpg"):
        cmyk.save(tmp_path / name)
        assert read_image(tmp_path / name).channels == 3
    tifffile.imwrite(tmp_path / "white.tif", rgb[:, :, 0], photometric="miniswhite")
    assert (read_image(tmp_path / "white.tif").pixels[:, :, 0] == 255 - rgb[:, :, 0]).all()


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", "deep.png"])
def test_exif_orientation(tmp_path, orientation, suffix):
    """Pillow writes the tag and says itself what the picture should look like."""
    from PIL import ImageOps

    exif = pillow.Exif()
    exif[274] = orientation
    path = tmp_path / f"a{suffix}"
    stored = np.zeros((16, 24, 3), np.uint8)
    stored[:8, :8] = 250
    if suffix == "deep.png":
        ok, data = cv2.imencode(".png", stored[:, :, ::-1].astype(np.uint16) * 257)
        assert ok
        chunk = b"eXIf" + exif.tobytes().removeprefix(b"Exif\0\0")
        import struct
        import zlib

        block = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        path.write_bytes(data.tobytes()[:33] + block + data.tobytes()[33:])
        expected = orient(stored, orientation)
    else:
        options = {"tiffinfo": {274: orientation}} if suffix == ".tif" else {"exif": exif}
        pillow.fromarray(stored).save(path, **options)
        expected = np.asarray(ImageOps.exif_transpose(pillow.open(path)))
    values = read_image(path).values()
    assert values.shape == expected.shape
    assert ((values > 0.5) == (expected > 127)).all()


def test_pages(tmp_path, rgb):
    pages = np.stack([rgb[:, :, 0], rgb[:, :, 1], rgb[:, :, 2]])
    tifffile.imwrite(tmp_path / "stack.tif", pages, photometric="minisblack")
    frames = [pillow.fromarray(page) for page in pages]
    frames[0].save(tmp_path / "pages.tif", save_all=True, append_images=frames[1:])
    frames[0].save(tmp_path / "pages.webp", save_all=True, append_images=frames[1:], lossless=True)
    for name in ("stack.tif", "pages.tif", "pages.webp"):
        with pytest.raises(ValueError, match=r"has 3 pages; choose one with --page .* from 0 to 2"):
            read_image(tmp_path / name)
        assert (read_image(tmp_path / name, page=1).pixels[:, :, 0] == pages[1]).all(), name
        for page in (3, -1):
            with pytest.raises(ValueError, match=rf"page {page} does not exist; the file has 3"):
                read_image(tmp_path / name, page=page)


def test_names_with_spaces_and_other_alphabets(tmp_path, rgb):
    path = tmp_path / "ein Bild, 写真 é.png"
    pillow.fromarray(rgb).save(path)
    assert (read_image(path).pixels == rgb).all()
    assert (read_image(str(path)).pixels == rgb).all()


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", ".bmp", ".webp", "lzw.tif", "deep.png"])
@pytest.mark.parametrize("part", [0.02, 0.5, 0.9])
def test_cut_short(tmp_path, photograph, suffix, part):
    path = tmp_path / f"a{suffix}"
    if suffix == "lzw.tif":
        tifffile.imwrite(path, photograph, compression="lzw")
    elif suffix == "deep.png":
        cv2.imwrite(str(path), photograph.astype(np.uint16) * 257)
    else:
        pillow.fromarray(photograph).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ValueError, match=rf"a{suffix}: .*(damaged or cut short|not an image)"):
        read_image(path)


def test_not_images(tmp_path):
    (tmp_path / "text.png").write_text("not a picture")
    (tmp_path / "empty.tif").touch()
    (tmp_path / "fake.tif").write_bytes(b"II*\0" + bytes(40))
    with pytest.raises(ValueError, match=r"text\.png: not an image that can be read; give PNG"):
        read_image(tmp_path / "text.png")
    with pytest.raises(ValueError, match=r"empty\.tif: the file is empty"):
        read_image(tmp_path / "empty.tif")
    with pytest.raises(ValueError, match=r"fake\.tif: the image is damaged"):
        read_image(tmp_path / "fake.tif")
    with pytest.raises(FileNotFoundError, match=r"none\.png: no such file"):
        read_image(tmp_path / "none.png")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_image(tmp_path)


def test_other_formats_are_refused(tmp_path):
    (tmp_path / "a.pfm").write_bytes(b"Pf\n2 2\n-1.0\n" + np.full(4, 0.5, "<f4").tobytes())
    with pytest.raises(ValueError, match=r"a\.pfm: not an image that can be read; give PNG"):
        read_image(tmp_path / "a.pfm")
