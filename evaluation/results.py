"""Reading a store: the scores of each row of the table, by image and setting.

`read_results` returns a `RowResults` per row of the table. Here one with two settings on one image:

>>> from segjt.evaluation.grid import read_grid
>>> row = read_grid("quick").rows(peers=["otsu"])[-1]
>>> settings = [{"smoothing": 0.0}, {"smoothing": 1.0}]
>>> results = RowResults(row, [], settings, ("f_0", "fragments_0"), np.array([[[0.7, 1], [0.9, 2]]]), np.ones((1, 2)))
>>> results.column("f_0")[0].tolist()
[0.7, 0.9]
>>> results.settings[results.column("f_0").mean(0).argmax()]
{'smoothing': 1.0}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjt.datasets.items import Item
from segjt.evaluation.grid import Row
from segjt.evaluation.peers import input_of
from segjt.evaluation.runner import Subject
from segjt.evaluation.scorers import scorer_of
from segjt.evaluation.store import Store
from segjt.evaluation.unit_of_work import UnitResult
from segjt.evaluation.units import label_map
from segjt.runtime.arrays import Floats, Labels


@dataclass(frozen=True)
class RowResults:
    """The results of a row of the table that are in the store.

    Attributes
    ----------
    row : Row
        The kernel with a block size, segjt's defaults, or the peer.
    items : list of Item
        The images that all units of the row have been run on, in the order of the benchmark.
    settings : list of dict
        Parameters of each setting: of `segjt.segment`, or of the peer.
    columns : tuple of str
        Names of the scores, see `segjt.evaluation.scorers`.
    scores : (images, settings, columns) array
        The scores.
    seconds : (images, settings) array
        Time of each setting on one core.
    """

    row: Row
    items: list[Item]
    settings: list[dict[str, Any]]
    columns: tuple[str, ...]
    scores: Floats
    seconds: Floats

    @property
    def images(self) -> list[str]:
        """Names of the images."""
        return [item.name for item in self.items]

    def column(self, name: str) -> Floats:
        """Return one of the scores, (images, settings)."""
        values: Floats = self.scores[:, :, self.columns.index(name)]
        return values

    def label_map(self, image: int, setting: int) -> Labels:
        """Recompute the label map of an image and a setting; labels are those of the scores."""
        return label_map(input_of(self.items[image], self.row.method), self.row.method, self.settings[setting])


def read_results(store: Store, benchmark: str, subjects: Sequence[Subject], rows: Sequence[Row]) -> list[RowResults]:
    """Return the results of each row; images on which one of its units is missing or failed are left out of a row."""
    if not subjects:
        return []
    columns = scorer_of(subjects[0].item).columns
    return [read_row(store, benchmark, subjects, row, columns) for row in rows]


def read_row(
    store: Store, benchmark: str, subjects: Sequence[Subject], row: Row, columns: tuple[str, ...]
) -> RowResults:
    """Return the results of one row."""
    settings = [setting for unit in row.units for setting in unit.settings()]
    items: list[Item] = []
    scores: list[list[list[float]]] = []
    seconds: list[list[float]] = []
    for subject in subjects:
        if (result := joint_result(store, benchmark, subject, row)) is not None:
            items.append(subject.item)
            scores.append(result.scores)
            seconds.append(result.seconds)
    shape = (len(items), len(settings))
    return RowResults(
        row,
        items,
        settings,
        columns,
        np.array(scores, np.float64).reshape(*shape, len(columns)),
        np.array(seconds, np.float64).reshape(shape),
    )


def joint_result(store: Store, benchmark: str, subject: Subject, row: Row) -> UnitResult | None:
    """Return the results of all units of a row on an image as one, or None if one of them is missing."""
    scores: list[list[float]] = []
    seconds: list[float] = []
    total = 0.0
    for unit in row.units:
        result = store.get(benchmark, subject.digest_for(unit), unit)
        if result is None:
            return None
        scores += result.scores
        seconds += result.seconds
        total += result.total
    return UnitResult(scores, seconds, total)
