"""Any images with masks, in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segjt.datasets.items import File, Item, children, decode
from segjt.io.decoding import is_image
from segjt.runtime.arrays import Mask

RULE = (
    "The mask of NAME.png (.jpg, .tif, ...) is masks/NAME.png in the same folder, or NAME_mask.png beside it, "
    "or in a folder of masks (masks=) either of these names"
)
LOSSY = (".jpg", ".jpeg")


@dataclass(frozen=True)
class FolderItem(Item):
    """An image with a mask; its truth is (1, H, W) bool."""

    def read_truth(self) -> Mask:
        """Return where the mask is not black; in a JPEG, which has no exact black, where it is lighter than half."""
        mask = decode(self.truth_files[0])
        lossy = self.truth_files[0].path.suffix.lower() in LOSSY
        light = mask.values().max(axis=2) > (0.5 if lossy else 0)
        return np.stack([light & mask.mask])

    def expected_truth(self) -> str:
        return RULE


def folder(path: str | os.PathLike[str], masks: str | os.PathLike[str] | None = None) -> list[FolderItem]:
    """List the images of a folder that come with masks of an object, sorted by name without regard to case.

    Parameters
    ----------
    path : path
        The folder; folders in it are not searched for images.
    masks : path, optional
        A folder of masks with the names of the images, NAME or NAME_mask, with any image suffix. Default: the folder
        `masks` in `path` if it is there, and NAME_mask beside the image.

    Returns
    -------
    list of FolderItem
        The object is where the mask is not black (see `FolderItem.read_truth`); its colours do not matter. An image
        without a mask is listed, and an error when its truth is read.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such folder, no image or no mask at all, or if two images have one name.
    """
    root = existing(Path(path))
    here = by_stem(root)
    # NAME_mask beside NAME is a mask, not an image of its own.
    beside = {stem: file for stem, file in here.items() if stem.removesuffix("_mask") in here.keys() - {stem}}
    place = existing(Path(masks)) if masks is not None else default_place(root)
    known = beside | (by_stem(place) if place else {})
    items = [FolderItem(here[stem].stem, File(here[stem]), mask_of(stem, known)) for stem in here if stem not in beside]
    if not items:
        raise FileNotFoundError(f"{root}: holds no image. {RULE}")
    if not any(item.truth_files for item in items):
        raise FileNotFoundError(f"{place or root}: holds no mask for any of the {len(items)} images in {root}. {RULE}")
    return items


def mask_of(stem: str, masks: Mapping[str, Path]) -> tuple[File, ...]:
    """Return the mask of an image among those that are known, if it has one."""
    return tuple(File(masks[name]) for name in (stem, f"{stem}_mask") if name in masks)[:1]


def existing(path: Path) -> Path:
    """Return a folder's path, or raise an error that names it."""
    if not path.expanduser().is_dir():
        raise FileNotFoundError(f"{path}: no such folder. {RULE}")
    return path.expanduser()


def default_place(root: Path) -> Path | None:
    """Return the folder `masks` in a folder of images."""
    return next((child for child in children(root) if child.name.lower() == "masks"), None)


def by_stem(root: Path) -> dict[str, Path]:
    """Return the image files of a folder by their names in lower case without suffix, sorted."""
    files: dict[str, Path] = {}
    for file in children(root, folders_only=False):
        if not file.is_file() or not is_image(file.name):
            continue
        if (other := files.setdefault(file.stem.lower(), file)) != file:
            raise ValueError(f"{file}: has the same name as {other.name}; rename one of them, or move it elsewhere")
    return files
