"""The report of learning experiments: their tables, and charts with the published figures."""

from __future__ import annotations

from collections.abc import Sequence

import segjt
from segjt.evaluation.learning.charts import charts_of
from segjt.evaluation.learning.tables import EXPLANATION, Entry, ExperimentTable, cell_lines, claim_lines, pair_text
from segjt.report.page import Cell, Report, Table


def learning_report(tables: Sequence[ExperimentTable], title: str) -> Report:
    """Return the report of a run."""
    shown = [table for table in tables if table.entries]
    pages = [page for table in shown for page in (paper_table(table), *claims_tables(table), comparison_table(table))]
    charts = [chart for table in shown for chart in charts_of(table)]
    figures = sum(len(table.entries) for table in shown)
    experiments = "1 experiment" if len(shown) == 1 else f"{len(shown)} experiments"
    subtitle = f"{experiments}, {figures} figures; segjt {segjt.__version__}"
    return Report(title, subtitle, pages, charts, notes=[EXPLANATION])


def paper_table(table: ExperimentTable) -> Table:
    """Return the table in the layout of the paper; figures within the tolerance or above stand out."""
    columns = table.columns()
    rows = [[row, *(paper_cell(table.at(row, column)) for column in columns)] for row in table.rows()]
    note = f"Ours (published); bold: within the tolerance or above. {table.counts()}"
    return Table(table.heading, ["", *columns], rows, note)


def paper_cell(entry: Entry | None) -> Cell | None:
    """Return our figure with the published one as a cell of the table in the layout of the paper."""
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


def claims_tables(table: ExperimentTable) -> list[Table]:
    """Return the paper's statements in words beside our results, if there are any."""
    heads, *lines = claim_lines(table) or [[]]
    rows = [[text, ours, Cell(verdict, strong=verdict == "holds")] for text, ours, verdict in lines]
    return [Table(f"{table.experiment.title}, in words", heads, rows)] if rows else []
