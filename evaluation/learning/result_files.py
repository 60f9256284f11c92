"""The files of a learning benchmark: its tables as Markdown, JSON and CSV."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from segjt.evaluation.claims import claim_lines
from segjt.evaluation.learning.registry import claims_of
from segjt.evaluation.learning.tables import CellResult, Entry, ExperimentTable, markdown_text
from segjt.evaluation.table_files import SENTENCE_COLUMNS, encode_json
from segjt.io import encode_csv


def table_contents(written: Sequence[ExperimentTable], benchmark: str, title: str) -> dict[str, bytes]:
    """Return the files of the tables by name."""
    return {
        "table.md": markdown_text(written, title).encode(),
        "table.json": json_content(written, benchmark),
        "cells.csv": cells_content(written),
        "sentences.csv": sentences_content(written),
        "results.csv": csv_content(written),
        "times.csv": times_content(written),
    }


def json_content(tables: Sequence[ExperimentTable], benchmark: str) -> bytes:
    """Return the tables as JSON."""
    content = [
        {
            "experiment": table.experiment.name,
            "measure": table.experiment.measure,
            "tolerance": table.experiment.tolerance,
            "entries": [
                {
                    "row": entry.row,
                    "column": entry.column,
                    "score": round(entry.score, 6) if entry.results else None,
                    "deviation": round(entry.deviation, 6) if entry.results else None,
                    "published": None if entry.published is None else entry.published.value,
                    "published_deviation": entry.published.deviation if entry.published else None,
                    "verdict": entry.verdict,
                    "without_truth": None if entry.blind is None else round(entry.blind, 6),
                    "settings": [result.setting for result in entry.results],
                    "settings_without_truth": [result.blind_setting for result in entry.results],
                }
                for entry in table.entries
            ],
            "claims": [dataclasses.asdict(claim) for claim in claims_of(table)],
        }
        for table in tables
    ]
    return encode_json({"benchmark": benchmark, "experiments": content})


def csv_content(tables: Sequence[ExperimentTable]) -> bytes:
    """Return the results as CSV, one line each; those of an average one by one."""
    heads = ["experiment", "row", "column", "data", "score", "deviation", "without_truth", "setting"]
    lines: list[list[Any]] = [[*heads, "setting_without_truth"]]
    for table, entry, result in every_result(tables):
        settings = [json.dumps(setting, sort_keys=True) for setting in (result.setting, result.blind_setting)]
        numbers = [result.score, result.deviation, "" if result.blind is None else result.blind]
        lines.append([table.experiment.name, entry.row, entry.column, result.cell.data, *numbers, *settings])
    return encode_csv(lines)


def cells_content(tables: Sequence[ExperimentTable]) -> bytes:
    """Return the cells with a published figure as CSV, as they are committed in evaluation/measured."""
    lines: list[list[Any]] = [["experiment", "row", "column", "ours", "published", "verdict", "setting"]]
    for table in tables:
        for entry in table.entries:
            if entry.published is not None:
                setting = entry.results[0].setting if len(entry.results) == 1 else None  # an average has several
                lines.append(
                    [
                        *(table.experiment.name, entry.row, entry.column),
                        round(entry.score, 6) if entry.results else "",
                        f"{entry.published.value:g}",
                        entry.verdict,
                        "" if setting is None else json.dumps(setting, sort_keys=True),
                    ]
                )
    return encode_csv(lines)


def sentences_content(tables: Sequence[ExperimentTable]) -> bytes:
    """Return what the papers say in words as CSV, as it is committed in evaluation/measured."""
    lines = [[table.experiment.name, *line] for table in tables for line in claim_lines(claims_of(table))[1:]]
    return encode_csv([["experiment", *SENTENCE_COLUMNS], *lines])


def times_content(tables: Sequence[ExperimentTable]) -> bytes:
    """Return the seconds of every result on one core as CSV."""
    lines = [
        [table.experiment.name, entry.row, entry.column, result.cell.data, round(result.seconds, 3)]
        for table, entry, result in every_result(tables)
    ]
    return encode_csv([["experiment", "row", "column", "data", "seconds"], *lines])


def every_result(tables: Sequence[ExperimentTable]) -> list[tuple[ExperimentTable, Entry, CellResult]]:
    """Return all results with their table and entry."""
    return [(table, entry, result) for table in tables for entry in table.entries for result in entry.results]
