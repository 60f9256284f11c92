"""`segjt benchmark uci` and `genes` as processes: tables, resumption, wrong input."""

import json
import sqlite3

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

FIGURE = ("--experiments", "000-figure3", "--quick", "--workers", "1", "--quiet")


def write_table(path, X, y):
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [f"a{j}" for j in range(X.shape[1])] + ["target"]
    lines = [",".join([*map(str, row), f"class{c}"]) for row, c in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")


@pytest.fixture
def data(tmp_path):
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        write_table(tmp_path / "data" / "uci" / f"{name}.csv", *load(return_X_y=True))
    return tmp_path / "data"


def units(path):
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT benchmark, image, unit, scores FROM units ORDER BY image, unit").fetchall()


def test_a_figure_is_run_kept_and_not_run_again(run, data, tmp_path):
    folder = tmp_path / "out"
    first = run("benchmark", "uci", "--data", data, "-o", folder, *FIGURE)
    assert first.returncode == 0, first.stderr
    assert "Paper 000, Figure 3" in first.stdout
    assert {path.name for path in folder.iterdir()} >= {
        "table.md",
        "table.json",
        "results.csv",
        "times.csv",
        "report.html",
    }
    entries = json.loads((folder / "table.json").read_text())["experiments"][0]["entries"]
    assert len(entries) == 2 * 2 * 3 * 3  # sets, kernels, choices of eigenvectors, q
    assert all(-0.1 < entry["score"] <= 1 for entry in entries)
    kept, table = units(folder / "store.sqlite"), (folder / "table.json").read_bytes()
    second = run("benchmark", "uci", "--data", data / "uci", "-o", folder, *FIGURE)
    assert second.returncode == 0, second.stderr
    assert units(folder / "store.sqlite") == kept
    assert (folder / "table.json").read_bytes() == table


def test_a_missing_set_is_left_out_and_named(run, data, tmp_path):
    (data / "uci" / "wine.csv").unlink()
    done = run("benchmark", "uci", "--data", data, "-o", tmp_path / "out", *FIGURE)
    assert done.returncode == 2
    assert "left out: wine" in done.stderr
    assert "Iris, JT2" in done.stdout


def test_a_wrong_table_is_left_out_with_its_line_and_column(run, data, tmp_path):
    path = data / "uci" / "wine.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1], "much" + lines[2][2:], *lines[3:]]))
    done = run("benchmark", "uci", "--data", data, "-o", tmp_path / "out", *FIGURE)
    assert done.returncode == 2
    assert f"{path}, line 3, column 'a0'" in done.stderr
    assert "Wine, JT2" not in done.stdout


def test_an_unknown_experiment_is_an_error_that_lists_them(run, data, tmp_path):
    done = run("benchmark", "uci", "--data", data, "-o", tmp_path / "out", "--experiments", "000-table33")
    assert done.returncode == 2
    assert "000-table3" in done.stderr
    assert not (tmp_path / "out").exists()


def test_no_data_is_an_error_that_says_what_to_give(run, tmp_path):
    done = run("benchmark", "genes", "--data", tmp_path, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "has no CSV files" in done.stderr


def test_genes_with_many_columns(run, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    for name in ("alizadeh-2000-v1", "bittner-2000", "golub-1999-v1", "nutt-2003-v3"):
        write_table(tmp_path / "genes" / f"{name}.csv", rng.normal(size=(30, 120)).round(3) + y[:, None], y)
    folder = tmp_path / "out"
    done = run("benchmark", "genes", "--data", tmp_path, "-o", folder, "--quick", "--workers", "2", "--quiet")
    assert done.returncode == 0, done.stderr
    entries = json.loads((folder / "table.json").read_text())["experiments"][0]["entries"]
    assert len(entries) == (2 * 10 + 7) * 2  # learners with kernels, and with proximities; types
    best = {(entry["row"], entry["column"]): entry["score"] for entry in entries}
    assert best["spectral clustering, JT3", "cDNA"] == pytest.approx(1.0)
