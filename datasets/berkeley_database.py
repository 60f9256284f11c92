"""The Berkeley segmentation data sets BSDS300 and BSDS500: photographs, each segmented by several people."""

from __future__ import annotations

import io
import os
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import ClassVar, NamedTuple

import numpy as np

from segjt.datasets.items import File, Item, TruthKind, children, located, tree
from segjt.io.decoding import is_image
from segjt.runtime.arrays import Labels

SPLITS = ("train", "val", "test")
REMEDY = (
    "Get BSR_bsds500.tgz (or BSDS300-images.tgz with BSDS300-human.tgz) from "
    "www2.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/resources.html and unpack it into a folder DATA: "
    "DATA/bsds500/images/train/ID.jpg with DATA/bsds500/groundTruth/train/ID.mat (val and test likewise; "
    "BSR/BSDS500/data as unpacked will do; BSDS300: images/train/ID.jpg with human/color/USER/ID.seg); "
    "then give --data DATA (data=), or set SEGJT_DATA=DATA."
)
# Where images and their truth are, in lower case.
IMAGE = re.compile(r"(?:.*/)?images/(train|val|test)/[^/]+")
MAT = re.compile(r"(?:.*/)?groundtruth/(train|val|test)/[^/]+\.mat")
UCM2 = re.compile(r"(?:.*/)?ucm2/(train|val|test)/[^/]+\.mat")
SEG = re.compile(r"(?:.*/)?human/color/[^/]+/[^/]+\.seg")


class Key(NamedTuple):
    """What identifies an image: its split, as a place in `SPLITS`, and its name."""

    split: int
    name: str


@dataclass(frozen=True)
class BerkeleyItem(Item):
    """An image of a Berkeley set; its truth is (people, H, W) int32, labels from 1."""

    split: str
    truth_kind: ClassVar[TruthKind] = "regions"

    def read_truth(self) -> Labels:
        """Return the label maps of all people."""
        if str(self.truth_files[0]).lower().endswith(".seg"):
            return self.same_size([decode_seg(file) for file in self.truth_files])
        return decode_mat(self.truth_files[0])

    def expected_truth(self) -> str:
        return f"it belongs in groundTruth/{self.split}/{self.name}.mat, or human/color/USER/{self.name}.seg"


def decode_mat(file: File) -> Labels:
    """Return the label maps in a `.mat` file of BSDS500."""
    from scipy.io import loadmat

    content = io.BytesIO(file.read())
    try:
        people = loadmat(content)["groundTruth"].ravel()
        # MATLAB stores columns; rows are faster to score.
        return np.stack([person["Segmentation"][0, 0] for person in people]).astype(np.int32, order="C")
    except MemoryError:
        raise
    except Exception as error:  # whatever loadmat raises for a damaged file
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(
            f"{file}: has no groundTruth{{k}}.Segmentation that can be read ({reason}); get it again from its source"
        ) from None


def decode_seg(file: File) -> Labels:
    """Return the label map in a `.seg` file of BSDS300.

    After a header and the line `data`, a line `s r c1 c2` says that columns c1 to c2 of row r belong to segment s, all
    from 0; every pixel belongs to one segment.
    """
    header, _, body = file.read().replace(b"\r\n", b"\n").partition(b"\ndata\n")
    try:
        fields = dict(
            line.split(None, 1) for line in header.decode("ascii").splitlines() if len(line.split(None, 1)) > 1
        )
        labels = np.zeros((int(fields["height"]), int(fields["width"])), np.int32)
        runs = np.array(body.split(), np.int64).reshape(-1, 4)
    except (ValueError, KeyError) as error:
        raise ValueError(f"{file}: is not a segmentation in the format «ascii cr» of BSDS300 ({error})") from None
    inside = runs.min(initial=0) >= 0 and bool((runs[:, [1, 3]] < labels.shape).all())
    for segment, row, first, last in runs if inside else ():
        labels[row, first : last + 1] = segment + 1
    if not labels.all() or (runs[:, 3] - runs[:, 2] + 1).sum() != labels.size:
        raise ValueError(f"{file}: does not give every pixel to one segment; get it again from its source")
    return labels


def bsds(data: str | os.PathLike[str] | None = None, split: str | None = None) -> list[BerkeleyItem]:
    """List the images of BSDS500 or BSDS300, sorted by split (train, val, test) and then by name.

    Parameters
    ----------
    data : path, optional
        A folder that holds `images` and `groundTruth` (BSDS500) or `human` (BSDS300), directly or in the folders the
        Berkeley archives unpack to (BSR/BSDS500/data, BSDS300) or in one called bsds500; or a zip archive of such a
        folder. Where both sets are there, BSDS500 is taken. Default: the environment variable SEGJT_DATA. Folder and
        file names may be in any case.
    split : "train", "val" or "test", optional
        Only the images of this part; BSDS300 has no val.

    Returns
    -------
    list of BerkeleyItem
        BSDS300's truth is what people drew who saw the image in colour (human/color), as in BSDS500. Contour maps of
        gPb-owt-ucm in ucm2/train/ID.mat (val and test likewise), beside `images`, come with the items.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are no such data, with where to get them. An image that cannot be read is an error when it is read.
    """
    if split is not None and split not in SPLITS:
        raise ValueError(f"split = {split!r} is not valid; choose from {', '.join(SPLITS)}, or None for all")
    path = located(data, "Berkeley (BSDS)", REMEDY)
    root = find_root(path)
    if root is None:
        raise FileNotFoundError(f"{path}: holds no Berkeley (BSDS) images. {REMEDY}")
    pictures, truth, contours = files_below(root)
    chosen = sorted(key for key in pictures if split in (None, SPLITS[key.split]))
    if not chosen:
        there = ", ".join(SPLITS[number] for number in sorted({key.split for key in pictures})) or "none"
        raise FileNotFoundError(
            f"{root}: holds no images of the split {split or 'train, val or test'} (there: {there}). {REMEDY}"
        )
    return [
        BerkeleyItem(
            key.name,
            pictures[key],
            tuple(sorted(truth[key], key=str)),
            split=SPLITS[key.split],
            contour_file=contours.get(key),
        )
        for key in chosen
    ]


def files_below(root: Path) -> tuple[dict[Key, File], defaultdict[Key, list[File]], dict[Key, File]]:
    """Return the images in a folder or archive, the files of their truth, and their contour maps."""
    pictures: dict[Key, File] = {}
    contours: dict[Key, File] = {}
    truth: defaultdict[Key, list[File]] = defaultdict(list)
    for parts, file in tree(root):
        place, name = "/".join(parts).lower(), PurePath(parts[-1]).stem
        if (match := IMAGE.fullmatch(place)) and is_image(parts[-1]):
            pictures[Key(SPLITS.index(match[1]), name)] = file
        elif match := MAT.fullmatch(place):
            truth[Key(SPLITS.index(match[1]), name)].append(file)
        elif match := UCM2.fullmatch(place):
            contours[Key(SPLITS.index(match[1]), name)] = file
        elif SEG.fullmatch(place):  # BSDS300 does not say which split it is
            for number in range(len(SPLITS)):
                truth[Key(number, name)].append(file)
    return pictures, truth, contours


def find_root(path: Path) -> Path | None:
    """Return the folder that holds `images`, at a path or below it in folders named as in Berkeley's archives."""
    if path.is_file() or any(child.name.lower() == "images" for child in children(path)):
        return path
    for child in reversed(children(path)):  # BSDS500 before BSDS300
        if child.name.lower() in ("bsr", "data") or child.name.lower().startswith("bsds"):
            root = find_root(child)
            if root is not None:
                return root
    return None
