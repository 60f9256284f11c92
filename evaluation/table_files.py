"""Tables as text, Markdown, JSON and CSV; times, which depend on the machine, have files of their own."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from segjt.evaluation.claims import claim_lines
from segjt.evaluation.grid import Row
from segjt.evaluation.tables import ColumnScore, TableRow, columns_of
from segjt.evaluation.weizmann_claims import weizmann_claims
from segjt.io import encode_csv, write_files
from segjt.report.page import Report, encode_report

LITERATURE = (
    "On the same data Alpert et al. 2007 have 0.86, SWA 0.83, N-cuts 0.72, mean shift 0.57; Alpert et al. 2012 have "
    "0.87. One human against the majority of three: 0.97."
)
# What the words mean that the names of columns consist of.
EXPLANATIONS = {
    "fixed": "the one setting of the row that is best on average over all images (defaults: nothing set)",
    "hierarchy": "nested cuts of 2 to 32 segments of one setting",
    "tuned": "the best setting for each image, chosen with knowledge of the truth, as papers often do",
    "spectral": "with only the paper's own merging",
}

# Of sentences.csv, after the experiment: what `claim_lines` returns.
SENTENCE_COLUMNS = ("sentence", "place", "ours", "verdict", "on_published_figures")


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of texts, the first one the heads, as a Markdown table with aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    return "\n".join([lines[0], "| " + " | ".join("-" * width for width in widths) + " |", *lines[1:]])


def score_text(score: ColumnScore | None) -> str:
    """Return mean and standard error as text."""
    return "" if score is None else with_error(score.mean.f, score.mean.standard_error)


def with_error(mean: float, error: float) -> str:
    """Return a mean and its standard error, if there is one, as text."""
    return f"{mean:.3f}" + (f" ± {error:.3f}" if np.isfinite(error) else "")


def explanation(columns: Sequence[str]) -> str:
    """Return what the columns of a table mean."""
    words = {word for column in columns for word in column.split(", ")}
    meanings = [f"{word}: {text}" for word, text in EXPLANATIONS.items() if word in words]
    return f"Mean F of the best single segment ± standard error. {'; '.join(meanings)}."


def object_markdown(table: Sequence[TableRow], title: str) -> str:
    """Return the table of scores and the best settings as Markdown, without times."""
    columns = columns_of(table)
    published = any(row.published is not None for row in table)
    heads = ["method", "blocks", *columns, *(["published"] if published else []), "images"]
    lines = [
        [
            row.row.title,
            blocks_text(row.row),
            *(score_text(row.scores.get(column)) for column in columns),
            *([f"{row.published:.2f}" if row.published is not None else ""] if published else []),
            str(len(row.results.items)),
        ]
        for row in table
    ]
    settings = [
        [row.row.title, blocks_text(row.row), column, setting_text(score.setting)]
        for row in table
        for column, score in row.scores.items()
        if score.setting is not None
    ]
    parts = [f"# {title}", markdown([heads, *lines]), explanation(columns)]
    if published:
        parts.append(f"published: paper 000, Table VII, to be compared with tuned, spectral. {LITERATURE}")
    if claims := claim_lines(weizmann_claims(table)):
        lines = [line[:-1] for line in claims]  # the paper prints no figures of single images
        parts += ["What the papers say in words (tuned, spectral; Student's t over the images):", markdown(lines)]
    if settings:
        parts.append("## Best settings\n\n" + markdown([["method", "blocks", "column", "setting"], *settings]))
    return "\n\n".join(parts) + "\n"


def blocks_text(row: Row) -> str:
    """Return the size of the blocks of a row as text."""
    return f"{row.block_size}x{row.block_size}" if row.block_size else ""


def setting_text(setting: dict[str, Any]) -> str:
    """Return a setting in one line."""
    return ", ".join(f"{name} = {value}" for name, value in sorted(setting.items())) or "defaults"


def object_json(table: Sequence[TableRow], benchmark: str) -> bytes:
    """Return the table as JSON."""
    rows = [
        {
            "method": row.row.name,
            "block_size": row.row.block_size,
            "published": row.published,
            "images": len(row.results.items),
            "cells": {
                column: {
                    "f": round(score.mean.f, 6),
                    "standard_error": None
                    if np.isnan(score.mean.standard_error)
                    else round(score.mean.standard_error, 6),
                    "setting": score.setting,
                }
                for column, score in row.scores.items()
            },
        }
        for row in table
    ]
    claims = [dataclasses.asdict(claim) for claim in weizmann_claims(table)]
    return encode_json({"benchmark": benchmark, "rows": rows, "claims": claims})


def weizmann_cells(table: Sequence[TableRow]) -> bytes:
    """Return the figures of Table VII as CSV, as they are committed in evaluation/measured.

    The paper's figures are for the whole database, ours for the images at hand: there is no verdict.
    """
    lines = [
        [
            "000-table7",
            row.row.name,
            f"{blocks_text(row.row)}, {column}",
            round(row.scores[column].mean.f, 6),
            published,
        ]
        for row in table
        for column in ("tuned, spectral", "fixed, spectral")
        if row.row.block_size and column in row.scores
        for published in (row.published if row.published is not None and column.startswith("tuned") else "",)
    ]
    return encode_csv([["experiment", "row", "column", "ours", "published"], *lines])


def weizmann_sentences(table: Sequence[TableRow]) -> bytes:
    """Return what the papers say in words as CSV, as it is committed in evaluation/measured."""
    lines = [["000-table7", *line] for line in claim_lines(weizmann_claims(table))[1:]]
    return encode_csv([["experiment", *SENTENCE_COLUMNS], *lines])


def object_csv(table: Sequence[TableRow]) -> bytes:
    """Return the score of each image and object in each column as CSV, with the setting."""
    heads = ["method", "block_size", "column", "image", "object", "f", "precision", "recall", "label", "fragmentation"]
    lines: list[list[Any]] = [[*heads, "fragments", "setting"]]
    for row in table:
        for column, score in row.scores.items():
            for image, of_image in enumerate(score.images):
                for number, segment in enumerate(of_image.objects):
                    pieces, fragments = (
                        row.results.column(f"{name}_{number}")[image, segment.place]
                        for name in ("fragmentation", "fragments")
                    )
                    lines.append(
                        [
                            *(row.row.name, row.row.block_size or "", column, row.results.images[image], number + 1),
                            *(
                                segment.f,
                                segment.precision,
                                segment.recall,
                                segment.label or "",
                                pieces,
                                int(fragments),
                            ),
                            json.dumps(row.results.settings[segment.place], sort_keys=True),
                        ]
                    )
    return encode_csv(lines)


def times_csv(rows: Sequence[tuple[str, int | None, float]]) -> bytes:
    """Return the seconds per image of each row (name, block size, seconds) as CSV."""
    lines = [[name, size or "", round(seconds, 4)] for name, size, seconds in rows]
    return encode_csv([["method", "block_size", "seconds"], *lines])


def times_text(rows: Sequence[tuple[str, str, float]]) -> str:
    """Return the seconds per image of each row (title, blocks, seconds) as a table to be printed."""
    lines = [[title, blocks, f"{seconds:.2f}"] for title, blocks, seconds in rows]
    return markdown([["method", "blocks", "seconds per image, one core"], *lines])


def encode_json(content: Any) -> bytes:
    """Return content as JSON, the same for equal content."""
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def write_tables(folder: Path, files: Mapping[str, bytes], report: Report) -> None:
    """Write the tables of a benchmark, by name, and its report to a folder: all or none, replacing those before."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {**files, "report.html": encode_report(report)}
    write_files({folder / name: content for name, content in contents.items()}, overwrite=True)
