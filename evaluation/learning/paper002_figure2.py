"""Paper 002, Figure 2: NMI of k-means on kernel PCA with normalised linear and polynomial kernels.

The figure has bars without numbers, so there is nothing to compare figures with; `paper002_claims` compares what the
paper says about them in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from segjt.datasets.vectors import VectorSet
from segjt.evaluation.learning.experiment import Experiment, PaperCell, Setting, Trial
from segjt.evaluation.learning.scalings import scaled_set
from segjt.evaluation.learning.trials import embedding_trial
from segjt.evaluation.scores import normalized_mutual_information
from segjt.kernels.base import Kernel
from segjt.kernels.registry import make_kernel
from segjt.learn.kernel_pca import top_components

SETS = {
    "Iris": "iris",
    "Ecoli": "ecoli",
    "Pima Indian Diabetes": "diabetes_pima",
    "Yeast": "yeast",
    "Image Segmentation": "segment",
}
BASELINE = "self-tuning Gaussian"
BASES: dict[str, Setting] = {"linear": {}, "polynomial": {"degree": 2, "c": 1.0}}
ORDERS = (0, 1, 10, "inf")
QUICK_SETS = ("Iris", "Ecoli")
# The paper runs k-means five times. With a single start a run depends on its seed; the best of ten does not.
RUNS, STARTS = 5, 10


class Paper002Figure2(Experiment[VectorSet]):
    """Mean NMI of five runs for each kernel and order, and the best order of each kernel."""

    name = "002-figure2"
    title = "Paper 002, Figure 2"
    measure = "NMI"
    shared = ("kernel", "order")

    def cells(self, quick: bool) -> list[PaperCell]:
        columns: dict[str, tuple[Setting, ...]] = {BASELINE: ({"kernel": "self_tuning"},)}
        for base in BASES:
            settings = tuple({"kernel": base, "order": order} for order in ORDERS)
            columns |= {column_of(base, order): (setting,) for order, setting in zip(ORDERS, settings, strict=True)}
            columns[f"{base}, best order"] = settings
        return [
            PaperCell(data, row, column, settings)
            for row, data in SETS.items()
            if row in QUICK_SETS or not quick
            for column, settings in columns.items()
        ]

    def run(self, data: VectorSet, settings: Sequence[Setting], quick: bool) -> list[Trial]:
        points = scaled_set(data, "standard")
        trials = []
        for setting in settings:
            # As printed: the eigenvectors of the matrix itself, not centred.
            values, vectors = top_components(kernel_of(setting)(points.X), points.n_classes - 1)
            rows = vectors * np.sqrt(values)
            trials.append(embedding_trial(rows, points.y, normalized_mutual_information, RUNS, STARTS))
        return trials


def column_of(base: str, order: Any) -> str:
    """Return the name of a column."""
    return f"{base}, order {order}"


def kernel_of(setting: Setting) -> Kernel:
    """Return the kernel of a setting: the baseline, or the base kernel normalised to its order."""
    if "order" not in setting:
        return make_kernel(setting["kernel"])
    base = setting["kernel"]
    return make_kernel("normalized", kernel=base, order=setting["order"], **BASES[base])
