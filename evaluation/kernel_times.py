"""Table I of paper 000, measured: how the CPU time of every kernel grows with the number N of points.

``python -m segjt.evaluation.kernel_times`` prints a table: for each kernel the seconds that the affinities of all pairs
take at one size, and the exponent b of seconds ~ N^b at the largest sizes, beside the complexity that the paper states.
The kernels that the paper lists are also timed by their definition in plain numpy, as far as it gets.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjt.datasets.vectors import unit_range
from segjt.evaluation import plain
from segjt.evaluation.speed import fitted_exponent, photograph
from segjt.evaluation.table_files import markdown
from segjt.kernels.base import DISTRIBUTIONS, POSITIVE_MEASURES
from segjt.kernels.registry import kernel_names, make_kernel
from segjt.runtime.arrays import Floats
from segjt.runtime.threads import one_blas_thread

Method = Callable[[Floats], Any]
# Seconds by number of points.
Times = dict[int, float]

SMALLEST, LARGEST, REPETITIONS = 64, 1024, 3
# The size whose seconds are printed, if it is reached.
SHOWN = LARGEST
# A method that takes more seconds than this is not tried with twice as many points, where it may take 16 times as long.
PATIENCE = 0.5
# A measurement lasts at least this many seconds, by as many calls as it takes: the clock is not exact.
SHORTEST = 0.02
# Exponents are fitted to this many of the largest sizes: at small ones the time is that of a call.
FITTED = 3

# Paper 000, Table I: the power of N.
PUBLISHED = {"jt2": 2, "jt3": 4, "jt3+": 2, "expjt2": 2, "expjt3": 4, "expjt3+": 2, "nlin": 3, "nlin+": 2}


def colours() -> Floats:
    """Return the colours of a photograph, in random order: 8-bit levels scaled to [0, 1]."""
    pixels = photograph().reshape(-1, 3) / 255
    return np.random.default_rng(0).permutation(pixels)


def digits() -> Floats:
    """Return a UCI set of real numbers: the handwritten digits of scikit-learn, as 8 principal components in [0, 1]."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    return unit_range(PCA(8, svd_solver="full").fit_transform(load_digits().data))


ROWS: dict[str, Callable[[], Floats]] = {"colours": colours, "digits": digits}


def own_methods() -> dict[str, Method]:
    """Return the affinity of every kernel of the registry, by its name."""
    return {name: functools.partial(affinity, name) for name in kernel_names()}


def plain_methods() -> dict[str, Method]:
    """Return the kernels that the paper lists, in plain numpy."""
    every = plain.KERNELS | plain.SLOW_KERNELS | plain.SAMPLED_KERNELS
    return {name: every[name] for name in PUBLISHED}


def affinity(name: str, X: Floats) -> Floats:
    """Return the affinity of the rows by a kernel with its default parameters."""
    kernel = make_kernel(name)
    domain = kernel.innermost().domain
    if domain in (POSITIVE_MEASURES, DISTRIBUTIONS):
        X = X + 1e-3  # no row is all 0
    return kernel.affinity(X / X.sum(1, keepdims=True) if domain == DISTRIBUTIONS else X)


def measure(methods: Mapping[str, Method], rows: Floats, sizes: Sequence[int], repetitions: int) -> dict[str, Times]:
    """Return the median CPU seconds of each method for the first N rows, for each size N that it gets to.

    The methods take turns, so that noise of the machine hits all of them alike.
    """
    times: dict[str, Times] = {name: {} for name in methods}
    with one_blas_thread():
        for size in sizes:
            X = rows[:size]
            left = {name: method for name, method in methods.items() if last(times[name]) <= PATIENCE}
            if size == sizes[0]:
                for method in left.values():
                    method(X)  # compilation and imports are not measured
            calls = {name: calls_needed(method, X, last(times[name])) for name, method in left.items()}
            rounds = [
                {name: cpu_seconds(method, X, calls[name]) for name, method in left.items()} for _ in range(repetitions)
            ]
            for name in left:
                times[name][size] = statistics.median(seconds[name] for seconds in rounds)
    return times


def last(times: Times) -> float:
    """Return the seconds of the largest size so far."""
    return times[max(times)] if times else 0.0


def calls_needed(method: Method, X: Floats, before: float) -> int:
    """Return how many calls make a measurement: one, if fewer points took long enough before."""
    return 1 if before > SHORTEST else max(1, round(SHORTEST / max(cpu_seconds(method, X, 1), 1e-9)))


def cpu_seconds(method: Method, X: Floats, calls: int) -> float:
    """Return the CPU seconds of one call, as the mean of several."""
    start = time.process_time()
    for _ in range(calls):
        method(X)
    return (time.process_time() - start) / calls


def exponent(times: Times) -> float | None:
    """Return b of seconds ~ N^b at the largest sizes; None if there is one size only."""
    fitted = sorted(times)[-FITTED:]
    return fitted_exponent(fitted, [times[size] for size in fitted]) if len(fitted) > 1 else None


@dataclass(frozen=True)
class Measured:
    """The times of segjt's kernels and of the plain ones on the same rows."""

    own: dict[str, Times]
    plain: dict[str, Times]


def measure_all(largest: int, repetitions: int) -> dict[str, Measured]:
    """Return the times of all kernels for N = 64, 128, ... up to `largest`, by the name of the rows."""
    measured = {}
    for name, make_rows in ROWS.items():
        rows = make_rows()
        sizes = [SMALLEST * 2**i for i in range(32) if SMALLEST * 2**i <= min(largest, len(rows))]
        if not sizes:
            raise ValueError(f"largest = {largest} leaves no size to measure; give {SMALLEST} or more")
        own, by_definition = (
            measure(methods, rows, sizes, repetitions) for methods in (own_methods(), plain_methods())
        )
        measured[name] = Measured(own, by_definition)
    return measured


def table(measured: Mapping[str, Measured]) -> str:
    """Return the exponents and seconds as a Markdown table, the kernels of the paper's Table I first."""
    heads = ["kernel", "Table I"]
    for name in measured:
        heads += [f"{name}: exponent", "seconds", "plain: exponent", "seconds"]
    lines = [heads]
    for kernel in sorted(kernel_names(), key=lambda kernel: kernel not in PUBLISHED):
        line = [f"`{kernel}`", f"O(N^{PUBLISHED[kernel]})" if kernel in PUBLISHED else ""]
        for of_rows in measured.values():
            for times in (of_rows.own[kernel], of_rows.plain.get(kernel, {})):
                line += [exponent_text(times), seconds_text(times)]
        lines.append(line)
    return markdown(lines)


def exponent_text(times: Times) -> str:
    """Return the exponent with one decimal."""
    fitted = exponent(times)
    return "" if fitted is None else f"{fitted:.1f}"


def seconds_text(times: Times) -> str:
    """Return the seconds at the size that is shown, or at the largest that was reached, with its N."""
    if not times:
        return ""
    size = min(SHOWN, max(times))
    return f"{times[size]:.2g}" + ("" if size == SHOWN else f" (N = {size})")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m segjt.evaluation.kernel_times", description=__doc__)
    parser.add_argument("--largest", type=int, default=LARGEST, metavar="N", help="most points (default: %(default)s)")
    repetitions_help = "runs whose median counts (default: %(default)s)"
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, metavar="N", help=repetitions_help)
    options = parser.parse_args()
    try:
        print(table(measure_all(options.largest, options.repetitions)))
    except ValueError as error:
        parser.error(str(error))
    print(f"\nCPU seconds of one thread, at N = {SHOWN} where no other N is given; exponents of the {FITTED} largest N")


if __name__ == "__main__":
    main()
