"""The three verdicts on what papers say in words, against scipy's tests and by hand."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from segjt.evaluation.claims import (
    Claim,
    Verdict,
    claim_lines,
    close,
    compared,
    differences_text,
    holds_if,
    larger,
    not_worse,
)

STEPS = np.array([-1.0, 0.0, 1.0])


@pytest.mark.parametrize("seed", range(20))
def test_larger_is_the_paired_t_test(seed):
    differences = np.random.default_rng(seed).normal(0.02, 0.03, 8).tolist()
    expected = "within noise"
    if ttest_1samp(differences, 0).pvalue < 0.05:
        expected = "holds" if np.mean(differences) > 0 else "does not hold"
    assert larger(differences) == expected


@pytest.mark.parametrize(
    ("mean", "spread", "better", "alike", "no_worse"),
    [
        (0.10, 0.01, "holds", "does not hold", "holds"),
        (-0.10, 0.01, "does not hold", "does not hold", "does not hold"),
        (0.0, 0.01, "within noise", "holds", "holds"),
        (0.02, 0.001, "holds", "holds", "holds"),
        (0.0, 0.2, "within noise", "within noise", "within noise"),
        (0.2, 0.12, "within noise", "within noise", "holds"),
    ],
)
def test_verdicts_by_hand(mean, spread, better, alike, no_worse):
    differences = (mean + spread * STEPS).tolist()
    assert (larger(differences), close(differences), not_worse(differences)) == (better, alike, no_worse)


def test_few_or_equal_differences():
    for few in ([], [0.5]):
        assert {larger(few), close(few), not_worse(few)} == {Verdict.NOISE}
    assert larger([0.1, 0.1]) == close([0.0, 0.0]) == "holds"
    assert larger([0.0, 0.0]) == "within noise"
    assert list(compared("a", "Section 1", [], larger)) == []
    assert differences_text([0.5]) == "+0.500, better on 1 of 1 sets"
    assert differences_text([0.1, -0.1], "images") == "+0.000 (-1.271 to +1.271), better on 1 of 2 images"


def test_lines():
    assert claim_lines([]) == []
    claims = [
        Claim("a", "Section 1", "b", holds_if(False), Verdict.NOISE),
        *compared("c", "Section 2", [0.1, 0.2], close, what="d - e"),
    ]
    assert claim_lines(claims)[1:] == [
        ["a", "Section 1", "b", "does not hold", "within noise"],
        ["c", "Section 2", "d - e: +0.150 (-0.485 to +0.785), better on 2 of 2 sets", "within noise", ""],
    ]
