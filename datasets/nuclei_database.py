"""Nuclei of the 2018 Data Science Bowl: microscope images in which every nucleus has been outlined."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from segjt.datasets.items import File, Item, TruthKind, children, decode, located, tree
from segjt.io.decoding import is_image
from segjt.runtime.arrays import Labels

REMEDY = (
    "Get stage1_train.zip from bbbc.broadinstitute.org/BBBC038 and put it, or what is in it, into a folder DATA: "
    "DATA/stage1_train/ID/images/ID.png with a mask of each nucleus in DATA/stage1_train/ID/masks; or as label maps, "
    "0 for the background and 1 to n for the nuclei: DATA/nuclei/images/ID.png with DATA/nuclei/labels/ID.png; "
    "then give --data DATA (data=), or set SEGJT_DATA=DATA."
)
# What the folder or the archive is called.
NAMES = ("nuclei", "stage1_train", "bbbc038")


@dataclass(frozen=True)
class NucleiItem(Item):
    """An image of nuclei; its truth is (1, H, W) int32: 0 for the background, and a label for each nucleus."""

    truth_kind: ClassVar[TruthKind] = "instances"

    def read_truth(self) -> Labels:
        """Return the label map in one file, or that of several masks, one for each nucleus."""
        maps = self.same_size([whole_numbers(file) for file in self.truth_files])
        if len(maps) == 1:
            return maps.astype(np.int32)
        labels = np.zeros((1, *maps.shape[1:]), np.int32)
        for number, mask in enumerate(maps, start=1):
            labels[0, mask > 0] = number
        return labels

    def expected_truth(self) -> str:
        return f"it belongs in labels/{self.name}.png, or as one mask for each nucleus in {self.name}/masks"


def whole_numbers(file: File) -> NDArray[Any]:
    """Return a label map or a mask as it is in its file."""
    image = decode(file)
    if image.channels != 1 or image.pixels.dtype.kind != "u":
        raise ValueError(
            f"{file}: a label map has one channel of 8 or 16 bits; this has {image.channels} of {image.pixels.dtype}"
        )
    return image.pixels[:, :, 0]


def nuclei(data: str | os.PathLike[str] | None = None) -> list[NucleiItem]:
    """List the images of nuclei (2018 Data Science Bowl, BBBC038), sorted by name.

    Parameters
    ----------
    data : path, optional
        A folder that holds images/ID.png with labels/ID.png, or ID/images/ID.png with ID/masks/*.png as the archive
        of BBBC038 unpacks, directly or in a folder or archive called nuclei, stage1_train or BBBC038; or a zip archive
        of such a folder. Default: the environment variable SEGJT_DATA. Folder and file names may be in any case.

    Returns
    -------
    list of NucleiItem
        An image without truth is listed, and an error when its truth is read.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are no such data, with where to get them. An image that cannot be read is an error when it is read.
    """
    path = located(data, "nuclei", REMEDY)
    root = find_root(path)
    pictures: dict[str, File] = {}
    truth: defaultdict[str, list[File]] = defaultdict(list)
    for parts, file in sorted(tree(root), key=lambda entry: entry[0]) if root else ():
        folder = parts[-2].lower() if len(parts) > 1 and is_image(parts[-1]) else ""
        name = PurePath(parts[-1]).stem
        if folder == "images":
            pictures.setdefault(name, file)
        elif folder == "labels":
            truth[name.lower()].append(file)
        elif folder == "masks" and len(parts) > 2:
            truth[parts[-3].lower()].append(file)
    if not pictures:
        raise FileNotFoundError(f"{root or path}: holds no images of nuclei. {REMEDY}")
    return [NucleiItem(name, pictures[name], tuple(truth[name.lower()])) for name in sorted(pictures)]


def find_root(path: Path) -> Path | None:
    """Return the folder or archive with the images: at a path, or in it under one of the usual names."""
    named = [child for child in children(path, folders_only=False) if child.name.lower().startswith(NAMES)]
    usable = [child for child in named if child.is_dir() or child.suffix.lower() == ".zip"]
    if usable:
        return min(usable, key=Path.is_file)  # a folder before an archive
    return path if path.is_file() or holds_images(path) else None


def holds_images(path: Path) -> bool:
    """Tell whether a folder holds images and labels, or folders of images and masks."""
    inside = [{sub.name.lower() for sub in children(folder)} for folder in (path, *children(path))]
    return {"images", "labels"} <= inside[0] or any({"images", "masks"} <= names for names in inside[1:])
