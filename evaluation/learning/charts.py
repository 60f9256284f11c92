"""The charts of learning experiments: those of the papers, and for other experiments lines or bars."""

from __future__ import annotations

import re
from collections.abc import Callable

from segjt.evaluation.learning.paper003_figures import TSALLIS, DocumentWeights, Paper003Figure1, Paper003Figure2
from segjt.evaluation.learning.tables import Entry, ExperimentTable
from segjt.report.charts import Bar, BarChart, Chart, Line, LineChart

# "q = 0.25"
PARAMETER = re.compile(r"(\w+) = (\d+(?:\.\d+)?)")
WHISKERS = "Whiskers: standard deviation of the runs."


def charts_of(table: ExperimentTable) -> list[Chart]:
    """Return the charts of an experiment: the paper's, lines if the columns are values of a parameter, or bars."""
    if table.experiment.name in OWN_CHARTS:
        return OWN_CHARTS[table.experiment.name](table)
    matches = [PARAMETER.fullmatch(column) for column in table.columns()]
    parameters = {match[1] if match else None for match in matches}
    (parameter,) = parameters if len(parameters) == 1 else (None,)
    return bar_charts(table) if parameter is None else line_charts(table, parameter)


def bar_charts(table: ExperimentTable) -> list[Chart]:
    """Return a chart for each column, with a bar for each row."""
    return [
        BarChart(
            f"{table.experiment.title}: {column}",
            table.experiment.measure,
            [bar_of(entry) for entry in table.entries if entry.column == column],
            WHISKERS,
        )
        for column in table.columns()
    ]


def bar_of(entry: Entry) -> Bar:
    """Return the bar of an entry; one that was not run has only its mark."""
    published = None if entry.published is None else entry.published.value
    if not entry.results:
        return Bar(entry.row, "ours", None, None, published)
    return Bar(entry.row, "ours", max(entry.score, 0.0), entry.deviation, published)


def line_charts(table: ExperimentTable, parameter: str) -> list[Chart]:
    """Return a chart for each data set, with a line for each row."""
    charts: list[Chart] = []
    for data in dict.fromkeys(entry.results[0].cell.data for entry in table.entries):
        lines: list[Line] = []
        entries = [entry for entry in table.entries if entry.results[0].cell.data == data]
        for row in dict.fromkeys(entry.row for entry in entries):
            points = sorted(
                (float(entry.column.split(" = ")[1]), entry.score, entry.deviation)
                for entry in entries
                if entry.row == row
            )
            x, y, errors = zip(*points, strict=True)
            lines.append(Line(row, x, y, errors))
        charts.append(LineChart(f"{table.experiment.title}: {data}", parameter, table.experiment.measure, lines))
    return charts


def accuracy_over_q(table: ExperimentTable) -> list[Chart]:
    """Return the two panels of a figure of paper 003: accuracy over q, and the others as level lines."""
    panels: list[Chart] = []
    for row in table.rows():
        entries = {entry.column: entry for entry in table.entries if entry.row == row}
        over_q = [entry for column, entry in entries.items() if column.startswith("q = ")]
        x = [float(entry.column.removeprefix("q = ")) for entry in over_q]
        lines = [Line("Tsallis", x, [e.score for e in over_q], [e.deviation for e in over_q])]
        lines += [
            Line(column, [x[0], x[-1]], [entries[column].score] * 2)
            for column in (TSALLIS, "linear", "heat")
            if x and column in entries
        ]
        panels.append(LineChart(f"{table.experiment.title}: {row}", "q", "accuracy", lines, WHISKERS))
    return panels


def accuracy_by_weights(table: ExperimentTable) -> list[Chart]:
    """Return one chart of all ways to weight documents."""
    bars = [Bar(entry.row, entry.column, entry.score, entry.deviation) for entry in table.entries]
    return [BarChart(table.experiment.title, "accuracy", bars, f"The best q of five. {WHISKERS}")]


OWN_CHARTS: dict[str, Callable[[ExperimentTable], list[Chart]]] = {
    Paper003Figure1.name: accuracy_over_q,
    Paper003Figure2.name: accuracy_over_q,
    DocumentWeights.name: accuracy_by_weights,
}
