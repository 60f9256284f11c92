"""The tables from scores made by hand: what fixed, hierarchy and tuned choose."""

import json

import numpy as np
import pytest
from benchmark_data import Named, results

from segjt.evaluation.grid import DEFAULT, Row
from segjt.evaluation.region_tables import (
    berkeley_csv,
    berkeley_json,
    berkeley_markdown,
    berkeley_table,
    precision_recall,
)
from segjt.evaluation.results import RowResults
from segjt.evaluation.scorers import RegionScorer
from segjt.evaluation.table_files import markdown, object_csv, object_json, object_markdown
from segjt.evaluation.tables import object_table
from segjt.evaluation.unit_of_work import Unit

MERGES = (
    {"merge_method": ["spectral"], "n_segments": [2, 3]},
    {"merge_method": ["cues"], "bins": [4, 8], "n_segments": [2, 3, 40]},
)
#     spectral    bins 4           bins 8
F = [
    [0.50, 0.70, 0.10, 0.20, 0.90, 0.60, 0.30, 0.10],
    [0.60, 0.20, 0.80, 0.10, 0.40, 0.40, 0.75, 0.99],
]


def test_what_each_column_chooses():
    (row,) = object_table([results("jt2", 16, MERGES, F)])
    cells = row.scores
    figures = {name: cell.mean.f for name, cell in cells.items()}
    # Means of the settings: 0.55, 0.45, 0.45, 0.15, 0.65, 0.5, 0.525, 0.545.
    assert figures == pytest.approx(
        {
            "fixed": 0.65,
            "fixed, spectral": 0.55,
            "hierarchy": (0.6 + 0.75) / 2,  # bins 8; of bins 4, 0.2 and 0.8; 40 segments are no cut of it
            "tuned": (0.90 + 0.99) / 2,
            "tuned, spectral": (0.7 + 0.6) / 2,
        }
    )
    assert [cell.mean.mode for cell in cells.values()] == ["fixed", "fixed", "hierarchy", "tuned", "tuned"]
    assert cells["fixed"].setting == {"kernel": "jt2", "merge_method": "cues", "bins": 4, "n_segments": 40}
    assert cells["hierarchy"].setting == {"kernel": "jt2", "merge_method": "cues", "bins": 8}
    assert [image.objects[0].place for image in cells["hierarchy"].images] == [5, 6]
    assert [image.objects[0].place for image in cells["tuned"].images] == [4, 7]
    assert (cells["tuned"].images[1].objects[0].precision, cells["tuned"].images[1].objects[0].recall) == (
        0.495,
        0.2475,
    )
    assert row.published == 0.78
    assert row.seconds == (4 + 12) / 2


def test_two_objects_choose_for_themselves():
    f = [[[0.2, 0.9], [0.6, 0.3]], [[0.4, 0.8], [0.5, 0.1]]]
    (row,) = object_table([results("jt2", 32, ({"merge_method": ["spectral"], "n_segments": [2, 3]},), f)])
    assert row.scores["fixed"].mean.f == pytest.approx((0.55 + 0.6) / 2)
    assert row.scores["tuned"].mean.f == pytest.approx((0.75 + 0.65) / 2)
    assert [segment.place for segment in row.scores["tuned"].images[0].objects] == [1, 0]
    assert row.published is None


def test_defaults_and_peers():
    default = results(DEFAULT, None, ({"n_segments": ["auto", 2, 3]},), [[0.4, 0.9, 0.2], [0.5, 0.1, 0.8]])
    peer = results("otsu", None, ({"classes": [2, 3]},), [[0.3, 0.5], [0.9, 0.6]], method="otsu")
    empty = results("jt2", 16, MERGES, np.zeros((0, 8)))
    ours, theirs = object_table([default, peer, empty])
    assert ours.scores["fixed"].mean.f == pytest.approx(0.45)  # what a user gets, not the best number
    assert ours.scores["hierarchy"].mean.f == pytest.approx(0.85)
    assert set(ours.scores) == {"fixed", "hierarchy"}
    assert {name: cell.mean.f for name, cell in theirs.scores.items()} == pytest.approx({"fixed": 0.6, "tuned": 0.7})


def test_files_of_the_weizmann_table():
    table = object_table([results("jt2", 16, MERGES, F)])
    text = object_markdown(table, "Toys")
    assert text.startswith("# Toys\n")
    assert "| jt2    | 16x16  | 0.650 ± 0.250 |" in text
    assert "seconds" not in text
    record = json.loads(object_json(table, "weizmann-1obj"))
    assert record["rows"][0]["cells"]["tuned"] == {"f": 0.945, "standard_error": 0.045, "setting": None}
    lines = object_csv(table).decode().splitlines()
    assert lines[0].startswith("method,block_size,column,image,object,f,precision,recall,label,fragmentation,fragments")
    assert len(lines) == 1 + 5 * 2
    assert lines[1].startswith("jt2,16,fixed,image0,1,0.9,0.45,0.225,7,7.0,7,")


def test_images_that_are_not_the_papers():
    """No figure or sentence of the paper stands beside ours, and no column is empty."""
    results_of = results("jt2", 16, ({"merge_method": ["cues"], "n_segments": [2, 3]},), [row[:2] for row in F])
    table = object_table([results_of], of_paper=False)
    assert table[0].published is None
    text = object_markdown(table, "Toys")
    assert "| method | blocks | fixed         | hierarchy     | tuned         | images |" in text
    assert not any(word in text for word in ("published", "spectral", "say in words"))
    spectral = object_table([results(name, 16, MERGES, F) for name in ("expjt2", "jt2")], of_paper=False)
    assert json.loads(object_json(spectral, "sod"))["claims"] == []
    assert json.loads(object_json(object_table([row.results for row in spectral]), "weizmann-1obj"))["claims"]


def test_one_image_has_no_standard_error():
    table = object_table([results("jt2", 16, MERGES, F[:1])])
    assert "| 0.900 " in object_markdown(table, "Toys")
    assert json.loads(object_json(table, "x"))["rows"][0]["cells"]["fixed"]["standard_error"] is None


def test_berkeley_table():
    unit = Unit("segjt", {"kernel": "jt2"}, ({"n_segments": ["auto", 2, 4]},))
    regions = [
        [[0.5, 0.8, 1.9, 100], [0.6, 0.7, 2.0, 100], [0.2, 0.9, 3.0, 100]],
        [[0.3, 0.6, 1.0, 300], [0.2, 0.5, 1.5, 300], [0.6, 0.6, 2.0, 300]],
    ]
    boundaries = [
        [[5, 10, 10, 20], [10, 10, 2, 20], [10, 20, 16, 20]],
        [[6, 10, 24, 40], [10, 10, 4, 40], [10, 50, 32, 40]],
    ]
    scores = np.concatenate([regions, boundaries], axis=2)
    items = [Named("a"), Named("b")]
    row_results = RowResults(
        Row("jt2", 16, (unit,)), items, unit.settings(), RegionScorer.columns, scores, np.ones((2, 3))
    )
    (row,) = berkeley_table([row_results])
    assert (row.score.covering.ods, row.score.covering.ois) == pytest.approx((0.5, 0.6))  # pixels weigh
    assert (row.score.pri.ods, row.score.pri.ois) == pytest.approx((0.75, 0.75))
    assert (row.score.voi.ods, row.score.voi.ois) == pytest.approx((1.45, 1.45))
    # The first setting: 11 of 20 and 34 of 60; each image's best: 10 of 20 and 16 of 20, 6 of 10 and 24 of 40.
    assert row.boundary.ods == pytest.approx(2 / (20 / 11 + 60 / 34))
    assert row.boundary.ois == pytest.approx(2 / (30 / 16 + 60 / 40))
    assert row.boundary.ap is None  # no hierarchy is cut at thresholds
    assert row.auto.pri == pytest.approx(0.7)
    text = berkeley_markdown([row], "Toys")
    assert "0.500 / 0.600" in text
    assert "0.350, 0.700, 1.450" in text
    record = json.loads(berkeley_json([row], "bsds"))["rows"][0]
    assert record["scores"]["covering"]["setting"] == {"kernel": "jt2", "n_segments": 4}
    assert record["scores"]["boundary"]["setting"] == {"kernel": "jt2", "n_segments": "auto"}
    assert record["auto"]["covering"] == 0.35
    assert "jt2,16,OIS,voi,a,1.9," in berkeley_csv([row]).decode()
    assert "jt2,16,OIS,boundary,b,0.6," in berkeley_csv([row]).decode()


def test_average_precision_and_curve_of_a_hierarchy():
    unit = Unit("gpb_owt_ucm", {}, ({"threshold": [0.1, 0.5, 0.9]},))
    counts = [[30, 100, 8, 10], [9, 10, 2, 10], [0, 0, 0, 10]]
    scores = np.array([[[0.5, 0.5, 1.0, 10, *of_setting] for of_setting in counts]])
    row_results = RowResults(
        Row("gpb_owt_ucm", None, (unit,)), [Named("a")], unit.settings(), RegionScorer.columns, scores, np.ones((1, 3))
    )
    (row,) = berkeley_table([row_results])
    # From 0 at recall 0 to 0.9 at 0.2, then down to 0.3 at 0.8: the values at 0.01 to 0.2 and at 0.21 to 0.8.
    assert row.boundary.ap == pytest.approx((20 * (0.045 + 0.9) / 2 + 60 * (0.89 + 0.3) / 2) / 100)
    assert row.seconds is None
    assert precision_recall(row_results) == [([0.2, 0.8], [0.9, 0.3])]
    assert "| 0.452" in berkeley_markdown([row], "Toys")


def test_markdown_has_even_columns():
    assert (
        markdown([["a", "long head"], ["value", "1"]])
        == "| a     | long head |\n| ----- | --------- |\n| value | 1         |"
    )
