"""What evaluators share: computing once what arrays have in common, and sums for given pairs of rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from segjt.runtime.arrays import Floats, Indices
from segjt.runtime.compiled import compiled_reordering

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


def sum_over_pairs(term: Callable[[Floats, Floats], Floats], X: Floats, first: Indices, second: Indices) -> Floats:
    """Return the sum over features of term(x_j, y_j) for given pairs of rows of X.

    Where a feature has few distinct values, each term is computed once per pair of values and looked up.
    """
    total = np.zeros(len(first))
    for x in X.T:
        values, place = np.unique(x, return_inverse=True)
        if len(values) ** 2 < len(first):
            total += term(values[:, None], values[None, :])[place[first], place[second]]
        else:
            total += term(x[first], x[second])
    return total


@compiled_reordering
def products_of_pairs(U: Floats, first: Indices, second: Indices) -> Floats:
    """Return u_i . u_j for given pairs (i, j) of rows of U, without a copy of the rows of all pairs."""
    products = np.empty(len(first))
    for pair in range(len(first)):
        one, other = U[first[pair]], U[second[pair]]
        total = 0.0
        for r in range(len(one)):
            total += one[r] * other[r]
        products[pair] = total
    return products
