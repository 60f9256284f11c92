"""Table VI of paper 000: kernel k-means and spectral clustering of 35 gene-expression sets, adjusted Rand index."""

from __future__ import annotations

from collections.abc import Sequence

from segjt.datasets.vectors import VectorSet, prepared
from segjt.evaluation.learning.experiment import Cell, Experiment, Setting, Trial, published
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
RUNS, QUICK_RUNS = 30, 4


class Table6(Experiment[VectorSet]):
    """Mean over the sets of a type; the best of 30 runs, but for the sampled kernels their mean (Section VI-B)."""

    name = "000-table6"
    title = "Paper 000, Table VI"
    measure = "ARI"
    # All kernels with the same q share the values of triples of points.
    shared = ("q",)

    def cells(self, quick: bool) -> list[Cell]:
        figures = published(self.name)
        return [
            Cell(
                data,
                f"{learner}, {kernel}",
                column,
                clustering_grid(learner, KERNELS[kernel], quick),
                None if quick else figures.get((f"{learner}, {kernel}", column)),  # a mean over all sets
                best_run=not kernel.endswith("+"),
            )
            for learner in LEARNERS
            for kernel in KERNELS
            for column, sets in TYPES.items()
            for data in sets
            if not quick or data in QUICK
        ]

    def run(self, data: VectorSet, settings: Sequence[Setting], quick: bool) -> list[Trial]:
        points = prepared(data)
        return run_clusterings(points.X, points.y, settings, QUICK_RUNS if quick else RUNS)
