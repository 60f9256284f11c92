"""Table VII of paper 000 and more: what every kernel and peer reaches on the Weizmann database.

What a column stands for:

- `fixed`: one map an image, by the one setting of the row that is best on average over all images. For segjt's defaults
  it is what `segjt.segment(image)` gives;
- `hierarchy`: the nested maps of one setting, cut at 2 to 32 segments; again the setting that is best on average;
- `tuned`: the best setting of the row for each image, chosen with the truth at hand, as the paper does;
- `fixed, spectral` and `tuned, spectral`: the same with the paper's own merging only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjt.evaluation.grid import DEFAULT, Row
from segjt.evaluation.results import RowResults
from segjt.evaluation.unit_of_work import OURS
from segjt.evaluation.weizmann import DatabaseScore, ImageScore, Mode, SegmentScore, database_score
from segjt.runtime.arrays import Floats, Indices

TREES = ("cues", "ncut")
CUTS = range(2, 33)
# Paper 000, Table VII: parameters tuned; 3-point kernels were not run with blocks of 32 x 32.
PUBLISHED = {
    ("gaussian", 16): 0.76,
    ("gaussian", 32): 0.78,
    ("jt2", 16): 0.78,
    ("jt2", 32): 0.80,
    ("jt3", 16): 0.71,
    ("expjt2", 16): 0.80,
    ("expjt2", 32): 0.80,
    ("expjt3", 16): 0.74,
    ("nlin", 16): 0.74,
    ("nlin", 32): 0.75,
}
COLUMNS = ("fixed", "fixed, spectral", "hierarchy", "tuned", "tuned, spectral")


@dataclass(frozen=True)
class ColumnScore:
    """A figure of the table.

    Attributes
    ----------
    score : DatabaseScore
        Mean F with its standard error.
    images : tuple of ImageScore
        What it is the mean of; `place` of an object's segment is the setting that it is from.
    setting : dict or None
        The one setting of a fixed figure or a hierarchy (without the number of segments).
    """

    score: DatabaseScore
    images: tuple[ImageScore, ...]
    setting: dict[str, Any] | None


@dataclass(frozen=True)
class TableRow:
    """A row: its results, its cells by column, and the seconds that an image takes with the fixed setting."""

    results: RowResults
    published: float | None
    scores: dict[str, ColumnScore]
    seconds: float

    @property
    def row(self) -> Row:
        """Kernel and block size, defaults, or peer."""
        return self.results.row


def weizmann_table(results: Sequence[RowResults]) -> list[TableRow]:
    """Return the rows that have results of one image at least."""
    return [table_row(found) for found in results if found.items]


def table_row(results: RowResults) -> TableRow:
    """Return the cells of one row."""
    f = object_f(results)
    names, every = results.row.name, np.arange(len(results.settings))
    spectral = with_values(results, merge_method=("spectral",)) if results.row.method == OURS else every[:0]
    if names == DEFAULT:
        fixed, tuned = with_values(results, n_segments=("auto",)), every[:0]
        spectral = every[:0]
    else:
        fixed = tuned = every
    cells = {
        "fixed": fixed_cell(results, f, fixed),
        "fixed, spectral": fixed_cell(results, f, spectral),
        "hierarchy": hierarchy_cell(results, f),
        "tuned": tuned_cell(results, f, tuned),
        "tuned, spectral": tuned_cell(results, f, spectral),
    }
    found = {name: cell for name, cell in cells.items() if cell is not None}
    place = found["fixed"].images[0].objects[0].place if "fixed" in found else 0
    published = PUBLISHED.get((names, results.row.block_size or 0)) if f.shape[2] == 1 else None
    return TableRow(results, published, found, float(results.seconds[:, place].mean()))


def object_f(results: RowResults) -> Floats:
    """Return F of every (image, setting, object)."""
    return np.stack([results.column(name) for name in results.columns if name.startswith("f_")], axis=2)


def with_values(results: RowResults, **values: Sequence[Any]) -> Indices:
    """Return the settings that have one of some values in each parameter named; one that is not set has none."""
    return np.array(
        [
            place
            for place, setting in enumerate(results.settings)
            if all(setting.get(name) in allowed for name, allowed in values.items())
        ],
        np.intp,
    )


def fixed_cell(results: RowResults, f: Floats, settings: Indices) -> ColumnScore | None:
    """Return the score of the setting that is best on average; the first wins a tie."""
    if not len(settings):
        return None
    best = settings[f[:, settings].mean((0, 2)).argmax()]
    places = np.full((len(f), f.shape[2]), best)
    return cell_of(results, places, "fixed", results.settings[best])


def tuned_cell(results: RowResults, f: Floats, settings: Indices) -> ColumnScore | None:
    """Return the score of the best setting for each image and object."""
    if not len(settings):
        return None
    return cell_of(results, settings[f[:, settings].argmax(1)], "tuned", None)


def hierarchy_cell(results: RowResults, f: Floats) -> ColumnScore | None:
    """Return the score of the hierarchy, cut at 2 to 32 segments, that is best on average."""
    best: tuple[float, Indices, dict[str, Any]] | None = None
    for setting, cuts in trees(results):
        mean = float(f[:, cuts].max(1).mean())
        if best is None or mean > best[0]:
            best = mean, cuts, setting
    if best is None:
        return None
    _, cuts, setting = best
    return cell_of(results, cuts[f[:, cuts].argmax(1)], "hierarchy", setting)


def trees(results: RowResults) -> list[tuple[dict[str, Any], Indices]]:
    """Return every setting that makes a hierarchy, without its number of segments, and the places of its cuts."""
    if results.row.method != OURS:
        return []
    found: dict[str, tuple[dict[str, Any], list[int]]] = {}
    for place, setting in enumerate(results.settings):
        shared = {name: value for name, value in setting.items() if name != "n_segments"}
        if setting.get("merge_method", TREES[0]) in TREES and setting.get("n_segments") in CUTS:
            found.setdefault(json.dumps(shared, sort_keys=True), (shared, []))[1].append(place)
    return [(shared, np.array(places)) for shared, places in found.values() if len(places) > 1]


def cell_of(results: RowResults, places: Indices, mode: Mode, setting: dict[str, Any] | None) -> ColumnScore:
    """Return the cell in which each image and object has the segment of one setting; places is (images, objects)."""
    images = []
    for image, of_image in enumerate(places):
        objects = []
        for number, place in enumerate(of_image):
            f, precision, recall, label = (
                float(results.column(f"{name}_{number}")[image, place])
                for name in ("f", "precision", "recall", "label")
            )
            objects.append(SegmentScore(f, precision, recall, int(label) or None, int(place)))
        images.append(ImageScore(mode, tuple(objects)))
    return ColumnScore(database_score(images), tuple(images), setting)
