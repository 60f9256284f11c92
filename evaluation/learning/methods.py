"""The results of a table by method and data set, to compare methods over the sets that all of them were run on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from segjt.evaluation.learning.tables import CellResult, ExperimentTable

# By method, then data set.
Methods = Mapping[str, Mapping[str, CellResult]]


def methods_of(table: ExperimentTable, axis: Literal["row", "column"], leave_out: Sequence[str] = ()) -> Methods:
    """Return the results of a table whose rows, or columns, are methods; `leave_out` names columns."""
    methods: dict[str, dict[str, CellResult]] = {}
    for entry in table.entries:
        if entry.column not in leave_out:
            method = entry.row if axis == "row" else entry.column
            methods.setdefault(method, {}).update({result.cell.data: result for result in entry.results})
    return methods


def common_sets(methods: Methods, names: Iterable[str]) -> list[str]:
    """Return the data sets that all of these methods were run on."""
    first, *others = [methods.get(name, {}) for name in names]
    return [data for data in first if all(data in of_method for of_method in others)]


def differences(methods: Methods, ones: Sequence[str], others: Sequence[str]) -> dict[str, float]:
    """Return by how much the mean of some methods is larger than that of others, for each data set that all have."""

    def mean(names: Sequence[str], data: str) -> float:
        return float(np.mean([methods[name][data].score for name in names]))

    return {data: mean(ones, data) - mean(others, data) for data in common_sets(methods, [*ones, *others])}


def best_of(methods: Methods, names: Iterable[str]) -> dict[str, CellResult]:
    """Return the best result of several methods on each data set that all of them were run on."""
    known = [name for name in names if methods.get(name)]
    if not known:
        return {}
    return {
        data: max((methods[name][data] for name in known), key=lambda result: result.score)
        for data in common_sets(methods, known)
    }
