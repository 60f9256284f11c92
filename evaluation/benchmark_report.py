"""The report of a benchmark of images: its tables, charts, and a gallery of recomputed label maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import segjt
from segjt.evaluation import instance_tables, region_tables, table_files, weizmann
from segjt.evaluation.claims import Verdict, claim_lines
from segjt.evaluation.grid import DEFAULT, FINDS_OBJECTS
from segjt.evaluation.instance_tables import AVERAGE_PRECISION, InstanceRow
from segjt.evaluation.instances import THRESHOLDS
from segjt.evaluation.region_tables import RegionRow
from segjt.evaluation.results import RowResults
from segjt.evaluation.tables import TableRow, columns_of, object_f, with_values
from segjt.evaluation.unit_of_work import OURS
from segjt.evaluation.weizmann_claims import weizmann_claims
from segjt.report.charts import Bar, BarChart, Chart, Line, LineChart
from segjt.report.page import Cell, GalleryItem, Report, Table
from segjt.report.pictures import gallery_pictures
from segjt.runtime.arrays import Floats, Labels, Mask

ABOUT_TIMES = "Times are those of one core, with the setting of the column fixed."


def object_report(table: Sequence[TableRow], title: str) -> Report:
    """Return the report of a run on images of one or two objects: Weizmann's, or salient ones."""
    gallery = [
        item
        for results, column, places in shown_maps(table)
        for item in pictures(results, column, places, object_f(results).mean(2)[np.arange(len(places)), places])
    ]
    notes = [table_files.explanation(columns_of(table)), ABOUT_TIMES]
    if any(row.of_paper for row in table):
        notes.append(table_files.LITERATURE)
    results = [row.results for row in table]
    return Report(title, subtitle(results), object_tables(table), object_charts(table), gallery, notes)


def object_charts(table: Sequence[TableRow]) -> list[Chart]:
    """Return bars of the fixed and tuned scores, and F over q."""
    tuned = [
        Bar(row.row.title, table_files.blocks_text(row.row), score.mean.f, score.mean.standard_error, row.published)
        for row in table
        if row.row.block_size and (score := row.scores.get("tuned, spectral") or row.scores.get("tuned"))
    ]
    fixed = [
        Bar(method_name(row.results), "one map", score.mean.f, score.mean.standard_error)
        for row in table
        if (score := row.scores.get("fixed"))
    ]
    charts: list[Chart] = [BarChart("One map per image, one setting for all", "F", fixed, "Mean and standard error.")]
    if tuned:
        marks = "Marks: paper 000, Table VII." if any(bar.published for bar in tuned) else ""
        charts.append(BarChart("Tuned for each image, as in the paper", "F", tuned, marks))
    return [*charts, *f_by_q(table)]


def object_tables(table: Sequence[TableRow]) -> list[Table]:
    """Return the table of scores, and that of the settings behind it."""
    columns = columns_of(table)
    best = {column: max(row.scores[column].mean.f for row in table if column in row.scores) for column in columns}
    shown = ["published"] if any(row.published is not None for row in table) else []
    scores = [
        [
            row.row.title,
            row.row.block_size,
            *(
                Cell(table_files.score_text(score), score.mean.f, strong=score.mean.f == best[column])
                if (score := row.scores.get(column))
                else None
                for column in columns
            ),
            *([row.published] if shown else []),
            row.seconds,
        ]
        for row in table
    ]
    settings = [
        [row.row.title, row.row.block_size, column, table_files.setting_text(score.setting)]
        for row in table
        for column, score in row.scores.items()
        if score.setting is not None
    ]
    heads, *lines = claim_lines(weizmann_claims(table)) or [[]]
    claims = [[*words, Cell(verdict, strong=verdict == Verdict.HOLDS)] for *words, verdict, _ in lines]
    return [
        Table("Mean F", ["method", "block size", *columns, *shown, "seconds per image"], scores),
        *([Table("What the papers say in words", heads[:-1], claims)] if claims else []),
        Table("Best settings", ["method", "block size", "column", "setting"], settings),
    ]


def f_by_q(table: Sequence[TableRow]) -> list[LineChart]:
    """Return F over q for the kernels that have a q (the idea of Figure 3 of paper 000), if there are several q."""
    lines = []
    for row in table:
        values = sorted({setting["q"] for setting in row.results.settings if setting.get("q") is not None})
        if len(values) > 1 and row.row.block_size:
            f = object_f(row.results)
            best = [f[:, with_values(row.results, q=(q,))].max(1).mean() for q in values]
            lines.append(Line(method_name(row.results), values, [float(value) for value in best]))
    note = "The best of all other parameters for each image."
    return [LineChart("F by the entropic index q, tuned", "q", "F", lines, note)] if lines else []


def shown_maps(table: Sequence[TableRow]) -> Iterator[tuple[RowResults, str, list[int]]]:
    """Yield the rows whose maps the gallery shows, the name of the column, and the setting of each image.

    Those are segjt's defaults and the kernel with the best tuned score: all rows would be thousands of pictures.
    """
    for row in table:
        if row.row.name == DEFAULT and "fixed" in row.scores:
            yield row.results, "fixed", [score.objects[0].place for score in row.scores["fixed"].images]
    kernels = [row for row in table if row.row.method == OURS and "tuned" in row.scores]
    if kernels:
        best = max(kernels, key=lambda row: row.scores["tuned"].mean.f)
        yield best.results, "tuned", [score.objects[0].place for score in best.scores["tuned"].images]


def pictures(results: RowResults, column: str, places: Sequence[int], scores: Floats) -> Iterator[GalleryItem]:
    """Yield the images of a row, each with the map of one setting and its score."""
    for image, place in enumerate(places):
        item = results.items[image]
        labels, truth = results.label_map(image, place), item.truth()
        best = best_labels(labels, truth) if item.truth_kind == "objects" else None
        drawn = gallery_pictures(item.image(), labels, truth, best)
        tags = {"method": method_name(results), "column": column}
        parameters: dict[str, Any] = results.settings[place] or {"parameters": "the defaults"}
        yield GalleryItem(item.name, float(scores[image]), drawn, tags, parameters)


def best_labels(labels: Labels, truth: Mask) -> list[int]:
    """Return the label of the segment that matches each object best."""
    return [score.label for score in weizmann.score_fixed(labels, truth).objects if score.label is not None]


def berkeley_report(table: Sequence[RegionRow], title: str) -> Report:
    """Return the report of a run on a Berkeley set."""
    gallery = [
        item
        for row in table
        if row.results.row.name == DEFAULT
        for place in (row.score.covering.setting,)
        for item in pictures(
            row.results, "ODS", [place] * len(row.results.items), row.results.column("covering")[:, place]
        )
    ]
    charts: list[Chart] = [
        BarChart(title_of_chart, score, scale_bars(table, score))
        for title_of_chart, score in (("Segmentation covering", "covering"), ("Boundary F", region_tables.BOUNDARY))
    ]
    lines = [
        Line(method_name(row.results), recall, precision)
        for row in table
        for recall, precision in region_tables.precision_recall(row.results)
    ]
    if lines:
        note = "Boundary pixels of all images together, at the thresholds of each hierarchy."
        charts.append(LineChart("Precision over recall of boundaries", "recall", "precision", lines, note))
    notes = [region_tables.EXPLANATION]
    results = [row.results for row in table]
    return Report(title, subtitle(results), berkeley_tables(table), charts, gallery, notes, "covering")


def scale_bars(table: Sequence[RegionRow], score: str) -> list[Bar]:
    """Return bars of a score at ODS and OIS."""
    return [
        Bar(method_name(row.results), scale, value)
        for row in table
        for scale, value in (("ODS", row.scale(score).ods), ("OIS", row.scale(score).ois))
    ]


def berkeley_tables(table: Sequence[RegionRow]) -> list[Table]:
    """Return the table of scores, and that of the settings at ODS."""
    heads = ["method", "block size"]
    heads += [f"{score} {scale}" for score in region_tables.SCORES for scale in ("ODS", "OIS")]
    rows, settings = [], []
    for row in table:
        name = [row.results.row.title, row.results.row.block_size]
        scales = [row.scale(score) for score in region_tables.SCORES]
        figures = [value for scale in scales for value in (scale.ods, scale.ois)]
        rows.append([*name, *figures, row.boundary.ap, row.seconds])
        for score, scale in zip(region_tables.SCORES, scales, strict=True):
            settings.append([*name, score, table_files.setting_text(row.results.settings[scale.setting])])
    return [
        Table("Regions and boundaries", [*heads, "boundary AP", "seconds per image"], rows),
        Table("Settings at ODS", ["method", "block size", "score", "setting"], settings),
    ]


def instance_report(table: Sequence[InstanceRow], title: str) -> Report:
    """Return the report of a run on images of many objects."""
    gallery = [
        item
        for row in table
        if row.results.row.name in (DEFAULT, FINDS_OBJECTS)
        for item in pictures(row.results, "fixed", [row.place] * len(row.scores), row.values(AVERAGE_PRECISION))
    ]
    bars = [
        Bar(method_name(row.results), figure, *row.mean(figure))
        for row in table
        for figure in (AVERAGE_PRECISION, instance_tables.f1_name(THRESHOLDS[0]))
    ]
    thresholds = [threshold / 100 for threshold in THRESHOLDS]
    lines = [
        Line(
            method_name(row.results),
            thresholds,
            [row.mean(instance_tables.f1_name(threshold))[0] for threshold in THRESHOLDS],
        )
        for row in table
    ]
    charts: list[Chart] = [
        BarChart("Objects found", "mean over the images", bars, "Mean and standard error."),
        LineChart("F1 by the IoU from which on an object counts as found", "IoU", "F1", lines),
    ]
    notes = [instance_tables.EXPLANATION, ABOUT_TIMES]
    results = [row.results for row in table]
    return Report(title, subtitle(results), instance_report_tables(table), charts, gallery, notes, AVERAGE_PRECISION)


def instance_report_tables(table: Sequence[InstanceRow]) -> list[Table]:
    """Return the table of scores, and that of the settings."""
    rows, settings = [], []
    for row in table:
        name = [row.results.row.title, row.results.row.block_size]
        means = [row.mean(figure) for figure in instance_tables.COLUMNS]
        figures = [Cell(table_files.with_error(mean, error), mean) for mean, error in means]
        rows.append([*name, *figures, row.seconds])
        settings.append([*name, table_files.setting_text(row.results.settings[row.place])])
    return [
        Table("Objects", ["method", "block size", *instance_tables.COLUMNS, "seconds per image"], rows),
        Table("Settings", ["method", "block size", "setting"], settings),
    ]


def method_name(results: RowResults) -> str:
    """Return the name of a row, without the library that a peer comes from."""
    title, _, _ = results.row.title.partition(" (")
    return f"{title} {table_files.blocks_text(results.row)}".strip()


def subtitle(results: Sequence[RowResults]) -> str:
    """Return what was run, in words."""
    images = max((len(row.items) for row in results), default=0)
    settings = sum(len(row.settings) for row in results)
    return f"{images} images, {len(results)} methods, {settings} settings in all; segjt {segjt.__version__}"
