"""The report of learning experiments: their tables, and charts with the published figures."""

from __future__ import annotations

import re
from collections.abc import Sequence

import segjt
from segjt.evaluation.learning.tables import EXPLANATION, Entry, ExperimentTable, cell_lines, claim_lines, pair_text
from segjt.report.charts import Bar, BarChart, Chart, Line, LineChart
from segjt.report.page import Cell, Report, Table

VALUE = re.compile(r"(\w+) = (\d+(?:\.\d+)?)")


def learning_report(found: Sequence[ExperimentTable], title: str) -> Report:
    """Return the report of a run."""
    shown = [table for table in found if table.entries]
    papers = [made for table in shown for made in (paper_table(table), *claims(table), comparison_table(table))]
    charts = [chart for table in shown for chart in charts_of(table)]
    figures = sum(len(table.entries) for table in shown)
    experiments = "1 experiment" if len(shown) == 1 else f"{len(shown)} experiments"
    subtitle = f"{experiments}, {figures} figures; segjt {segjt.__version__}"
    return Report(title, subtitle, papers, charts, notes=[EXPLANATION])


def paper_table(table: ExperimentTable) -> Table:
    """Return the table in the layout of the paper; what is within or above stands out."""
    columns = table.columns()
    rows = [[row, *(paper_cell(table.at(row, column)) for column in columns)] for row in table.rows()]
    note = f"Ours (published); bold: within the tolerance or above. {table.counts()}"
    return Table(table.heading, ["", *columns], rows, note)


def paper_cell(entry: Entry | None) -> Cell | None:
    """Return one cell of it."""
    if entry is None:
        return None
    return Cell(pair_text(entry), entry.score, strong=entry.verdict in ("within", "above"))


def comparison_table(table: ExperimentTable) -> Table:
    """Return the comparison cell by cell, with times."""
    heads, *lines = cell_lines(table)
    rows = [
        [
            row,
            column,
            Cell(ours, entry.score),
            entry.published,
            verdict,
            entry.blind,
            setting,
            blind_setting,
            entry.seconds,
        ]
        for (row, column, ours, _, verdict, _, setting, blind_setting), entry in zip(lines, table.entries, strict=True)
    ]
    heads[4] = "verdict"
    return Table(f"{table.heading}, cell by cell", [*heads, "seconds, one core"], rows)


def claims(table: ExperimentTable) -> list[Table]:
    """Return the paper's statements in words with what we find, if there are any."""
    heads, *lines = claim_lines(table) or [[]]
    rows = [[text, ours, Cell(verdict, strong=verdict == "holds")] for text, ours, verdict in lines]
    return [Table(f"{table.experiment.title}, in words", heads, rows)] if rows else []


def charts_of(table: ExperimentTable) -> list[Chart]:
    """Return the experiment's own charts; else lines over a parameter if the columns are its values, or bars."""
    if (own := table.experiment.charts(table)) is not None:
        return own
    values = {column: VALUE.fullmatch(column) for column in table.columns()}
    matches = [match for match in values.values() if match is not None]
    if len(matches) == len(values) and len({match[1] for match in matches}) == 1:
        return line_charts(table, matches[0][1])
    measure = table.experiment.measure
    return [
        BarChart(
            f"{table.experiment.title}: {column}",
            measure,
            [
                Bar(entry.row, "ours", max(entry.score, 0.0), entry.deviation, entry.published)
                for entry in table.entries
                if entry.column == column
            ],
            "Whiskers: standard deviation of the runs.",
        )
        for column in values
    ]


def line_charts(table: ExperimentTable, parameter: str) -> list[Chart]:
    """Return a chart for each data set, in it a line for each row."""
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
