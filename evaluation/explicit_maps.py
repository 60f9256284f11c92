"""Explicit maps against all pairs, and their growth to 100,000 rows: `python -m segjt.evaluation.explicit_maps`.

Rows are the colours of pixels of scikit-image's photographs, and, where SEGJT_DATA is set, UCI's segment and yeast. The
error is that of the Gram matrix of the features, relative to its largest entry and in the Frobenius norm; agreement is
the adjusted Rand index between the clusters of spectral clustering from features and from all pairs. Growth is
measured in a process for each number of rows: CPU time on one core, without imports, and the largest resident memory
of the process.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from segjt.evaluation.scores import adjusted_rand_index
from segjt.evaluation.speed import peak_megabytes
from segjt.kernels import make_kernel
from segjt.labels import compact
from segjt.learn import ExplicitFeatures, KernelKMeans, KernelSpectralClustering, NystroemFeatures
from segjt.learn.features import KernelFeatures
from segjt.runtime.arrays import Floats, Groups, Ints

# The n-point linear kernel of three colours has four eigenvalues, so there are no more clusters.
CLUSTERS = 4
LANDMARKS = 300
PHOTOGRAPHS = ("astronaut", "coffee", "chelsea")
SETS = ("segment", "yeast")
EXPLICIT = ("jt2", "jt3", "nlin")
NYSTROEM = ("expjt2", "gaussian")
METHODS = ("spectral", "kmeans", "svm")


class Growth(NamedTuple):
    """What one method takes for a number of rows."""

    rows: int
    seconds: float
    megabytes: float


def pixels(n: int) -> tuple[Floats, Ints]:
    """Return the colours of n pixels, drawn from the photographs, in [0, 1], and which photograph each is from."""
    from skimage import data

    colours = [getattr(data, name)().reshape(-1, 3) for name in PHOTOGRAPHS]
    source = np.repeat(np.arange(len(colours)), [len(part) for part in colours])
    chosen = np.random.default_rng(0).choice(len(source), n, replace=False)
    return np.concatenate(colours)[chosen] / 255, source[chosen]


def tables(n: int) -> Iterator[tuple[str, Floats]]:
    """Yield sets of at most n rows by name."""
    yield f"{n} pixels", pixels(n)[0]
    if os.environ.get("SEGJT_DATA"):
        from segjt.datasets.vectors import prepared, read_vectors, uci

        files = uci()
        for name in SETS:
            X = prepared(read_vectors(files[name])).X
            rows = np.random.default_rng(0).permutation(len(X))[:n]
            yield f"{len(rows)} rows of {name}", X[np.sort(rows)]


def maps() -> Iterator[tuple[str, str, KernelFeatures]]:
    """Yield what is compared with all pairs: kernel, name of the map, transformer."""
    for kernel in EXPLICIT:
        yield kernel, "explicit", ExplicitFeatures(kernel)
        yield kernel, "explicit, 20", ExplicitFeatures(kernel, n_components=20)
    for kernel in NYSTROEM:
        yield kernel, "Nystroem, 100", NystroemFeatures(kernel, n_components=100)
        yield kernel, f"Nystroem, {LANDMARKS}", NystroemFeatures(kernel, n_components=LANDMARKS)


def spectral_groups(kernel: str, features: KernelFeatures | None, X: Floats) -> Groups:
    """Return the clusters of the rows, from the features of a map, or from all pairs."""
    settings: dict[str, Any] = {}
    if features is not None:
        explicit = isinstance(features, ExplicitFeatures)
        settings = {"approximation": "explicit" if explicit else "nystroem", "n_components": features.n_components}
    with warnings.catch_warnings():
        # Kernels of low rank say so; the clusters are compared all the same.
        warnings.simplefilter("ignore", UserWarning)
        return KernelSpectralClustering(CLUSTERS, kernel=kernel, **settings).fit(X).labels_


def errors(X: Floats) -> Iterator[tuple[str, str, int, float, float, float]]:
    """Yield kernel, map, number of features, largest and Frobenius error of the Gram matrix, and agreement."""
    for kernel in (*EXPLICIT, *NYSTROEM):
        exact = make_kernel(kernel)(X)
        groups = spectral_groups(kernel, None, X)
        for _, name, features in (entry for entry in maps() if entry[0] == kernel):
            Z = features.fit_transform(X)
            off = Z @ Z.T - exact
            agreement = adjusted_rand_index(compact(groups + 1), compact(spectral_groups(kernel, features, X) + 1))
            largest = float(np.abs(off).max() / np.abs(exact).max())
            yield kernel, name, Z.shape[1], largest, float(np.linalg.norm(off) / np.linalg.norm(exact)), agreement


def run_method(method: str, kernel: str, n: int) -> Growth:
    """Run one method on n rows in this process."""
    X, source = pixels(n)
    approximation = "explicit" if kernel in EXPLICIT else "nystroem"
    count = None if kernel in EXPLICIT else min(LANDMARKS, n)
    fit = methods(kernel, approximation, count)[method]
    # One thread: CPU time would count those that wait.
    with threadpool_limits(1):
        fit(X[:200], source[:200])  # what is compiled and imported is not what is measured
        start = time.process_time()
        fit(X, source)
        seconds = time.process_time() - start
    return Growth(n, seconds, peak_megabytes())


def methods(kernel: str, approximation: str, count: int | None) -> dict[str, Callable[[Floats, Ints], Any]]:
    """Return what is timed, by name."""
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    settings: dict[str, Any] = {"kernel": kernel, "approximation": approximation, "n_components": count}
    explicit = approximation == "explicit"
    features = ExplicitFeatures(kernel) if explicit else NystroemFeatures(kernel, n_components=count or LANDMARKS)
    machine = make_pipeline(features, LinearSVC(dual=False, tol=1e-3))
    return {
        "spectral": lambda X, y: KernelSpectralClustering(CLUSTERS, **settings).fit(X),
        "kmeans": lambda X, y: KernelKMeans(CLUSTERS, **settings).fit(X),
        "svm": lambda X, y: machine.fit(X, y),
    }


def growth(method: str, kernel: str, sizes: Sequence[int]) -> list[Growth]:
    """Return what a method takes for each number of rows, each in a process of its own."""
    measured = []
    for n in sizes:
        command = [sys.executable, "-m", "segjt.evaluation.explicit_maps", "--one", method, kernel, str(n)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        measured.append(Growth(*json.loads(done.stdout)))
    return measured


def exponent(measured: Sequence[Growth]) -> float:
    """Return p of the fit seconds = c rows^p."""
    rows, seconds = [math.log(one.rows) for one in measured], [math.log(one.seconds) for one in measured]
    return float(np.polyfit(rows, seconds, 1)[0])


def report(rows: int, sizes: Sequence[int], chosen: Sequence[str], kernels: Sequence[str]) -> None:
    """Print both tables as they come."""
    for name, X in tables(rows):
        print(f"\n{name}: error of the Gram matrix, and agreement of {CLUSTERS} clusters\n")
        print(f"{'kernel':9} {'map':14} {'features':>8} {'largest':>9} {'Frobenius':>9} {'ARI':>6}")
        for kernel, name_of_map, count, largest, frobenius, agreement in errors(X):
            print(f"{kernel:9} {name_of_map:14} {count:8} {largest:9.1e} {frobenius:9.1e} {agreement:6.3f}", flush=True)
    print(f"\n{'method':9} {'kernel':9} " + " ".join(f"{f'{n} rows':>20}" for n in sizes) + "  exponent\n")
    for method in chosen:
        for kernel in kernels:
            measured = growth(method, kernel, sizes)
            cells = " ".join(f"{one.seconds:9.2f} s {one.megabytes:5.0f} MiB" for one in measured)
            power = f"{exponent(measured):9.2f}" if len(measured) > 1 else ""
            print(f"{method:9} {kernel:9} {cells} {power}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, and print the report or what one process measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="rows that are compared with all pairs")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000], help="rows of the growth")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--kernels", nargs="+", choices=EXPLICIT + NYSTROEM, default=EXPLICIT + NYSTROEM)
    parser.add_argument("--one", nargs=3, metavar=("METHOD", "KERNEL", "N"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        method, kernel, n = options.one
        print(json.dumps(run_method(method, kernel, int(n))))
    else:
        report(options.rows, options.sizes, options.methods, options.kernels)


if __name__ == "__main__":
    main()
