"""The summary of `segjt batch`: a table for programs, a page for people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import segjt
from segjt.cli.batch_jobs import SUMMARY, JobResult
from segjt.io import LABEL_SUFFIXES, encode_csv, read_image, read_labels, write_files
from segjt.parameters import Parameters
from segjt.report.page import Cell, GalleryItem, Report, Table, encode_report
from segjt.report.pictures import gallery_pictures

COLUMNS = ("file", "width", "height", "segments", "seconds", "status", "error")
# With pictures of more images than this, the page would be slow in a browser.
MOST_PICTURES = 300


def write_summary(
    folder: Path, output: Path, parameters: Parameters, results: Sequence[JobResult], options: argparse.Namespace
) -> None:
    """Write batch.csv and batch.html, replacing those of an earlier call."""
    rows = [row_of(result) for result in results]
    gallery = make_gallery(output, results, options)
    done = sum(result.record is not None for result in results)
    notes = [f"The gallery shows the first {len(gallery)} of {done} images; the table lists all."]
    page = Report(
        title=f"Segments of {folder.resolve().name}",
        subtitle=f"{len(rows)} images, {done} segmented, {len(rows) - done} failed; segjt {segjt.__version__}",
        tables=[files_table(rows, gallery), parameters_table(parameters)],
        gallery=list(gallery.values()),
        notes=notes if len(gallery) < done else [],
    )
    contents = zip(SUMMARY, (encode_csv([COLUMNS, *rows]), encode_report(page)), strict=True)
    write_files({output / name: content for name, content in contents}, overwrite=True)


def row_of(result: JobResult) -> list[Any]:
    """Return the row of an image in the table of files."""
    if result.record is None:
        return [result.job.name, None, None, None, None, "failed", result.error]
    image, seconds = result.record["image"], sum(result.record["seconds"].values())
    n = result.record["n_segments"]
    return [result.job.name, image["width"], image["height"], n, round(seconds, 3), "done", ""]


def files_table(rows: Sequence[Sequence[Any]], gallery: dict[str, GalleryItem]) -> Table:
    """Return the table of all files, failures first."""
    ordered = sorted(rows, key=lambda row: row[5] == "done")
    cells = [[Cell(row[0], link=gallery[row[0]].address if row[0] in gallery else ""), *row[1:]] for row in ordered]
    for row in cells:
        if row[5] == "failed":
            row[5] = Cell("failed", strong=True)
    return Table("Files", COLUMNS, cells)


def parameters_table(parameters: Parameters) -> Table:
    """Return the table of the parameters that all images share."""
    values = {name: value for name, value in parameters.to_dict().items() if name != "workers"}
    return Table("Parameters", ["parameter", "value"], [[name, Cell(str(value))] for name, value in values.items()])


def make_gallery(output: Path, results: Sequence[JobResult], options: argparse.Namespace) -> dict[str, GalleryItem]:
    """Return gallery items of the first images, by name."""
    from tqdm import tqdm

    done = [result for result in results if result.record is not None][:MOST_PICTURES]
    hidden = options.quiet or not sys.stderr.isatty()
    return {
        result.job.name: gallery_item(output, result, options)
        for result in tqdm(done, desc="summary", unit="image", leave=False, disable=hidden)
    }


def gallery_item(output: Path, result: JobResult, options: argparse.Namespace) -> GalleryItem:
    """Return an image and its segments, with links to the files."""
    job, record = result.job, result.record
    assert record is not None  # only finished images get here
    possible = (job.files.path("labels", suffix) for suffix in LABEL_SUFFIXES)
    labels = next(path for path in possible if path.name in record["files"])
    links = {"segments": job.files.path("overlay"), "labels": labels, "record": job.files.record}
    parent = Path(job.name).parent
    return GalleryItem(
        name=job.name,
        score=None,
        pictures=gallery_pictures(read_image(job.image, options.page), read_labels(labels)),
        tags={"folder": str(parent) if parent.name else "top folder"} if options.recursive else {},
        links={
            text: quote(path.relative_to(output).as_posix(), errors="surrogateescape") for text, path in links.items()
        },
        note=f"{record['n_segments']} segments",
    )
