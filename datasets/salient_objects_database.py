"""SOD, the salient objects of Berkeley's images: what people who looked at these photographs took for the object."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from segjt.datasets.berkeley_database import bsds
from segjt.datasets.folders import FolderItem
from segjt.datasets.items import File, located, tree
from segjt.io.decoding import is_image
from segjt.runtime.arrays import Mask

REMEDY = (
    "Put masks of the salient objects (www.elderlab.yorku.ca/resources/salient-objects-dataset-sod; black is not the "
    "object) into a folder DATA as DATA/sod/masks/ID.png, with Berkeley's images as `segjt benchmark bsds` wants them: "
    "DATA/bsds500/images/train/ID.jpg, ...; then give --data DATA (data=), or set SEGJT_DATA=DATA."
)
# Where masks are, in lower case.
MASK = re.compile(r"(?:(?:.*/)?sod/)?masks/[^/]+")


@dataclass(frozen=True)
class SalientItem(FolderItem):
    """A photograph with the mask of its salient objects; its truth is (1, H, W) bool."""

    def read_truth(self) -> Mask:
        truth = super().read_truth()
        if not truth.any():
            raise ValueError(
                f"{self.truth_files[0]}: the whole mask is black, so there is no object; get it again from its source"
            )
        return truth

    def expected_truth(self) -> str:
        return f"it belongs in sod/masks/{self.name}.png"


def sod(data: str | os.PathLike[str] | None = None) -> list[SalientItem]:
    """List Berkeley's images that have a mask of their salient objects, in the order of `segjt.datasets.bsds`.

    Parameters
    ----------
    data : path, optional
        A folder that holds sod/masks/ID.png (or masks/ID.png), and Berkeley's images where `bsds` finds them; or a zip
        archive of such a folder. Default: the environment variable SEGJT_DATA. Folder and file names may be in any
        case.

    Returns
    -------
    list of SalientItem
        Only images that are there with a mask: Berkeley has photographs that SOD has not.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are no such data, with where to get them. An image that cannot be read is an error when it is read.
    """
    path = located(data, "salient objects (SOD)", REMEDY)
    masks = masks_below(path)
    if not masks:
        raise FileNotFoundError(f"{path}: holds no masks of salient objects (SOD). {REMEDY}")
    items = [
        SalientItem(item.name, item.image_file, (masks[item.name.lower()],))
        for item in bsds(path)
        if item.name.lower() in masks
    ]
    if not items:
        raise FileNotFoundError(
            f"{path}: none of its {len(masks)} masks of salient objects (SOD) has the name of an image. {REMEDY}"
        )
    return items


def masks_below(path: Path) -> dict[str, File]:
    """Return the masks in a folder or archive by the names of their images in lower case."""
    return {
        PurePath(parts[-1]).stem.lower(): file
        for parts, file in tree(path)
        if MASK.fullmatch("/".join(parts).lower()) and is_image(parts[-1])
    }
