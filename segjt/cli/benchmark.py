"""`segjt benchmark`: check the options, run a benchmark of `segjt.evaluation`, print its tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from segjt.cli.errors import BAD_INPUT, FAILURE
from segjt.io import check_targets
from segjt.runtime.threads import available_cores

if TYPE_CHECKING:
    from segjt.evaluation.image_benchmark import Benchmark
    from segjt.evaluation.store import Store
    from segjt.evaluation.tasks import Problem


def speed(options: argparse.Namespace) -> int:
    """Run the benchmark of speed."""
    from importlib.util import find_spec

    from segjt.evaluation.speed import run_speed_benchmark

    if find_spec("matplotlib") is None:
        raise OSError(
            "the picture of the benchmark needs matplotlib, which is not installed; pip install 'segjt[plots]'"
        )
    folder = Path(options.output)
    check_targets([folder / "speed.json", folder / "speed.png"], options.overwrite)
    run_speed_benchmark(folder, options.quick, options.overwrite)
    return 0


def weizmann(options: argparse.Namespace) -> int:
    """Run the benchmark on the Weizmann database."""
    from segjt.evaluation.image_benchmark import weizmann_benchmark

    return run_on_images(options, lambda chosen: weizmann_benchmark(options.data, options.objects, chosen))


def bsds(options: argparse.Namespace) -> int:
    """Run the benchmark on a Berkeley set."""
    from segjt.evaluation.image_benchmark import berkeley_benchmark

    split = None if options.split == "all" else options.split
    return run_on_images(options, lambda chosen: berkeley_benchmark(options.data, split, chosen))


def sod(options: argparse.Namespace) -> int:
    """Run the benchmark on salient objects."""
    from segjt.evaluation.image_benchmark import sod_benchmark

    return run_on_images(options, lambda chosen: sod_benchmark(options.data, chosen))


def nuclei(options: argparse.Namespace) -> int:
    """Run the benchmark on nuclei."""
    from segjt.evaluation.image_benchmark import nuclei_benchmark

    return run_on_images(options, lambda chosen: nuclei_benchmark(options.data, chosen))


def run_on_images(options: argparse.Namespace, make: Callable[[str | int | None], Benchmark]) -> int:
    """Run a benchmark of images, or estimate how long it takes; return the exit code."""
    from segjt.evaluation.grid import read_grid
    from segjt.evaluation.image_benchmark import check_folder, check_inputs, estimate_text, run_image_benchmark

    grid = read_grid(options.grid)
    peers = [] if options.peers == ["none"] else options.peers
    rows = grid.rows(options.kernels, options.block_sizes, peers)
    benchmark = make(options.images if options.images is not None else grid.images)
    check_inputs(benchmark, peers or [])
    folder, workers = Path(options.output), options.workers or available_cores()
    if not options.estimate:
        check_folder(folder, options.overwrite)

    def with_store(store: Store) -> tuple[str, list[Problem]]:
        if options.estimate:
            text, problems = estimate_text(benchmark, rows, store, workers)
            return text, problems
        outcome = run_image_benchmark(benchmark, rows, store, folder, workers, options.quiet)
        return f"{outcome.text}wrote the tables and report.html to {folder}", outcome.problems

    return run_with_store(options, with_store)


def stability(options: argparse.Namespace) -> int:
    """Run the benchmark of stability."""
    from segjt.evaluation.changes import CHANGES
    from segjt.evaluation.image_benchmark import check_folder
    from segjt.evaluation.stability import CONTENDERS, known_names, run_stability_benchmark, stability_images

    changes = known_names(options.changes, list(CHANGES), "change")
    contenders = known_names(options.methods, CONTENDERS, "method")
    items = stability_images(options.data, options.folder, options.images)
    folder, workers = Path(options.output), options.workers or available_cores()
    check_folder(folder, options.overwrite)

    def with_store(store: Store) -> tuple[str, list[Problem]]:
        outcome = run_stability_benchmark(items, changes, contenders, store, folder, workers, options.quiet)
        return f"{outcome.text}wrote the tables and report.html to {folder}", outcome.problems

    return run_with_store(options, with_store)


def uci(options: argparse.Namespace) -> int:
    """Run the learning experiments on UCI data."""
    return run_learning("uci", options)


def genes(options: argparse.Namespace) -> int:
    """Run the learning experiments on gene expressions."""
    return run_learning("genes", options)


def text(options: argparse.Namespace) -> int:
    """Run the learning experiments on texts."""
    return run_learning("text", options)


def run_learning(name: str, options: argparse.Namespace) -> int:
    """Run learning experiments; return the exit code."""
    from segjt.evaluation.image_benchmark import check_folder
    from segjt.evaluation.learning.benchmark import chosen_experiments, run_learning_benchmark

    chosen = chosen_experiments(name, options.experiments)
    folder, workers = Path(options.output), options.workers or available_cores()
    check_folder(folder, options.overwrite)

    def with_store(store: Store) -> tuple[str, list[Problem]]:
        outcome = run_learning_benchmark(
            name, chosen, options.data, store, folder, workers, options.quick, options.quiet
        )
        return f"{outcome.text}wrote the tables and report.html to {folder}", outcome.problems

    return run_with_store(options, with_store)


def run_with_store(options: argparse.Namespace, work: Callable[[Store], tuple[str, list[Problem]]]) -> int:
    """Call `work` with the store of the options, print its text and problems, and return the exit code."""
    from segjt.evaluation.store import Store

    path = Path(options.output) / "store.sqlite" if options.store is None else Path(options.store)
    with Store(path) as store:
        try:
            text, problems = work(store)
        except KeyboardInterrupt:
            print(f"segjt: finished work is kept in {path}; run the same command again to resume", file=sys.stderr)
            raise
    print(text)
    for problem in problems:
        print(f"segjt: left out: {problem.name}: {problem.message}", file=sys.stderr)
    return 0 if not problems else BAD_INPUT if all(problem.bad_input for problem in problems) else FAILURE
