"""`segjt segment`: read, segment, export, record, write; a bad image does not stop the others."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import segjt
from segjt.cli.errors import print_error, worst
from segjt.cli.options import chosen_parameters
from segjt.cli.result_files import ResultFiles, is_result
from segjt.image import Image
from segjt.io import decode_image, read_file, write_files
from segjt.merging.registry import merge_method
from segjt.parameters import Parameters
from segjt.pipeline import hierarchy_image, segment_image
from segjt.results import Segmentation, choose_exports
from segjt.runtime.threads import Progress


def segment_files(options: argparse.Namespace) -> int:
    """Segment every image of the command line; return the worst exit code."""
    parameters = chosen_parameters(options)
    exports = choose_exports(options.show_stages, options.hierarchy, options.contours, options.export)
    images = without_results([Path(name) for name in options.images])
    taken = {image.resolve(): f"is the input {image}" for image in images}
    codes = []
    for image in images:
        files = ResultFiles(image.parent if options.output is None else Path(options.output), image.stem, exports)
        try:
            files.check(taken, options.overwrite)
            record = segment_file(image, files, parameters, options)
        except Exception as error:
            codes.append(print_error(error, str(image)))
            continue
        codes.append(0)
        taken.update({path.resolve(): f"is also that of {image}" for path in files.possible()})
        if not options.quiet:
            print(success(image, record, files))
    if len(images) > 1 and any(codes):
        print(f"segjt: {codes.count(0)} of {len(images)} images segmented", file=sys.stderr)
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


def success(image: Path, record: dict[str, Any], files: ResultFiles) -> str:
    """Return the line that says how many segments an image has and where its overlay is."""
    n = record["n_segments"]
    return f"{image}: {n} segment{'s' if n != 1 else ''} -> {files.path('overlay')}"


def segment_file(path: Path, files: ResultFiles, parameters: Parameters, options: argparse.Namespace) -> dict[str, Any]:
    """Segment one image, write all of its files or none, and return their record."""
    clock = Clock()
    data = read_file(path)
    image = decode_image(data, path, options.page)
    clock.lap("read")
    with progress_bar(path.name, options.quiet) as progress:
        segmentation = segmented(image, parameters, files.needs_tree, progress)
    clock.lap("segment")
    contents = files.encode(segmentation)
    clock.lap("pictures")
    names = [file.name for file in contents]
    earlier = files.earlier(names)
    record = {
        "segjt": segjt.__version__,
        "image": describe(path, data, image, options.page),
        **({"preset": options.preset} if "preset" in options else {}),
        "parameters": parameters.to_dict(),
        **({"found": segmentation.found} if segmentation.found else {}),
        **counts(segmentation, options.hierarchy),
        "seconds": clock.laps,
        "files": names,
        **({"earlier_files": earlier} if earlier else {}),
    }
    contents[files.record] = (json.dumps(record, indent=2) + "\n").encode()
    files.folder.mkdir(parents=True, exist_ok=True)
    write_files(contents, options.overwrite)
    return record


def segmented(image: Image, parameters: Parameters, needs_tree: bool, progress: Progress | None) -> Segmentation:
    """Return an image with its segments, and its merge tree if that is needed or made anyway."""
    if needs_tree or (parameters.method == "blocks" and merge_method(parameters.merge_method).makes_tree):
        tree = hierarchy_image(image, parameters, progress)
        n = parameters.n_segments
        found = None if n != "auto" else tree.kind if parameters.find == "auto" else parameters.find
        return Segmentation(image, tree.initial, tree.cut(n, found or "object"), tree, found)
    return Segmentation(image, *segment_image(image, parameters, progress))


def counts(segmentation: Segmentation, hierarchy: Sequence[int]) -> dict[str, Any]:
    """Return the numbers of segments for the record; those of the maps that --hierarchy has asked for, too."""
    cuts = {str(n): int(segmentation.cut(n).max(initial=0)) for n in hierarchy}
    return {
        "n_segments": int(segmentation.labels.max(initial=0)),
        "n_initial_segments": int(segmentation.initial.max(initial=0)),
    } | ({"hierarchy": cuts} if cuts else {})


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
