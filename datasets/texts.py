"""Labelled documents for text classification: CSV files label,split,text, plain or gzipped.

The experiments of paper 003 use two of them, in a folder `text` of the data: reuters_earn_acq (Reuters-21578, the
categories earn and acq of the ModApte split) and webkb_student_faculty (WebKB, pages of students and of faculty).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from segjt.datasets.items import children, located
from segjt.datasets.vectors import SUFFIXES, numbered_rows, set_name, unpacked
from segjt.io.files import read_file

REMEDY = (
    "Write the documents of Reuters-21578 (www.daviddlewis.com/resources/testcollections) and WebKB "
    "(www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data) to DATA/text/reuters_earn_acq.csv.gz and "
    "DATA/text/webkb_student_faculty.csv.gz, with the columns label,split,text; then give --data DATA (data=), or set "
    "SEGJT_DATA=DATA."
)
COLUMNS = ["label", "split", "text"]
SPLITS = ("train", "test")


@dataclass(frozen=True, eq=False)
class TextSet:
    """Documents with their classes.

    Attributes
    ----------
    name : str
        Name of the file without suffix.
    texts : list of str
        The documents; a text may be empty.
    labels : (documents,) array of str
        Their classes.
    split : (documents,) array of str
        "train" or "test".
    """

    name: str
    texts: list[str]
    labels: NDArray[np.str_]
    split: NDArray[np.str_]


def text_files(data: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """Return the files of labelled documents by name, sorted.

    Parameters
    ----------
    data : path, optional
        A folder that holds a folder `text`, or that folder itself. Default: the environment variable SEGJT_DATA.

    Raises
    ------
    FileNotFoundError
        If there are none, with where to get them.
    """
    root = located(data, "text", REMEDY)
    folder = next((child for child in children(root) if child.name.lower() == "text"), root)
    files = {set_name(path): path for path in children(folder, folders_only=False) if path.name.endswith(SUFFIXES)}
    if not files:
        raise FileNotFoundError(f"{folder}: holds no documents, .csv or .csv.gz. {REMEDY}")
    return files


def read_texts(path: str | os.PathLike[str]) -> TextSet:
    """Read labelled documents from a CSV file, plain or gzipped, with the columns label, split and text.

    Raises
    ------
    OSError, ValueError
        If the file cannot be read; the message names line and column.
    """
    path = Path(path)
    rows = list(labelled_rows(unpacked(path, read_file(path)), path))
    if not rows:
        raise ValueError(f"{path}: has no documents below the line {','.join(COLUMNS)}")
    labels, split, texts = zip(*rows, strict=True)
    return TextSet(set_name(path), list(texts), np.array(labels), np.array(split))


def labelled_rows(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield label, split and text of each document; a ValueError names line and column of what is wrong."""
    (_, header), *rows = numbered_rows(text, path) or [(1, [])]
    if header != COLUMNS:
        raise ValueError(
            f"{path}, line 1: the columns are {','.join(header)[:80]!r}; the first line must be {','.join(COLUMNS)}"
        )
    for line, row in rows:
        if len(row) != len(COLUMNS):
            raise ValueError(
                f"{path}, line {line}: has {len(row)} columns instead of {len(COLUMNS)}; "
                "put quotes around a text with commas"
            )
        label, split, document = row
        if not label:
            raise ValueError(f"{path}, line {line}, column label: is empty; each document needs a class")
        if split not in SPLITS:
            raise ValueError(f"{path}, line {line}, column split: is {split[:40]!r}; give {' or '.join(SPLITS)}")
        yield label, split, document
