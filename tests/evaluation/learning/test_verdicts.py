"""Verdicts on cells: the tolerance, the published standard deviation, and what rounding leaves open."""

import pytest

from segjt.evaluation.learning.experiment import published_figure
from segjt.evaluation.learning.verdicts import counts_table, counts_text, verdict


@pytest.mark.parametrize(
    ("ours", "printed", "expected"),
    [
        (0.73, "0.73", "within"),
        # 0.73 is printed for all of 0.725 to 0.735.
        (0.755, "0.73", "within"),
        (0.7551, "0.73", "undecidable"),
        (0.765, "0.73", "undecidable"),
        (0.7651, "0.73", "above"),
        (0.705, "0.73", "within"),
        (0.695, "0.73", "undecidable"),
        (0.6949, "0.73", "below"),
        # With three digits little is left open.
        (0.9345, "0.965", "undecidable"),
        (0.9344, "0.965", "below"),
        (0.936, "0.965", "within"),
        # A standard deviation above 0.03 is the tolerance, and rounded as well; a smaller one changes nothing.
        (0.495, "39.0±10.7%", "within"),
        (0.4959, "39.0±10.7%", "within"),
        (0.4961, "39.0±10.7%", "undecidable"),
        (0.4979, "39.0±10.7%", "undecidable"),
        (0.4981, "39.0±10.7%", "above"),
        (0.282, "39.0±10.7%", "undecidable"),
        (0.2819, "39.0±10.7%", "below"),
        (0.6995, "69.4±0.04%", "within"),
        (0.6635, "69.4±0.04%", "undecidable"),
        (0.6634, "69.4±0.04%", "below"),
    ],
)
def test_verdicts_by_hand(ours, printed, expected):
    assert verdict(ours, published_figure(printed), 0.03) == expected


def test_figures_as_printed():
    figure = published_figure("62.3±0.18%")
    assert (figure.value, figure.rounding) == pytest.approx((0.623, 0.0005))
    assert (figure.deviation, figure.deviation_rounding) == pytest.approx((0.0018, 0.00005))
    assert published_figure("0.00").rounding == 0.005
    with pytest.raises(ValueError, match=r"'\.7' is not a published figure; write it as 0.73, 39.0% or 39.0±10.7%"):
        published_figure(".7")


def test_counts():
    assert counts_text(["within", "below", "within"]) == (
        "3 cells: 2 within, 0 above, 1 below, 0 undecidable, 0 not run"
    )
    assert counts_text(["not run"]) == "1 cell: 0 within, 0 above, 0 below, 0 undecidable, 1 not run"
    assert counts_table({"A": ["above"], "B": ["above", "undecidable"]}) == [
        ["", "cells", "within", "above", "below", "undecidable", "not run"],
        ["A", "1", "0", "1", "0", "0", "0"],
        ["B", "2", "0", "1", "0", "1", "0"],
        ["all", "3", "0", "2", "0", "1", "0"],
    ]
