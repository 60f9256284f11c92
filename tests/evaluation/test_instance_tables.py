"""The tables of images of many objects: from scores made by hand, and of a whole run."""

import csv
import io
import json

import numpy as np
import pytest
from benchmark_data import Named, make_grid_file, make_nuclei

import segjt
from segjt.evaluation.benchmark_report import instance_report
from segjt.evaluation.grid import DEFAULT, Row, read_grid
from segjt.evaluation.image_benchmark import nuclei_benchmark, run_image_benchmark
from segjt.evaluation.instance_tables import instance_csv, instance_json, instance_markdown, instance_table
from segjt.evaluation.instances import instance_score
from segjt.evaluation.peers import peer_labels
from segjt.evaluation.results import RowResults
from segjt.evaluation.scorers import InstanceScorer
from segjt.evaluation.store import Store
from segjt.evaluation.unit_of_work import Unit

GRID = """
[[default]]
n_segments = ["auto", 6]
[[peer]]
peer = "otsu_watershed"
min_size = [20, 5000]
[[peer]]
peer = ["felzenszwalb", "local_watershed"]
"""


def results(name, variants, counts, method="segjt"):
    """Results with (true, found, matched at every threshold) of every (image, setting)."""
    unit = Unit(method, {}, variants)
    scores = np.array([[[true, found, *[matched] * 10] for true, found, matched in image] for image in counts], float)
    items = [Named(f"image{k}") for k in range(len(counts))]
    seconds = np.arange(scores[:, :, 0].size, dtype=float).reshape(scores.shape[:2])
    columns = InstanceScorer(np.zeros((1, 1, 1))).columns
    return RowResults(Row(name, None, (unit,)), items, unit.settings(), columns, scores, seconds)


def test_the_setting_of_a_row():
    sizes = ({"min_size": [5, 50]},)
    counts = [[(4, 4, 2), (4, 2, 2)], [(2, 8, 0), (2, 2, 1)]]
    peer = results("otsu_watershed", sizes, counts, "otsu_watershed")
    numbers = ({"n_segments": [6, "auto"]},)
    ours = results(DEFAULT, numbers, [[(4, 4, 4), (4, 6, 2)], [(2, 2, 2), (2, 0, 0)]])
    nothing = RowResults(peer.row, [], peer.settings, peer.columns, peer.scores[:0], peer.seconds[:0])
    theirs, default = instance_table([peer, nothing, ours])
    assert theirs.results.settings[theirs.place] == {"min_size": 50}  # the best on average
    assert default.results.settings[default.place] == {"n_segments": "auto"}  # what a user gets, not the best
    assert theirs.mean("average precision") == pytest.approx(((2 / 4 + 1 / 3) / 2, (2 / 4 - 1 / 3) / 2))
    assert theirs.mean("F1 at 0.5")[0] == pytest.approx((4 / 6 + 2 / 4) / 2)
    assert default.mean("count error") == (2, 0)
    assert default.mean("relative count error") == (0.75, pytest.approx(0.25))
    assert theirs.seconds == (1 + 3) / 2


def test_files():
    table = instance_table([results("otsu_watershed", ({},), [[(4, 3, 2)], [(0, 0, 0)]], "otsu_watershed")])
    text = instance_markdown(table, "Toys")
    assert text.startswith("# Toys\n")
    assert "| Otsu + watershed (scikit-image) |        | 0.700 ± 0.300     | 0.786 ± 0.214 |" in text
    record = json.loads(instance_json(table, "nuclei"))
    assert record["benchmark"] == "nuclei"
    (row,) = record["rows"]
    assert (row["true"], row["found"], row["images"], row["setting"]) == (4, 3, 2, {})
    assert row["scores"]["average precision"] == {"mean": 0.7, "standard_error": 0.3}
    first, second = csv.DictReader(io.StringIO(instance_csv(table).decode()))
    assert (first["true"], first["found"], first["F1_at_0.95"], first["count_error"]) == ("4", "3", "0.571429", "1")
    assert (second["average_precision"], second["relative_count_error"]) == ("1.0", "0.0")
    one = json.loads(instance_json(instance_table([results("otsu", ({},), [[(4, 3, 2)]], "otsu")]), "nuclei"))
    assert one["rows"][0]["scores"]["count error"] == {"mean": 1.0, "standard_error": None}


def test_a_run(tmp_path):
    benchmark = nuclei_benchmark(str(make_nuclei(tmp_path / "data")), None)
    rows = read_grid(str(make_grid_file(tmp_path, GRID))).rows()
    with Store(tmp_path / "store.sqlite") as store:
        outcome = run_image_benchmark(benchmark, rows, store, tmp_path / "out", 1, quiet=True)
    assert outcome.problems == []
    record = {row["method"]: row for row in json.loads((tmp_path / "out" / "table.json").read_text())["rows"]}
    maps = {
        DEFAULT: lambda image: without_largest(segjt.segment(image)),
        "felzenszwalb": lambda image: without_largest(peer_labels(image, "felzenszwalb", {})),
        "otsu_watershed": lambda image: peer_labels(image, "otsu_watershed", {}),
        "local_watershed": lambda image: peer_labels(image, "local_watershed", {}),
    }
    for method, labels in maps.items():
        scores = [instance_score(labels(item.image()), item.truth()[0]) for item in benchmark.items]
        figures = record[method]["scores"]
        precision = np.mean([score.average_precision for score in scores])
        assert figures["average precision"]["mean"] == pytest.approx(precision, abs=1e-6)
        assert figures["F1 at 0.8"]["mean"] == pytest.approx(np.mean([score.f1(80) for score in scores]), abs=1e-6)
    assert record["otsu_watershed"]["setting"] == {"min_size": 20}
    assert record["otsu_watershed"]["scores"]["F1 at 0.5"]["mean"] == 1
    report = instance_report(instance_table(outcome.results), benchmark.title)
    assert [item.name for item in report.gallery] == ["bright", "dark"]
    assert set(report.gallery[0].pictures) == {"Image", "Truth", "Segments"}
    assert "Nuclei (2018 Data Science Bowl)" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def without_largest(labels):
    return np.where(labels == np.bincount(labels.ravel()).argmax(), 0, labels)


def test_real_images(data_folder, tmp_path):
    """Bright nuclei on a dark ground and stained ones on a bright ground: what others use finds most of them."""
    if not (data_folder / "nuclei").is_dir():
        pytest.skip("SEGJT_DATA has no nuclei")
    benchmark = nuclei_benchmark(str(data_folder), "1ec74a26e772,d1b173875e22")
    rows = read_grid("nuclei").rows(peers=["otsu_watershed"])[-1:]
    with Store(tmp_path / "store.sqlite") as store:
        run_image_benchmark(benchmark, rows, store, tmp_path / "out", 1, quiet=True)
    (row,) = json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
    assert row["true"] == 35
    assert 0.6 < row["scores"]["F1 at 0.5"]["mean"] < 1
