"""`segjt benchmark weizmann` and `segjt benchmark bsds`: run what is missing, then write the tables and the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segjt.datasets import bsds, weizmann
from segjt.datasets.items import Item
from segjt.evaluation import benchmark_report, region_tables, table_files, tables
from segjt.evaluation.grid import Row
from segjt.evaluation.results import RowResults, read_results
from segjt.evaluation.runner import all_tasks, estimate, read_subjects, run_missing
from segjt.evaluation.store import Store
from segjt.evaluation.tasks import Problem
from segjt.fields import suggestion
from segjt.io import check_targets, write_files
from segjt.report.page import Report, write_report

FILES = ("table.md", "table.json", "results.csv", "times.csv", "report.html")


@dataclass(frozen=True)
class Benchmark:
    """A set of images and what is asked of their segmentations: objects (Weizmann) or regions (Berkeley)."""

    name: str
    title: str
    items: Sequence[Item]
    regions: bool


def weizmann_benchmark(data: str | None, objects: int, images: str | int | None) -> Benchmark:
    """Return the benchmark on the Weizmann database."""
    title = f"Weizmann, {'one object' if objects == 1 else 'two objects'}"
    return Benchmark(f"weizmann-{objects}obj", title, chosen_images(weizmann(data, objects), images), regions=False)


def berkeley_benchmark(data: str | None, split: str | None, images: str | int | None) -> Benchmark:
    """Return the benchmark on a Berkeley set."""
    title = f"Berkeley (BSDS), {split or 'all images'}"
    return Benchmark("bsds", title, chosen_images(bsds(data, split), images), regions=True)


def chosen_images(items: Sequence[Item], images: str | int | None) -> Sequence[Item]:
    """Return the first so many images, or those with the names in a list with commas; all if that is None."""
    if images is None:
        return items
    if isinstance(images, int) or images.isdecimal():
        count = int(images)
        if count < 1:
            raise ValueError("no image would be left; give how many to take, or their names")
        # Names can be numbers, as Berkeley's are.
        if isinstance(images, int) or images not in {item.name for item in items}:
            return items[:count]
    by_name = {item.name: item for item in items}
    wanted = [name.strip() for name in str(images).split(",") if name.strip()]
    for name in wanted:
        if name not in by_name:
            raise ValueError(f"no image is called {name!r}{suggestion(name, by_name)}; there are {len(by_name)}")
    return [item for item in items if item.name in wanted]


@dataclass(frozen=True)
class ImageBenchmarkResult:
    """What a run has found: the results of each row, the images that were left out, and the tables as text."""

    benchmark: Benchmark
    results: list[RowResults]
    problems: list[Problem]
    text: str


def run_image_benchmark(
    benchmark: Benchmark, rows: Sequence[Row], store: Store, folder: Path, workers: int, quiet: bool = False
) -> ImageBenchmarkResult:
    """Run all units that the store lacks and write the tables to the folder."""
    subjects, problems = read_subjects(store, benchmark.name, benchmark.items)
    problems += run_missing(store, benchmark.name, all_tasks(subjects, rows), workers, quiet)
    results = read_results(store, benchmark.name, subjects, rows)
    files, times, report = contents(benchmark, results)
    folder.mkdir(parents=True, exist_ok=True)
    write_files({folder / name: content for name, content in files.items()}, overwrite=True)
    write_report(folder / "report.html", report, overwrite=True)
    return ImageBenchmarkResult(benchmark, results, problems, f"{files['table.md'].decode()}\n{times}\n")


def contents(benchmark: Benchmark, results: Sequence[RowResults]) -> tuple[dict[str, bytes], str, Report]:
    """Return the files of the tables by name, the times as text, and the report."""
    if benchmark.regions:
        found = region_tables.berkeley_table(results)
        files = {
            "table.md": region_tables.berkeley_markdown(found, benchmark.title).encode(),
            "table.json": region_tables.berkeley_json(found, benchmark.name),
            "results.csv": region_tables.berkeley_csv(found),
        }
        seconds = [(row.results.row, row.seconds) for row in found]
        report = benchmark_report.berkeley_report(found, benchmark.title)
    else:
        table = tables.weizmann_table(results)
        files = {
            "table.md": table_files.weizmann_markdown(table, benchmark.title).encode(),
            "table.json": table_files.weizmann_json(table, benchmark.name),
            "results.csv": table_files.weizmann_csv(table),
        }
        seconds = [(row.row, row.seconds) for row in table]
        report = benchmark_report.weizmann_report(table, benchmark.title)
    files["times.csv"] = table_files.times_csv([(row.name, row.block_size, of_row) for row, of_row in seconds])
    text = table_files.times_text([(row.title, table_files.blocks_text(row), of_row) for row, of_row in seconds])
    return files, text, report


def check_folder(folder: Path, overwrite: bool) -> None:
    """Raise an error if tables would replace files that are not those of a benchmark of segjt."""
    try:
        ours = "benchmark" in json.loads((folder / "table.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        ours = False
    check_targets([folder / name for name in FILES], overwrite or ours)


def estimate_text(benchmark: Benchmark, rows: Sequence[Row], store: Store, workers: int) -> tuple[str, list[Problem]]:
    """Return how long the missing units would take, row by row, as a table."""
    subjects, problems = read_subjects(store, benchmark.name, benchmark.items)
    if not subjects:
        return "there is no image to measure", problems
    found = estimate(store, benchmark.name, subjects, rows)
    lines = [
        [row.row.title, table_files.blocks_text(row.row), str(row.units), str(row.missing), duration(row.seconds)]
        for row in found
    ]
    total = sum(row.seconds for row in found)
    left, every = sum(row.missing for row in found), sum(row.units for row in found)
    heads = ["method", "blocks", "units", "to do", "on one core"]
    table = table_files.markdown([heads, *lines])
    summary = f"{left} of {every} units are to be done, about {duration(total)} on one core"
    return f"{table}\n\n{summary}, {duration(total / workers)} with --workers {workers}", problems


def duration(seconds: float) -> str:
    """Return seconds as people say them."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
