"""The pictures of a gallery: what they show, how large they are."""

import io

import numpy as np
import pytest
from PIL import Image as pillow

from segjt.image import as_image
from segjt.report.pictures import DIMMED, data_address, encode, gallery_pictures, picture_size


def decoded(content):
    return np.asarray(pillow.open(io.BytesIO(content)).convert("RGB")).astype(int)


@pytest.fixture
def square():
    """Flat colours, so that pictures are exact: a light square as the object, and a segment half over it."""
    image = np.full((40, 60, 3), 100, np.uint8)
    image[10:30, 10:30] = 220
    truth = np.zeros((1, 40, 60), bool)
    truth[0, 10:30, 10:30] = True
    labels = np.ones((40, 60), np.int32)
    labels[10:30, 20:34] = 2
    return image, labels, truth


def test_image_truth_segments_and_best_segment(square):
    image, labels, truth = square
    pictures = {label: decoded(content) for label, content in gallery_pictures(image, labels, truth, best=[2]).items()}
    assert list(pictures) == ["Image", "Truth", "Segments", "Best segment"]
    assert (pictures["Image"] == image).all()
    inside, outside, missed, wrong = (20, 25), (5, 50), (20, 15), (20, 32)
    dim = round(DIMMED * 100)
    assert pictures["Truth"][inside].tolist() == [220] * 3
    assert pictures["Truth"][outside].tolist() == [dim] * 3
    assert pictures["Best segment"][inside].tolist() == [220] * 3
    assert pictures["Best segment"][outside].tolist() == [dim] * 3
    assert pictures["Best segment"][missed].tolist() == [round(DIMMED * 220)] * 3
    assert pictures["Best segment"][wrong].tolist() == [100] * 3
    # The outline is that of the truth.
    assert pictures["Best segment"][20, 29].tolist() == [255, 64, 129]
    assert pictures["Segments"][inside].tolist() != pictures["Segments"][missed].tolist()


def test_without_labels_to_be_lit_there_is_no_best_segment(square):
    assert list(gallery_pictures(*square)) == ["Image", "Truth", "Segments"]


def test_two_objects_have_outlines_of_two_colours(square):
    image, labels, truth = square
    other = np.zeros_like(truth[0])
    other[32:38, 40:55] = True
    best = decoded(gallery_pictures(image, labels, np.stack([truth[0], other]), best=[2, 1])["Best segment"])
    assert best[20, 29].tolist() == [255, 64, 129]
    assert best[37, 45].tolist() == [0, 229, 255]


def test_the_outlines_of_several_people_add_up():
    maps = np.zeros((2, 20, 20), np.int32)
    maps[:, :, 10:] = 1
    maps[1, 10:, :] += 2
    truth = decoded(gallery_pictures(np.full((20, 20), 128, np.uint8), maps[0], maps)["Truth"])
    assert truth[4, 9].tolist() == [255, 214, 0]
    assert truth[2, 2].max() < truth[9, 2].max() < 255


@pytest.mark.parametrize(
    ("shape", "expected"), [((1000, 1500), (240, 160)), ((3, 2000), (240, 1)), ((50, 40), (40, 50))]
)
def test_size(shape, expected):
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (*shape, 3), dtype=np.uint8)
    for content in gallery_pictures(image, np.ones(shape, np.int32)).values():
        assert picture_size(content) == expected


def test_reduction_is_the_mean_and_keeps_labels_apart():
    image = np.zeros((1920, 1920), np.uint8)
    image[:, ::2] = 200
    labels = np.ones((1920, 1920), np.int32)
    labels[:, 960:] = 2
    pictures = gallery_pictures(image[:, :], labels, longest=120)
    assert len(np.unique(decoded(pictures["Segments"])[0, :59], axis=0)) == 1
    # A pattern finer than the picture must not become stripes.
    assert decoded(pictures["Image"]).std() < 3


def test_masked_pixels_and_other_types():
    pixels = np.zeros((20, 30, 5), np.uint16)
    image = as_image(pixels, mask=np.arange(30)[None, :].repeat(20, 0) > 9, channel_axis=-1)
    labels = image.mask.astype(np.int32)
    segments = decoded(gallery_pictures(image, labels)["Segments"])
    assert (segments[:, :9] == 235).all()


def test_labels_of_another_image():
    with pytest.raises(ValueError, match=r"labels have shape \(3, 4\) and the image has \(4, 3\)"):
        gallery_pictures(np.zeros((4, 3)), np.ones((3, 4), int))


def test_few_colours_are_kept_exactly_and_photographs_get_small(photograph):
    few = np.random.default_rng(0).integers(0, 4, (50, 50, 3)).astype(np.uint8) * 80
    content = encode(few)
    assert content.startswith(b"\x89PNG")
    assert (decoded(content) == few).all()
    small = encode(photograph)
    assert small[8:12] == b"WEBP"
    assert len(small) < photograph.nbytes / 10
    assert np.abs(decoded(small) - photograph).mean() < 8


def test_addresses():
    assert data_address(encode(np.zeros((2, 2, 3), np.uint8))).startswith("data:image/png;base64,iVBOR")
    assert data_address(np.zeros((2, 2, 3), np.uint8)).startswith("data:image/png;base64,iVBOR")
    assert data_address(b"\xff\xd8\xff\xe0").startswith("data:image/jpeg;base64,")
    with pytest.raises(ValueError, match="begins with b'<svg'"):
        data_address(b"<svg onload=alert(1)>")
