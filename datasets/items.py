"""One image of a benchmark and its truth, in a folder or a zip archive, read when they are asked for."""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from segjt.image import Image
from segjt.io.files import read_file
from segjt.io.images import decode_image

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
    """

    name: str
    image_file: File
    truth_files: tuple[File, ...]
    truth_kind: ClassVar[TruthKind] = "objects"

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

    def digest(self) -> str:
        """Return the SHA-256, in hex, of the bytes of the image and of its truth: the same in a folder and in a zip."""
        total = hashlib.sha256()
        for file in (self.image_file, *self.truth_files):
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
