"""What paper 003 says in words about Figures 1 and 2 and the weights of documents."""

from __future__ import annotations

from collections.abc import Iterator

from segjt.evaluation.claims import LEVEL, Claim, Verdict, holds_if
from segjt.evaluation.learning.paper003_documents import REPRESENTATIONS, WEIGHTS
from segjt.evaluation.learning.paper003_figures import BEST, TSALLIS
from segjt.evaluation.learning.tables import Entry, ExperimentTable

SECTION = "Section 6"


def figure1(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Figure 1, earn-vs-acq: no two differ."""
    claims = []
    for row in table.rows():
        linear, heat, tuned = (table.at(row, column) for column in ("linear", "heat", TSALLIS))
        if linear and heat and tuned:
            for one, other in ((tuned, linear), (tuned, heat), (heat, linear)):
                text = f"{row}: {one.column} and {other.column} do not differ significantly"
                verdict = holds_if(p_value(one, other) > LEVEL)
                claims.append(Claim(text, SECTION, comparison_text(one, other), verdict))
    return [*claims, *claims_of_both(table)]


def figure2(table: ExperimentTable) -> list[Claim]:
    """Return the statements about Figure 2, stud-vs-fac: Tsallis outperforms linear, and heat with tf-idf."""
    claims = []
    for row in table.rows():
        linear, heat, tuned = (table.at(row, column) for column in ("linear", "heat", TSALLIS))
        if linear and heat and tuned:
            for other in (linear,) if row == "tf" else (linear, heat):
                text = f"{row}: {tuned.column} outperforms {other.column}, significantly"
                claims.append(Claim(text, SECTION, comparison_text(tuned, other), outperforms(tuned, other)))
    return [*claims, *claims_of_both(table)]


def claims_of_both(table: ExperimentTable) -> Iterator[Claim]:
    """Yield what the paper says about both tasks."""
    for row in table.rows():
        linear, heat, best = (table.at(row, column) for column in ("linear", "heat", BEST))
        if linear and heat and best:
            worse = min(best, heat, key=lambda entry: entry.score)
            ours = f"Tsallis, best q {best.score:.3f}, heat {heat.score:.3f}, linear {linear.score:.3f}"
            text = f"{row}: heat and Tsallis (for a suitable q) outperform linear in almost all cases"
            yield Claim(text, SECTION, f"{ours}, p = {p_value(worse, linear):.2g}", outperforms(worse, linear))
            verdict = holds_if(best.score >= heat.score or p_value(best, heat) > LEVEL)
            yield Claim(f"{row}: Tsallis is competitive with heat", SECTION, comparison_text(best, heat), verdict)
    best_q = {row: entry for row in table.rows() if (entry := table.at(row, BEST))}
    if len(best_q) == len(REPRESENTATIONS):
        q = {row: entry.results[0].setting["q"] for row, entry in best_q.items()}
        ours = ", ".join(f"{row} {q[row]:g} ({best_q[row].score:.3f})" for row in REPRESENTATIONS)
        text = "the optimum q is usually higher for tf-idf than for tf"
        yield Claim(text, SECTION, ours, holds_if(q["tf-idf"] > q["tf"]))


def weights(table: ExperimentTable) -> list[Claim]:
    """Return the statement about the four ways to weight documents."""
    claims = []
    for row in table.rows():
        entries = {entry.column: entry for entry in table.entries if entry.row == row}
        if len(entries) == len(WEIGHTS):
            uniform = entries["uniform"]
            best = max(entries.values(), key=lambda entry: entry.score)  # the first, which is uniform, wins a tie
            ours = ", ".join(f"{name} {entry.score:.4f}" for name, entry in entries.items())
            verdict = Verdict.HOLDS
            if best is not uniform:
                ours += f"; p = {p_value(best, uniform):.2g}"
                verdict = Verdict.FAILS if p_value(best, uniform) <= LEVEL else Verdict.NOISE
            claims.append(Claim(f"{row}: uniform weighting is the best of the four", SECTION, ours, verdict))
    return claims


def outperforms(one: Entry, other: Entry) -> Verdict:
    """Judge "one outperforms the other" by the paper's t test."""
    if p_value(one, other) > LEVEL:
        return Verdict.NOISE
    return holds_if(one.score > other.score)


def p_value(one: Entry, other: Entry) -> float:
    """Return the p-value of the unpaired t test, as in the paper."""
    from scipy.stats import ttest_ind_from_stats

    if one.score == other.score:
        return 1.0  # without any spread the test is undefined
    statistics = [(entry.score, entry.deviation, entry.results[0].runs) for entry in (one, other)]
    return float(ttest_ind_from_stats(*statistics[0], *statistics[1]).pvalue)


def comparison_text(one: Entry, other: Entry) -> str:
    """Return two results in words."""
    return f"{one.score:.3f} and {other.score:.3f}, p = {p_value(one, other):.2g}"
