"""Small benchmark data of our own making, in the layouts of the real ones, and a grid that is quick to run."""

import sqlite3
from contextlib import closing

import numpy as np
from PIL import Image
from scipy.io import savemat

from segjt.evaluation.grid import Row
from segjt.evaluation.results import RowResults
from segjt.evaluation.scorers import ObjectScorer
from segjt.evaluation.unit_of_work import Unit

GRID = """
block_size = 16
[[kernel]]
kernel = ["jt2", "expjt2"]
q = [1.0, 1.5]
[[merge]]
merge_method = "spectral"
bins = [4, 8]
power = [4, 16]
n_segments = [2, 3, 5]
[[merge]]
merge_method = ["cues", "ncut"]
bins = 8
power = 12
n_segments = [2, 3, 4, 6]
[[default]]
n_segments = ["auto", 2, 3, 4]
[[peer]]
peer = "otsu"
classes = [2, 3]
[[peer]]
peer = "felzenszwalb"
scale = [50, 200]
"""


def picture(seed, shape=(40, 48)):
    """A noisy disc and a noisy square on a ground of two tones, and their masks."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: shape[0], : shape[1]]
    disc = (y - 18 - rng.integers(5)) ** 2 + (x - 14 - rng.integers(5)) ** 2 < (9 + seed % 3) ** 2
    square = (abs(y - 24) < 7) & (abs(x - 38) < 6) & ~disc
    image = np.where((y > 22)[:, :, None], rng.integers(60, 110, 3), rng.integers(120, 160, 3))
    image[disc], image[square] = rng.integers(180, 240, 3), rng.integers(0, 50, 3)
    return np.clip(image + rng.normal(0, 9, image.shape), 0, 255).astype(np.uint8), disc, square


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def make_weizmann(root, names=("apple", "Boat", "cat"), objects=1):
    """Write images with three equal masks each to a folder in the layout of the Weizmann database."""
    for seed, name in enumerate(names):
        image, disc, square = picture(seed)
        folder = root / f"{objects}obj" / name
        save(folder / "src_color" / f"{name}.png", image)
        painted = image.copy()
        painted[disc] = (255, 0, 0)
        if objects == 2:
            painted[square] = (0, 0, 255)
        for person in range(3):
            save(folder / "human_seg" / f"{name}_{person}.png", painted)
    return root


def make_bsds(root, names=("train/100", "test/20"), contours=()):
    """Write images with the maps of two people to a folder in the layout of BSDS500, some with a contour map.

    At a threshold of 0.5 a contour map has the regions of the first person, below 0.25 those of the second.
    """
    for seed, name in enumerate(names):
        image, disc, square = picture(seed)
        save(root / "images" / f"{name}.jpg", image)
        people = np.empty((1, 2), object)
        for person, labels in enumerate((disc + 1, disc + 2 * square + 1)):
            people[0, person] = {"Segmentation": labels.astype(np.uint16), "Boundaries": np.zeros(1)}
        path = root / "groundTruth" / f"{name}.mat"
        path.parent.mkdir(parents=True, exist_ok=True)
        savemat(path, {"groundTruth": people})
        if name in contours:
            path = root / "ucm2" / f"{name}.mat"
            path.parent.mkdir(parents=True, exist_ok=True)
            savemat(path, {"ucm2": np.maximum(0.75 * double_size(disc), 0.25 * double_size(disc + 2 * square))})
    return root


def cells(seed, shape=(60, 72), dark=False):
    """Bright discs of several sizes on a noisy dark ground, or dark ones on a bright ground, and their labels."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: shape[0], : shape[1]]
    labels = np.zeros(shape, np.int32)
    for number, (row, column) in enumerate([(14, 13), (15, 42), (44, 18), (40, 60), (47, 42)], start=1):
        dy, dx = rng.integers(-2, 3, 2)
        labels[(y - row - dy) ** 2 + (x - column - dx) ** 2 < rng.integers(6, 9) ** 2] = number
    grey = np.where(labels > 0, 170, 40) + rng.normal(0, 6, shape)
    image = np.repeat(np.clip(255 - grey if dark else grey, 0, 255)[:, :, None], 3, axis=2).astype(np.uint8)
    return image, labels


def make_nuclei(root, names=("bright", "dark")):
    """Write images of cells, bright ones and dark ones, with their label maps."""
    for seed, name in enumerate(names):
        image, labels = cells(seed, dark=seed % 2 == 1)
        save(root / "images" / f"{name}.png", image)
        save(root / "labels" / f"{name}.png", labels.astype(np.uint16))
    return root


def make_sod(root, names=("train/100", "train/20")):
    """Write images in the layout of BSDS500 with masks of their object."""
    for seed, name in enumerate(names):
        image, disc, _ = picture(seed)
        save(root / "bsds500" / "images" / f"{name}.jpg", image)
        save(root / "sod" / "masks" / f"{name.split('/')[1]}.png", disc)
    return root


def double_size(labels):
    """The boundary of a label map between its pixels, (2 H + 1, 2 W + 1), as contour maps have it."""
    lines = np.zeros((2 * labels.shape[0] + 1, 2 * labels.shape[1] + 1))
    lines[1::2, 2:-1:2] = labels[:, 1:] != labels[:, :-1]
    lines[2:-1:2, 1::2] = labels[1:] != labels[:-1]
    ends = np.pad(lines, 1)
    corners = np.maximum.reduce([ends[2:, 1:-1], ends[:-2, 1:-1], ends[1:-1, 2:], ends[1:-1, :-2]])[2:-1:2, 2:-1:2]
    lines[2:-1:2, 2:-1:2] = corners
    return lines


def make_grid_file(folder, text=GRID):
    """Write a grid and return its path."""
    path = folder / "grid.toml"
    path.write_text(text)
    return path


def count_units(folder):
    """How many units the store of a benchmark has; none while it is being made."""
    try:
        with closing(sqlite3.connect(f"file:{folder / 'store.sqlite'}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT count(*) FROM units").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


class Named:
    def __init__(self, name):
        self.name = name


def results(name, size, variants, f, method="segjt"):
    """Results with these F (images, settings) or (images, settings, objects); the other scores follow from F."""
    f = np.array(f, float)
    f = f[:, :, None] if f.ndim == 2 else f
    unit = Unit(method, {"kernel": name} if size else {}, variants)
    scores = np.concatenate(
        [
            np.stack([f[:, :, k], f[:, :, k] / 2, f[:, :, k] / 4, *np.full((3, *f.shape[:2]), 7)], 2)
            for k in range(f.shape[2])
        ],
        axis=2,
    )
    items = [Named(f"image{k}") for k in range(len(f))]
    columns = ObjectScorer(np.ones((f.shape[2], 2, 2), bool)).columns
    seconds = np.arange(f[:, :, 0].size, dtype=float).reshape(f.shape[:2])
    return RowResults(Row(name, size, (unit,)), items, unit.settings(), columns, scores, seconds)
