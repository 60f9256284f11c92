"""The one list of learning experiments, and where each benchmark finds its data sets."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segjt.evaluation.learning.experiment import Experiment

# The classes of each benchmark, in the order of the report; modules are imported when they are needed.
EXPERIMENTS: dict[str, list[str]] = {
    "uci": [
        "paper000_table3.Paper000Table3",
        "paper000_figure3.Paper000Figure3",
        "paper000_table4.Paper000Table4",
        "paper001_table1.Paper001Table1",
        "paper002_figure2.Paper002Figure2",
        "paper004_table2.Paper004Table2",
    ],
    "genes": [
        "paper000_table6.Paper000Table6",
    ],
    "text": [
        "paper003_figures.Paper003Figure1",
        "paper003_figures.Paper003Figure2",
        "paper003_figures.DocumentWeights",
    ],
}


@dataclass(frozen=True)
class DataSource:
    """Where data sets come from: `find` returns their files by name, `read` reads one."""

    find: Callable[[str | None], dict[str, Path]]
    read: Callable[[Path], Any]


def data_source(benchmark: str) -> DataSource:
    """Return where the data sets of a benchmark come from."""
    from segjt.datasets import texts, vectors, words

    if benchmark == "text":
        words.porter_stemmer()  # a missing library is an error before anything runs
    sources = {
        "uci": DataSource(vectors.uci, vectors.read_vectors),
        "genes": DataSource(vectors.genes, vectors.read_vectors),
        "text": DataSource(texts.text_files, texts.read_texts),
    }
    return sources[benchmark]


def experiments(benchmark: str) -> list[Experiment[Any]]:
    """Return the experiments of a benchmark: "uci", "genes" or "text"."""
    made = []
    for place in EXPERIMENTS[benchmark]:
        module, name = place.split(".")
        made.append(getattr(importlib.import_module(f"segjt.evaluation.learning.{module}"), name)())
    return made
