"""Computing once what arrays have in common: X, Z and Y are often one array, and rows of an array are often equal."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Generic, TypeVar

from segjt.runtime.arrays import Floats, Indices

Rows = TypeVar("Rows", Floats, Indices)
Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True, eq=False)
class DistinctRows(Generic[Rows]):
    """The distinct rows of an array, which of them each row is, and how often each occurs."""

    rows: Rows
    inverse: Indices
    counts: Indices


def of_each(function: Callable[[Rows], Result], *arrays: Rows) -> list[Result]:
    """Return function(array) for each array; arrays that are the same object share one result."""
    results: dict[int, Result] = {}
    for array in arrays:
        if id(array) not in results:
            results[id(array)] = function(array)
    return [results[id(array)] for array in arrays]
