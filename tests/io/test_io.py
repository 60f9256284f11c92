"""Every kind of file a user may bring, written by the libraries that usually write them."""

import errno
import io

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image as pillow

from segjt.io import encode_labels, orient, read_image, read_labels, write_files, write_labels


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


def test_transparent_palette_entry_is_masked(tmp_path, rgb):
    paletted = pillow.fromarray(rgb).quantize(8)
    paletted.save(tmp_path / "p.png", transparency=3)
    assert (read_image(tmp_path / "p.png").mask == (np.asarray(paletted) != 3)).all()


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", "deep.png"])
def test_exif_orientation(tmp_path, orientation, suffix, deep):
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
    found = read_image(path).values()
    assert found.shape == expected.shape
    assert ((found > 0.5) == (expected > 127)).all()


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


def test_write_files_is_all_or_nothing(tmp_path):
    files = {tmp_path / "a": b"1", tmp_path / "missing" / "b": b"2"}
    with pytest.raises(FileNotFoundError):
        write_files(files)
    assert list(tmp_path.iterdir()) == []


def test_write_files_keeps_what_exists(tmp_path):
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(FileExistsError, match="--overwrite"):
        write_files({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("b", b"old")]
    write_files({tmp_path / "a": b"1", tmp_path / "b": b"2"}, overwrite=True)
    assert (tmp_path / "b").read_bytes() == b"2"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_files({tmp_path / "a": b"1"})
    assert list(tmp_path.iterdir()) == []


def test_encoded_labels_are_png():
    assert pillow.open(io.BytesIO(encode_labels(np.ones((2, 2), np.int32)))).format == "PNG"


def test_ycbcr_tiff_is_converted(tmp_path, photograph):
    pillow.fromarray(photograph).convert("YCbCr").save(tmp_path / "a.tif")
    assert abs(read_image(tmp_path / "a.tif").pixels.astype(int) - photograph).mean() < 2


def test_camera_jpeg_with_previews_is_its_first_frame(tmp_path, photograph):
    first, preview = pillow.fromarray(photograph), pillow.fromarray(photograph[::4, ::4])
    first.save(tmp_path / "a.jpg", format="MPO", save_all=True, append_images=[preview])
    assert read_image(tmp_path / "a.jpg").shape == photograph.shape[:2]
    assert read_image(tmp_path / "a.jpg", page=1).shape == photograph[::4, ::4].shape[:2]


def test_transparent_level_of_a_16_bit_grey_png(tmp_path):
    values = np.array([[7, 9], [9, 60000]], np.uint16)
    pillow.fromarray(values).save(tmp_path / "a.png", transparency=9)
    image = read_image(tmp_path / "a.png")
    assert (image.pixels[:, :, 0] == values).all()
    assert (image.mask == (values != 9)).all()


def test_alpha_turns_with_the_image(tmp_path):
    rgba = np.full((8, 16, 4), 200, np.uint8)
    rgba[:4, :4, 3] = 0
    exif = pillow.Exif()
    exif[274] = 6
    pillow.fromarray(rgba).save(tmp_path / "a.png", exif=exif)
    assert (read_image(tmp_path / "a.png").mask == orient(rgba[:, :, 3] > 0, 6)).all()


def test_other_formats_are_refused(tmp_path):
    (tmp_path / "a.pfm").write_bytes(b"Pf\n2 2\n-1.0\n" + np.full(4, 0.5, "<f4").tobytes())
    with pytest.raises(ValueError, match=r"a\.pfm: not an image that can be read; give PNG"):
        read_image(tmp_path / "a.pfm")


def test_volumes_are_refused(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((16, 32, 32), np.uint8), volumetric=True, tile=(16, 32, 32))
    with pytest.raises(ValueError, match=r"a\.tif: the page has axes ZYX; give a two-dimensional image"):
        read_image(tmp_path / "a.tif")


def test_a_missing_library_is_not_a_damaged_image(tmp_path, monkeypatch, deep):
    cv2.imwrite(str(tmp_path / "a.png"), deep)
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    with pytest.raises(ImportError):
        read_image(tmp_path / "a.png")


def test_write_files_does_not_replace_folders_or_dangling_links(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError, match=r"b: is a folder where a result should go"):
        write_files({tmp_path / "a": b"1", tmp_path / "b": b"2"}, overwrite=True)
    assert (tmp_path / "a").read_bytes() == b"old"
    (tmp_path / "c").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError, match="c: exists and is kept"):
        write_files({tmp_path / "c": b"1"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]
