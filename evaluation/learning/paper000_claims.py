"""What paper 000 says in words about Tables III, IV and VI and Figure 3."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from segjt.evaluation.claims import Claim, Verdict, close, compared, differences_text, holds_if, larger, not_worse
from segjt.evaluation.learning.baselines import CLUSTERINGS
from segjt.evaluation.learning.methods import Methods, best_of, differences, methods_of
from segjt.evaluation.learning.paper000 import KERNEL_K_MEANS, LEARNERS, SPECTRAL
from segjt.evaluation.learning.paper000_table4 import GLASS_WITH_ID
from segjt.evaluation.learning.tables import CellResult, ExperimentTable

TWO_POINTS, THREE_POINTS = ("JT2", "expJT2"), ("JT3", "expJT3")
JENSEN = (*TWO_POINTS, *THREE_POINTS, "nLin", "JT3+", "expJT3+", "nLin+")
SECTION = "Section VI-A"
GENES = "Section VI-B"
# By how much a figure has to be larger on a set to count; the tolerance of the tables.
CLEARLY = 0.03


def rows(learners: tuple[str, ...], kernels: tuple[str, ...]) -> list[str]:
    """Return the rows of learners with kernels."""
    return [f"{learner}, {kernel}" for learner in learners for kernel in kernels]


def table3(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Table III."""
    methods = methods_of(table, "row")
    ours = best_of(methods, rows(LEARNERS, JENSEN))
    others = best_of(methods, [*CLUSTERINGS, *rows(LEARNERS, ("Gaussian", "Polynomial"))])
    over_others = [ours[data].score - others[data].score for data in ours if data in others]
    exponential = differences(methods, rows(LEARNERS, ("expJT2", "expJT3")), rows(LEARNERS, ("JT2", "JT3")))
    well = "Jensen-type kernels perform quite well compared to other methods (best of each, not worse)"
    variety = "particularly the exponential variety (expJT2, expJT3 against JT2, JT3)"
    claims = [
        *compared(well, SECTION, over_others, not_worse),
        *compared(variety, SECTION, list(exponential.values()), larger),
        *merits_of_points(methods),
        *sampled_on_uci(methods),
    ]
    linear, k_means = best_of(methods, rows(LEARNERS, ("nLin",))), methods.get("KM", {})
    if reached := [data for data in linear if data in k_means]:
        better = [data for data in reached if linear[data].score >= k_means[data].score - CLEARLY]
        text = "in few cases nLin works with reasonable accuracy, particularly in comparison with KM"
        claims.append(
            Claim(text, SECTION, f"not clearly worse on {', '.join(better) or 'none'}", holds_if(bool(better)))
        )
    if "iris" in ours and "iris" in others:
        text = "Jensen-type kernels do not extract the structure of Iris in clustering (others are better)"
        claims.append(Claim(text, SECTION, *compared_on_one_set(others["iris"], ours["iris"])))
    return claims


def merits_of_points(methods: Methods) -> Iterator[Claim]:
    """Yield the statement on two and three points, for each learner."""
    for learner in LEARNERS:
        by_set = differences(methods, rows((learner,), TWO_POINTS), rows((learner,), THREE_POINTS))
        two = [data for data, difference in by_set.items() if difference > CLEARLY]
        three = [data for data, difference in by_set.items() if difference < -CLEARLY]
        text = f"{learner}: the merits of 2-point and 3-point kernels depend mostly on the data"
        ours = f"2 points are better on {', '.join(two) or 'none'}; 3 points on {', '.join(three) or 'none'}"
        if by_set:
            yield Claim(text, SECTION, ours, holds_if(bool(two and three)))


def sampled_on_uci(methods: Methods) -> Iterator[Claim]:
    """Yield the statement on sampled kernels: close to the exact ones on all sets, except Balance."""
    exact = rows(LEARNERS, ("JT3", "expJT3", "nLin"))
    sampled = [f"{row}+" for row in exact]
    by_set = differences(methods, exact, sampled)
    balance = by_set.pop("balance_scale", None)
    elsewhere = list(by_set.values())
    if elsewhere:
        worst = max(by_set, key=lambda data: abs(by_set[data]))
        ours = f"exact - sampled {differences_text(elsewhere)}; at most {abs(by_set[worst]):.3f} ({worst})"
        yield Claim("sampled kernels are quite close to exact ones, except on Balance", SECTION, ours, close(elsewhere))
    if balance is not None:
        text = "on Balance sampled kernels are clearly worse than exact ones"
        results = [methods[row]["balance_scale"] for row in (*exact, *sampled)]
        error = error_of_runs(results) * len(results) / len(exact)
        ours = f"exact - sampled {balance:+.3f} ± {error:.3f}"
        yield Claim(text, SECTION, ours, beyond(balance - CLEARLY, error))


def error_of_runs(results: Sequence[CellResult]) -> float:
    """Return the standard error of the mean of results that comes from their runs."""
    return math.hypot(*(result.deviation / math.sqrt(result.runs) for result in results)) / len(results)


def beyond(difference: float, error: float) -> Verdict:
    """Judge "the difference is positive" by two standard errors."""
    return Verdict.HOLDS if difference > 2 * error else Verdict.FAILS if difference < -2 * error else Verdict.NOISE


def compared_on_one_set(one: CellResult, other: CellResult) -> tuple[str, Verdict]:
    """Judge "one is better than the other" on one set by the standard errors of the runs."""
    verdict = beyond(one.score - other.score, 2 * error_of_runs([one, other]))
    return f"{one.score:.3f} ({one.cell.row}) against {other.score:.3f} ({other.cell.row})", verdict


def figure3(table: ExperimentTable) -> list[Claim]:
    """Return the statement about Figure 3: the curves over q of JT2 and JT3 are correlated."""
    curves: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for entry in table.entries:
        column, kernel, vectors = entry.row.split(", ")
        curves.setdefault((column, vectors), {}).setdefault(kernel, {})[entry.column] = entry.score
    by_set: dict[str, list[float]] = {}
    for (column, _), of_kernels in curves.items():
        two, three = of_kernels.get("JT2", {}), of_kernels.get("JT3", {})
        both = np.array([[two[q], three[q]] for q in two if q in three])
        if len(both) > 2 and (both.std(0) > 0).all():
            by_set.setdefault(column, []).append(float(np.corrcoef(both.T)[0, 1]))
    means = {column: float(np.mean(correlations)) for column, correlations in by_set.items()}
    if not means:
        return []
    ours = "correlation over q: " + ", ".join(f"{column} {mean:.2f}" for column, mean in means.items())
    text = "trends over q of 2-point and 3-point kernels are mostly similar (correlation above 0)"
    return [Claim(text, SECTION, ours, larger(list(means.values())))]


def table4(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Table IV."""
    methods = methods_of(table, "row", leave_out=(GLASS_WITH_ID,))
    by_set = differences(methods, TWO_POINTS, (*THREE_POINTS, "nLin"))
    ours, others = best_of(methods, JENSEN), best_of(methods, ("Gaussian", "Diffusion"))
    both = [data for data in ours if data in others]
    won = [data for data in both if ours[data].score > others[data].score]
    lost = [data for data in both if data not in won]
    worse = "in SVMs multi-point kernels usually perform worse than two-point kernels"
    claims = list(
        compared(worse, f"{SECTION}, Section VII", list(by_set.values()), larger, what="two points - more points")
    )
    if both:
        text = "in SVMs Jensen-type kernels are the best in some cases and not in others"
        said = f"best on {', '.join(won) or 'none'}; not on {', '.join(lost) or 'none'} (of the kernels that were run)"
        claims.append(Claim(text, SECTION, said, holds_if(bool(won and lost))))
    if "iris" in both:
        text = "Jensen-type kernels do not extract the structure of Iris in classification (others are better)"
        claims.append(Claim(text, SECTION, *compared_on_one_set(others["iris"], ours["iris"])))
    return claims


def table6(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Table VI; every gene set is one difference."""
    methods = methods_of(table, "row")
    claims: list[Claim] = []
    for learner, plain in ((KERNEL_K_MEANS, "k-means"), (SPECTRAL, SPECTRAL)):
        exponential = strongest(methods, rows((learner,), ("expJT2", "expJT3")))
        measures = ("Gaussian", "Polynomial", "JT2", "JT3", "nLin")
        proximities = rows((plain,), ("Pearson", "cosine", "Spearman", "Euclidean"))
        other = strongest(methods, [*rows((learner,), measures), *proximities])
        if exponential and other:
            over = list(differences(methods, [exponential], [other]).values())
            text = f"{plain}: the expJT kernels surpass other similarity measures by some margin, in most cases"
            claims += compared(text, GENES, over, larger, what=f"{exponential} - {other}")
    for learner, better, worse, text in (
        (
            KERNEL_K_MEANS,
            TWO_POINTS,
            THREE_POINTS,
            "kernel k-means: JT2 and expJT2 give good results (not JT3, expJT3)",
        ),
        (
            SPECTRAL,
            THREE_POINTS,
            TWO_POINTS,
            "spectral clustering: the 3-point kernels dominate their 2-point counterparts",
        ),
    ):
        over = list(differences(methods, rows((learner,), better), rows((learner,), worse)).values())
        claims += compared(text, GENES, over, larger)
    for learner in LEARNERS:
        over = list(
            differences(methods, rows((learner,), THREE_POINTS), rows((learner,), ("JT3+", "expJT3+"))).values()
        )
        text = f"{learner}: sampling leads to a significant reduction for JT3 and expJT3"
        what = "exact (best run) - sampled (mean of runs, as in the paper)"
        claims += compared(text, GENES, over, larger, what=what)
    return claims


def strongest(methods: Methods, names: list[str]) -> str | None:
    """Return the method with the largest mean over all sets."""
    known = [name for name in names if methods.get(name)]
    return max(known, key=lambda name: np.mean([result.score for result in methods[name].values()]), default=None)
