"""Affinities of many kernels on the same rows, by the fastest way for the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from segjt.kernels.evaluators import triples
from segjt.kernels.evaluators.exponential_sums import two_levels
from segjt.kernels.registry import make_kernel
from segjt.runtime.arrays import Floats

# With more columns jt3 is faster by triples of points than by its exponential features, up to 91 per column.
MANY_COLUMNS = 70

KernelParameters = dict[str, Any]
# By q: `triples.triple_values` of all rows.
Triples = dict[float, list[Floats]]


def log_affinities(
    X: Floats, kernels: Sequence[tuple[str, KernelParameters]], kept: Triples | None = None
) -> Iterator[Floats]:
    """Yield the logarithm of the affinity of each kernel; those with the same q share the values of pairs or triples.

    With `kept` the triples of up to 320 rows are left there.
    """
    values = SharedValues(X, kept)
    ways: dict[str, Callable[[KernelParameters], Floats]] = {"expjt2": values.log_expjt2}
    many_columns = X.shape[1] > MANY_COLUMNS
    if many_columns and not two_levels(X):
        ways["jt3"] = values.log_jt3
    if many_columns or triples.triples_are_best(X):
        values.plan_expjt3(parameters for kernel, parameters in kernels if kernel == "expjt3")
        ways["expjt3"] = values.log_expjt3
    for kernel, parameters in kernels:
        if kernel in ways:
            yield ways[kernel](parameters)
        else:
            yield make_kernel(kernel, **parameters).log_affinity(X)


class SharedValues:
    """What kernels with the same q have in common on the rows X: the values k(x, y) of pairs, or K(x, y, z) of triples.

    Parameters
    ----------
    X : (N, d) array
        The rows.
    kept : dict, optional
        Where the triples of up to 320 rows are left, by q. Without it only those of the last q are held: they can take
        256 MB.
    """

    def __init__(self, X: Floats, kept: Triples | None) -> None:
        self.X = X
        self.pairs: dict[float, Floats] = {}
        self.triples: Triples = {} if kept is None else kept
        self.one_q_at_a_time = kept is None
        self.ts: dict[float, list[float]] = {}
        self.exponentials: dict[float, Iterator[Floats]] = {}

    def log_expjt2(self, parameters: KernelParameters) -> Floats:
        """Return ln exp(t k) = t k."""
        q = parameters.get("q", 1.0)
        if q not in self.pairs:
            self.pairs = {q: make_kernel("jt2", q=q)(self.X)}
        log_V: Floats = parameters["t"] * self.pairs[q]
        return log_V

    def log_jt3(self, parameters: KernelParameters) -> Floats:
        """Return the logarithm of the flattened three-point kernel."""
        with np.errstate(divide="ignore"):
            return np.log(triples.flattened_jt3(self.triple_values(parameters.get("q", 1.0)), len(self.X)))

    def plan_expjt3(self, every: Iterable[KernelParameters]) -> None:
        """Note the kernels that `log_expjt3` will be asked for, in order: all t of one q are computed at once."""
        for parameters in every:
            self.ts.setdefault(parameters.get("q", 1.0), []).append(parameters["t"])

    def log_expjt3(self, parameters: KernelParameters) -> Floats:
        """Return the logarithm of the next flattened exponential kernel with this q, see `plan_expjt3`."""
        q = parameters.get("q", 1.0)
        if q not in self.exponentials:
            all_t = triples.log_flattened_expjt3(self.triple_values(q), len(self.X), self.ts[q])
            self.exponentials[q] = iter(all_t)
        return next(self.exponentials[q])

    def triple_values(self, q: float) -> Iterable[Floats]:
        """Return `triples.triple_values` of all rows: kept, or computed on the way if there are too many rows."""
        if len(self.X) > triples.MOST_KEPT:
            return triples.triple_values(self.X, q)
        if q not in self.triples:
            if self.one_q_at_a_time:
                self.triples.clear()
            self.triples[q] = list(triples.triple_values(self.X, q))
        return self.triples[q]
