"""What papers say in words, compared with our results: each statement has one of three verdicts.

Whether one method is better than another is judged by the mean of its differences over data sets or images, one
difference each, and the interval of Student's t around it: settings, kernels and learners of one data set are averaged
first, since they are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

# The papers' level of significance.
LEVEL = 0.05
# Figures that differ by no more are called close: the tolerance of the tables.
MARGIN = 0.03


class Verdict(StrEnum):
    """Whether our results agree with a statement."""

    HOLDS = "holds"
    FAILS = "does not hold"
    NOISE = "within noise"


@dataclass(frozen=True)
class Claim:
    """What a paper says in words, where it says so, our result, and whether it agrees.

    `published` is the verdict of the same test on the paper's own figures; None where it does not print them.
    """

    text: str
    place: str
    ours: str
    verdict: Verdict
    published: Verdict | None = None


Judge = Callable[[Sequence[float]], Verdict]


def holds_if(condition: bool) -> Verdict:
    """Return the verdict on a statement that our results either agree with or not."""
    return Verdict.HOLDS if condition else Verdict.FAILS


def larger(differences: Sequence[float], least: float = 0.0) -> Verdict:
    """Judge "one is better than the other", by more than `least`: the whole 95 % interval must lie on one side."""
    low, high = interval(differences, LEVEL)
    return Verdict.HOLDS if low > least else Verdict.FAILS if high < least else Verdict.NOISE


def close(differences: Sequence[float]) -> Verdict:
    """Judge "one is about as good as the other": two one-sided tests, so the 90 % interval must lie within ± 0.03."""
    low, high = interval(differences, 2 * LEVEL)
    if low >= -MARGIN and high <= MARGIN:
        return Verdict.HOLDS
    return Verdict.FAILS if low > MARGIN or high < -MARGIN else Verdict.NOISE


def not_worse(differences: Sequence[float]) -> Verdict:
    """Judge "one is at least about as good as the other": the 90 % interval must lie above -0.03."""
    low, high = interval(differences, 2 * LEVEL)
    return Verdict.HOLDS if low >= -MARGIN else Verdict.FAILS if high < -MARGIN else Verdict.NOISE


def interval(differences: Sequence[float], level: float) -> tuple[float, float]:
    """Return the interval of Student's t around the mean; unbounded for fewer than two differences."""
    from scipy.stats import t

    if len(differences) < 2:
        return -math.inf, math.inf
    mean = float(np.mean(differences))
    error = float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    reach = float(t.ppf(1 - level / 2, len(differences) - 1)) * error
    return mean - reach, mean + reach


def compared(
    text: str, place: str, differences: Sequence[float], judge: Judge, units: str = "sets", what: str = ""
) -> Iterator[Claim]:
    """Yield the claim that a test judges by differences; nothing if there are none."""
    if len(differences):
        ours = f"{what}: " if what else ""
        yield Claim(text, place, ours + differences_text(differences, units), judge(differences))


def differences_text(differences: Sequence[float], units: str = "sets") -> str:
    """Return the mean difference, its 95 % interval and how many are positive, in words."""
    positive = f"better on {sum(d > 0 for d in differences)} of {len(differences)} {units}"
    if len(differences) < 2:
        return f"{np.mean(differences):+.3f}, {positive}"
    low, high = interval(differences, LEVEL)
    return f"{np.mean(differences):+.3f} ({low:+.3f} to {high:+.3f}), {positive}"


def claim_lines(claims: Sequence[Claim]) -> list[list[str]]:
    """Return statements beside our results as lines of a table; nothing if there are none."""
    lines = [[claim.text, claim.place, claim.ours, str(claim.verdict), str(claim.published or "")] for claim in claims]
    return [["the paper says", "where", "ours", "verdict", "on published figures"], *lines] if lines else []
