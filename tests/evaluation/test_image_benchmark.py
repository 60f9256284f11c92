"""The image benchmark as a whole, on small data of our own making: resuming, killing, two at a time, broken images."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from benchmark_data import count_units, make_bsds, make_grid_file, make_weizmann

import segjt
from segjt.evaluation import image_benchmark, runner, weizmann
from segjt.evaluation.benchmark_report import object_report
from segjt.evaluation.grid import read_grid
from segjt.evaluation.image_benchmark import berkeley_benchmark, chosen_images, weizmann_benchmark
from segjt.evaluation.results import read_results
from segjt.evaluation.store import Store
from segjt.evaluation.table_files import score_text
from segjt.evaluation.tables import object_table

TABLES = ("table.md", "table.json", "cells.csv", "sentences.csv", "results.csv")


@pytest.fixture
def data(tmp_path):
    return make_weizmann(tmp_path / "data")


@pytest.fixture
def grid(tmp_path):
    return make_grid_file(tmp_path)


def run_here(data, grid, folder, workers=1, objects=1):
    with Store(folder / "store.sqlite") as store:
        rows = read_grid(str(grid)).rows()
        return image_benchmark.run_image_benchmark(
            weizmann_benchmark(str(data), objects, None), rows, store, folder, workers, quiet=True
        )


def command(data, grid, folder, *more):
    options = ["--data", data, "--grid", grid, "-o", folder, *more]
    return [sys.executable, "-m", "segjt", "benchmark", "weizmann", *map(str, options)]


def contents(folder):
    return {name: (folder / name).read_bytes() for name in TABLES}


def test_tables_are_means_of_what_segment_gives(data, grid, tmp_path):
    outcome = run_here(data, grid, tmp_path / "out")
    assert outcome.problems == []
    rows = {
        (row["method"], row["block_size"]): row for row in json.loads((tmp_path / "out/table.json").read_text())["rows"]
    }
    assert list(rows) == [
        ("jt2", 16),
        ("expjt2", 16),
        ("segjt, defaults", None),
        ("otsu", None),
        ("felzenszwalb", None),
    ]
    items = weizmann_benchmark(str(data), 1, None).items
    assert [item.name for item in items] == ["apple", "Boat", "cat"]
    for row, column in (
        (("jt2", 16), "fixed"),
        (("expjt2", 16), "fixed, spectral"),
        (("segjt, defaults", None), "fixed"),
    ):
        cell = rows[row]["cells"][column]
        scores = [weizmann.score_fixed(segjt.segment(item.image(), **cell["setting"]), item.truth()) for item in items]
        assert cell["f"] == pytest.approx(weizmann.database_score(scores).f, abs=1e-6)
    hierarchy = rows["jt2", 16]["cells"]["hierarchy"]
    scores = [
        weizmann.score_hierarchy(
            [segjt.segment(item.image(), n, **hierarchy["setting"]) for n in (2, 3, 4, 6)], item.truth()
        )
        for item in items
    ]
    assert hierarchy["f"] == pytest.approx(weizmann.database_score(scores).f, abs=1e-6)
    for row in rows.values():
        cells = {column: cell["f"] for column, cell in row["cells"].items()}
        assert cells.get("tuned", 1) >= cells.get("tuned, spectral", 0)
        assert cells.get("tuned", 1) >= cells["fixed"] >= cells.get("fixed, spectral", 0)


def test_results_can_be_read_and_label_maps_computed_again(data, grid, tmp_path):
    outcome = run_here(data, grid, tmp_path / "out")
    row_results = outcome.results[0]
    assert (row_results.row.name, row_results.images, row_results.settings[0]["q"]) == (
        "jt2",
        ["apple", "Boat", "cat"],
        1.0,
    )
    assert row_results.seconds.shape == row_results.column("f_0").shape == (3, len(row_results.settings))
    for image, setting in ((0, 0), (2, 17), (1, 35)):
        labels = row_results.label_map(image, setting)
        truth = row_results.items[image].truth()[0]
        segment = labels == row_results.column("label_0")[image, setting]
        assert row_results.column("precision_0")[image, setting] == pytest.approx(truth[segment].mean(), abs=1e-6)
        assert row_results.column("recall_0")[image, setting] == pytest.approx(segment[truth].mean(), abs=1e-6)
    peer = outcome.results[-1]
    labels = peer.label_map(1, 1)
    assert weizmann.one_segment(labels, peer.items[1].truth()[0]).f == pytest.approx(peer.column("f_0")[1, 1], abs=1e-6)


def test_a_second_run_computes_nothing(data, grid, tmp_path, monkeypatch):
    run_here(data, grid, tmp_path / "out")
    before = contents(tmp_path / "out")
    times = (tmp_path / "out" / "times.csv").read_bytes()
    monkeypatch.setattr(runner, "run_image_task", lambda task: pytest.fail("computed again"))
    run_here(data, grid, tmp_path / "out")
    assert contents(tmp_path / "out") == before
    assert (tmp_path / "out" / "times.csv").read_bytes() == times


def test_two_processes_give_the_tables_of_one(data, grid, tmp_path):
    run_here(data, grid, tmp_path / "one")
    run_here(data, grid, tmp_path / "two", workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_killed_and_restarted_gives_the_same_table(data, grid, tmp_path):
    """SIGKILL at random moments between the first and the last unit; each run keeps what the one before had done."""
    run_here(data, grid, tmp_path / "whole")
    with Store(tmp_path / "whole" / "store.sqlite") as store:
        units = store.connection.execute("SELECT count(*) FROM units").fetchone()[0]
    rng = random.Random(0)
    stops = sorted(rng.sample(range(1, units), 4))
    folder, done = tmp_path / "killed", [0]
    for stop, workers in zip(stops, (1, 2, 1, 2), strict=True):
        process = subprocess.Popen(
            command(data, grid, folder, "--quiet", "--workers", workers), stdout=subprocess.DEVNULL
        )
        try:
            while process.poll() is None and count_units(folder) < stop:
                time.sleep(0.002)
            time.sleep(0.05 * rng.random())
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert process.returncode == -signal.SIGKILL
        assert not (folder / "table.md").exists()
        done.append(count_units(folder))
    assert done == sorted(done)
    assert all(units >= stop for units, stop in zip(done[1:], stops, strict=True))
    assert (
        subprocess.run(command(data, grid, folder, "--quiet", "--workers", 1), stdout=subprocess.DEVNULL).returncode
        == 0
    )
    assert contents(folder) == contents(tmp_path / "whole")
    assert sorted(path.name for path in folder.glob("*.part")) == []


def test_two_runs_on_one_store(data, grid, tmp_path):
    run_here(data, grid, tmp_path / "alone")
    store = tmp_path / "shared.sqlite"
    folders = [tmp_path / "first", tmp_path / "second"]
    runs = [
        subprocess.Popen(
            command(data, grid, folder, "--quiet", "--workers", 1, "--store", store), stdout=subprocess.DEVNULL
        )
        for folder in folders
    ]
    assert [process.wait() for process in runs] == [0, 0]
    for folder in folders:
        assert contents(folder) == contents(tmp_path / "alone")
    with Store(store) as opened:
        assert opened.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_broken_image_is_recorded_and_left_out(data, grid, tmp_path):
    run_here(data, grid, tmp_path / "whole")
    make_weizmann(data, ("apple", "Boat", "cat", "damaged"))
    path = data / "1obj" / "damaged" / "src_color" / "damaged.png"
    path.write_bytes(path.read_bytes()[:200])
    outcome = run_here(data, grid, tmp_path / "out")
    assert [(problem.name, problem.bad_input) for problem in outcome.problems] == [("damaged", True)]
    assert str(path) in outcome.problems[0].message
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    with Store(tmp_path / "out" / "store.sqlite") as store:
        assert [failure[0] for failure in store.failures("weizmann-1obj")] == [str(path)]
    make_weizmann(data, ("apple", "Boat", "cat", "damaged"))
    assert run_here(data, grid, tmp_path / "out").problems == []
    assert json.loads((tmp_path / "out" / "table.json").read_text())["rows"][0]["images"] == 4


def test_a_unit_that_fails_is_left_out_and_tried_again(data, grid, tmp_path, monkeypatch):
    right = runner.run_unit

    def wrong(image, unit, scorer):
        if unit.method == "otsu" and image.mean() < 140:
            raise RuntimeError("no luck")
        return right(image, unit, scorer)

    monkeypatch.setattr(runner, "run_unit", wrong)
    outcome = run_here(data, grid, tmp_path / "out")
    failed = {problem.name for problem in outcome.problems}
    assert failed == {
        f"{item.name}, otsu" for item in weizmann_benchmark(str(data), 1, None).items if item.image().mean() < 140
    }
    assert {problem.message for problem in outcome.problems} == {"RuntimeError: no luck"}
    rows = {row["method"]: row["images"] for row in json.loads((tmp_path / "out" / "table.json").read_text())["rows"]}
    assert rows["felzenszwalb"] == 3
    assert rows.get("otsu", 0) == 3 - len(failed)
    monkeypatch.setattr(runner, "run_unit", right)
    assert run_here(data, grid, tmp_path / "out").problems == []
    with Store(tmp_path / "out" / "store.sqlite") as store:
        assert store.failures("weizmann-1obj") == []


def test_two_objects(grid, tmp_path):
    data = make_weizmann(tmp_path / "data", ("a", "b"), objects=2)
    outcome = run_here(data, grid, tmp_path / "out", objects=2)
    record = json.loads((tmp_path / "out" / "table.json").read_text())
    assert record["benchmark"] == "weizmann-2obj"
    cell = record["rows"][0]["cells"]["fixed"]
    items = weizmann_benchmark(str(data), 2, None).items
    scores = [weizmann.score_fixed(segjt.segment(item.image(), **cell["setting"]), item.truth()) for item in items]
    assert cell["f"] == pytest.approx(weizmann.database_score(scores).f, abs=1e-6)
    assert "published" not in outcome.text.splitlines()[-1]


def test_berkeley(grid, tmp_path):
    from segjt.evaluation.berkeley import mean_score, region_score
    from segjt.evaluation.boundaries import BoundaryTruth, pooled

    benchmark = berkeley_benchmark(str(make_bsds(tmp_path / "data")), None, None)
    rows = read_grid(str(grid)).rows(["jt2"])
    with Store(tmp_path / "store.sqlite") as store:
        image_benchmark.run_image_benchmark(benchmark, rows, store, tmp_path / "out", 1, quiet=True)
        subjects, _ = runner.read_subjects(store, "bsds", benchmark.items)
        row_results = read_results(store, "bsds", subjects, rows)
    assert row_results[0].columns == ("covering", "pri", "voi", "weight", "precise", "drawn", "recalled", "true")
    row = json.loads((tmp_path / "out" / "table.json").read_text())["rows"][0]
    best = row["scores"]["covering"]
    maps = [segjt.segment(item.image(), **best["setting"]) for item in benchmark.items]
    scores = [region_score(labels, item.truth()) for labels, item in zip(maps, benchmark.items, strict=True)]
    assert best["ods"] == pytest.approx(mean_score(scores).covering, abs=1e-6)
    assert best["ois"] >= best["ods"]
    boundary = row["scores"]["boundary"]
    maps = [segjt.segment(item.image(), **boundary["setting"]) for item in benchmark.items]
    counts = [BoundaryTruth(item.truth()).counts(labels) for labels, item in zip(maps, benchmark.items, strict=True)]
    assert boundary["ods"] == pytest.approx(pooled(counts).f, abs=1e-6)


def test_contour_maps_that_come_with_images_are_a_peer(tmp_path):
    data = make_bsds(tmp_path / "data", contours=("test/20",))
    peer = '[[peer]]\npeer = "gpb_owt_ucm"\nthreshold = [0.1, 0.5]\n'
    rows = read_grid(str(make_grid_file(tmp_path, '[[peer]]\npeer = "otsu"\n' + peer))).rows()

    def run():
        benchmark = berkeley_benchmark(str(data), None, None)
        outcome = image_benchmark.run_image_benchmark(benchmark, rows, store, tmp_path / "out", 1, quiet=True)
        assert outcome.problems == []
        return {
            row["method"]: row for row in json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
        }, outcome

    with Store(tmp_path / "store.sqlite") as store:
        table, outcome = run()
        assert [row["images"] for row in table.values()] == [2, 1]
        # The maps are those of the two people: one of them is matched as a whole, and so is most of the other.
        boundary = table["gpb_owt_ucm"]["scores"]["boundary"]
        assert (boundary["ods"], boundary["setting"]) == (1.0, {"threshold": 0.1})
        assert (outcome.results[1].label_map(0, 1) == outcome.results[1].items[0].truth()[0]).all()
        estimates = image_benchmark.estimate_text(outcome.benchmark, rows, store, 1)[0]
        assert "0 of 3 units are to be done" in estimates
        # Other contours are other results, and nothing else is.
        make_bsds(tmp_path / "other", contours=("train/100",))
        shutil.copy(tmp_path / "other/ucm2/train/100.mat", data / "ucm2/test/20.mat")
        changed, _ = run()
        assert store.connection.execute("SELECT count(*) FROM units").fetchone()[0] == 4
        assert changed["otsu"] == table["otsu"]
        assert changed["gpb_owt_ucm"]["scores"]["boundary"]["ods"] < 1


def test_estimates_come_from_the_store_or_from_timed_units(data, grid, tmp_path):
    rows = read_grid(str(grid)).rows()
    with Store(tmp_path / "store.sqlite") as store:
        subjects, _ = runner.read_subjects(store, "weizmann-1obj", weizmann_benchmark(str(data), 1, None).items)
        first = runner.estimate(store, "weizmann-1obj", subjects, rows)
        assert [(row.units, row.missing) for row in first] == [(6, 4), (6, 4), (3, 2), (3, 2), (3, 2)]
        assert all(np.isfinite(row.seconds) and row.seconds > 0 for row in first)
        # A kernel has two units here, the first and the last: both are run on the first of three images.
        totals = [store.totals("weizmann-1obj", unit)[subjects[0].digest] for unit in rows[0].units]
        assert first[0].seconds == pytest.approx(4 * np.mean(totals), rel=1e-6)
        assert runner.estimate(store, "weizmann-1obj", subjects, rows) == first
        runner.run_missing(store, "weizmann-1obj", runner.all_tasks(subjects, rows), 1, quiet=True)
        assert all(row.seconds == row.missing == 0 for row in runner.estimate(store, "weizmann-1obj", subjects, rows))


def test_choosing_images(data):
    items = weizmann_benchmark(str(data), 1, None).items

    def names(images):
        return [item.name for item in chosen_images(items, images)]

    assert names(None) == ["apple", "Boat", "cat"]
    assert names("2") == names(2) == ["apple", "Boat"]
    assert names("cat, apple") == ["apple", "cat"]
    with pytest.raises(ValueError, match=r"no image is called 'aple' \(did you mean 'apple'\?\); there are 3"):
        names("aple")
    with pytest.raises(ValueError, match="no image would be left"):
        names("0")


def test_real_images(data_folder, grid, tmp_path):
    """Two images of the database: the defaults do well, and every row has a figure."""
    with Store(tmp_path / "store.sqlite") as store:
        rows = read_grid(str(grid)).rows(["jt2"])
        benchmark = weizmann_benchmark(str(data_folder), 1, 2)
        image_benchmark.run_image_benchmark(
            benchmark, rows, store, tmp_path / "out", workers=len(os.sched_getaffinity(0)), quiet=True
        )
    record = json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
    assert [row["images"] for row in record] == [2] * len(record)
    fixed = {row["method"]: row["cells"]["fixed"]["f"] for row in record}
    assert fixed["segjt, defaults"] > 0.7
    assert all(0.01 < f <= 1 for f in fixed.values())


def test_the_report_shows_the_table_and_the_maps_that_were_scored(data, grid, tmp_path):
    outcome = run_here(data, grid, tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    table = object_table(outcome.results)
    report = object_report(table, "Weizmann")
    for row in table:
        assert score_text(row.scores["fixed"]).split(" ")[0] in page
    assert [chart.title for chart in report.charts][-1].startswith("F by the entropic index q")
    (q_line, *_) = report.charts[-1].lines
    assert list(q_line.x) == [1.0, 1.5]
    by_row = {row.row.name: row for row in table}
    defaults = by_row["segjt, defaults"].scores["fixed"].images
    shown = [item for item in report.gallery if item.tags["column"] == "fixed"]
    assert [item.score for item in shown] == [pytest.approx(score.f) for score in defaults]
    tuned = [item for item in report.gallery if item.tags["column"] == "tuned"]
    best = max(row.scores["tuned"].mean.f for row in table if row.row.method == "segjt" and "tuned" in row.scores)
    assert np.mean([item.score for item in tuned]) == pytest.approx(best)
    assert all(set(item.pictures) == {"Image", "Truth", "Segments", "Best segment"} for item in report.gallery)
