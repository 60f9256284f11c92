"""The images of a folder, the files that belong to each, and its result."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from segjt.cli.result_files import ResultFiles, is_result
from segjt.io import FORMATS, is_image

SUMMARY = ("batch.csv", "batch.html")


@dataclass(frozen=True)
class Job:
    """An image of the folder, its path relative to it, and the files that are written for it."""

    image: Path
    name: str
    files: ResultFiles


@dataclass(frozen=True)
class JobResult:
    """The result of one image: a record, `new` if this call made it, or an error with its exit code."""

    job: Job
    record: dict[str, Any] | None = None
    error: str = ""
    code: int = 0
    new: bool = False


def find_jobs(folder: Path, output: Path, recursive: bool) -> list[Job]:
    """Return a job for each image of a folder; the output folder and other results of segjt are left out."""
    check_folders(folder, output)
    images = [image for image in walk_images(folder, recursive) if not is_inside(image, output)]
    originals = [image for image in images if not is_result(image)]
    if len(originals) < len(images):
        print(f"segjt: {folder}: {len(images) - len(originals)} results of segjt are left out", file=sys.stderr)
    if not originals:
        raise ValueError(no_images(folder, recursive))
    return [
        job
        for _, siblings in groupby(originals, attrgetter("parent"))
        for job in make_jobs(list(siblings), folder, output)
    ]


def no_images(folder: Path, recursive: bool) -> str:
    """Return the error for a folder without images."""
    deeper = not recursive and any(walk_images(folder, recursive=True))
    return f"{folder}: has no images ({FORMATS}){'; its subfolders do: use --recursive' if deeper else ''}"


def make_jobs(siblings: Sequence[Path], folder: Path, output: Path) -> list[Job]:
    """Return the jobs of all images of one subfolder; their results keep its place below the folder."""
    names = [image.relative_to(folder) for image in siblings]
    stems = result_stems([image.name for image in siblings])
    return [
        Job(image, str(name), ResultFiles(output / name.parent, stem))
        for image, name, stem in zip(siblings, names, stems, strict=True)
    ]


def check_folders(folder: Path, output: Path) -> None:
    """Raise an error if there is no such folder, or if images and results would mix."""
    if not folder.exists():
        raise FileNotFoundError(f"{folder}: no such folder")
    if not folder.is_dir():
        raise ValueError(f"{folder}: is not a folder; for single files use segjt segment")
    if is_inside(folder, output):
        raise ValueError(
            f"{output}: is the folder of the images or contains it, so that results and images would mix; "
            f"use -o with another folder, for instance {folder / 'segments'}"
        )


def is_inside(path: Path, folder: Path) -> bool:
    """Tell whether a path leads into a folder, or to it."""
    return path.resolve().is_relative_to(folder.resolve())


def walk_images(folder: Path, recursive: bool) -> Iterator[Path]:
    """Yield the image files of a folder by name, then those of its subfolders, but for hidden and linked ones."""
    entries = sorted(os.scandir(folder), key=lambda entry: (entry.name.casefold(), entry.name))
    yield from (folder / entry.name for entry in entries if is_image(entry.name) and not entry.is_dir())
    for entry in entries if recursive else ():
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from walk_images(folder / entry.name, recursive)


def result_stems(names: Sequence[str]) -> list[str]:
    """Return what the results of each file of a folder begin with: a for a.png, but a.png if there is also a.jpg."""
    counts = Counter(Path(name).stem.casefold() for name in names)
    whole = {name.casefold() for name in names}

    def is_ambiguous(stem: str) -> bool:
        return counts[stem] > 1 or stem in whole

    return [name if is_ambiguous(Path(name).stem.casefold()) else Path(name).stem for name in names]
