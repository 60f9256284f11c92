"""Affinities of many kernels at once, by the fastest way for the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from segjt.evaluation.learning.clustering import Matrix
from segjt.kernels import make_kernel

# With more columns jt3 is faster by triples of points than by its exponential features, up to 91 a column.
MANY_COLUMNS = 70

Parameters = dict[str, Any]
# By q: `triple_values` of all rows.
Triples = dict[float, list[Matrix]]


def log_affinities(
    X: Matrix, kernels: Sequence[tuple[str, Parameters]], kept: Triples | None = None
) -> Iterator[Matrix]:
    """Yield the logarithm of the affinity of each kernel; those of three points with the same q share the triples.

    What fits into memory of these is put into `kept`.
    """
    from segjt.kernels.exponential_sums import two_levels
    from segjt.kernels.triples import MOST_KEPT, flattened_jt3, log_flattened_expjt3, triple_values, triples_are_best

    N, d = X.shape
    by_triples = {"jt3"} if d > MANY_COLUMNS and not two_levels(X) else set()
    if d > MANY_COLUMNS or triples_are_best(X):
        by_triples.add("expjt3")
    kept = {} if kept is None else kept
    exponentials: dict[float, Iterator[Matrix]] = {}
    for q in dict.fromkeys(p["q"] for kernel, p in kernels if kernel in by_triples):
        if N <= MOST_KEPT:
            kept[q] = list(triple_values(X, q))
        ts = [p["t"] for kernel, p in kernels if kernel == "expjt3" and p["q"] == q]
        exponentials[q] = iter(log_flattened_expjt3(kept.get(q) or triple_values(X, q), N, ts) if ts else ())
    for kernel, parameters in kernels:
        if kernel not in by_triples:
            yield make_kernel(kernel, **parameters).log_affinity(X)
        elif kernel == "expjt3":
            yield next(exponentials[parameters["q"]])
        else:
            q = parameters["q"]
            with np.errstate(divide="ignore"):
                yield np.log(flattened_jt3(kept.get(q) or triple_values(X, q), N))
