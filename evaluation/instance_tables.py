"""Average precision, F1 and errors of the count on images of many objects, for segjt and every peer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjt.evaluation.grid import DEFAULT
from segjt.evaluation.instances import THRESHOLDS, InstanceScore
from segjt.evaluation.results import RowResults
from segjt.evaluation.table_files import blocks_text, encode_json, markdown, setting_text, with_error
from segjt.evaluation.tables import with_values
from segjt.io import encode_csv
from segjt.runtime.arrays import Floats

AVERAGE_PRECISION = "average precision"
COUNT_ERRORS: dict[str, Callable[[InstanceScore], float]] = {
    "count error": lambda score: score.count_error,
    "relative count error": lambda score: score.relative_count_error,
}


def f1_name(threshold: int) -> str:
    """Return the name of F1 at a threshold in percent."""
    return f"F1 at {threshold / 100:g}"


def f1_figure(threshold: int) -> Callable[[InstanceScore], float]:
    """Return the function that reads F1 at a threshold off a score."""
    return lambda score: score.f1(threshold)


# Every figure of an image, by its name; a table has those of `COLUMNS`.
FIGURES: dict[str, Callable[[InstanceScore], float]] = {
    AVERAGE_PRECISION: lambda score: score.average_precision,
    **{f1_name(threshold): f1_figure(threshold) for threshold in THRESHOLDS},
    **COUNT_ERRORS,
}
COLUMNS = (AVERAGE_PRECISION, *(f1_name(threshold) for threshold in (50, 70, 90)), *COUNT_ERRORS)
EXPLANATION = (
    "Means over the images ± standard error. An object that is found matches a true one if their IoU is above a "
    "threshold; F1 = 2 TP / (2 TP + FP + FN); average precision: TP / (TP + FP + FN), averaged over the thresholds "
    "0.5, 0.55, ..., 0.95, as in the 2018 Data Science Bowl. count error: by how much the number of objects is wrong, "
    "and the same as a share of the true number. Of a map without background, such as that of segjt's defaults, the "
    "largest segment is taken for it. Of several settings the one with the best average precision over all images is "
    "shown (defaults: nothing set)."
)


@dataclass(frozen=True)
class InstanceRow:
    """A row of the table: its results, the place of its setting, the scores of its images, and the seconds of one."""

    results: RowResults
    place: int
    scores: tuple[InstanceScore, ...]
    seconds: float

    def values(self, figure: str) -> Floats:
        """Return a figure of each image."""
        return np.array([FIGURES[figure](score) for score in self.scores], np.float64)

    def mean(self, figure: str) -> tuple[float, float]:
        """Return the mean of a figure over the images, and its standard error (nan for one image)."""
        values = self.values(figure)
        error = float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else float("nan")
        return float(values.mean()), error


def instance_table(results: Sequence[RowResults]) -> list[InstanceRow]:
    """Return the rows that have results of at least one image."""
    table = []
    for row in results:
        if row.items:
            best = max(places_of(row), key=lambda place: row_at(row, place).mean(AVERAGE_PRECISION)[0])
            table.append(row_at(row, best))
    return table


def places_of(results: RowResults) -> list[int]:
    """Return the settings that a row can be judged by: of segjt's defaults what a user gets without a choice."""
    automatic = with_values(results, n_segments=("auto",)) if results.row.name == DEFAULT else ()
    return [int(place) for place in automatic] or list(range(len(results.settings)))


def row_at(results: RowResults, place: int) -> InstanceRow:
    """Return the row with one of its settings."""
    scores = [
        InstanceScore(true, found, tuple(rest)) for true, found, *rest in results.scores[:, place].astype(int).tolist()
    ]
    return InstanceRow(results, place, tuple(scores), float(results.seconds[:, place].mean()))


def instance_markdown(table: Sequence[InstanceRow], title: str) -> str:
    """Return the table of scores and its settings as Markdown, without times."""
    lines, settings = [], []
    for row in table:
        name = [row.results.row.title, blocks_text(row.results.row)]
        figures = [with_error(*row.mean(figure)) for figure in COLUMNS]
        lines.append([*name, *figures, str(len(row.scores))])
        settings.append([*name, setting_text(row.results.settings[row.place])])
    scores = markdown([["method", "blocks", *COLUMNS, "images"], *lines])
    shown = markdown([["method", "blocks", "setting"], *settings])
    return "\n\n".join([f"# {title}", scores, EXPLANATION, f"## Settings\n\n{shown}"]) + "\n"


def instance_json(table: Sequence[InstanceRow], benchmark: str) -> bytes:
    """Return the table as JSON."""
    rows = [
        {
            "method": row.results.row.name,
            "block_size": row.results.row.block_size,
            "images": len(row.scores),
            "true": sum(score.true for score in row.scores),
            "found": sum(score.found for score in row.scores),
            "scores": {
                figure: {"mean": round(mean, 6), "standard_error": None if np.isnan(error) else round(error, 6)}
                for figure in FIGURES
                for mean, error in (row.mean(figure),)
            },
            "setting": row.results.settings[row.place],
        }
        for row in table
    ]
    return encode_json({"benchmark": benchmark, "rows": rows})


def instance_csv(table: Sequence[InstanceRow]) -> bytes:
    """Return the figures of each image as CSV, with the setting."""
    heads = ["method", "block_size", "image", "true", "found"]
    lines: list[list[Any]] = [[*heads, *(figure.replace(" ", "_") for figure in FIGURES), "setting"]]
    for row in table:
        setting = json.dumps(row.results.settings[row.place], sort_keys=True)
        for image, score in zip(row.results.images, row.scores, strict=True):
            figures = [round(read(score), 6) for read in FIGURES.values()]
            name = (row.results.row.name, row.results.row.block_size or "", image)
            lines.append([*name, score.true, score.found, *figures, setting])
    return encode_csv(lines)
