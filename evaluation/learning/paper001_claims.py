"""What paper 001 says in words about Table 1."""

from __future__ import annotations

from segjt.evaluation.claims import Claim, Judge, compared, larger, not_worse
from segjt.evaluation.learning.methods import differences, methods_of
from segjt.evaluation.learning.tables import ExperimentTable

GAUSSIAN, TWO_POINTS, THREE_POINTS, LINEAR = (
    *("Gaussian SC", "2-point JT kernel", "3-point JT kernel"),
    "n-point linear kernel",
)


def table1(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Table 1."""
    methods = methods_of(table, "column")
    statements: list[tuple[str, str, str, Judge]] = [
        ("in general the 3-point JT kernel is more effective (than two points)", THREE_POINTS, TWO_POINTS, larger),
        (
            "in general the 3-point JT kernel is more effective (than the Gaussian kernel)",
            THREE_POINTS,
            GAUSSIAN,
            larger,
        ),
        (
            "n-point linear kernels also perform quite well (not worse than the Gaussian kernel)",
            LINEAR,
            GAUSSIAN,
            not_worse,
        ),
    ]
    return [
        claim
        for text, one, other, judge in statements
        for claim in compared(text, "Section 5", list(differences(methods, [one], [other]).values()), judge)
    ]
