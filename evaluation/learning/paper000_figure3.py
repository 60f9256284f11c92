"""Figure 3 of paper 000: spectral clustering with the JT kernels of two and three points, over q."""

from __future__ import annotations

from segjt.evaluation.learning.clustering import PLUS_PLUS
from segjt.evaluation.learning.experiment import PaperCell
from segjt.evaluation.learning.paper000 import KERNELS, SPECTRAL, clustering_grid
from segjt.evaluation.learning.paper000_table3 import SETS, Paper000Table3
from segjt.evaluation.learning.spectra import EIGENVECTORS


class Paper000Figure3(Paper000Table3):
    """One point per q, one line per choice of eigenvectors; the paper draws bars without numbers."""

    name = "000-figure3"
    title = "Paper 000, Figure 3"

    def cells(self, quick: bool) -> list[PaperCell]:
        settings = {kernel: clustering_grid(SPECTRAL, KERNELS[kernel], quick) for kernel in ("JT2", "JT3")}
        return [
            PaperCell(data, f"{column}, {kernel}, eigenvectors {which}", f"q = {setting['q']:g}", (setting,))
            for column, data in SETS.items()
            if not quick or data in ("iris", "wine")
            for kernel in settings
            for which in EIGENVECTORS
            for setting in settings[kernel]
            if setting["eigenvectors"] == which and setting["start"] == PLUS_PLUS
        ]
