"""`segjt benchmark weizmann`, `bsds`, `sod` and `nuclei`: run what is missing, then write the tables and the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from segjt.cli.options import comma_separated
from segjt.datasets import bsds, nuclei, sod, weizmann
from segjt.datasets.items import Item
from segjt.evaluation import benchmark_report, instance_tables, region_tables, table_files
from segjt.evaluation.grid import Row
from segjt.evaluation.peers import has_input
from segjt.evaluation.results import RowResults, read_results
from segjt.evaluation.runner import all_tasks, estimate, read_subjects, run_missing
from segjt.evaluation.store import Store
from segjt.evaluation.tables import TableRow, object_table
from segjt.evaluation.tasks import Problem
from segjt.fields import suggestion
from segjt.io import check_targets
from segjt.report.page import Report

FILES = ("table.md", "table.json", "cells.csv", "sentences.csv", "results.csv", "times.csv", "report.html")


@dataclass(frozen=True)
class Benchmark:
    """A set of images, and the function that makes the tables and the report of a run on them."""

    name: str
    title: str
    items: Sequence[Item]
    contents: Callable[[Benchmark, Sequence[RowResults]], Contents]


def weizmann_benchmark(data: str | None, objects: int, images: str | int | None) -> Benchmark:
    """Return the benchmark on the Weizmann database."""
    title = f"Weizmann, {'one object' if objects == 1 else 'two objects'}"
    return Benchmark(f"weizmann-{objects}obj", title, chosen_images(weizmann(data, objects), images), object_contents)


def berkeley_benchmark(data: str | None, split: str | None, images: str | int | None) -> Benchmark:
    """Return the benchmark on a Berkeley set."""
    title = f"Berkeley (BSDS), {split or 'all images'}"
    return Benchmark("bsds", title, chosen_images(bsds(data, split), images), region_contents)


def sod_benchmark(data: str | None, images: str | int | None) -> Benchmark:
    """Return the benchmark on salient objects."""
    return Benchmark("sod", "Salient objects (SOD)", chosen_images(sod(data), images), salient_contents)


def nuclei_benchmark(data: str | None, images: str | int | None) -> Benchmark:
    """Return the benchmark on nuclei."""
    title = "Nuclei (2018 Data Science Bowl)"
    return Benchmark("nuclei", title, chosen_images(nuclei(data), images), instance_contents)


def chosen_images(items: Sequence[Item], images: str | int | None) -> Sequence[Item]:
    """Return the first images if `images` is a number, those with the names in a comma-separated list, or all."""
    if images is None:
        return items
    by_name = {item.name: item for item in items}
    count = asked_count(images, by_name)
    if count is not None:
        return items[:count]
    wanted = comma_separated(str(images), str, "--images")
    for name in wanted:
        if name not in by_name:
            raise ValueError(f"no image is called {name!r}{suggestion(name, by_name)}; there are {len(by_name)}")
    return [item for item in items if item.name in wanted]


def asked_count(images: str | int, names: Container[str]) -> int | None:
    """Return how many images are asked for, or None if it is their names; those of Berkeley's are numbers, too."""
    if isinstance(images, str) and not images.isdecimal():
        return None
    if int(images) < 1:
        raise ValueError("no image would be left; give how many to take, or their names")
    return None if images in names else int(images)


@dataclass(frozen=True)
class ImageBenchmarkResult:
    """The result of a run: the results of each row, the images that were left out, and the tables as text."""

    benchmark: Benchmark
    results: list[RowResults]
    problems: list[Problem]
    text: str


def check_inputs(benchmark: Benchmark, peers: Sequence[str]) -> None:
    """Raise an error if no image comes with what a peer that was asked for is given."""
    for peer in peers:
        if not any(has_input(item, peer) for item in benchmark.items):
            raise FileNotFoundError(
                f"no image comes with the contour map of {peer}; put the maps beside `images`, as ucm2/train/ID.mat "
                "(val and test likewise), or leave the peer out"
            )


def run_image_benchmark(
    benchmark: Benchmark, rows: Sequence[Row], store: Store, folder: Path, workers: int, quiet: bool = False
) -> ImageBenchmarkResult:
    """Run all units that the store lacks and write the tables to the folder."""
    subjects, problems = read_subjects(store, benchmark.name, benchmark.items)
    problems += run_missing(store, benchmark.name, all_tasks(subjects, rows), workers, quiet)
    results = read_results(store, benchmark.name, subjects, rows)
    tables = benchmark.contents(benchmark, results)
    table_files.write_tables(folder, tables.files, tables.report)
    return ImageBenchmarkResult(benchmark, results, problems, f"{tables.files['table.md'].decode()}\n{tables.times}\n")


@dataclass(frozen=True)
class Contents:
    """What a run writes: the files of its tables by name, its times as text, and its report."""

    files: dict[str, bytes]
    times: str
    report: Report


def object_contents(benchmark: Benchmark, results: Sequence[RowResults]) -> Contents:
    """Return the tables and the report of a run on the Weizmann database, with what the papers say."""
    table = object_table(results)
    of_papers = {
        "cells.csv": table_files.weizmann_cells(table),
        "sentences.csv": table_files.weizmann_sentences(table),
    }
    return contents_of_objects(benchmark, table, of_papers)


def salient_contents(benchmark: Benchmark, results: Sequence[RowResults]) -> Contents:
    """Return the tables and the report of a run on salient objects, which no paper has figures for."""
    return contents_of_objects(benchmark, object_table(results, of_paper=False), {})


def contents_of_objects(benchmark: Benchmark, table: Sequence[TableRow], others: dict[str, bytes]) -> Contents:
    """Return the tables and the report of a run on images of one or two objects, with some other files."""
    files = {
        "table.md": table_files.object_markdown(table, benchmark.title).encode(),
        "table.json": table_files.object_json(table, benchmark.name),
        "results.csv": table_files.object_csv(table),
    }
    report = benchmark_report.object_report(table, benchmark.title)
    return with_times(files | others, [(row.row, row.seconds) for row in table], report)


def region_contents(benchmark: Benchmark, results: Sequence[RowResults]) -> Contents:
    """Return the tables and the report of a run on a Berkeley set."""
    table = region_tables.berkeley_table(results)
    files = {
        "table.md": region_tables.berkeley_markdown(table, benchmark.title).encode(),
        "table.json": region_tables.berkeley_json(table, benchmark.name),
        "results.csv": region_tables.berkeley_csv(table),
    }
    report = benchmark_report.berkeley_report(table, benchmark.title)
    times = [(row.results.row, row.seconds) for row in table if row.seconds is not None]
    return with_times(files, times, report)


def instance_contents(benchmark: Benchmark, results: Sequence[RowResults]) -> Contents:
    """Return the tables and the report of a run on images of many objects."""
    table = instance_tables.instance_table(results)
    files = {
        "table.md": instance_tables.instance_markdown(table, benchmark.title).encode(),
        "table.json": instance_tables.instance_json(table, benchmark.name),
        "results.csv": instance_tables.instance_csv(table),
    }
    report = benchmark_report.instance_report(table, benchmark.title)
    return with_times(files, [(row.results.row, row.seconds) for row in table], report)


def with_times(files: dict[str, bytes], seconds: Sequence[tuple[Row, float]], report: Report) -> Contents:
    """Return what a run writes, with the seconds of each row as a file and as text."""
    times_csv = table_files.times_csv([(row.name, row.block_size, of_row) for row, of_row in seconds])
    text = table_files.times_text([(row.title, table_files.blocks_text(row), of_row) for row, of_row in seconds])
    return Contents(files | {"times.csv": times_csv}, text, report)


def check_folder(folder: Path, overwrite: bool) -> None:
    """Raise an error if tables would replace files that no benchmark of segjt has written."""
    try:
        ours = "benchmark" in json.loads((folder / "table.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        ours = False
    check_targets([folder / name for name in FILES], overwrite or ours)


def estimate_text(benchmark: Benchmark, rows: Sequence[Row], store: Store, workers: int) -> tuple[str, list[Problem]]:
    """Return the time that the missing units of each row would take as a table, and the images that cannot be used."""
    subjects, problems = read_subjects(store, benchmark.name, benchmark.items)
    if not subjects:
        return "there is no image to measure", problems
    estimates = estimate(store, benchmark.name, subjects, rows)
    lines = [
        [row.row.title, table_files.blocks_text(row.row), str(row.units), str(row.missing), duration(row.seconds)]
        for row in estimates
    ]
    total = sum(row.seconds for row in estimates)
    left, every = sum(row.missing for row in estimates), sum(row.units for row in estimates)
    heads = ["method", "blocks", "units", "to do", "on one core"]
    table = table_files.markdown([heads, *lines])
    summary = f"{left} of {every} units are to be done, about {duration(total)} on one core"
    return f"{table}\n\n{summary}, {duration(total / workers)} with --workers {workers}", problems


def duration(seconds: float) -> str:
    """Return seconds in a unit that is easy to read."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
