"""Affinities of many kernels at once, by the fastest way for the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from segjt.kernels import make_kernel
from segjt.runtime.arrays import Floats

# With more columns jt3 is faster by triples of points than by its exponential features, up to 91 a column.
MANY_COLUMNS = 70

KernelParameters = dict[str, Any]
# By q: `triple_values` of all rows.
Triples = dict[float, list[Floats]]


def log_affinities(
    X: Floats, kernels: Sequence[tuple[str, KernelParameters]], kept: Triples | None = None
) -> Iterator[Floats]:
    """Yield the logarithm of the affinity of each kernel; those with the same q share the values of pairs or triples.

    With `kept` the triples of up to 320 rows are left there.
    """
    from segjt.kernels.evaluators.exponential_sums import two_levels
    from segjt.kernels.evaluators.triples import (
        MOST_KEPT,
        flattened_jt3,
        log_flattened_expjt3,
        triple_values,
        triples_are_best,
    )

    N, d = X.shape
    by_triples = {"jt3"} if d > MANY_COLUMNS and not two_levels(X) else set()
    if d > MANY_COLUMNS or triples_are_best(X):
        by_triples.add("expjt3")
    triples: Triples = {} if kept is None else kept
    exponentials: dict[float, Iterator[Floats]] = {}
    pairs: dict[float, Floats] = {}

    def values_of(q: float) -> Iterable[Floats]:
        if N > MOST_KEPT:
            return triple_values(X, q)
        if q not in triples:
            if kept is None:
                triples.clear()  # nobody else wants them, and those of one q can take 256 MB
            triples[q] = list(triple_values(X, q))
        return triples[q]

    for kernel, parameters in kernels:
        q = parameters.get("q", 1.0)
        if kernel == "expjt2":
            if q not in pairs:
                pairs = {q: make_kernel("jt2", q=q)(X)}
            yield parameters["t"] * pairs[q]
        elif kernel not in by_triples:
            yield make_kernel(kernel, **parameters).log_affinity(X)
        elif kernel == "jt3":
            with np.errstate(divide="ignore"):
                yield np.log(flattened_jt3(values_of(q), N))
        else:
            if q not in exponentials:
                ts = [p["t"] for other, p in kernels if other == "expjt3" and p["q"] == q]
                exponentials[q] = iter(log_flattened_expjt3(values_of(q), N, ts))
            yield next(exponentials[q])
