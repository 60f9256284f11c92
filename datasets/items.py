"""One image of a benchmark and its truth, in a folder or a zip archive, read when they are asked for."""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from segjt.image import Image
from segjt.io.files import read_file
from segjt.io.images import decode_image
from segjt.runtime.arrays import Floats

# (H, W, 3): the images of a benchmark, as every method takes them.
Photo: TypeAlias = NDArray[np.uint8]
# What the maps of a truth are, and so how label maps are scored: see `Item.truth`.
TruthKind: TypeAlias = Literal["objects", "regions", "instances"]


@dataclass(frozen=True)
class File:
    """A file on disk, or a member of a zip archive."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return str(self.path / self.member)

    def read(self) -> bytes:
        """Return the content; an OSError or a ValueError names the file."""
        if not self.member:
            return read_file(self.path)
        try:
            with zipfile.ZipFile(self.path) as archive:
                return archive.read(self.member)
        except KeyError:
            raise FileNotFoundError(f"{self}: no such file in the archive") from None
        except (OSError, MemoryError):
            raise
        except Exception as error:  # zipfile passes on the decoders' errors
            raise ValueError(f"{self}: cannot be unpacked ({error}); get the archive again from its source") from None


@dataclass(frozen=True)
class Item(ABC):
    """An image with its truth.

    Attributes
    ----------
    name : str
        What tables call the image.
    image_file : File
        Where the image is.
    truth_files : tuple of File
        Where its truth is: masks, or a file with the segmentations of several people.
    truth_kind : "objects", "regions" or "instances"
        What its truth is, see `truth`; the same for all items of a class.
    contour_file : File or None
        Where another method's contour map of it is, if one comes with the data.
    """

    name: str
    image_file: File
    truth_files: tuple[File, ...]
    truth_kind: ClassVar[TruthKind] = "objects"
    contour_file: File | None = field(default=None, kw_only=True)

    @property
    def path(self) -> Path:
        """Path of the image; of one in an archive, the archive's path followed by the name inside."""
        return Path(str(self.image_file))

    def image(self) -> Photo:
        """Read the image as (H, W, 3) uint8, which every method in a benchmark takes; alpha is left out."""
        image = decode(self.image_file)
        if image.channels not in (1, 3):
            raise ValueError(f"{self.path}: has {image.channels} channels; benchmark images are grey or RGB")
        pixels = image.pixels if image.pixels.dtype == np.uint8 else np.rint(255 * image.values()).astype(np.uint8)
        return np.ascontiguousarray(np.broadcast_to(pixels, (*image.shape, 3)))

    def truth(self) -> NDArray[Any]:
        """Read the truth, of the same height and width as the image.

        Returns
        -------
        (n, H, W) array
            objects: bool, one mask for each object; regions: int32, one label map for each person; instances: int32,
            one map with 0 for the background and a label for each of many alike things.
        """
        if not self.truth_files:
            raise FileNotFoundError(f"{self.path}: has no truth; {self.expected_truth()}")
        truth = self.read_truth()
        if truth.shape[1:] != (size := self.image().shape[:2]):
            raise ValueError(
                f"{self.truth_files[0]}: the truth has {size_text(truth.shape[1:])} pixels and the image {self.path} "
                f"{size_text(size)}; nothing is resized, so get both from the same source"
            )
        return truth

    @abstractmethod
    def read_truth(self) -> NDArray[Any]:
        """Read the truth files."""

    @abstractmethod
    def expected_truth(self) -> str:
        """Say where the truth should have been."""

    def contours(self) -> Floats:
        """Read the contour map that comes with the image: (2 H + 1, 2 W + 1), pixels at the odd places."""
        if self.contour_file is None:
            raise FileNotFoundError(f"{self.path}: no contour map comes with it")
        contours = decode_contours(self.contour_file)
        height, width = self.image().shape[:2]
        if contours.shape != (2 * height + 1, 2 * width + 1):
            raise ValueError(
                f"{self.contour_file}: the contour map has {size_text(contours.shape)} places and the image "
                f"{self.path} {size_text((height, width))} pixels; it needs twice as many and one, "
                "so get both from the same source"
            )
        return contours

    def digest(self, contours: bool = False) -> str:
        """Return the SHA-256, in hex, of the bytes of the image and of its truth: the same in a folder and in a zip.

        With `contours`, that of the contour map is added.
        """
        total = hashlib.sha256()
        others = (self.contour_file,) if contours and self.contour_file is not None else ()
        for file in (self.image_file, *self.truth_files, *others):
            total.update(hashlib.sha256(file.read()).digest())
        return total.hexdigest()

    def same_size(self, maps: list[NDArray[Any]]) -> NDArray[Any]:
        """Stack the maps of the truth files, or raise a ValueError that names the first one of another size."""
        for file, other in zip(self.truth_files, maps, strict=True):
            if other.shape != maps[0].shape:
                raise ValueError(
                    f"{file}: has {size_text(other.shape[-2:])} pixels and {self.truth_files[0]} "
                    f"{size_text(maps[0].shape[-2:])}; get both from the same source"
                )
        return np.stack(maps)


def size_text(shape: tuple[int, ...]) -> str:
    """Return height and width as text."""
    return f"{shape[0]} x {shape[1]}"


def decode_contours(file: File) -> Floats:
    """Return the contour map in a `.mat` file of Arbelaez et al.: `ucm2`."""
    from scipy.io import loadmat

    content = io.BytesIO(file.read())
    try:
        contours: Floats = np.ascontiguousarray(loadmat(content)["ucm2"], np.float64)
    except MemoryError:
        raise
    except Exception as error:  # whatever loadmat raises for a damaged file
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{file}: has no ucm2 that can be read ({reason}); get it again from its source") from None
    return contours


def decode(file: File) -> Image:
    """Read an image file; an OSError or a ValueError names it."""
    try:
        return decode_image(file.read(), str(file))
    except TypeError as error:  # a pixel type that no image of a benchmark has
        raise ValueError(str(error)) from None


def tree(root: Path) -> Iterator[tuple[tuple[str, ...], File]]:
    """Yield every file below a folder or in a zip archive, with the parts of its path from there."""
    if root.is_dir():
        for folder, _, names in os.walk(root):
            for name in names:
                path = Path(folder, name)
                yield path.relative_to(root).parts, File(path)
        return
    try:
        with zipfile.ZipFile(root) as archive:
            members = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    except zipfile.BadZipFile as error:
        raise ValueError(f"{root}: is neither a folder nor a readable zip archive ({error})") from None
    for member in members:
        yield tuple(re.split(r"[\\/]", member)), File(root, member)


def children(folder: Path, folders_only: bool = True) -> list[Path]:
    """Return the entries of a folder, sorted by name without regard to case; none if it is a file."""
    entries = folder.iterdir() if folder.is_dir() else iter(())
    return sorted((path for path in entries if path.is_dir() or not folders_only), key=lambda path: path.name.lower())


def located(data: str | os.PathLike[str] | None, title: str, remedy: str) -> Path:
    """Return where the data are: the argument, or the environment variable SEGJT_DATA.

    Raises
    ------
    FileNotFoundError
        If neither is given, or the path does not exist; the message ends with the remedy.
    """
    given = data if data is not None else os.environ.get("SEGJT_DATA")
    if not given:
        raise FileNotFoundError(
            f"the {title} data are not there: neither --data (data=) nor SEGJT_DATA is set. {remedy}"
        )
    path = Path(given).expanduser()
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such folder or zip archive, so no {title} data. {remedy}")
    return path
