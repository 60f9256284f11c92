"""What papers 000 and 001 say in words about kernels that segment images, compared on the Weizmann database.

Kernels are compared by the F of each image with the paper's own merging, the setting chosen for each image with the
truth, as paper 000 does for Table VII; every image is one difference. Paper 001 looks at single images, cut as a whole;
its sentences are compared with the same scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from segjt.evaluation.claims import Claim, compared, larger, not_worse
from segjt.evaluation.tables import TableRow, object_f, with_values
from segjt.runtime.arrays import Floats

COLUMN = "tuned, spectral"
TABLE7 = "paper 000, Section VI-C"
FIGURE2 = "paper 001, Section 5"
CLOSE_TO_1 = (0.75, 1.25)
ENOUGH_POINTS = (6, 10)


def weizmann_claims(table: Sequence[TableRow]) -> list[Claim]:
    """Return the statements that the rows of a table suffice for; none if it is of other images than the paper's."""
    rows = [row for row in table if row.of_paper and COLUMN in row.scores]
    sizes = sorted({row.row.block_size for row in rows if row.row.block_size})
    return [claim for size in sizes for claim in claims_of_size(table, size)]


def claims_of_size(table: Sequence[TableRow], size: int) -> Iterator[Claim]:
    """Yield the statements on the kernels with blocks of one size."""
    rows = {row.row.name: row for row in table if row.row.block_size == size and COLUMN in row.scores}
    f = {name: f_by_image(row) for name, row in rows.items()}
    blocks = f"{size}x{size} blocks"
    others = [name for name in f if name not in ("jt2", "expjt2")]
    if "expjt2" in f and len(f) > 1:
        best = max((name for name in f if name != "expjt2"), key=lambda name: sum(f[name].values()) / len(f[name]))
        # The paper's 0.80 of JT2 in 32 x 32 blocks equals that of expJT2.
        judge = larger if size == 16 else not_worse
        text = f"{blocks}: the 2-point expJT kernel gives the best performance" + (
            "" if size == 16 else ", or equals it"
        )
        over = paired(f, ["expjt2"], [best])
        yield from compared(text, TABLE7, over, judge, "images", f"expjt2 - {best}")
    for one in ("jt2", "expjt2"):
        if one in f and "gaussian" in f:
            over = paired(f, [one], ["gaussian"])
            text = f"{blocks}: {one} is better than the Gaussian kernel"
            yield from compared(text, TABLE7, over, larger, "images")
    if {"jt2", "expjt2"} <= set(f) and others:
        over = paired(f, ["jt2", "expjt2"], others)
        text = f"{blocks}: the 2-point JT and expJT kernels are better than other kernels"
        yield from compared(text, TABLE7, over, larger, "images", f"against {', '.join(others)}")
    if "jt2" in rows:
        text = f"{blocks}: JT kernels with q close to 1 (0.75 to 1.25) give the best results among all q"
        yield from best_values(rows["jt2"], "q", CLOSE_TO_1, text)
    if "nlin" in rows:
        text = f"{blocks}: as n increases the n-point linear kernel gives better partitions (6 to 10 points)"
        yield from best_values(rows["nlin"], "n", ENOUGH_POINTS, text)


def f_by_image(row: TableRow) -> dict[str, float]:
    """Return the F of each image."""
    images = row.scores[COLUMN].images
    return {name: image.f for name, image in zip(row.results.images, images, strict=True)}


def paired(f: Mapping[str, Mapping[str, float]], ones: Sequence[str], others: Sequence[str]) -> list[float]:
    """Return by how much the mean F of some kernels is larger than that of others, for each image that all have."""
    first, *rest = [f[name] for name in (*ones, *others)]
    images = [image for image in first if all(image in of_kernel for of_kernel in rest)]
    return [
        sum(f[name][image] for name in ones) / len(ones) - sum(f[name][image] for name in others) / len(others)
        for image in images
    ]


def best_values(row: TableRow, parameter: str, said: tuple[float, float], text: str) -> Iterator[Claim]:
    """Yield the claim that the best values of a parameter lie in a range: the best of them against the best outside."""
    values = sorted({setting[parameter] for setting in row.results.settings if setting.get(parameter) is not None})
    by_value = {value: f_of_value(row, parameter, value) for value in values}
    inside = [value for value in values if said[0] <= value <= said[1]]
    outside = [value for value in values if value not in inside]
    if inside and outside:
        best, other = (max(group, key=lambda value: by_value[value].mean()) for group in (inside, outside))
        over = (by_value[best] - by_value[other]).tolist()
        yield from compared(text, FIGURE2, over, larger, "images", f"{parameter} = {best:g} - {parameter} = {other:g}")


def f_of_value(row: TableRow, parameter: str, value: float) -> Floats:
    """Return the best F of each image over the settings with one value of a parameter and the paper's merging."""
    settings = with_values(row.results, merge_method=("spectral",), **{parameter: (value,)})
    best: Floats = object_f(row.results)[:, settings].max(1).mean(1)
    return best
