"""The report of a benchmark of images: its tables, charts of F, and a gallery of label maps, computed again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import segjt
from segjt.evaluation import region_tables, table_files
from segjt.evaluation.grid import DEFAULT
from segjt.evaluation.region_tables import RegionRow
from segjt.evaluation.results import RowResults
from segjt.evaluation.tables import COLUMNS, TableRow, object_f, with_values
from segjt.evaluation.unit_of_work import OURS
from segjt.report.charts import Bar, BarChart, Chart, Line, LineChart
from segjt.report.page import Cell, GalleryItem, Report, Table
from segjt.report.pictures import gallery_pictures
from segjt.runtime.arrays import Floats

NO_COST = "Times are of one core, and of the setting of the column fixed."


def weizmann_report(table: Sequence[TableRow], title: str) -> Report:
    """Return the report of a run on the Weizmann database."""
    gallery = [item for results, column, places in shown_maps(table) for item in pictures(results, column, places)]
    bars = [
        Bar(row.row.title, table_files.blocks_text(row.row), cell.score.f, cell.score.standard_error, row.published)
        for row in table
        if row.row.block_size and (cell := row.scores.get("tuned, spectral") or row.scores.get("tuned"))
    ]
    fixed = [
        Bar(method_name(row.results), "one map", cell.score.f, cell.score.standard_error)
        for row in table
        if (cell := row.scores.get("fixed"))
    ]
    charts: list[Chart] = [
        BarChart("One map an image, one setting for all", "F", fixed, "Mean and standard error."),
        *(
            [BarChart("Tuned for each image, as in the paper", "F", bars, "Marks: paper 000, Table VII.")]
            if bars
            else []
        ),
        *f_by_q(table),
    ]
    notes = [table_files.EXPLANATION, NO_COST, table_files.LITERATURE]
    return Report(title, subtitle([row.results for row in table]), weizmann_tables(table), charts, gallery, notes)


def weizmann_tables(table: Sequence[TableRow]) -> list[Table]:
    """Return the table of scores, and that of the settings behind it."""
    best = {
        column: max((row.scores[column].score.f for row in table if column in row.scores), default=0.0)
        for column in COLUMNS
    }
    scores = [
        [
            row.row.title,
            row.row.block_size,
            *(
                Cell(table_files.figure_text(cell), cell.score.f, strong=cell.score.f == best[column])
                if (cell := row.scores.get(column))
                else None
                for column in COLUMNS
            ),
            row.published,
            row.seconds,
        ]
        for row in table
    ]
    settings = [
        [row.row.title, row.row.block_size, column, table_files.setting_text(cell.setting)]
        for row in table
        for column, cell in row.scores.items()
        if cell.setting is not None
    ]
    return [
        Table("Mean F", ["method", "block size", *COLUMNS, "published", "seconds an image"], scores),
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
    """Yield whose maps the gallery shows, under which name, and which setting of each image.

    Segjt's defaults, and the kernel with the best tuned score: all of them would be thousands of pictures.
    """
    for row in table:
        if row.row.name == DEFAULT and "fixed" in row.scores:
            yield row.results, "fixed", [score.objects[0].place for score in row.scores["fixed"].images]
    kernels = [row for row in table if row.row.method == OURS and "tuned" in row.scores]
    if kernels:
        best = max(kernels, key=lambda row: row.scores["tuned"].score.f)
        yield best.results, "tuned", [score.objects[0].place for score in best.scores["tuned"].images]


def pictures(results: RowResults, column: str, places: Sequence[int]) -> Iterator[GalleryItem]:
    """Yield the images of a row with the maps of one setting each; the score is F, or for regions the covering."""
    regions = "covering" in results.columns
    scores: Floats = results.column("covering") if regions else object_f(results).mean(2)
    for image, place in enumerate(places):
        item = results.items[image]
        made = gallery_pictures(item.image(), results.label_map(image, place), item.truth())
        tags = {"method": method_name(results), "column": column}
        parameters: dict[str, Any] = results.settings[place] or {"parameters": "the defaults"}
        yield GalleryItem(item.name, float(scores[image, place]), made, tags, parameters)


def berkeley_report(table: Sequence[RegionRow], title: str) -> Report:
    """Return the report of a run on a Berkeley set."""
    heads = [
        "method",
        "block size",
        *(f"{score} {scale}" for score in region_tables.SCORES for scale in ("ODS", "OIS")),
    ]
    rows, settings, gallery = [], [], []
    for row in table:
        name = [row.results.row.title, row.results.row.block_size]
        scales = [getattr(row.score, score) for score in region_tables.SCORES]
        rows.append([*name, *(value for scale in scales for value in (scale.ods, scale.ois)), row.seconds])
        for score, scale in zip(region_tables.SCORES, scales, strict=True):
            settings.append([*name, score, table_files.setting_text(row.results.settings[scale.setting])])
        if row.results.row.name == DEFAULT:
            gallery += list(pictures(row.results, "ODS", [row.score.covering.setting] * len(row.results.items)))
    tables = [
        Table("Regions", [*heads, "seconds an image"], rows),
        Table("Settings at ODS", ["method", "block size", "score", "setting"], settings),
    ]
    bars = [
        Bar(method_name(row.results), scale, value)
        for row in table
        for scale, value in (("ODS", row.score.covering.ods), ("OIS", row.score.covering.ois))
    ]
    charts = [BarChart("Segmentation covering", "covering", bars)]
    notes = [region_tables.EXPLANATION]
    return Report(title, subtitle([row.results for row in table]), tables, charts, gallery, notes, "covering")


def method_name(results: RowResults) -> str:
    """Return a row in words, without the library that a peer is from."""
    title, _, _ = results.row.title.partition(" (")
    return f"{title} {table_files.blocks_text(results.row)}".strip()


def subtitle(results: Sequence[RowResults]) -> str:
    """Return what was run."""
    images = max((len(found.items) for found in results), default=0)
    settings = sum(len(found.settings) for found in results)
    return f"{images} images, {len(results)} methods, {settings} settings in all; segjt {segjt.__version__}"
