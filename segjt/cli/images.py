"""What all commands on images do with each of them: read, compute, export, record, write.

A bad image does not stop the others.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import segjt
from segjt.cli.errors import print_error, worst
from segjt.cli.result_files import ResultFiles, is_result
from segjt.image import Image
from segjt.io import decode_image, read_file, write_files
from segjt.parameters import Parameters
from segjt.results import Export, Segmentation
from segjt.runtime.threads import Progress


@dataclass(frozen=True)
class Task:
    """What a command does with each image.

    Attributes
    ----------
    command : str
        Its name.
    done : str
        What an image is afterwards, in one word.
    kind : str
        What is found, in the plural: the record of photo.png is photo_KIND.json and has their number as n_KIND.
    overlay : str
        Name of the export that people look at first.
    parameters : Parameters
        How small segments are made and merged.
    make : callable
        Takes an image and a callback for progress, or None, and returns what is found.
    entries : callable
        Takes what is found, returns what the record says of it.
    """

    command: str
    done: str
    kind: str
    overlay: str
    parameters: Parameters
    make: Callable[[Image, Progress | None], Segmentation]
    entries: Callable[[Segmentation], dict[str, Any]]


def process_files(task: Task, exports: Sequence[Export], options: argparse.Namespace) -> int:
    """Do a task for every image of the command line; return the worst exit code."""
    images = without_results([Path(name) for name in options.images])
    taken = {image.resolve(): f"is the input {image}" for image in images}
    codes = []
    for image in images:
        folder = image.parent if options.output is None else Path(options.output)
        files = ResultFiles(folder, image.stem, exports, task.kind)
        try:
            files.check(taken, options.overwrite)
            record = process_file(task, image, files, options)
        except Exception as error:
            codes.append(print_error(error, str(image)))
            continue
        codes.append(0)
        taken.update({path.resolve(): f"is also that of {image}" for path in files.possible()})
        if not options.quiet:
            print(success(task, image, record, files))
    if len(images) > 1 and any(codes):
        print(f"segjt: {codes.count(0)} of {len(images)} images {task.done}", file=sys.stderr)
    return worst(codes)


def without_results(paths: list[Path]) -> list[Path]:
    """Return the paths that are not results of an earlier run; print those that are."""
    originals = []
    for path in paths:
        if is_result(path):
            print(f"segjt: {path}: is a result of segjt and is left out", file=sys.stderr)
        else:
            originals.append(path)
    return originals


def success(task: Task, image: Path, record: dict[str, Any], files: ResultFiles) -> str:
    """Return the line that says how many segments or objects an image has and where its overlay is."""
    n = record[f"n_{task.kind}"]
    return f"{image}: {n} {task.kind if n != 1 else task.kind.removesuffix('s')} -> {files.path(task.overlay)}"


def process_file(task: Task, path: Path, files: ResultFiles, options: argparse.Namespace) -> dict[str, Any]:
    """Do a task for one image, write all of its files or none, and return their record."""
    clock = Clock()
    data = read_file(path)
    image = decode_image(data, path, options.page)
    clock.lap("read")
    with progress_bar(path.name, options.quiet) as progress:
        segmentation = task.make(image, progress)
    clock.lap(task.command)
    contents = files.encode(segmentation)
    clock.lap("pictures")
    names = [file.name for file in contents]
    earlier = files.earlier(names)
    record = {
        "segjt": segjt.__version__,
        "command": task.command,
        "image": describe(path, data, image, options.page),
        **({"preset": options.preset} if "preset" in options else {}),
        "parameters": task.parameters.to_dict(),
        **task.entries(segmentation),
        "n_initial_segments": int(segmentation.initial.max(initial=0)),
        "seconds": clock.laps,
        "files": names,
        **({"earlier_files": earlier} if earlier else {}),
    }
    contents[files.record] = (json.dumps(record, indent=2) + "\n").encode()
    files.folder.mkdir(parents=True, exist_ok=True)
    write_files(contents, options.overwrite)
    return record


def describe(path: Path, data: bytes, image: Image, page: int | None) -> dict[str, Any]:
    """Return the entry of the record for the image."""
    return {
        "path": str(path),
        "sha256": hashlib.sha256(data).hexdigest(),
        "height": image.shape[0],
        "width": image.shape[1],
        "channels": image.channels,
        "dtype": str(image.pixels.dtype),
        "masked_pixels": int((~image.mask).sum()),
    } | ({} if page is None else {"page": page})


class Clock:
    """Seconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self.last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Store the time since the last lap."""
        now = time.perf_counter()
        self.laps[name] = round(now - self.last, 4)
        self.last = now


@contextlib.contextmanager
def progress_bar(name: str, quiet: bool) -> Iterator[Progress | None]:
    """Give a callback that moves a bar on stderr; None if stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=name, unit="block", leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress
