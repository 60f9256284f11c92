"""Figure 3 of paper 000: spectral clustering with the JT kernels of two and three points, over q."""

from __future__ import annotations

from segjt.evaluation.learning.experiment import PaperCell
from segjt.evaluation.learning.paper000 import KERNELS, SPECTRAL, clustering_grid
from segjt.evaluation.learning.paper000_table3 import SETS, Paper000Table3

EIGENVECTORS = ("k eigenvectors", "k + 1 eigenvectors")


class Paper000Figure3(Paper000Table3):
    """One point per q, one line per number of eigenvectors; the paper draws bars without numbers."""

    name = "000-figure3"
    title = "Paper 000, Figure 3"

    def cells(self, quick: bool) -> list[PaperCell]:
        cells = []
        for column, data in SETS.items():
            for kernel in ("JT2", "JT3"):
                for setting in clustering_grid(SPECTRAL, KERNELS[kernel], quick):
                    row = f"{column}, {kernel}, {EIGENVECTORS[setting['extra_vectors']]}"
                    cells.append(PaperCell(data, row, f"q = {setting['q']:g}", (setting,)))
        return [cell for cell in cells if not quick or cell.data in ("iris", "wine")]
