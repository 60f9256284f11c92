"""Table VI of paper 000: kernel k-means and spectral clustering of 35 gene-expression sets, adjusted Rand index."""

from __future__ import annotations

from collections.abc import Sequence

from segjt.datasets.vectors import VectorSet, prepared
from segjt.evaluation.learning.baselines import PROXIMITIES, proximity_grid, proximity_trial
from segjt.evaluation.learning.experiment import Experiment, PaperCell, Setting, Trial, published
from segjt.evaluation.learning.paper000 import KERNELS, LEARNERS, clustering_grid, run_clusterings

CDNA = (
    *("alizadeh-2000-v1", "alizadeh-2000-v2", "alizadeh-2000-v3", "bittner-2000", "bredel-2005", "chen-2002"),
    *("garber-2001", "khan-2001", "lapointe-2004-v1", "lapointe-2004-v2", "liang-2005", "risinger-2003"),
    *("tomlins-2006", "tomlins-2006-v2"),
)
AFFYMETRIX = (
    *("armstrong-2002-v1", "armstrong-2002-v2", "bhattacharjee-2001", "chowdary-2006", "dyrskjot-2003"),
    *("golub-1999-v1", "golub-1999-v2", "gordon-2002", "laiho-2007", "nutt-2003-v1", "nutt-2003-v2", "nutt-2003-v3"),
    *("pomeroy-2002-v1", "pomeroy-2002-v2", "ramaswamy-2001", "shipp-2002-v1", "singh-2002", "su-2001", "west-2001"),
    *("yeoh-2002-v1", "yeoh-2002-v2"),
)
TYPES = {"cDNA": CDNA, "Affymetrix": AFFYMETRIX}
QUICK = ("alizadeh-2000-v1", "bittner-2000", "golub-1999-v1", "nutt-2003-v3")
# Half of them choose the setting, half are printed.
RUNS, QUICK_RUNS = 60, 4
PER_COLUMN = "t_per_column"


class Paper000Table6(Experiment[VectorSet]):
    """Mean over the sets of a type; the best of 30 runs, but for the sampled kernels their mean (Section VI-B)."""

    name = "000-table6"
    title = "Paper 000, Table VI"
    measure = "ARI"
    # All kernels with the same q share the values of triples of points.
    shared = ("q", "proximity")

    def cells(self, quick: bool) -> list[PaperCell]:
        figures = published(self.name)
        grids = {
            f"{learner}, {proximity}": proximity_grid(learner, proximity)
            for learner, proximities in PROXIMITIES.items()
            for proximity in proximities
        } | {
            f"{learner}, {kernel}": gene_grid(learner, name, quick)
            for learner in LEARNERS
            for kernel, name in KERNELS.items()
        }
        return [
            PaperCell(
                data,
                row,
                column,
                settings,
                None if quick else figures.get((row, column)),  # a mean over all sets
                best_run=not row.endswith("+"),
                confirmed=True,
            )
            for row, settings in grids.items()
            for column, sets in TYPES.items()
            for data in sets
            if not quick or data in QUICK
        ]

    def run(self, data: VectorSet, settings: Sequence[Setting], quick: bool) -> list[Trial]:
        runs = QUICK_RUNS if quick else RUNS
        if "proximity" in settings[0]:
            return [proximity_trial(data, setting, runs) for setting in settings]
        points = prepared(data)
        d = points.X.shape[1]
        chosen = [
            {name: value / d if name == "t" and setting.get(PER_COLUMN) else value for name, value in setting.items()}
            for setting in settings
        ]
        return run_clusterings(points.X, points.y, chosen, runs)


def gene_grid(learner: str, kernel: str, quick: bool) -> tuple[Setting, ...]:
    """Return the grid of paper 000, with t for the mean over columns beside t for their sum.

    Here k is a sum over thousands of columns: from t = 0.01 on, exp(t k) of one point is so large that the rest of the
    kernel matrix vanishes beside it.
    """
    grid = clustering_grid(learner, kernel, quick)
    if not kernel.endswith("+"):
        # The best of all runs is the best of all starts, however many of them make a run.
        grid = tuple(setting for setting in grid if "starts" not in setting)
    if "t" not in grid[0]:
        return grid
    return (*grid, *(setting | {PER_COLUMN: True} for setting in grid))
