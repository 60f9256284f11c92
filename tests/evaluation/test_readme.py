"""The figures of README are those of the committed tables, and these are what the experiments give."""

import csv
import json
import re

import numpy as np
import pytest
from conftest import REPOSITORY

from segjt.datasets.vectors import read_vectors
from segjt.evaluation import readme
from segjt.evaluation.learning.experiment import PUBLISHED, published
from segjt.evaluation.learning.registry import EXPERIMENTS, experiments
from segjt.evaluation.readme import main, measured, readme_blocks, take_results, with_blocks, without_blocks

README = (REPOSITORY / readme.README).read_text(encoding="utf-8")
MEASURED = REPOSITORY / readme.MEASURED
HEADS = ["experiment", "row", "column", "ours", "published", "verdict", "setting"]
BLOCKS = "".join(f"\n<!-- {name} -->\nold\n<!-- end of {name} -->\n" for name in ("cells", "sentences", "table VII"))


# README and the committed tables

measured_once = pytest.mark.skipif(
    not MEASURED.is_dir(), reason="evaluation/measured has no tables: no run of all benchmarks is committed yet"
)


@measured_once
def test_readme_states_what_the_tables_say():
    """After a change of results: python -m segjt.evaluation.readme RESULTS..."""
    assert with_blocks(README, readme_blocks(MEASURED)) == README


@measured_once
def test_readme_counts_cells_nowhere_else():
    assert re.findall(r"\d+ (?:are |cells )?(?:within|above|below|undecidable|not run)\b", without_blocks(README)) == []


@measured_once
@pytest.mark.parametrize(
    ("experiment", "row", "column"),
    [
        ("000-table3", "kernel k-means, JT2", "Iris"),
        ("000-table3", "spectral clustering, expJT2", "Iris"),
        ("000-table3", "SCNN", "Wine"),
        ("000-table4", "JT2", "Iris"),
        ("001-table1", "Iris", "2-point JT kernel"),
        ("004-table2", "Iris", "K_H"),
        ("004-table2", "Wine", "k-means"),
    ],
)
def test_committed_cells_are_what_the_experiments_give(data_folder, experiment, row, column):
    """With the setting that was recorded; round-off of another processor may turn a run of k-means."""
    place = {"experiment": experiment, "row": row, "column": column}
    (cell,) = [line for line in measured(MEASURED, "cells.csv") if place.items() <= line.items()]
    (found,) = [other for name in EXPERIMENTS for other in experiments(name) if other.name == experiment]
    (data,) = {other.data for other in found.cells(False) if (other.row, other.column) == (row, column)}
    (trial,) = found.run(read_vectors(data_folder / "uci" / f"{data}.csv"), [json.loads(cell["setting"])], quick=False)
    assert np.mean(trial.scores) == pytest.approx(float(cell["ours"]), abs=0.02)


# How it is done, on invented results


def write_results(folder, benchmark, cells, sentences):
    folder.mkdir()
    (folder / "table.json").write_text(json.dumps({"benchmark": benchmark}))
    for name, lines in (("cells.csv", cells), ("sentences.csv", sentences)):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
    return folder


@pytest.fixture
def results(tmp_path):
    """Results that equal the published ones; one cell is far below, one was not run."""
    cells = [
        [path.stem, *place, figure.value, figure.value, "within", ""]
        for path in sorted(PUBLISHED.glob("*.csv"))
        for place, figure in published(path.stem).items()
    ]
    cells[0][3:6] = ["", cells[0][4], "not run"]
    cells[1][3:6] = [0.1, cells[1][4], "below"]
    sentences = [
        ["experiment", "sentence", "place", "ours", "verdict"],
        ["000-table3", "one is better", "Section 1", "no", "does not hold"],
        ["004-table2", "two are close", "Section 2", "yes", "holds"],
    ]
    images = [
        ["experiment", "row", "column", "ours", "published"],
        ["000-table7", "jt2", "16x16, tuned, spectral", "0.8681", "0.78"],
        ["000-table7", "jt2", "32x32, fixed, spectral", "0.729", ""],
    ]
    said = [sentences[0], ["000-table7", "jt2 is better than gaussian", "Section 3", "?", "within noise"]]
    return [
        write_results(tmp_path / "a", "uci", [HEADS, *cells], sentences),
        write_results(tmp_path / "b", "weizmann-1obj", images, said),
    ]


def test_blocks_of_readme(results, tmp_path):
    take_results(results, tmp_path / "measured")
    blocks = readme_blocks(tmp_path / "measured")
    assert blocks["cells"].splitlines()[2:] == [
        "| Paper 000, Table III | 200   | 198    | 0     | 1     | 0           | 1       |",
        "| Paper 000, Table IV  | 75    | 75     | 0     | 0     | 0           | 0       |",
        "| Paper 000, Table VI  | 50    | 50     | 0     | 0     | 0           | 0       |",
        "| Paper 001, Table 1   | 20    | 20     | 0     | 0     | 0           | 0       |",
        "| Paper 004, Table 2   | 90    | 90     | 0     | 0     | 0           | 0       |",
        "| all                  | 435   | 433    | 0     | 1     | 0           | 1       |",
    ]
    assert "| images (Table VII) | 1         | 0     | 0             | 1            |" in blocks["sentences"]
    assert "| `jt2` | 0.868 (0.78) |              |              | 0.729        |" in blocks["table VII"]
    text = with_blocks(f"# Title\n{BLOCKS}end\n", blocks)
    assert with_blocks(text, blocks) == text
    assert without_blocks(text).split() == ["#", "Title", "end"]
    # Neither README nor a table can change alone.
    assert with_blocks(text.replace("| 433 ", "| 434 "), blocks) != text.replace("| 433 ", "| 434 ")
    path = tmp_path / "measured" / "uci-cells.csv"
    path.write_text(path.read_text().replace("MS,Iris,0.71,0.71,within", "MS,Iris,0.8,0.71,above"))
    assert with_blocks(text, readme_blocks(tmp_path / "measured")) != text


def test_without_images_there_is_no_table_of_them(results, tmp_path):
    take_results(results[:1], tmp_path / "measured")
    assert list(readme_blocks(tmp_path / "measured")) == ["cells", "sentences"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("MS,Iris,0.71,0.71,within,", "MS,Iris,0.8,0.71,within,", "0.8 against 0.71 is called within.* it is above"),
        ("MS,Iris,0.71,0.71,within,", "MS,Iris,0.8,0.8,within,", "0.8 against 0.8 is called .* prints 0.71"),
        (
            "000-table3,MS,Iris,0.71,0.71,within,\n",
            "",
            "000-table3, MS, Iris: is there 0 times, and the paper prints it",
        ),
        ("MS,Iris,", "MS,Isis,", "(MS, Iris: is there 0|MS, Isis: is there 1) times"),
    ],
)
def test_tables_that_cannot_be(results, tmp_path, old, new, message):
    path = results[0] / "cells.csv"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    take_results(results, tmp_path / "measured")
    with pytest.raises(ValueError, match=message):
        readme_blocks(tmp_path / "measured")


def test_a_missing_block_is_named():
    with pytest.raises(ValueError, match="README has no block 'cells'; write <!-- cells --> and <!-- end of cells -->"):
        with_blocks("no blocks", {"cells": "table"})


def test_the_command(results, tmp_path):
    file = tmp_path / "README.md"
    file.write_text(BLOCKS)
    main([*map(str, results), "--readme", str(file), "--tables", str(tmp_path / "measured")])
    assert "| all                  | 435   | 433 " in file.read_text()
