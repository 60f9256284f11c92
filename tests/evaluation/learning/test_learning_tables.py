"""The tables of learning experiments: what is chosen with and without the truth, averages, verdicts, files."""

import csv
import io
import json

import pytest

from segjt.evaluation.learning import charts, report, result_files, tables
from segjt.evaluation.learning.experiment import (
    PUBLISHED,
    Experiment,
    PaperCell,
    Trial,
    published,
    published_figure,
)
from segjt.evaluation.learning.registry import EXPERIMENTS, experiments
from segjt.report.page import render


class Toy(Experiment):
    name = "999-toy"
    title = "Toy"
    measure = "ARI"

    def cells(self, quick):
        return []

    def run(self, data, settings, quick):
        return []


GRID = ({"q": 1.0}, {"q": 2.0}, {"q": 0.5})


def trials(*stored_trials, data="iris"):
    return {(data, json.dumps(setting)): (trial, 1.5) for setting, trial in zip(GRID, stored_trials, strict=True)}


def table_of(cells, stored_trials):
    return tables.experiment_table(Toy(), cells, stored_trials)


def test_the_best_mean_counts_and_the_criterion_chooses_without_the_truth():
    stored_trials = trials(Trial([0.2, 0.4], 9.0), Trial([0.5, 0.5], 1.0), Trial([0.9, 0.0], None))
    (entry,) = table_of([PaperCell("iris", "jt2", "Iris", GRID, published_figure("0.52"))], stored_trials).entries
    assert (entry.score, entry.deviation, entry.verdict) == (0.5, 0.0, "within")
    assert entry.results[0].setting == {"q": 2.0}
    assert entry.blind == pytest.approx(0.3)
    assert entry.results[0].blind_setting == {"q": 1.0}
    assert entry.seconds == 4.5


def test_the_best_run_counts_where_the_paper_gives_that():
    stored_trials = trials(Trial([0.2, 0.4], 9.0), Trial([0.5, 0.5], 1.0), Trial([0.9, 0.0], None))
    cell = PaperCell("iris", "jt2", "Iris", GRID, published_figure("0.50"), best_run=True)
    (entry,) = table_of([cell], stored_trials).entries
    assert (entry.score, entry.verdict) == (0.9, "above")
    assert entry.blind == pytest.approx(0.3)  # a user cannot tell which run is the best


def test_a_best_run_is_looked_for_in_each_half_of_the_runs():
    stored_trials = trials(Trial([0.2, 0.4, 0.6, 0.3]), Trial([0.5, 0.5, 0.5, 0.4]), Trial([0.1, 0.1, 0.1, 0.1]))
    cell = PaperCell("iris", "jt2", "Iris", GRID, published_figure("0.50"), best_run=True, confirmed=True)
    (entry,) = table_of([cell], stored_trials).entries
    assert (entry.score, entry.verdict) == (pytest.approx((0.5 + 0.6) / 2), "above")


def test_no_criterion_no_choice():
    (entry,) = table_of(
        [PaperCell("iris", "jt2", "Iris", GRID)], trials(Trial([0.1]), Trial([0.2]), Trial([0.3]))
    ).entries
    assert (entry.blind, entry.verdict) == (None, "")


def test_cells_of_one_row_and_column_are_averaged():
    one = trials(Trial([0.2], 1.0), Trial([0.4], 0.0), Trial([0.1], 0.0), data="a")
    two = trials(Trial([0.6], 1.0), Trial([0.5], 0.0), Trial([0.1], 0.0), data="b")
    cells = [PaperCell(data, "jt2", "mean", GRID, published_figure("0.60")) for data in ("a", "b")]
    (entry,) = table_of(cells, one | two).entries
    assert (entry.score, entry.blind, entry.verdict) == (pytest.approx(0.5), pytest.approx(0.4), "below")
    # One set has chosen q = 2 with the truth, the other q = 1; both q = 1 without it.
    assert entry.settings() == ("q = 2.0 (1 of 2 sets)", "q = 1.0 (2 of 2 sets)")
    # The mean over some of the sets is another figure, so there is none.
    (entry,) = table_of(cells, one).entries
    assert (entry.results, entry.verdict) == ((), "not run")
    assert table_of([PaperCell(data, "jt2", "mean", GRID) for data in ("a", "b")], one).entries == []


def test_files_hold_every_figure():
    stored_trials = trials(Trial([0.2, 0.4], 9.0), Trial([0.5, 0.5], 1.0), Trial([0.9, 0.0], None))
    table = table_of([PaperCell("iris", "jt2", "Iris", GRID, published_figure("0.60"))], stored_trials)
    text = tables.markdown_text([table], "Title")
    assert "0.50* (0.60)" in text
    assert "0 within, 0 above, 1 below" in text
    content = json.loads(result_files.json_content([table], "uci"))
    assert content["experiments"][0]["entries"][0]["settings"] == [{"q": 2.0}]
    lines = list(csv.DictReader(io.StringIO(result_files.csv_content([table]).decode())))
    assert (lines[0]["data"], lines[0]["score"]) == ("iris", "0.5")
    assert "seconds" in result_files.times_content([table]).decode()
    assert "seconds, one core" not in text  # no times: the same input gives the same file


def test_cells_that_were_not_run_are_in_every_file():
    stored_trials = trials(Trial([0.58]), Trial([0.565]), Trial([0.1]))
    cells = [
        PaperCell("iris", "MEE", "Iris", (), published_figure("0.90")),
        PaperCell("iris", "jt2", "Iris", GRID, published_figure("61.0±2.9%")),
        PaperCell("iris", "jt3", "Iris", GRID[1:2], published_figure("0.60")),
        PaperCell("iris", "K_JR", "Iris", GRID),
    ]
    table = table_of(cells, stored_trials)
    counts = "3 cells: 0 within, 0 above, 0 below, 2 undecidable, 1 not run"
    text = tables.markdown_text([table], "Title")
    assert "| MEE  | not run (0.90) |" in text
    assert "| jt2  | 0.58? (0.61)   |" in text
    assert "| 0.610 ± 0.029 |" in text
    assert counts in text
    assert text.endswith("| all | 3     | 0      | 0     | 0     | 2           | 1       |\n")
    assert tables.summary_text([table]) == counts
    (experiment,) = json.loads(result_files.json_content([table], "uci"))["experiments"]
    first, second, *_ = experiment["entries"]
    assert (first["score"], first["deviation"], first["published"], first["verdict"]) == (None, None, 0.9, "not run")
    assert second["published_deviation"] == pytest.approx(0.029)
    lines = list(csv.reader(io.StringIO(result_files.cells_content([table]).decode())))
    assert lines[1:] == [
        ["999-toy", "MEE", "Iris", "", "0.9", "not run", ""],
        ["999-toy", "jt2", "Iris", "0.58", "0.61", "undecidable", '{"q": 1.0}'],
        ["999-toy", "jt3", "Iris", "0.565", "0.6", "undecidable", '{"q": 2.0}'],
    ]
    (chart,) = charts.charts_of(table)
    assert [(bar.value, bar.published) for bar in chart.bars][:2] == [(None, 0.9), (0.58, 0.61)]
    page = render(report.learning_report([table], "Title"))
    assert "not run (0.90)" in page
    assert "1 experiment, 3 figures" in page
    assert "nan" not in text + page.lower().replace("nano", "")


def test_a_setting_of_several_cells_has_its_time_once():
    stored_trials = trials(Trial([0.2]), Trial([0.5]), Trial([0.1]))
    cells = [PaperCell("iris", "jt2", "best q", GRID), PaperCell("iris", "jt2", "q = 1", GRID[:1])]
    table = table_of(cells, stored_trials)
    assert [entry.seconds for entry in table.entries] == [4.5, 1.5]
    assert table.seconds_of("jt2") == 4.5


def test_columns_that_are_values_of_a_parameter_become_lines():
    cells = [PaperCell("iris", "jt2", f"q = {q}", (setting,)) for q, setting in zip((1, 2, 0.5), GRID, strict=True)]
    stored_trials = trials(Trial([0.2]), Trial([0.5]), Trial([-0.1]))
    (lines,) = charts.charts_of(table_of(cells, stored_trials))
    assert (lines.kind, lines.x_axis, lines.lines[0].x) == ("lines", "q", (0.5, 1.0, 2.0))
    cell = PaperCell("iris", "jt2", "Iris", GRID, published_figure("0.60"))
    (bars,) = charts.charts_of(table_of([cell], stored_trials))
    assert (bars.kind, bars.bars[0].published) == ("bars", 0.6)
    page = render(report.learning_report([table_of(cells, stored_trials)], "Title"))
    assert "q = 0.5" in page
    assert "1 experiment, 3 figures" in page


def test_published_figures_belong_to_cells():
    every = {experiment.name: experiment for name in EXPERIMENTS for experiment in experiments(name)}
    for path in PUBLISHED.glob("*.csv"):
        figures = published(path.stem)
        assert all(0 <= figure.value <= 1 for figure in figures.values())
        placed = {(cell.row, cell.column): cell.published for cell in every[path.stem].cells(False)}
        assert {key: placed.get(key) for key in figures} == figures, path.stem
    counts = {path.stem: len(published(path.stem)) for path in sorted(PUBLISHED.glob("*.csv"))}
    assert counts == {"000-table3": 200, "000-table4": 75, "000-table6": 50, "001-table1": 20, "004-table2": 90}
    # By hand, from the papers.
    for experiment, row, column, printed in [
        ("000-table3", "kernel k-means, JT2", "Wine", "0.87"),
        ("000-table3", "MEE", "Ionosphere", "0.58"),
        ("000-table4", "JT2", "Glass", "76.6±3.7%"),
        ("000-table4", "GA-Ideal", "Sonar", "78.5±3.3%"),
        ("000-table6", "spectral clustering, expJT3", "Affymetrix", "0.57"),
        ("000-table6", "spectral clustering, Euclidean", "cDNA", "0.10"),
        ("001-table1", "Iris", "3-point JT kernel", "0.965"),
        ("004-table2", "WDBC", "k-means", "85.4±0.1%"),
        ("004-table2", "Iris", "K_J", "93.1±18.1%"),
    ]:
        assert published(experiment)[row, column] == published_figure(printed)
