"""Reading a store: the scores of each row of the table, by image and setting.

>>> with Store(path) as store:                                             # doctest: +SKIP
...     for found in read_results(store, "weizmann-1obj", subjects, rows):
...         found.row.title, found.row.block_size, found.images            # images: those that have all its settings
...         found.settings[s]                                              # parameters of the s-th setting
...         found.column("f_0")[i, s], found.seconds[i, s]                 # its F and time on the i-th image
...         found.label_map(i, s)                                          # its labels, computed again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjt.datasets.items import Item
from segjt.evaluation.grid import Row
from segjt.evaluation.runner import Subject
from segjt.evaluation.scorers import scorer_of
from segjt.evaluation.store import Store
from segjt.evaluation.units import label_map
from segjt.runtime.arrays import Floats, Labels


@dataclass(frozen=True)
class RowResults:
    """What a row of the table has in the store.

    Attributes
    ----------
    row : Row
        The kernel with a block size, segjt's defaults, or the peer.
    items : list of Item
        The images that all units of the row have been run on, in the order of the benchmark.
    settings : list of dict
        Parameters of each setting: of `segjt.segment`, or of the peer.
    columns : tuple of str
        What the scores are, see `segjt.evaluation.scorers`.
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
        found: Floats = self.scores[:, :, self.columns.index(name)]
        return found

    def label_map(self, image: int, setting: int) -> Labels:
        """Compute the label map of an image and a setting again; labels are those of the scores."""
        return label_map(self.items[image].image(), self.row.method, self.settings[setting])


def read_results(store: Store, benchmark: str, subjects: Sequence[Subject], rows: Sequence[Row]) -> list[RowResults]:
    """Return the results of each row; a row is without the images on which one of its units is missing or failed."""
    if not subjects:
        return []
    columns = scorer_of(subjects[0].item.truth()).columns
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
        found = [store.get(benchmark, subject.digest, unit) for unit in row.units]
        complete = [result for result in found if result is not None]
        if len(complete) == len(found):
            items.append(subject.item)
            scores.append([of_setting for result in complete for of_setting in result.scores])
            seconds.append([of_setting for result in complete for of_setting in result.seconds])
    shape = (len(items), len(settings))
    return RowResults(
        row,
        items,
        settings,
        columns,
        np.array(scores, np.float64).reshape(*shape, len(columns)),
        np.array(seconds, np.float64).reshape(shape),
    )
