"""A learning experiment: cells of a table, each with a grid of settings, and how to run them on data."""

from __future__ import annotations

import csv
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

# JSON values only: {"learner": "spectral", "kernel": "jt2", "q": 1.0}
Setting = dict[str, Any]
Data = TypeVar("Data")

PUBLISHED = Path(__file__).parent / "published"
# "0.73", "0.00", "39.0±10.7%": the figure, its standard deviation if the paper prints it, and the unit.
PRINTED = re.compile(r"(\d+\.(\d+))(?:±(\d+\.(\d+)))?(%?)")


@dataclass(frozen=True)
class PublishedFigure:
    """A number that a paper prints, in our unit (0 to 1).

    Attributes
    ----------
    value : float
        The figure.
    rounding : float
        Half a unit of its last printed digit: before rounding it was within `value` ± `rounding`.
    deviation, deviation_rounding : float
        The standard deviation printed beside it, and half a unit of its last digit; 0 if there is none.
    """

    value: float
    rounding: float = 0.0
    deviation: float = 0.0
    deviation_rounding: float = 0.0


@dataclass(frozen=True)
class PaperCell:
    """One number of a paper's table, or one point of its figure.

    Of cells with the same row and column the mean is printed: an average over data sets. If the columns are "q = 0.25",
    "q = 0.5" and so on, the report draws lines over q, one per row, in one chart per data set.

    Attributes
    ----------
    data : str
        Name of the data set, "iris".
    row, column : str
        As printed.
    settings : tuple of dict
        The grid; every setting has its own scores. Without settings the cell is not run: the published figure is shown.
    published : PublishedFigure or None
        The paper's figure; None if it is not printed.
    best_run : bool
        Whether the paper gives the best run of a setting; otherwise the mean of all runs.
    confirmed : bool
        Whether the setting is chosen by the first half of the runs and what is printed are the others, which have other
        seeds: so no figure is large by the luck of the runs that chose it.
    """

    data: str
    row: str
    column: str
    settings: tuple[Setting, ...]
    published: PublishedFigure | None = None
    best_run: bool = False
    confirmed: bool = False


@dataclass(frozen=True)
class Trial:
    """The result of a setting.

    Attributes
    ----------
    scores : list of float
        One per run, judged with the truth.
    criterion : float or None
        Computed without the truth, the larger the better: settings of a cell are compared by it.
    seconds : float or None
        CPU time of this setting; the first of several counts what they share. None: all get an equal share.
    """

    scores: list[float]
    criterion: float | None = None
    seconds: float | None = field(default=None, compare=False)


class Experiment(ABC, Generic[Data]):
    """A table or a figure of a paper; `Data` is `VectorSet` or `TextSet`."""

    name: ClassVar[str]  # "000-table3"; the first three digits are the paper's
    title: ClassVar[str]
    measure: ClassVar[str]  # "ARI", "NMI", "purity", "accuracy"
    tolerance: ClassVar[float] = 0.03
    # Settings of one data set that agree in these values are one unit of work: run together, kept together.
    shared: ClassVar[tuple[str, ...]] = ("learner", "kernel")

    @abstractmethod
    def cells(self, quick: bool) -> list[PaperCell]:
        """Return all cells; `quick`: few data sets, a coarse grid."""

    @abstractmethod
    def run(self, data: Data, settings: Sequence[Setting], quick: bool) -> list[Trial]:
        """Return the trial of each setting of a unit; `quick`: few runs. What settings share is computed once."""


def published(experiment: str) -> dict[tuple[str, str], PublishedFigure]:
    """Return the figures that a paper prints, by row and column: published/NAME.csv.

    The first line has the columns, the first field of the others the row; an empty field was not printed.
    """
    with (PUBLISHED / f"{experiment}.csv").open(encoding="utf-8", newline="") as file:
        (_, *columns), *rows = csv.reader(file)
    return {
        (row, column): published_figure(text)
        for row, *texts in rows
        for column, text in zip(columns, texts, strict=True)
        if text
    }


def published_figure(text: str) -> PublishedFigure:
    """Return a figure as printed, "0.73" or "39.0±10.7%", in our unit."""
    match = PRINTED.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a published figure; write it as 0.73, 39.0% or 39.0±10.7%")
    figure, digits, deviation, deviation_digits, per_cent = match.groups()
    unit = 100 if per_cent else 1
    return PublishedFigure(
        float(figure) / unit,
        0.5 * 10 ** -len(digits) / unit,
        float(deviation or 0) / unit,
        0.5 * 10 ** -len(deviation_digits) / unit if deviation else 0.0,
    )
