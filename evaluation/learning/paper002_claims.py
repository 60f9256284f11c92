"""What paper 002 says in words about Figure 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from segjt.evaluation.claims import Claim, Verdict, holds_if
from segjt.evaluation.learning.paper002_figure2 import BASELINE, BASES, ORDERS, SETS, Paper002Figure2, column_of
from segjt.evaluation.learning.tables import ExperimentTable

Scores = Mapping[tuple[str, str], float]


def figure2(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Figure 2."""
    scores = {(entry.row, entry.column): entry.score for entry in table.entries}
    columns = {cell.column for cell in Paper002Figure2().cells(quick=False)}
    rows = [row for row in SETS if all((row, column) in scores for column in columns)]
    return [Claim(text, "Section 4.3", *compare(scores, rows)) for text, compare in CLAIMS.items()]


def of_orders(scores: Scores, row: str, base: str) -> list[float]:
    """Return the scores of a kernel by rising order."""
    return [scores[row, column_of(base, order)] for order in ORDERS]


def better_than_baseline(scores: Scores, rows: Sequence[str]) -> tuple[str, Verdict]:
    """Count the normalised kernels that beat the self-tuning Gaussian."""
    pairs = [(scores[row, BASELINE], score) for row in rows for base in BASES for score in of_orders(scores, row, base)]
    better = sum(score > baseline for baseline, score in pairs)
    return f"{better} of {len(pairs)} do", holds_if(better == len(pairs))


def better_than_cosine(scores: Scores, rows: Sequence[str]) -> tuple[str, Verdict]:
    """Name the sets where every order above 0 of the linear kernel beats order 0, the cosine."""
    beaten = [row for row in rows if min(of_orders(scores, row, "linear")[1:]) > of_orders(scores, row, "linear")[0]]
    return f"so on {', '.join(beaten) or 'none'}", holds_if(
        beaten == [row for row in rows if row != "Image Segmentation"]
    )


def rising(scores: Scores, rows: Sequence[str]) -> tuple[str, Verdict]:
    """Give the linear kernel's scores by order on the sets of the claim."""
    by_row = {row: of_orders(scores, row, "linear") for row in ("Iris", "Ecoli", "Yeast") if row in rows}
    lines = [f"{row} " + ", ".join(f"{score:.3f}" for score in of_row) for row, of_row in by_row.items()]
    return "; ".join(lines), holds_if(all(of_row == sorted(of_row) for of_row in by_row.values()))


def best_polynomial(scores: Scores, rows: Sequence[str]) -> tuple[str, Verdict]:
    """Give the best order of the polynomial kernel on the sets of the claim."""
    said = {"Iris": 1, "Pima Indian Diabetes": 1, "Image Segmentation": 10}
    best = {row: ORDERS[int(np.argmax(of_orders(scores, row, "polynomial")))] for row in said if row in rows}
    return ", ".join(f"{row} {order}" for row, order in best.items()), holds_if(
        all(said[row] == best[row] for row in best)
    )


# What Section 4.3 says about the figure, and what to compare it with.
CLAIMS: dict[str, Callable[[Scores, Sequence[str]], tuple[str, Verdict]]] = {
    "all normalised kernels are better than the self-tuning Gaussian": better_than_baseline,
    "all orders above 0 of the linear kernel beat the cosine, except on Image Segmentation": better_than_cosine,
    "NMI of the linear kernel grows with its order on Iris, Ecoli and Yeast": rising,
    "the best order of the polynomial kernel is 1 on Iris and Pima, 10 on Image Segmentation": best_polynomial,
}
