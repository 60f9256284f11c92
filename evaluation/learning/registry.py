"""The one list of learning experiments, and where each benchmark finds its data sets."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segjt.evaluation.learning.experiment import Experiment

if TYPE_CHECKING:
    from segjt.evaluation.claims import Claim
    from segjt.evaluation.learning.tables import ExperimentTable

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
# What the papers say in words about an experiment: functions of its table that return claims. They are not part of an
# experiment, since its results do not depend on them.
CLAIMS = {
    "000-table3": "paper000_claims.table3",
    "000-figure3": "paper000_claims.figure3",
    "000-table4": "paper000_claims.table4",
    "000-table6": "paper000_claims.table6",
    "001-table1": "paper001_claims.table1",
    "002-figure2": "paper002_claims.figure2",
    "003-figure1": "paper003_claims.figure1",
    "003-figure2": "paper003_claims.figure2",
    "003-weights": "paper003_claims.weights",
    "004-table2": "paper004_claims.table2",
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
    return [named(place)() for place in EXPERIMENTS[benchmark]]


def claims_of(table: ExperimentTable) -> list[Claim]:
    """Return what the paper says in words about the experiment of a table, compared with it.

    The same tests are made on the figures that the paper prints: what these do not prove is not for us to disprove.
    """
    place = CLAIMS.get(table.experiment.name)
    if place is None or not table.entries:
        return []
    claims, printed = (named(place)(figures) for figures in (table, table.as_published()))
    verdicts = {claim.text: claim.verdict for claim in printed}
    return [dataclasses.replace(claim, published=verdicts.get(claim.text)) for claim in claims]


def named(place: str) -> Any:
    """Return what a line of the lists above names."""
    module, name = place.split(".")
    return getattr(importlib.import_module(f"segjt.evaluation.learning.{module}"), name)
