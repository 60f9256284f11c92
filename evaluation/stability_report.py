"""The benchmark of stability as tables and as a page: mean and least agreement of each change and contender."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

import segjt
from segjt.datasets.items import Photo
from segjt.evaluation.peers import TITLES
from segjt.evaluation.table_files import encode_json, markdown, times_csv
from segjt.io import encode_csv
from segjt.report.charts import Bar, BarChart
from segjt.report.page import Cell, GalleryItem, Report, Table
from segjt.report.pictures import gallery_pictures
from segjt.runtime.arrays import Labels

TITLE = "Stability"
EXPLANATION = (
    "Adjusted Rand index of the map (segjt: n_segments = auto; other tools: their usual parameters) before and after a "
    "change that leaves the picture the same, mean over the images, with the least in brackets; 1 is the same map. "
    "Maps are compared where both pictures show the same. Other tools are run without a seed, and take RGB only."
)
ALL = "mean of those that all have"


@dataclass(frozen=True)
class Agreement:
    """How alike one contender's maps of an image before and after a change are, with the seconds of the latter."""

    contender: str
    change: str
    image: str
    ari: float
    before: int
    after: int
    seconds: float


@dataclass(frozen=True)
class Row:
    """Mean and least agreement of a change by contender, and in how many images the number of segments changes."""

    change: str
    mean: dict[str, float]
    least: dict[str, float]
    renumbered: dict[str, int]


def distinct(names: Iterable[str]) -> list[str]:
    """Return names, each once, in the order in which they first occur."""
    return list(dict.fromkeys(names))


def table_rows(agreements: Sequence[Agreement]) -> list[Row]:
    """Return a row for each change, and one for those that all contenders have: others would favour some of them."""
    changes = distinct(one.change for one in agreements)
    rows = [row_of(change, [one for one in agreements if one.change == change]) for change in changes]
    everyone = {one.contender for one in agreements}
    shared = {row.change for row in rows if row.mean.keys() == everyone}
    return [*rows, row_of(ALL, [one for one in agreements if one.change in shared])]


def row_of(title: str, agreements: Sequence[Agreement]) -> Row:
    """Return the row of some agreements."""
    by_contender = {
        name: [one for one in agreements if one.contender == name] for name in distinct(a.contender for a in agreements)
    }
    return Row(
        title,
        {name: float(np.mean([one.ari for one in some])) for name, some in by_contender.items()},
        {name: min(one.ari for one in some) for name, some in by_contender.items()},
        {name: sum(one.before != one.after for one in some) for name, some in by_contender.items()},
    )


def table_contents(agreements: Sequence[Agreement]) -> dict[str, bytes]:
    """Return the files of the tables by name."""
    rows = table_rows(agreements) if agreements else []
    contenders = distinct(one.contender for one in agreements)
    return {
        "table.md": stability_markdown(rows, contenders, images_text(agreements)).encode(),
        "table.json": encode_json({"benchmark": "stability", "rows": [json_row(row) for row in rows]}),
        "results.csv": results_csv(agreements),
        "times.csv": times_csv([(name, None, seconds) for name, seconds in mean_seconds(agreements)]),
    }


def stability_markdown(rows: Sequence[Row], contenders: Sequence[str], images: str) -> str:
    """Return the table as Markdown, without times."""
    heads = ["change", *(TITLES.get(name, name) for name in contenders)]
    lines = [[row.change, *(agreement_text(row, name) for name in contenders)] for row in rows]
    return "\n\n".join([f"# {TITLE}, {images}", markdown([heads, *lines]), EXPLANATION]) + "\n"


def agreement_text(row: Row, contender: str) -> str:
    """Return mean and least agreement as text."""
    return f"{row.mean[contender]:.3f} ({row.least[contender]:.2f})" if contender in row.mean else ""


def images_text(agreements: Sequence[Agreement]) -> str:
    """Return how many images there are, in words."""
    count = len({one.image for one in agreements})
    return f"{count} image{'s' * (count != 1)}"


def json_row(row: Row) -> dict[str, object]:
    """Return a row as JSON has it."""
    cells = {
        name: {"mean": round(row.mean[name], 6), "least": row.least[name], "other_number": row.renumbered[name]}
        for name in row.mean
    }
    return {"change": row.change, "cells": cells}


def results_csv(agreements: Sequence[Agreement]) -> bytes:
    """Return every agreement as CSV, without times."""
    heads = ["method", "change", "image", "ari", "segments_before", "segments_after"]
    lines = [[one.contender, one.change, one.image, one.ari, one.before, one.after] for one in agreements]
    return encode_csv([heads, *lines])


def mean_seconds(agreements: Sequence[Agreement]) -> list[tuple[str, float]]:
    """Return the seconds per changed picture of each contender."""
    names = distinct(one.contender for one in agreements)
    return [(name, float(np.mean([one.seconds for one in agreements if one.contender == name]))) for name in names]


def times_text(agreements: Sequence[Agreement]) -> str:
    """Return the seconds per changed picture as a table to be printed."""
    lines = [[TITLES.get(name, name), f"{seconds:.2f}"] for name, seconds in mean_seconds(agreements)]
    return markdown([["method", "seconds per image, one core"], *lines])


def stability_report(
    agreements: Sequence[Agreement], worst: Sequence[tuple[Agreement, Photo, Labels, Labels]]
) -> Report:
    """Return the report: the table, bars, and for each image the change that segjt's map suffers most from."""
    rows = table_rows(agreements) if agreements else []
    contenders = distinct(one.contender for one in agreements)
    heads = ["change", *(f"{TITLES.get(name, name)}, {what}" for name in contenders for what in ("mean", "least"))]
    cells = [
        [row.change, *(cell for name in contenders for cell in (mean_cell(row, name), row.least.get(name)))]
        for row in rows
    ]
    bars = [Bar(row.change, TITLES.get(name, name), row.mean[name]) for row in rows for name in row.mean]
    charts = [BarChart("Agreement before and after a change", "mean ARI", bars)] if bars else []
    gallery = [gallery_item(*pair) for pair in worst]
    subtitle = f"{images_text(agreements)}, {max(len(rows) - 1, 0)} changes; segjt {segjt.__version__}"
    return Report(TITLE, subtitle, [Table("Agreement", heads, cells)], charts, gallery, [EXPLANATION], "ARI")


def mean_cell(row: Row, contender: str) -> Cell | None:
    """Return the mean of a contender; the best of a row stands out."""
    if contender not in row.mean:
        return None
    mean = row.mean[contender]
    return Cell(f"{mean:.3f}", mean, strong=mean == max(row.mean.values()))


def gallery_item(agreement: Agreement, image: Photo, before: Labels, after: Labels) -> GalleryItem:
    """Return the picture with its map before a change, and with that after it, brought back."""
    pictures = gallery_pictures(image, before)
    pictures["After"] = gallery_pictures(image, after)["Segments"]
    note = f"{agreement.change}: {agreement.before} segments before, {agreement.after} after"
    return GalleryItem(agreement.image, agreement.ari, pictures, {"change": agreement.change}, note=note)
