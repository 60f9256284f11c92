"""Figure 3 of paper 000: spectral clustering with the JT kernels of two and three points, over q."""

from __future__ import annotations

from segjt.evaluation.learning.experiment import Cell
from segjt.evaluation.learning.paper000 import KERNELS, SPECTRAL, clustering_grid
from segjt.evaluation.learning.paper000_table3 import SETS, Table3


class Figure3(Table3):
    """One point a q; the paper draws bars without numbers."""

    name = "000-figure3"
    title = "Paper 000, Figure 3"

    def cells(self, quick: bool) -> list[Cell]:
        cells = []
        for column, data in SETS.items():
            for kernel in ("JT2", "JT3"):
                grid = clustering_grid(SPECTRAL, KERNELS[kernel], quick)
                for q in dict.fromkeys(setting["q"] for setting in grid):
                    settings = tuple(setting for setting in grid if setting["q"] == q)
                    cells.append(Cell(data, f"{column}, {kernel}", f"q = {q:g}", settings))
        return [cell for cell in cells if not quick or cell.data in ("iris", "wine")]
