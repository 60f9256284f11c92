"""The Weizmann segmentation evaluation database: photographs of one or two objects, painted over by three people."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segjt.datasets.items import File, Item, children, decode, located, tree
from segjt.io.decoding import is_image
from segjt.runtime.arrays import Mask

REMEDY = (
    "Get Weizmann_Seg_DB_1obj.ZIP and Weizmann_Seg_DB_2obj.ZIP from "
    "www.wisdom.weizmann.ac.il/~vision/Seg_Evaluation_DB and put the archives, or what is in them, into a folder DATA "
    "(or DATA/weizmann) as 1obj and 2obj: DATA/weizmann/1obj/NAME/src_color/NAME.png with the masks "
    "DATA/weizmann/1obj/NAME/human_seg/NAME_1.png, ...; then give --data DATA (data=), or set SEGJT_DATA=DATA."
)
NEEDED_VOTES = 2
# The folders of an image; the official scorer also spells the last one with an e.
KINDS = {"src_color": "colour", "src_bw": "grey", "human_seg": "mask", "humen_seg": "mask"}


@dataclass(frozen=True)
class WeizmannItem(Item):
    """An image of the Weizmann database; its truth is (objects, H, W) bool, for two objects red first, then blue."""

    objects: int

    def read_truth(self) -> Mask:
        """Return the pixels that at least two people painted."""
        votes = self.same_size([painted(file, self.objects) for file in self.truth_files]).sum(axis=0)
        truth: Mask = votes >= NEEDED_VOTES
        for mask, colour in zip(truth, ("red", "blue"), strict=False):
            if not mask.any():
                raise ValueError(
                    f"{self.path}: no pixel is {colour} in {NEEDED_VOTES} of its {len(self.truth_files)} masks "
                    f"({self.truth_files[0]}, ...), so it has no truth; get the masks again from their source"
                )
        return truth

    def expected_truth(self) -> str:
        return f"its masks belong in {self.path.parent.parent / 'human_seg'}"


def painted(file: File, objects: int) -> Mask:
    """Return where one person painted the object red or, if there are two, one red and the other blue."""
    mask = decode(file)
    if mask.channels != 3 or mask.pixels.dtype != np.uint8:
        raise ValueError(f"{file}: a mask is the photograph with the object painted red, 8-bit RGB; this is not")
    red, green, blue = np.moveaxis(mask.pixels, -1, 0)
    if objects == 1:
        masks = [(red == 255) & (green == 0)]
    else:  # one person painted blue as (36, 0, 255)
        masks = [(red == 255) & (green == 0) & (blue == 0), (red < 128) & (green == 0) & (blue == 255)]
    return np.stack(masks)


def weizmann(data: str | os.PathLike[str] | None = None, objects: int = 1) -> list[WeizmannItem]:
    """List the images of the Weizmann database, sorted by name without regard to case.

    Parameters
    ----------
    data : path, optional
        A folder that holds 1obj and 2obj (or Weizmann_Seg_DB_1obj, ...), unpacked or as zip archives, directly or in
        a folder weizmann; or one of these itself. Default: the environment variable SEGJT_DATA. Archives are read
        in place. Folder and file names may be in any case.
    objects : 1 or 2
        Which half of the database.

    Returns
    -------
    list of WeizmannItem
        The image is that of src_color, or of src_bw if there is no other.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are no such data, with where to get them. An image that cannot be read is an error when it is read.
    """
    if objects not in (1, 2):
        raise ValueError(f"objects = {objects!r} is not valid; the Weizmann database has images of 1 and of 2 objects")
    path = located(data, "Weizmann", REMEDY)
    root = find_set(path, objects)
    if root is None:
        raise FileNotFoundError(f"{path}: has no Weizmann images of {objects} object{'s' * (objects - 1)}. {REMEDY}")
    other_set = f"{3 - objects}obj"
    files: defaultdict[tuple[str, ...], defaultdict[str, list[File]]] = defaultdict(lambda: defaultdict(list))
    for parts, file in tree(root):
        lower = [part.lower() for part in parts]
        if len(parts) >= 3 and lower[-2] in KINDS and is_image(parts[-1]) and other_set not in lower:
            files[parts[:-2]][KINDS[lower[-2]]].append(file)
    if not files:
        raise FileNotFoundError(f"{root}: holds no NAME/src_color and NAME/human_seg. {REMEDY}")
    folders = sorted(files, key=lambda folder: (folder[-1].lower(), folder))
    return [make_item(root, folder, files[folder], objects) for folder in folders]


def make_item(root: Path, folder: tuple[str, ...], files: dict[str, list[File]], objects: int) -> WeizmannItem:
    """Return the item of one folder; a missing image is an error when it is read."""
    name = folder[-1]
    missing = "/".join((*folder, "src_color", f"{name}.png"))
    nowhere = File(root / missing) if root.is_dir() else File(root, missing)
    pictures = by_name(files.get("colour") or files.get("grey") or [nowhere])
    return WeizmannItem(name, pictures[0], tuple(by_name(files.get("mask", []))), objects)


def by_name(files: Iterable[File]) -> list[File]:
    """Return files in an order that does not depend on case, so that folders and archives agree."""
    return sorted(files, key=lambda file: (str(file).lower(), str(file)))


def find_set(path: Path, objects: int) -> Path | None:
    """Return the folder or archive of the images with so many objects, at a path, in it, or in its folder weizmann."""
    for folder in (path, *(child for child in children(path) if child.name.lower().startswith("weizmann"))):
        sets = [child for child in children(folder, folders_only=False) if is_set(child, objects)]
        if sets:
            return min(sets, key=Path.is_file)  # a folder before an archive
    return path if holds_images(path) and f"{3 - objects}obj" not in path.name.lower() else None


def is_set(path: Path, objects: int) -> bool:
    """Tell whether a path is named as the folder or archive of the images with so many objects."""
    return f"{objects}obj" in path.name.lower() and (path.is_dir() or path.suffix.lower() == ".zip")


def holds_images(path: Path) -> bool:
    """Tell whether a path is an archive, or a folder of NAME/src_color and the like."""
    return path.is_file() or any(sub.name.lower() in KINDS for child in children(path) for sub in children(child))
