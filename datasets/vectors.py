"""Tables of labelled vectors: the UCI sets and the gene-expression sets of the papers.

A table is a CSV file, plain or gzipped: a line of column names, then one line per point; the last column, `target`, is
the class, the others are numbers, and an empty field is a missing value.

What the kernels cannot take is removed by functions of their own, applied in this order by `prepared`:

1. `complete_rows`: points with a missing value are left out.
2. `without_constants`: columns with only one value are left out.
3. `unit_range`: each column is mapped to [0, 1], its smallest value to 0 and its largest to 1.
"""

from __future__ import annotations

import csv
import dataclasses
import gzip
import io
import math
import os
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segjt.datasets.items import located
from segjt.io.files import read_file
from segjt.runtime.arrays import Floats, Ints, Mask

TARGET = "target"
SUFFIXES = (".csv", ".csv.gz")
# A web page can be longer than the 128 KiB that the csv module allows a field at first.
LONGEST_FIELD = 2**27


@dataclass(frozen=True)
class VectorSet:
    """Points with their classes.

    Attributes
    ----------
    name : str
        Name of the file without its suffix.
    X : (N, d) float array
        One row per point; a missing value is NaN.
    y : (N,) int array
        Class of each point, from 0, in the order of their names.
    columns : tuple of str
        Names of the columns of X.
    """

    name: str
    X: Floats
    y: Ints
    columns: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(np.unique(self.y))


def uci(data: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """Return the files of the UCI sets by name; `data` is their folder, or one that holds it, else SEGJT_DATA."""
    return csv_files(data, "uci", "https://archive.ics.uci.edu has the sets")


def genes(data: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """Return the files of the gene-expression sets by name; `data` is their folder, or one that holds it."""
    return csv_files(data, "genes", "https://schlieplab.org/Static/Supplements/CompCancer has the sets")


def csv_files(data: str | os.PathLike[str] | None, folder: str, source: str) -> dict[str, Path]:
    """Return the CSV files of a folder by name."""
    remedy = f"Give a folder with one CSV file per set, the last column named {TARGET!r}; {source}."
    root = located(data, folder, remedy)
    place = root / folder if (root / folder).is_dir() else root
    files = sorted(path for path in place.glob("*") if path.name.endswith(SUFFIXES)) if place.is_dir() else []
    if not files:
        raise FileNotFoundError(f"{place}: has no CSV files. {remedy}")
    return {set_name(path): path for path in files}


def set_name(path: Path) -> str:
    """Return the name of a set: that of its file without the suffix."""
    return path.name.removesuffix(".gz").removesuffix(".csv")


def read_vectors(path: str | os.PathLike[str]) -> VectorSet:
    """Read a table; a ValueError names the file, the line and the column of what is wrong."""
    path = Path(path)
    (_, columns), *lines = numbered_rows(unpacked(path, read_file(path)), path) or [(1, [])]
    if len(columns) < 2 or columns[-1] != TARGET:
        raise ValueError(
            f"{path}, line 1: the columns are {columns_text(columns)}; give at least two names, the last one {TARGET!r}"
        )
    if twice := [name for name, count in Counter(columns).items() if count > 1]:
        raise ValueError(f"{path}, line 1: the column {twice[0]!r} is there twice; give each its own name")
    points = [parsed_point(fields, columns, f"{path}, line {line}") for line, fields in lines if fields]
    if not points:
        raise ValueError(f"{path}: has no points; give a line for each after the names of the columns")
    rows, classes = zip(*points, strict=True)
    _, y = np.unique(classes, return_inverse=True)
    return VectorSet(set_name(path), np.array(rows), y, tuple(columns[:-1]))


def parsed_point(fields: list[str], columns: list[str], where: str) -> tuple[list[float], str]:
    """Return the values of a point and the name of its class; an error says where it is."""
    if len(fields) != len(columns):
        raise ValueError(f"{where}: has {len(fields)} fields, and line 1 has {len(columns)}; give one per column")
    *values, target = fields
    if not target.strip():
        raise ValueError(f"{where}, column {TARGET!r}: is empty; every point needs its class")
    return [number(text, where, name) for text, name in zip(values, columns[:-1], strict=True)], target.strip()


def unpacked(path: Path, content: bytes) -> str:
    """Return the text of a file, unpacked if its name ends in .gz."""
    try:
        return (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read as CSV ({error}); give text in UTF-8, packed as .gz or not") from None


def numbered_rows(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of a CSV file, each with the line on which it begins: a quoted field may run over several."""
    rows, line = [], 1
    # The csv module has one limit for all of a process.
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        for row in reader:
            rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path}, line {line}: is not CSV ({error}); check its quotes") from None
    finally:
        csv.field_size_limit(before)
    return rows


def number(text: str, where: str, column: str) -> float:
    """Return a field as a number, NaN if it is empty; an error says where it is."""
    text = text.strip()
    if not text:
        return math.nan
    try:
        value = math.nan if "_" in text else float(text)  # Python reads 1_000 as 1000
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(
            f"{where}, column {column!r}: {shortened(text)!r} is not a number; leave it empty if it is missing"
        )
    return value


def shortened(text: str) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= 40 else f"{text[:40]}..."


def columns_text(columns: list[str]) -> str:
    """Return the first and last names of a long list."""
    names = columns if len(columns) <= 6 else [*columns[:3], "...", *columns[-2:]]
    return ", ".join(names) or "missing"


def complete_rows(points: VectorSet) -> VectorSet:
    """Return the points that have no missing value."""
    complete = ~np.isnan(points.X).any(1)
    if not complete.any():
        raise ValueError(f"{points.name}: every point has a missing value; leave out the columns that have many")
    return dataclasses.replace(points, X=points.X[complete], y=points.y[complete])


def without_constants(points: VectorSet) -> VectorSet:
    """Return the points without the columns that have only one value."""
    varying = np.ptp(points.X, axis=0) > 0
    if not varying.any():
        raise ValueError(f"{points.name}: every column is constant; there is nothing to learn from")
    return dataclasses.replace(points, X=points.X[:, varying], columns=kept_names(points.columns, varying))


def unit_range(X: Floats) -> Floats:
    """Map each column to [0, 1], its smallest value to 0 and its largest to 1."""
    scaled: Floats = (X - X.min(0)) / np.ptp(X, axis=0)
    return scaled


def prepared(points: VectorSet) -> VectorSet:
    """Apply the rules that the experiments share: complete points, no constant columns, each column in [0, 1]."""
    kept = without_constants(complete_rows(points))
    return dataclasses.replace(kept, X=unit_range(kept.X))


def kept_names(names: tuple[str, ...], where: Mask) -> tuple[str, ...]:
    """Return the names of the columns that are kept."""
    return tuple(name for name, keep in zip(names, where, strict=True) if keep)
