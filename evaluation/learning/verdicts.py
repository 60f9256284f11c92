"""How our figure compares with a published one, and how many cells of a table compare in which way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from segjt.evaluation.learning.experiment import PublishedFigure

WITHIN, ABOVE, BELOW, UNDECIDABLE, NOT_RUN = "within", "above", "below", "undecidable", "not run"
VERDICTS = (WITHIN, ABOVE, BELOW, UNDECIDABLE, NOT_RUN)
# Differences of decimal fractions are off by round-off.
ROUND_OFF = 1e-9


def verdict(ours: float, published: PublishedFigure, least_tolerance: float) -> str:
    """Return the verdict on a cell that was run.

    The tolerance is `least_tolerance`, or the published standard deviation where that is larger. What was printed has
    been rounded: if one value that rounds to the printed figure (or deviation) would be within the tolerance and
    another would not, the printed digits do not decide, and neither do we.
    """
    difference = abs(ours - published.value)
    smallest, largest = (
        max(least_tolerance, published.deviation + error)
        for error in (-published.deviation_rounding, published.deviation_rounding)
    )
    if difference + published.rounding <= smallest + ROUND_OFF:
        return WITHIN
    if difference - published.rounding > largest + ROUND_OFF:
        return ABOVE if ours > published.value else BELOW
    return UNDECIDABLE


def counts_text(verdicts: Iterable[str]) -> str:
    """Return how many cells have which verdict, in words: "200 cells: 106 within, 42 above, ..."."""
    counts = Counter(verdicts)
    cells = "1 cell" if counts.total() == 1 else f"{counts.total()} cells"
    return f"{cells}: " + ", ".join(f"{counts[name]} {name}" for name in VERDICTS)


def counts_table(verdicts: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the counts of several tables by their titles, as lines of texts; the last line has those of all."""
    by_title = {title: Counter(of_table) for title, of_table in verdicts.items()}
    by_title |= {"all": sum(by_title.values(), Counter())}
    lines = [
        [title, str(counts.total()), *(str(counts[name]) for name in VERDICTS)] for title, counts in by_title.items()
    ]
    return [["", "cells", *VERDICTS], *lines]
