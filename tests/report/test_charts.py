"""Positions in charts, checked by hand."""

import math
from itertools import pairwise

import pytest

from segjt.report.charts import Bar, BarChart, Line, LineChart, nice_ticks, shown_number


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 0.86, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.61, 0.79, [0.6, 0.65, 0.7, 0.75, 0.8]),
        (0, 2, [0, 0.5, 1, 1.5, 2]),
        (-3, 12, [-5, 0, 5, 10, 15]),
        (0.7, 0.7, [0, 0.2, 0.4, 0.6, 0.8]),
        (0, 0, [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ],
)
def test_ticks_are_round_and_cover_the_data(low, high, expected):
    assert nice_ticks(low, high) == pytest.approx(expected)


def test_ticks_are_shown_with_as_many_decimals_as_needed():
    assert [shown_number(tick, [0, 0.25, 0.5]) for tick in (0, 0.25, 0.5)] == ["0.00", "0.25", "0.50"]
    assert [shown_number(tick, [0, 5, 10]) for tick in (0, 5, 10)] == ["0", "5", "10"]


def test_bars():
    chart = BarChart(
        "F by kernel",
        "F",
        [
            Bar("jt2", "16x16", 0.5, 0.1, 0.78),
            Bar("jt2", "32x32", 0.75),
            Bar("jt3", "16x16", None, None, 0.71),
            Bar("jt3", "32x32", math.nan),
        ],
    )
    assert chart.series == ["16x16", "32x32"]
    at = chart.layout()
    assert at["ticks"][0] == (0, "0.0")
    assert at["ticks"][-1] == (100, "0.8")
    first, second = at["groups"]
    assert [row["length"] for row in first["rows"]] == [62.5, 93.75]
    assert first["rows"][0]["whisker"] == (50, 75)
    assert first["rows"][0]["published"] == 97.5
    assert first["rows"][1]["whisker"] is None
    assert [row["text"] for row in second["rows"]] == ["not run", "not run"]
    assert [row["style"] for row in second["rows"]] == [0, 1]
    # Rows do not overlap, and a group's name stands in the middle of its bars.
    rows = first["rows"] + second["rows"]
    assert all(after["y"] >= before["y"] + before["thickness"] for before, after in pairwise(rows))
    assert first["middle"] == (first["rows"][0]["middle"] + first["rows"][1]["middle"]) / 2
    assert at["height"] > rows[-1]["y"] + rows[-1]["thickness"]


def test_lines():
    chart = LineChart(
        "F by q",
        "q",
        "F",
        [Line("jt2", [2, 0, 1], [0.8, 0.6, None]), Line("jt3", [0, 1, 2], [0.7, 0.7, math.nan], [0.1, None, 0])],
    )
    at = chart.layout()
    first, second = at["lines"]
    # By rising x, points without a value left out; y counts from the top.
    assert [(dot["x"], dot["y"]) for dot in first["dots"]] == [(0, at["height"]), (100, 0)]
    assert [dot["x"] for dot in second["dots"]] == [0, 50]
    assert second["dots"][0]["whisker"] == (at["height"], 0)
    assert second["dots"][1]["whisker"] is None
    assert [text for _, text in at["y_ticks"]] == ["0.60", "0.65", "0.70", "0.75", "0.80"]
    assert chart.numbers()[0] == ["jt2", 0, 0.6, None]


def test_charts_of_nothing():
    assert BarChart("", "F", []).layout()["groups"] == []
    assert LineChart("", "q", "F", [Line("jt2", [], [])]).layout()["lines"][0]["dots"] == []
