"""What paper 004 says in words about Table 2."""

from __future__ import annotations

from collections.abc import Sequence

from segjt.evaluation.claims import Claim, Judge, close, compared, larger, not_worse
from segjt.evaluation.learning.methods import differences, methods_of
from segjt.evaluation.learning.paper004_table2 import K_MEANS
from segjt.evaluation.learning.tables import ExperimentTable

RELAXED = ("K_J", "K_B", "K_H", "K_BR")
# Statement, methods, those they are compared with, and the test.
STATEMENTS: list[tuple[str, Sequence[str], Sequence[str], Judge]] = [
    ("spectral clustering over D_A is consistently better than k-means", RELAXED, (K_MEANS,), larger),
    ("spectral clustering over D_A is consistently better than with K_E", RELAXED, ("K_E",), larger),
    ("K_H and K_BR are usually better than K_J and K_B", ("K_H", "K_BR"), ("K_J", "K_B"), larger),
    ("K_H and K_BR are at least very close to K_J and K_B", ("K_H", "K_BR"), ("K_J", "K_B"), not_worse),
    ("the results of K_JR and K_BR are very close to each other", ("K_JR",), ("K_BR",), close),
]


def table2(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Table 2; every data set is one difference, the mean of the kernels named."""
    methods = methods_of(table, "column")
    return [
        claim
        for text, ones, others, judge in STATEMENTS
        for claim in compared(text, "Section 7", list(differences(methods, ones, others).values()), judge)
    ]
