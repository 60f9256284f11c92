"""Computing once what the same array is asked for several times: X, Z and Y are often one array."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from segjt.runtime.arrays import Floats, Indices

Rows = TypeVar("Rows", Floats, Indices)
Result = TypeVar("Result")


def of_each(function: Callable[[Rows], Result], *arrays: Rows) -> list[Result]:
    """Return function(array) for each array; arrays that are the same object share one result."""
    results: dict[int, Result] = {}
    for array in arrays:
        if id(array) not in results:
            results[id(array)] = function(array)
    return [results[id(array)] for array in arrays]
