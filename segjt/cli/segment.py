"""`segjt segment`: read, segment, write labels, overlay and record; go on past a bad image."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import segjt
from segjt.cli.main import chosen_parameters, report, worst
from segjt.image import Image
from segjt.io import check_targets, decode_image, encode_labels, encode_png, label_suffix, read_file, write_files
from segjt.parameters import Parameters
from segjt.pipeline import hierarchy_image, segment_image
from segjt.results.overlay import overlay
from segjt.runtime.threads import Progress

# Pictures and maps of a result; the last two only with --show-stages.
KINDS = ("labels", "overlay", "initial", "initial_overlay")
# How the name of a result can end; maps and overlays of a hierarchy have their number of segments.
ENDINGS = (r"_labels(_\d+)?$", r"_overlay(_\d+)?$", "_initial$", "_initial_overlay$", "_contours$")


def segment_files(options: argparse.Namespace) -> int:
    """Segment every image of the command line; return the worst exit code."""
    parameters = chosen_parameters(options)
    images = [Path(name) for name in options.images]
    for image in [image for image in images if is_result(image)]:
        print(f"segjt: {image}: is a result of segjt and is left out", file=sys.stderr)
        images.remove(image)
    taken = {image.resolve(): f"is the input {image}" for image in images}
    codes = []
    for image in images:
        folder = image.parent if options.output is None else Path(options.output)
        results = Results(folder, image.stem, options.show_stages, options.hierarchy, options.contours)
        try:
            results.check(taken, options.overwrite)
            record = segment_file(image, results, parameters, options)
        except Exception as error:
            codes.append(report(error, str(image)))
            continue
        codes.append(0)
        taken.update({path.resolve(): f"is also that of {image}" for path in results.possible()})
        if not options.quiet:
            print(success(image, record, results))
    if len(images) > 1 and any(codes):
        print(f"segjt: {codes.count(0)} of {len(images)} images segmented", file=sys.stderr)
    return worst(codes)


def success(image: Path, record: dict[str, Any], results: Results) -> str:
    """Return the line that says what became of an image."""
    n = record["n_segments"]
    return f"{image}: {n} segment{'s' if n != 1 else ''} -> {results.path('overlay')}"


def is_result(path: Path) -> bool:
    """Tell whether a record beside the file lists it: `segjt segment *.png` may be called twice."""
    found = [re.search(ending, path.stem) for ending in ENDINGS]
    records = [path.with_name(f"{path.stem[: end.start()]}_segments.json") for end in found if end]
    return any(path.name in listed_files(record) for record in records)


def listed_files(record: Path) -> list[str]:
    """Return the names of all results that a record lists; none if it is no record."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        content = json.loads(record.read_text(encoding="utf-8"))
        return [str(name) for name in (*content["files"], *content.get("earlier_files", ()))]
    return []


class Results:
    """The files that belong to one image: in which folder, how they begin, and which are asked for."""

    def __init__(
        self, folder: Path, stem: str, stages: bool = False, cuts: Sequence[int] = (), contours: bool = False
    ) -> None:
        self.folder = folder
        self.stem = stem
        self.stages = stages
        self.cuts = cuts
        self.contours = contours

    def path(self, kind: str, suffix: str = ".png") -> Path:
        """Return the path of the result of some kind."""
        return self.folder / f"{self.stem}_{kind}{suffix}"

    def possible(self) -> list[Path]:
        """Return every path that may be written for the image."""
        kinds = [*(KINDS if self.stages else KINDS[:2]), *(f"{kind}_{n}" for n in self.cuts for kind in KINDS[:2])]
        maps = [self.path(kind, ".tif") for kind in kinds if "overlay" not in kind]
        contours = [self.path("contours")] if self.contours else []
        return [*(self.path(kind) for kind in kinds), *maps, *contours, self.path("segments", ".json")]

    def check(self, taken: dict[Path, str], overwrite: bool) -> None:
        """Raise an error if a result would replace an input, a result of another image, or a file to be kept."""
        for path in self.possible():
            if path.resolve() in taken:
                raise ValueError(
                    f"its result {path} {taken[path.resolve()]}; rename one, or use -o with another folder"
                )
        check_targets(self.possible(), overwrite)


def segment_file(path: Path, results: Results, parameters: Parameters, options: argparse.Namespace) -> dict[str, Any]:
    """Segment one image, write its results, all of them or none, and return their record."""
    clock = Clock()
    data = read_file(path)
    image = decode_image(data, path, options.page)
    clock.lap("read")
    with progress_bar(path.name, options.quiet) as progress:
        if results.cuts or results.contours:
            tree = hierarchy_image(image, parameters, progress)
            initial, labels = tree.initial, tree.cut(parameters.n_segments)
            cuts = dict(zip(results.cuts, tree.cuts(results.cuts), strict=True))
        else:
            initial, labels = segment_image(image, parameters, progress)
            cuts = {}
    clock.lap("segment")

    maps = {"labels": labels} | ({"initial": initial} if results.stages else {})
    maps |= {f"labels_{n}": cut for n, cut in cuts.items()}
    files = {results.path(kind, label_suffix(found)): encode_labels(found) for kind, found in maps.items()}
    pictures = {"overlay": labels} | ({"initial_overlay": initial} if results.stages else {})
    pictures |= {f"overlay_{n}": cut for n, cut in cuts.items()}
    files |= {results.path(kind): encode_png(overlay(image, found)) for kind, found in pictures.items()}
    if results.contours:
        files[results.path("contours")] = encode_png(np.rint(255 * tree.contours()).astype(np.uint8))
    clock.lap("pictures")
    of_record = results.path("segments", ".json")
    names = [file.name for file in files]
    # Results of an earlier run that this one does not replace stay results, not images to be segmented.
    earlier = [name for name in listed_files(of_record) if name not in names and (results.folder / name).exists()]
    record = {
        "segjt": segjt.__version__,
        "image": describe(path, data, image, options.page),
        **({"preset": options.preset} if "preset" in options else {}),
        "parameters": parameters.to_dict(),
        "n_segments": int(labels.max(initial=0)),
        "n_initial_segments": int(initial.max(initial=0)),
        **({"hierarchy": {str(n): int(cut.max(initial=0)) for n, cut in cuts.items()}} if cuts else {}),
        "seconds": clock.laps,
        "files": names,
        **({"earlier_files": earlier} if earlier else {}),
    }
    files[of_record] = (json.dumps(record, indent=2) + "\n").encode()
    results.folder.mkdir(parents=True, exist_ok=True)
    write_files(files, options.overwrite)
    return record


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


def describe(path: Path, data: bytes, image: Image, page: int | None) -> dict[str, Any]:
    """Return what the record says about the image."""
    return {
        "path": str(path),
        "sha256": hashlib.sha256(data).hexdigest(),
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
