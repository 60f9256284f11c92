"""`segjt segment`: read, segment, write labels, overlay and record; go on past a bad image."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import segjt
from segjt.cli.main import BAD_INPUT, FAILURE, chosen_parameters, report
from segjt.engine import Progress
from segjt.images import Image
from segjt.io import encode_labels, encode_png, label_suffix, read_image, refuse_existing, write_files
from segjt.overlay import overlay
from segjt.parameters import Parameters
from segjt.pipeline import merge_image, oversegment_image


def segment_files(options: argparse.Namespace) -> int:
    """Segment every image of the command line; return the worst exit code."""
    parameters = chosen_parameters(options)
    images = [Path(name) for name in options.images]
    taken = {image.resolve(): f"is the input {image}" for image in images}
    codes = []
    for image in images:
        try:
            results = Results(image, options.output)
            results.claim(taken)
            if not options.overwrite:
                refuse_existing(results.possible())
            segment_file(image, results, parameters, options)
            codes.append(0)
        except Exception as error:
            codes.append(report(error, str(image)))
    if len(images) > 1 and any(codes):
        print(f"segjt: {codes.count(0)} of {len(images)} images segmented", file=sys.stderr)
    return FAILURE if FAILURE in codes else BAD_INPUT if BAD_INPUT in codes else 0


class Results:
    """The files that belong to one image."""

    def __init__(self, image: Path, folder: str | None) -> None:
        self.folder = image.parent if folder is None else Path(folder)
        self.stem = image.stem

    def path(self, kind: str, suffix: str = ".png") -> Path:
        """Return the path of the result of some kind."""
        return self.folder / f"{self.stem}_{kind}{suffix}"

    def possible(self) -> list[Path]:
        """Return every path that may be written for the image."""
        maps = [self.path(kind, suffix) for kind in ("labels", "initial") for suffix in (".png", ".tif")]
        return [*maps, self.path("overlay"), self.path("initial_overlay"), self.path("segments", ".json")]

    def claim(self, taken: dict[Path, str]) -> None:
        """Raise a ValueError if a result would replace an input, or a result of another image of this call."""
        for path in self.possible():
            if path.resolve() in taken:
                raise ValueError(
                    f"its result {path} {taken[path.resolve()]}; rename one, or use -o with another folder"
                )
        taken.update({path.resolve(): f"is also that of another image named {self.stem}" for path in self.possible()})


def segment_file(path: Path, results: Results, parameters: Parameters, options: argparse.Namespace) -> None:
    """Segment one image and write its results, all of them or none."""
    clock = Clock()
    image = read_image(path, options.page)
    clock.lap("read")
    with progress_bar(path.name, options.quiet) as progress:
        initial = oversegment_image(image, parameters, progress)
    clock.lap("initial segments")
    labels = merge_image(image, initial, parameters)
    clock.lap("merge")

    maps = {"labels": labels} | ({"initial": initial} if options.show_stages else {})
    files = {results.path(kind, label_suffix(found)): encode_labels(found) for kind, found in maps.items()}
    pictures = {"overlay": labels} | ({"initial_overlay": initial} if options.show_stages else {})
    files |= {results.path(kind): encode_png(overlay(image, found)) for kind, found in pictures.items()}
    clock.lap("pictures")
    record = {
        "segjt": segjt.__version__,
        "image": describe(path, image, options.page),
        "parameters": parameters.to_dict(),
        "n_segments": int(labels.max(initial=0)),
        "n_initial_segments": int(initial.max(initial=0)),
        "seconds": clock.laps,
        "files": [file.name for file in files],
    }
    files[results.path("segments", ".json")] = (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()
    results.folder.mkdir(parents=True, exist_ok=True)
    write_files(files, options.overwrite)
    if not options.quiet:
        n = record["n_segments"]
        print(f"{path}: {n} segment{'s' if n != 1 else ''} -> {results.path('overlay')}")


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


def describe(path: Path, image: Image, page: int | None) -> dict[str, Any]:
    """Return what the record says about the image."""
    with open(path, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {
        "path": str(path),
        "sha256": digest,
        "height": image.shape[0],
        "width": image.shape[1],
        "channels": image.channels,
        "dtype": str(image.pixels.dtype),
        "masked_pixels": int((~image.mask).sum()),
    } | ({} if page is None else {"page": page})


@contextlib.contextmanager
def progress_bar(name: str, quiet: bool) -> Iterator[Progress | None]:
    """Give a callback that moves a bar on stderr; none if that is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=name, unit="block", leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress
