import pickle
import shutil
import zipfile

import numpy as np
import pytest
from PIL import Image

from segjt.datasets import weizmann

RED, BLUE, MAGENTA = (255, 0, 0), (36, 0, 255), (255, 0, 255)


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.asarray(pixels, np.uint8)).save(path)


def make_image(folder, masks, name="toy", size=(4, 6)):
    """One image of the database, with masks given as rows of (slice, colour)."""
    grey = np.full((*size, 3), 90)
    save(folder / name / "src_color" / f"{name}.png", grey)
    for number, painting in enumerate(masks):
        mask = grey.copy()
        for columns, colour in painting:
            mask[:, columns] = colour
        save(folder / name / "human_seg" / f"{name}_{number}.png", mask)
    return folder / name


def columns(mask):
    assert (mask == mask[0]).all()
    return np.flatnonzero(mask[0]).tolist()


def test_truth_is_what_two_people_painted(tmp_path):
    make_image(tmp_path / "1obj", [[(slice(0, 3), RED)], [(slice(1, 4), RED)], [(slice(2, 5), RED)]])
    (item,) = weizmann(tmp_path)
    assert item.name == "toy"
    assert item.image().shape == (4, 6, 3)
    assert item.image().dtype == np.uint8
    assert item.truth().dtype == bool
    assert item.truth().shape == (1, 4, 6)
    assert columns(item.truth()[0]) == [1, 2, 3]


def test_blue_is_not_tested_for_one_object_and_nearly_red_is_no_vote(tmp_path):
    make_image(tmp_path / "1obj", [[(0, MAGENTA), (1, (254, 0, 0)), (2, (255, 1, 0))]] * 2)
    (item,) = weizmann(tmp_path)
    assert columns(item.truth()[0]) == [0]


def test_two_objects_are_voted_on_separately(tmp_path):
    painted = [(0, RED), (1, BLUE), (2, MAGENTA), (3, (128, 0, 255)), (4, (0, 0, 254))]
    make_image(tmp_path / "2obj", [painted, painted, [(0, BLUE), (1, RED), (5, BLUE)]])
    (item,) = weizmann(tmp_path, objects=2)
    red, blue = item.truth()
    assert (columns(red), columns(blue)) == ([0], [1])


@pytest.mark.parametrize("masks", [[[(0, RED)], [(1, RED)]], [[(0, RED)]], [[], [], []]])
def test_no_pixel_with_two_votes_is_an_error_that_names_the_image(tmp_path, masks):
    make_image(tmp_path / "1obj", masks)
    (item,) = weizmann(tmp_path)
    assert item.image().shape == (4, 6, 3)
    with pytest.raises(ValueError, match=rf"toy\.png: no pixel is red in 2 of its {len(masks)} masks"):
        item.truth()


def test_an_object_nobody_painted_is_named(tmp_path):
    make_image(tmp_path / "2obj", [[(0, RED)]] * 3)
    with pytest.raises(ValueError, match="no pixel is blue"):
        weizmann(tmp_path, objects=2)[0].truth()


def test_sizes_that_differ_are_errors(tmp_path):
    folder = make_image(tmp_path / "1obj", [[(0, RED)]] * 3)
    save(folder / "human_seg" / "toy_1.png", np.zeros((5, 6, 3)))
    with pytest.raises(ValueError, match=r"toy_1\.png: has 5 x 6 pixels and .*toy_0\.png 4 x 6"):
        weizmann(tmp_path)[0].truth()
    folder = make_image(tmp_path / "1obj", [[(0, RED)]] * 3)
    save(folder / "src_color" / "toy.png", np.zeros((6, 4, 3)))
    with pytest.raises(ValueError, match=r"truth has 4 x 6 pixels and the image .*toy\.png 6 x 4"):
        weizmann(tmp_path)[0].truth()


def test_a_grey_mask_is_refused(tmp_path):
    folder = make_image(tmp_path / "1obj", [[(0, RED)]] * 3)
    save(folder / "human_seg" / "toy_2.png", np.zeros((4, 6)))
    with pytest.raises(ValueError, match=r"toy_2\.png: a mask is .*red"):
        weizmann(tmp_path)[0].truth()


def test_broken_images_are_told_when_they_are_read(tmp_path):
    masks = [[(0, RED)]] * 3
    for name in ("cut", "empty", "fine", "lost", "maskless", "text"):
        make_image(tmp_path / "1obj", masks, name)
    file = {name: tmp_path / "1obj" / name / "src_color" / f"{name}.png" for name in ("cut", "empty", "lost", "text")}
    file["cut"].write_bytes(file["cut"].read_bytes()[:45])
    file["empty"].write_bytes(b"")
    file["lost"].unlink()
    file["text"].write_text("no image")
    shutil.rmtree(tmp_path / "1obj" / "maskless" / "human_seg")
    items = weizmann(tmp_path)
    assert [item.name for item in items] == ["cut", "empty", "fine", "lost", "maskless", "text"]
    good = []
    for item in items:
        try:
            good.append((item.image(), item.truth(), item.digest(), item.name)[-1])
        except (OSError, ValueError) as error:
            assert f"{item.name}.png" in str(error)  # noqa: PT017
    assert good == ["fine"]


def test_grey_photographs_stand_in_for_missing_colour_ones(tmp_path):
    folder = make_image(tmp_path / "1obj", [[(0, RED)]] * 3)
    save(folder / "src_bw" / "toy.png", np.full((4, 6), 7))
    assert (weizmann(tmp_path)[0].image() == 90).all()
    shutil.rmtree(folder / "src_color")
    image = weizmann(tmp_path)[0].image()
    assert image.shape == (4, 6, 3)
    assert (image == 7).all()


def test_missing_data(tmp_path, monkeypatch):
    monkeypatch.delenv("SEGJT_DATA", raising=False)
    for data in (None, "", tmp_path / "nowhere", tmp_path):
        with pytest.raises(FileNotFoundError, match=r"www\.wisdom\.weizmann\.ac\.il/~vision/Seg_Evaluation_DB"):
            weizmann(data)
    with pytest.raises(FileNotFoundError, match="SEGJT_DATA is set"):
        weizmann()
    make_image(tmp_path / "2obj", [[(0, RED), (1, BLUE)]] * 2)
    for data in (tmp_path, tmp_path / "2obj"):
        with pytest.raises(FileNotFoundError, match="no Weizmann images of 1 object"):
            weizmann(data)
        assert len(weizmann(data, objects=2)) == 1
    (tmp_path / "1obj").mkdir()
    with pytest.raises(FileNotFoundError, match="1obj: holds no NAME/src_color"):
        weizmann(tmp_path)
    with pytest.raises(ValueError, match="objects = 3"):
        weizmann(tmp_path, objects=3)


def test_data_of_the_environment(tmp_path, monkeypatch):
    make_image(tmp_path / "1obj", [[(0, RED)]] * 3)
    monkeypatch.setenv("SEGJT_DATA", str(tmp_path))
    assert [item.name for item in weizmann()] == ["toy"]


def pack(archive, source, prefix="", change=str):
    """Make a zip archive of real files, with folders' entries of their own and names changed."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(source.rglob("*")):
            packed.write(path, prefix + change(path.relative_to(source).as_posix()))


@pytest.fixture(scope="module")
def real(data_folder, tmp_path_factory):
    """Three real images of one object, in a folder of their own."""
    target = tmp_path_factory.mktemp("real") / "1obj"
    for folder in sorted((data_folder / "weizmann" / "1obj").iterdir())[:3]:
        shutil.copytree(folder, target / folder.name)
    return target


def facts(items):
    return [(item.name.lower(), item.digest(), item.image().tobytes(), item.truth().tobytes()) for item in items]


@pytest.mark.parametrize("name", ["1obj.zip", "Weizmann_Seg_DB_1obj.ZIP"])
@pytest.mark.parametrize("prefix", ["", "1obj/"])
def test_archives_are_read_in_place(real, tmp_path, name, prefix):
    pack(tmp_path / name, real, prefix)
    expected = facts(weizmann(real))
    assert len(expected) == 3
    for data in (tmp_path, tmp_path / name):
        items = weizmann(data)
        assert facts(items) == expected
        assert items[0].path == tmp_path / name / f"{prefix}{items[0].name}/src_color/{items[0].name}.png"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_names_in_any_case(real, tmp_path):
    pack(tmp_path / "1OBJ.zip", real, change=str.upper)
    assert facts(weizmann(tmp_path)) == facts(weizmann(real))
    zipfile.ZipFile(tmp_path / "1OBJ.zip").extractall(tmp_path / "Weizmann" / "1OBJ")
    (tmp_path / "1OBJ.zip").unlink()
    assert facts(weizmann(tmp_path)) == facts(weizmann(real))


def test_folders_of_all_layouts(real, tmp_path):
    expected = facts(weizmann(real))
    for place in ("weizmann/1obj", "Weizmann_Seg_DB_1obj/1obj", "1obj"):
        shutil.copytree(real, tmp_path / "data" / place)
        assert facts(weizmann(tmp_path / "data")) == expected
        shutil.rmtree(tmp_path / "data")


def test_archive_with_both_sets(real, tmp_path):
    make_image(tmp_path / "2obj", [[(0, RED), (1, BLUE)]] * 2)
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as packed:
        for folder in (real, tmp_path / "2obj"):
            for path in folder.rglob("*.png"):
                packed.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    assert len(weizmann(tmp_path / "both.zip")) == 3
    assert [item.name for item in weizmann(tmp_path / "both.zip", objects=2)] == ["toy"]


def test_damaged_archives(real, tmp_path):
    archive = tmp_path / "1obj.zip"
    pack(archive, real)
    items = weizmann(archive)
    content = bytearray(archive.read_bytes())
    start = content.index(b"src_color/" + items[1].name.encode() + b".png") + 200
    content[start : start + 20] = bytes(20)
    archive.write_bytes(content)
    with pytest.raises(ValueError, match=rf"1obj\.zip/{items[1].name}/src_color/.*cannot be unpacked"):
        items[1].image()
    assert items[0].image().any()
    archive.write_bytes(content[:5000])
    with pytest.raises(ValueError, match=r"1obj\.zip/.*cannot be unpacked"):
        items[0].digest()
    with pytest.raises(ValueError, match=r"1obj\.zip: is neither a folder nor a readable zip archive"):
        weizmann(tmp_path)
    archive.unlink()
    with pytest.raises(FileNotFoundError):
        items[0].image()


def test_archive_that_lacks_an_image(real, tmp_path):
    with zipfile.ZipFile(tmp_path / "1obj.zip", "w") as packed:
        for path in real.rglob("human_seg/*.png"):
            packed.write(path, path.relative_to(real).as_posix())
    with pytest.raises(FileNotFoundError, match=r"src_color/.*\.png: no such file in the archive"):
        weizmann(tmp_path)[0].image()


def test_digest_is_of_image_and_masks(tmp_path):
    folder = make_image(tmp_path / "1obj", [[(0, RED)]] * 3)
    digests = {weizmann(tmp_path)[0].digest()}
    for file in ("src_color/toy.png", "human_seg/toy_0.png", "human_seg/toy_2.png"):
        before = (folder / file).read_bytes()
        (folder / file).write_bytes(before + b"x")
        digests.add(weizmann(tmp_path)[0].digest())
        (folder / file).write_bytes(before)
    assert len(digests) == 4
    assert weizmann(tmp_path)[0].digest() in digests


def test_all_real_images(data_folder):
    items = weizmann(data_folder)
    assert len(items) >= 50
    assert [item.name for item in items] == sorted(item.name for item in items)
    assert all(len(item.truth_files) == 3 for item in items)
    for item in items[::10]:
        assert pickle.loads(pickle.dumps(item)) == item
        assert 0.01 < item.truth().mean() < 0.9
    for item in weizmann(data_folder, objects=2):
        red, blue = item.truth()
        assert red.any()
        assert blue.any()
        assert not (red & blue).any()
