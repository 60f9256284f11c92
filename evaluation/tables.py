"""Table VII of paper 000 and more: how well one segment shows the object, for every kernel and peer.

For the Weizmann database, which the paper uses, and for salient objects (SOD), which it does not.

The columns:

- `fixed`: one map per image, by the one setting of the row that is best on average over all images. For segjt's
  defaults it is the result of `segjt.segment(image)`;
- `hierarchy`: the nested maps of one setting, cut at 2 to 32 segments; again the setting that is best on average;
- `tuned`: the best setting of the row for each image, chosen with knowledge of the truth, as the paper does;
- `fixed, spectral` and `tuned, spectral`: fixed and tuned with only the paper's own merging.
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
    """The score of a row in one column of the table.

    Attributes
    ----------
    mean : DatabaseScore
        Mean F with its standard error.
    images : tuple of ImageScore
        The scores of the images; `place` of an object's segment is the setting that it comes from.
    setting : dict or None
        The one setting of a fixed score or a hierarchy (without the number of segments).
    """

    mean: DatabaseScore
    images: tuple[ImageScore, ...]
    setting: dict[str, Any] | None


@dataclass(frozen=True)
class TableRow:
    """A row: its results, its scores by column, and the seconds per image with the fixed setting.

    `of_paper` says that the images are those of the paper, whose figures and sentences then stand beside ours.
    """

    results: RowResults
    of_paper: bool
    published: float | None
    scores: dict[str, ColumnScore]
    seconds: float

    @property
    def row(self) -> Row:
        """Kernel and block size, defaults, or peer."""
        return self.results.row


def object_table(results: Sequence[RowResults], of_paper: bool = True) -> list[TableRow]:
    """Return the rows that have results of at least one image."""
    return [table_row(of_row, of_paper) for of_row in results if of_row.items]


def columns_of(table: Sequence[TableRow]) -> list[str]:
    """Return the columns in which any row has a score."""
    return [column for column in COLUMNS if any(column in row.scores for row in table)]


def table_row(results: RowResults, of_paper: bool) -> TableRow:
    """Return the scores of one row."""
    f = object_f(results)
    every = np.arange(len(results.settings))
    none = every[:0]
    if results.row.name == DEFAULT:
        fixed, tuned, spectral = with_values(results, n_segments=("auto",)), none, none
    elif results.row.method == OURS:
        fixed, tuned, spectral = every, every, with_values(results, merge_method=("spectral",))
    else:
        fixed, tuned, spectral = every, every, none
    columns = {
        "fixed": fixed_score(results, f, fixed),
        "fixed, spectral": fixed_score(results, f, spectral),
        "hierarchy": hierarchy_score(results, f),
        "tuned": tuned_score(results, f, tuned),
        "tuned, spectral": tuned_score(results, f, spectral),
    }
    scores = {name: score for name, score in columns.items() if score is not None}
    place = scores["fixed"].images[0].objects[0].place if "fixed" in scores else 0
    one_object = f.shape[2] == 1
    published = PUBLISHED.get((results.row.name, results.row.block_size or 0)) if of_paper and one_object else None
    return TableRow(results, of_paper, published, scores, float(results.seconds[:, place].mean()))


def object_f(results: RowResults) -> Floats:
    """Return F of every (image, setting, object)."""
    return np.stack([results.column(name) for name in results.columns if name.startswith("f_")], axis=2)


def with_values(results: RowResults, **values: Sequence[Any]) -> Indices:
    """Return the settings in which each named parameter has one of its values; settings that lack one are left out."""
    return np.array(
        [
            place
            for place, setting in enumerate(results.settings)
            if all(setting.get(name) in allowed for name, allowed in values.items())
        ],
        np.intp,
    )


def fixed_score(results: RowResults, f: Floats, settings: Indices) -> ColumnScore | None:
    """Return the score of the setting that is best on average; the first wins a tie."""
    if not len(settings):
        return None
    best = settings[f[:, settings].mean((0, 2)).argmax()]
    places = np.full((len(f), f.shape[2]), best)
    return column_score(results, places, "fixed", results.settings[best])


def tuned_score(results: RowResults, f: Floats, settings: Indices) -> ColumnScore | None:
    """Return the score of the best setting for each image and object."""
    if not len(settings):
        return None
    return column_score(results, settings[f[:, settings].argmax(1)], "tuned", None)


def hierarchy_score(results: RowResults, f: Floats) -> ColumnScore | None:
    """Return the score of the hierarchy, cut at 2 to 32 segments, that is best on average."""
    best: tuple[float, Indices, dict[str, Any]] | None = None
    for setting, cuts in hierarchies(results):
        mean = float(f[:, cuts].max(1).mean())
        if best is None or mean > best[0]:
            best = mean, cuts, setting
    if best is None:
        return None
    _, cuts, setting = best
    return column_score(results, cuts[f[:, cuts].argmax(1)], "hierarchy", setting)


def hierarchies(results: RowResults) -> list[tuple[dict[str, Any], Indices]]:
    """Return every setting that makes a hierarchy, without its number of segments, and the places of its cuts."""
    if results.row.method != OURS:
        return []
    by_setting: dict[str, tuple[dict[str, Any], list[int]]] = {}
    for place, setting in enumerate(results.settings):
        shared = {name: value for name, value in setting.items() if name != "n_segments"}
        if setting.get("merge_method", TREES[0]) in TREES and setting.get("n_segments") in CUTS:
            by_setting.setdefault(json.dumps(shared, sort_keys=True), (shared, []))[1].append(place)
    return [(shared, np.array(places)) for shared, places in by_setting.values() if len(places) > 1]


def column_score(results: RowResults, places: Indices, mode: Mode, setting: dict[str, Any] | None) -> ColumnScore:
    """Return the score in which each image and object has the segment of one setting; places is (images, objects)."""
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
