"""The report of learning experiments: their tables, and charts with the published figures."""

from __future__ import annotations

from collections.abc import Sequence

import segjt
from segjt.evaluation.claims import Verdict, claim_lines
from segjt.evaluation.learning.charts import charts_of
from segjt.evaluation.learning.registry import claims_of
from segjt.evaluation.learning.tables import (
    EXPLANATION,
    Entry,
    ExperimentTable,
    cell_lines,
    pair_text,
    summary_lines,
)
from segjt.evaluation.learning.verdicts import ABOVE, WITHIN
from segjt.report.page import Cell, Report, Table


def learning_report(tables: Sequence[ExperimentTable], title: str) -> Report:
    """Return the report of a run."""
    shown = [table for table in tables if table.entries]
    pages = [page for table in shown for page in (paper_table(table), *claims_tables(table), comparison_table(table))]
    pages += summary_tables(shown)
    charts = [chart for table in shown for chart in charts_of(table)]
    figures = sum(bool(entry.results) for table in shown for entry in table.entries)
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
    return Cell(pair_text(entry), entry.score if entry.results else None, strong=entry.verdict in (WITHIN, ABOVE))


def comparison_table(table: ExperimentTable) -> Table:
    """Return the comparison cell by cell, with times."""
    heads, *lines = cell_lines(table)
    rows = [
        [
            row,
            column,
            Cell(ours, entry.score) if entry.results else None,
            Cell(figure, entry.published.value) if entry.published is not None else None,
            verdict,
            entry.blind,
            setting,
            blind_setting,
            entry.seconds,
        ]
        for (row, column, ours, figure, verdict, _, setting, blind_setting), entry in zip(
            lines, table.entries, strict=True
        )
    ]
    heads[4] = "verdict"
    return Table(f"{table.heading}, cell by cell", [*heads, "seconds, one core"], rows)


def claims_tables(table: ExperimentTable) -> list[Table]:
    """Return the paper's statements in words beside our results, if there are any."""
    heads, *lines = claim_lines(claims_of(table)) or [[]]
    rows = [[*words, Cell(verdict, strong=verdict == Verdict.HOLDS), published] for *words, verdict, published in lines]
    return [Table(f"{table.experiment.title}, in words", heads, rows)] if rows else []


def summary_tables(tables: Sequence[ExperimentTable]) -> list[Table]:
    """Return how many cells compare in which way with published figures, if there are any."""
    heads, *lines = summary_lines(tables)
    rows = [[title, *(int(count) for count in counts)] for title, *counts in lines]
    return [Table("Cells with a published figure", heads, rows)] if any(table.verdicts() for table in tables) else []
