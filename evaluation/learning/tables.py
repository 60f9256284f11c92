"""The tables of learning experiments: our figures beside the published ones, as Markdown."""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjt.evaluation.claims import claim_lines
from segjt.evaluation.learning.experiment import Experiment, PaperCell, PublishedFigure, Setting, Trial
from segjt.evaluation.learning.registry import claims_of
from segjt.evaluation.learning.verdicts import BELOW, NOT_RUN, UNDECIDABLE, counts_table, counts_text, verdict
from segjt.evaluation.table_files import markdown, setting_text

# By data set and setting (as JSON): the trial and its seconds.
Trials = dict[tuple[str, str], tuple[Trial, float]]

EXPLANATION = (
    "ours: the best setting of the grid, chosen with the truth as papers 000 (clusterings), 001 and 004 do, mean ± "
    "standard deviation of its runs (the best run where the paper gives that); support vector machines choose by "
    "cross-validation inside the training part. Clusterings choose with 30 runs (Table III of paper 000: 60) and print "
    "as many others; a best run is the mean of the best of either. On Balance, whose kernels have equal eigenvalues, "
    "the mean over ten bases of their eigenspaces is printed, and the highest. without the truth: the setting with the "
    "largest criterion that a user can compute (eigengap, silhouette, variance ratio, cross-validation), mean of its "
    "runs. within: ours and the published figure differ by no more than the tolerance: 0.03, or the published standard "
    "deviation if that is larger. above, below: they differ by more. undecidable: the published figure is rounded, and "
    "some of the values that are printed like it would be within, others not (0.73 stands for 0.725 to 0.735, so 0.758 "
    "is undecidable). not run: methods of other papers, and cells whose data are missing. An average over data sets "
    "shows the most frequent setting; results.csv has them all. seconds: CPU time of all settings; what several share "
    "counts for the first of them. In words: whether one method is better than another is judged by Student's t over "
    "the data sets, one difference each, at 5 %; close means within 0.03. on published figures: the same test on what "
    "the paper prints. Why cells are below: evaluation/LEARNING.md."
)


@dataclass(frozen=True)
class CellResult:
    """The result of a cell; `blind` is chosen without the truth, and None if no setting has a criterion."""

    cell: PaperCell
    score: float
    deviation: float
    setting: Setting
    blind: float | None
    blind_setting: Setting | None
    runs: int
    times: dict[tuple[str, str], float]  # seconds by data set and setting
    highest: float | None = None  # of all rotations of equal eigenvectors, where these are rotated

    @property
    def seconds(self) -> float:
        """Time of all settings on one core."""
        return sum(self.times.values())


@dataclass(frozen=True)
class Entry:
    """The results of one row and column, whose mean is printed: one, or one per data set of an average.

    A cell that was not run has no results, only the published figure; its score and deviation are nan.
    """

    row: str
    column: str
    results: tuple[CellResult, ...]
    tolerance: float
    published: PublishedFigure | None = None

    @property
    def score(self) -> float:
        """Mean of the results."""
        return float(np.mean([result.score for result in self.results])) if self.results else math.nan

    @property
    def deviation(self) -> float:
        """Standard deviation of the runs; of an average over data sets, its mean over them."""
        return float(np.mean([result.deviation for result in self.results])) if self.results else math.nan

    @property
    def blind(self) -> float | None:
        """Mean of the results that are chosen without the truth."""
        values = [result.blind for result in self.results if result.blind is not None]
        return float(np.mean(values)) if values and len(values) == len(self.results) else None

    @property
    def seconds(self) -> float:
        """Time of all settings on one core."""
        return sum(result.seconds for result in self.results)

    @property
    def verdict(self) -> str:
        """How our figure compares with the published one; nothing if there is none."""
        if self.published is None:
            return ""
        return verdict(self.score, self.published, self.tolerance) if self.results else NOT_RUN

    def settings(self) -> tuple[str, str]:
        """Return the settings chosen with and without the truth, in words."""
        return most_chosen([result.setting for result in self.results]), most_chosen(
            [result.blind_setting for result in self.results]
        )


def most_chosen(settings: Sequence[Setting | None]) -> str:
    """Return the setting of a result in words; of an average, that of most data sets."""
    texts = Counter(setting_text(setting) for setting in settings if setting is not None)
    if not texts:
        return ""
    ((text, times),) = texts.most_common(1)
    return text if len(settings) == 1 else f"{text} ({times} of {len(settings)} sets)"


@dataclass(frozen=True)
class ExperimentTable:
    """All entries of an experiment that have results or a published figure."""

    experiment: Experiment[Any]
    entries: list[Entry]

    @property
    def heading(self) -> str:
        """The experiment in words."""
        return f"{self.experiment.title} ({self.experiment.measure})"

    def rows(self) -> list[str]:
        """Return the names of the rows in order."""
        return list(dict.fromkeys(entry.row for entry in self.entries))

    def columns(self) -> list[str]:
        """Return the names of the columns in order."""
        return list(dict.fromkeys(entry.column for entry in self.entries))

    def at(self, row: str, column: str) -> Entry | None:
        """Return the entry of a row and a column."""
        return next((entry for entry in self.entries if (entry.row, entry.column) == (row, column)), None)

    def seconds_of(self, row: str) -> float:
        """Return the time of all settings of a row; one that several cells share counts once."""
        every = [result for entry in self.entries if entry.row == row for result in entry.results]
        return sum({key: seconds for result in every for key, seconds in result.times.items()}.values())

    def as_published(self) -> ExperimentTable:
        """Return the table with the paper's figures in place of ours, as far as it prints them for single sets."""
        entries = [
            dataclasses.replace(
                entry,
                results=(
                    dataclasses.replace(
                        entry.results[0], score=entry.published.value, deviation=entry.published.deviation
                    ),
                ),
            )
            for entry in self.entries
            if entry.published is not None and len(entry.results) == 1
        ]
        return ExperimentTable(self.experiment, entries)

    def verdicts(self) -> list[str]:
        """Return the verdict on each cell with a published figure."""
        return [entry.verdict for entry in self.entries if entry.verdict]

    def counts(self) -> str:
        """Return how many cells have which verdict, in words."""
        if not self.verdicts():
            return "The paper prints no figures here."
        return f"{counts_text(self.verdicts())}. Marks: * below, ? undecidable."


def experiment_table(experiment: Experiment[Any], cells: Sequence[PaperCell], trials: Trials) -> ExperimentTable:
    """Return the table of an experiment; cells with neither a result nor a published figure are left out."""
    groups: dict[tuple[str, str], list[PaperCell]] = {}
    for cell in cells:
        groups.setdefault((cell.row, cell.column), []).append(cell)
    entries = [
        Entry(row, column, results_of_cells(group, trials), experiment.tolerance, group[0].published)
        for (row, column), group in groups.items()
    ]
    return ExperimentTable(experiment, [entry for entry in entries if entry.results or entry.published is not None])


def results_of_cells(cells: Sequence[PaperCell], trials: Trials) -> tuple[CellResult, ...]:
    """Return the results of the cells of one row and column.

    If a setting of one of them is missing there are none: the mean over some of the data sets is another figure.
    """
    results = []
    for cell in cells:
        stored = [trials.get((cell.data, json.dumps(setting, sort_keys=True))) for setting in cell.settings]
        known = [trial for trial in stored if trial is not None]
        if not known or len(known) < len(stored):
            return ()
        results.append(result_of_cell(cell, known))
    return tuple(results)


def result_of_cell(cell: PaperCell, trials: Sequence[tuple[Trial, float]]) -> CellResult:
    """Return the result of a cell from the trials of its settings; the first setting wins a tie.

    Where settings differ in the "rotation" of eigenspaces the best is chosen among those of each rotation, and the
    result is the mean over rotations. The best run of a grid is luck by definition: it is looked for twice, in each
    half of the runs, and the result is the mean of the two.
    """
    halves = [halves_of(trial.scores) if cell.confirmed else (trial.scores, trial.scores) for trial, _ in trials]
    summarised = max if cell.best_run else np.mean
    choosing = [float(summarised(first)) for first, _ in halves]
    confirming = [float(summarised(second)) for _, second in halves]
    rotations: dict[Any, list[int]] = {}
    for place, setting in enumerate(cell.settings):
        rotations.setdefault(setting.get("rotation"), []).append(place)
    bests = [max(places, key=lambda place: choosing[place]) for places in rotations.values()]
    scores = [confirming[best] for best in bests]
    best = bests[int(np.argmax(scores))]
    if cell.best_run:
        scores = [(max(choosing) + max(confirming)) / 2]
    criteria = [-np.inf if trial.criterion is None else trial.criterion for trial, _ in trials]
    blind = int(np.argmax(criteria)) if np.isfinite(max(criteria)) else None
    return CellResult(
        cell,
        float(np.mean(scores)),
        float(np.mean([np.std(halves[best][1], ddof=min(1, len(halves[best][1]) - 1)) for best in bests])),
        cell.settings[best],
        float(np.mean(halves[blind][1])) if blind is not None else None,
        cell.settings[blind] if blind is not None else None,
        len(halves[best][1]),
        {
            (cell.data, json.dumps(setting, sort_keys=True)): seconds
            for setting, (_, seconds) in zip(cell.settings, trials, strict=True)
        },
        max(scores) if len(scores) > 1 else None,
    )


def halves_of(scores: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    """Return the scores of the runs that choose, and of those that confirm; a single run does both."""
    if len(scores) == 1:
        return scores, scores
    return scores[: len(scores) // 2], scores[len(scores) // 2 :]


def matrix(table: ExperimentTable) -> list[list[str]]:
    """Return the table in the layout of the paper: ours, and the published figure in brackets."""
    columns = table.columns()
    lines = [[row, *(pair_text(table.at(row, column)) for column in columns)] for row in table.rows()]
    return [["", *columns], *lines]


def pair_text(entry: Entry | None) -> str:
    """Return our figure with the published one; those below and undecidable are marked."""
    if entry is None:
        return ""
    ours = f"{entry.score:.2f}" if entry.results else NOT_RUN
    mark = {BELOW: "*", UNDECIDABLE: "?"}.get(entry.verdict, "")
    return f"{ours}{mark}" + (f" ({entry.published.value:.2f})" if entry.published is not None else "")


def cell_lines(table: ExperimentTable) -> list[list[str]]:
    """Return the comparison cell by cell."""
    heads = ["row", "column", "ours", "published", "", "without the truth", "setting", "setting without the truth"]
    lines = [
        [
            entry.row,
            entry.column,
            ours_text(entry),
            published_text(entry.published),
            entry.verdict,
            f"{entry.blind:.3f}" if entry.blind is not None else "",
            *entry.settings(),
        ]
        for entry in table.entries
    ]
    return [heads, *lines]


def ours_text(entry: Entry) -> str:
    """Return our figure with its standard deviation, and the highest of all rotations if there are several."""
    if not entry.results:
        return ""
    highest = entry.results[0].highest
    rotations = f", up to {highest:.3f} by rotation" if highest is not None else ""
    return f"{entry.score:.3f} ± {entry.deviation:.3f}{rotations}"


def published_text(figure: PublishedFigure | None) -> str:
    """Return a published figure with its standard deviation, if it has one."""
    if figure is None:
        return ""
    return f"{figure.value:.3f}" + (f" ± {figure.deviation:.3f}" if figure.deviation else "")


def markdown_text(tables: Sequence[ExperimentTable], title: str) -> str:
    """Return all tables as Markdown, without times."""
    parts = [f"# {title}", EXPLANATION]
    for table in tables:
        if table.entries:
            parts += [f"## {table.heading}", markdown(matrix(table)), table.counts(), markdown(cell_lines(table))]
        if claims := claim_lines(claims_of(table)):
            parts += ["What the paper says in words:", markdown(claims)]
    if any(table.verdicts() for table in tables):
        parts += ["## Cells with a published figure", markdown(summary_lines(tables))]
    return "\n\n".join(parts) + "\n"


def summary_lines(tables: Sequence[ExperimentTable]) -> list[list[str]]:
    """Return how many cells of each table, and of all, have which verdict."""
    return counts_table({table.experiment.title: table.verdicts() for table in tables if table.verdicts()})


def summary_text(tables: Sequence[ExperimentTable]) -> str:
    """Return how many cells of all tables have which verdict, in words."""
    return counts_text(verdict for table in tables for verdict in table.verdicts())


def times_table(tables: Sequence[ExperimentTable]) -> str:
    """Return the seconds of each row as a table to be printed."""
    lines = [[table.experiment.name, row, f"{table.seconds_of(row):.1f}"] for table in tables for row in table.rows()]
    return markdown([["experiment", "row", "seconds, one core"], *lines])
