"""The figures that README states about the papers: committed tables, and the blocks of README made from them.

`segjt benchmark` writes cells.csv and sentences.csv. This command copies them to evaluation/measured, and writes the
blocks of README between <!-- NAME --> and <!-- end of NAME --> anew:

    python -m segjt.evaluation.readme results/uci results/genes results/text results/weizmann

`tests/evaluation/test_readme.py` fails if a block or a table is changed alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from segjt.evaluation.claims import Verdict
from segjt.evaluation.learning.experiment import PUBLISHED, Experiment, published
from segjt.evaluation.learning.registry import EXPERIMENTS, experiments
from segjt.evaluation.learning.verdicts import NOT_RUN, counts_table, verdict
from segjt.evaluation.table_files import markdown
from segjt.io import write_files

# In the repository, where the command is run.
README, MEASURED = Path("README.md"), Path("evaluation/measured")
FILES = ("cells.csv", "sentences.csv")
TABLE7 = "000-table7"

Lines = list[dict[str, str]]


def measured(folder: Path, name: str) -> Lines:
    """Return the lines of all committed tables of one kind, "cells.csv" or "sentences.csv"."""
    lines: Lines = []
    for path in sorted(folder.glob(f"*-{name}")):
        with path.open(encoding="utf-8", newline="") as file:
            lines += csv.DictReader(file)
    return lines


def check_cells(cells: Lines) -> None:
    """Raise a ValueError unless the cells are exactly those that the papers print, each with its due verdict."""
    figures = {
        (path.stem, *place): figure
        for path in PUBLISHED.glob("*.csv")
        for place, figure in published(path.stem).items()
    }
    compared = [cell for cell in cells if cell["experiment"] != TABLE7]
    places = Counter((cell["experiment"], cell["row"], cell["column"]) for cell in compared)
    for place in sorted(figures.keys() | places.keys()):
        if place not in figures or places[place] != 1:
            known = "prints it" if place in figures else "does not print it"
            raise ValueError(
                f"{', '.join(place)}: is there {places[place]} times, and the paper {known}; "
                "run all experiments without --quick and give their results"
            )
    for cell in compared:
        place = cell["experiment"], cell["row"], cell["column"]
        figure, ours = figures[place], cell["ours"]
        due = verdict(float(ours), figure, Experiment.tolerance) if ours else NOT_RUN
        if abs(float(cell["published"]) - figure.value) > 1e-6 or cell["verdict"] != due:
            raise ValueError(
                f"{', '.join(place)}: {ours or 'nothing'} against {cell['published']} is called {cell['verdict']}, but "
                f"the paper prints {figure.value:g}, so it is {due}; take the file as the benchmark writes it"
            )


def readme_blocks(folder: Path) -> dict[str, str]:
    """Return the blocks of README by name, made from the committed tables: that of Table VII if it is among them."""
    cells, sentences = (measured(folder, name) for name in FILES)
    check_cells(cells)
    blocks = {"cells": markdown(cell_counts(cells)), "sentences": markdown(sentence_counts(sentences))}
    if any(cell["experiment"] == TABLE7 for cell in cells):
        blocks["table VII"] = markdown(table7(cells))
    return blocks


def cell_counts(cells: Lines) -> list[list[str]]:
    """Return how many cells of each table have which verdict."""
    titles = {experiment.name: experiment.title for name in EXPERIMENTS for experiment in experiments(name)}
    verdicts: dict[str, list[str]] = {}
    for cell in sorted(cells, key=lambda cell: cell["experiment"]):
        if cell["experiment"] in titles:
            verdicts.setdefault(titles[cell["experiment"]], []).append(cell["verdict"])
    return counts_table(verdicts)


def sentence_counts(sentences: Lines) -> list[list[str]]:
    """Return how many sentences of each paper hold; those on images are under Table VII."""
    groups: dict[str, Counter[str]] = {}
    for line in sentences:
        title = "images (Table VII)" if line["experiment"] == TABLE7 else f"paper {line['experiment'][:3]}"
        groups.setdefault(title, Counter())[line["verdict"]] += 1
    groups = dict(sorted(groups.items(), key=lambda item: (item[0].startswith("images"), item[0])))
    groups["all"] = sum(groups.values(), Counter())
    lines = [[title, str(counts.total()), *(str(counts[name]) for name in Verdict)] for title, counts in groups.items()]
    return [["", "sentences", *Verdict], *lines]


def table7(cells: Lines) -> list[list[str]]:
    """Return Table VII of paper 000: the kernels that it has, ours with the published figure in brackets."""
    by_place = {(cell["row"], cell["column"]): cell for cell in cells if cell["experiment"] == TABLE7}
    columns = [f"{size}, {way}, spectral" for way in ("tuned", "fixed") for size in ("16x16", "32x32")]
    kernels = list(dict.fromkeys(kernel for (kernel, _), cell in by_place.items() if cell["published"]))
    lines = [
        [f"`{kernel}`", *(table7_text(by_place.get((kernel, column))) for column in columns)] for kernel in kernels
    ]
    heads = [f"{way}, {size}" for size, way, _ in (column.split(", ") for column in columns)]
    return [["", *heads], *lines]


def table7_text(cell: Mapping[str, str] | None) -> str:
    """Return our F, of tuned settings with the published one."""
    if cell is None:
        return ""
    figure = f" ({float(cell['published']):.2f})" if cell["published"] else " (not run)"
    return f"{float(cell['ours']):.3f}" + (figure if "tuned" in cell["column"] else "")


def with_blocks(text: str, blocks: Mapping[str, str]) -> str:
    """Return the text of README with its blocks replaced; a block that is missing is a ValueError."""
    for name, block in blocks.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(
                f"README has no block {name!r}; write {begin} and {end} on lines of their own where it goes"
            )
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{block}\n{end}{rest.partition(end)[2]}"
    return text


def without_blocks(text: str) -> str:
    """Return the text of README without its blocks."""
    return re.sub(r"<!-- (.*?) -->\n.*?<!-- end of \1 -->", "", text, flags=re.S)


def take_results(folders: Sequence[Path], target: Path) -> None:
    """Copy the cells and sentences of results of `segjt benchmark` to the committed tables: all or none."""
    contents: dict[Path, bytes] = {}
    for folder in folders:
        benchmark = json.loads((folder / "table.json").read_text(encoding="utf-8"))["benchmark"]
        contents |= {target / f"{benchmark}-{name}": (folder / name).read_bytes() for name in FILES}
    target.mkdir(parents=True, exist_ok=True)
    write_files(contents, overwrite=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Take results, check them, and write the blocks of README."""
    parser = argparse.ArgumentParser(prog="python -m segjt.evaluation.readme", description="Update figures in README.")
    parser.add_argument("results", nargs="*", type=Path, help="folders that `segjt benchmark` has written")
    parser.add_argument("--readme", type=Path, default=README)
    parser.add_argument("--tables", type=Path, default=MEASURED, help="where committed tables are")
    options = parser.parse_args(arguments)
    take_results(options.results, options.tables)
    text = with_blocks(options.readme.read_text(encoding="utf-8"), readme_blocks(options.tables))
    write_files({options.readme: text.encode()}, overwrite=True)


if __name__ == "__main__":
    main()
