"""The images of a folder, and where the results of each go."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from segjt.cli.result_files import ResultFiles, is_result
from segjt.io import FORMATS


@dataclass(frozen=True)
class Job:
    """An image of the folder, its path relative to it, and the files that are written for it."""

    image: Path
    name: str
    files: ResultFiles


def find_jobs(folder: Path, output: Path, recursive: bool) -> list[Job]:
    """Return a job for each image of a folder; the output folder and other results of segjt are left out."""
    check_folders(folder, output)
    jobs: list[Job] = []
    results = 0
    for source in walk(folder, recursive):
        images = [image for image in images_in(source) if not is_inside(image, output)]
        originals = [image for image in images if not is_result(image)]
        results += len(images) - len(originals)
        target = output / source.relative_to(folder)
        for image, stem in zip(originals, result_stems([image.name for image in originals]), strict=True):
            jobs.append(Job(image, str(image.relative_to(folder)), ResultFiles(target, stem)))
    if results:
        print(f"segjt: {folder}: {results} results of segjt are left out", file=sys.stderr)
    if not jobs:
        deeper = not recursive and any(images_in(source) for source in walk(folder, recursive=True))
        raise ValueError(
            f"{folder}: has no images ({FORMATS}){'; its subfolders do: use --recursive' if deeper else ''}"
        )
    return jobs


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


def walk(folder: Path, recursive: bool) -> Iterator[Path]:
    """Yield a folder and, if `recursive`, its subfolders, sorted by name; hidden ones and links are left out."""
    yield folder
    for entry in by_name(folder) if recursive else ():
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from walk(folder / entry.name, recursive)


def images_in(folder: Path) -> list[Path]:
    """Return the image files of one folder, sorted by name."""
    from segjt.datasets.items import is_image

    return [folder / entry.name for entry in by_name(folder) if is_image(entry.name) and not entry.is_dir()]


def by_name(folder: Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, sorted by name without regard to case."""
    return sorted(os.scandir(folder), key=lambda entry: (entry.name.casefold(), entry.name))


def result_stems(names: Sequence[str]) -> list[str]:
    """Return what the results of each file of a folder begin with: a for a.png, but a.png if there is a.jpg, too."""
    counts = Counter(Path(name).stem.casefold() for name in names)
    whole = {name.casefold() for name in names}

    def is_ambiguous(stem: str) -> bool:
        return counts[stem] > 1 or stem in whole

    return [name if is_ambiguous(Path(name).stem.casefold()) else Path(name).stem for name in names]
