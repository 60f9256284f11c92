"""Paper 003, Figures 1 and 2: SVMs that tell texts apart, with Tsallis kernels over q and two baselines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from segjt.datasets.texts import TextSet
from segjt.evaluation.learning.experiment import Experiment, PaperCell, Setting, Trial
from segjt.evaluation.learning.paper003_documents import (
    REPRESENTATIONS,
    TRAINING,
    WEIGHTS,
    bags_of_words,
    draw_documents,
    measures,
    svm_accuracy,
)
from segjt.kernels.sparse import sparse_heat, sparse_jt
from segjt.runtime.arrays import Floats, SparseRows

RUNS, QUICK_RUNS = 30, 2
ORDERS = tuple(i / 10 for i in range(21))
COARSE_ORDERS = (0.0, 0.5, 1.0, 1.5, 2.0)
TAUS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
# Instead of a value of q or tau: the one that is best in the cross-validation on the training documents of each run.
TUNED = "tuned"
BEST = "Tsallis, best q"
TSALLIS = "Tsallis, q tuned"


class TextExperiment(Experiment[TextSet]):
    """Base of the experiments on texts: runs of an SVM with C tuned by cross-validation."""

    measure = "accuracy"

    def orders(self, quick: bool) -> tuple[float, ...]:
        """Return the values of q."""
        return COARSE_ORDERS if quick else ORDERS

    def runs(self, quick: bool) -> int:
        """Return the number of runs."""
        return QUICK_RUNS if quick else RUNS

    def run(self, data: TextSet, settings: Sequence[Setting], quick: bool) -> list[Trial]:
        documents = bags_of_words(data)
        outcomes: dict[tuple[str, float | None], list[tuple[float, float]]] = {}
        kernels = list(dict.fromkeys(setting["kernel"] for setting in settings))
        representation = {name: settings[0][name] for name in ("representation", "weights") if name in settings[0]}
        for number in range(self.runs(quick)):
            drawn = draw_documents(documents, number)
            rows = measures(documents.counts[drawn.places], 2 * TRAINING, **representation)
            for name, gram in grams(kernels, rows, 2 * TRAINING, self.orders(quick)):
                outcomes.setdefault(name, []).append(svm_accuracy(gram, drawn))
        return [trial_of_setting(setting, outcomes) for setting in settings]


def grams(
    kernels: Sequence[str], rows: SparseRows, training: int, orders: Sequence[float]
) -> Iterator[tuple[tuple[str, float | None], Floats]]:
    """Yield the kernels of all documents of a run with the training documents, for each value of their parameter."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import norm

    if "linear" in kernels:
        length = norm(rows, axis=1)
        unit = (diags_array(1 / np.where(length > 0, length, 1.0)) @ rows).tocsr()
        yield ("linear", None), (unit @ unit[:training].T).toarray()
    elif "heat" in kernels:
        for tau, gram in zip(TAUS, sparse_heat(rows, rows[:training], TAUS), strict=True):
            yield ("heat", tau), gram
    else:
        mass = rows.sum(axis=1)
        for q, gram in zip(orders, sparse_jt(rows, rows[:training], orders), strict=True):
            yield ("weighted_jt", q), gram
            if "weighted_jt_normalized" in kernels:
                yield ("weighted_jt_normalized", q), gram / (mass[:, None] + mass[None, :training]) ** q


def trial_of_setting(setting: Setting, outcomes: dict[tuple[str, float | None], list[tuple[float, float]]]) -> Trial:
    """Return the trial of a setting; its criterion is the accuracy in the cross-validation."""
    value = setting.get("q", setting.get("tau"))
    if value != TUNED:
        scores, validated = zip(*outcomes[setting["kernel"], value], strict=True)
        return Trial(list(scores), float(np.mean(validated)))
    family: Floats = np.array([of_value for (kernel, _), of_value in outcomes.items() if kernel == setting["kernel"]])
    chosen = family[:, :, 1].argmax(0)
    picked = family[chosen, np.arange(family.shape[1])]
    return Trial(picked[:, 0].tolist(), float(picked[:, 1].mean()))


class TextFigure(TextExperiment):
    """One task: rows tf and tf-idf; columns the baselines, the Tsallis kernel with q tuned, and with each q."""

    data: ClassVar[str]
    shared = ("representation", "kernel")

    def cells(self, quick: bool) -> list[PaperCell]:
        return [cell for representation in REPRESENTATIONS for cell in self.row(representation, quick)]

    def row(self, representation: str, quick: bool) -> Iterator[PaperCell]:
        """Yield the cells of a panel of the figure."""

        def cell(column: str, kernel: str, *parameters: Setting) -> PaperCell:
            settings = [{"representation": representation, "kernel": kernel} | values for values in parameters]
            return PaperCell(self.data, representation, column, tuple(settings))

        yield cell("linear", "linear", {})
        yield cell("heat", "heat", {"tau": TUNED})
        yield cell(TSALLIS, "weighted_jt", {"q": TUNED})
        yield cell(BEST, "weighted_jt", *({"q": q} for q in self.orders(quick)))
        for q in self.orders(quick):
            yield cell(f"q = {q:g}", "weighted_jt", {"q": q})


class Paper003Figure1(TextFigure):
    """Reuters-21578, the categories earn and acq."""

    name = "003-figure1"
    title = "Paper 003, Figure 1: earn-vs-acq"
    data = "reuters_earn_acq"


class Paper003Figure2(TextFigure):
    """WebKB, pages of students and of faculty."""

    name = "003-figure2"
    title = "Paper 003, Figure 2: stud-vs-fac"
    data = "webkb_student_faculty"


class DocumentWeights(TextExperiment):
    """The four ways to weight documents, for both kernels of Definition 3; the paper gives the result in words."""

    name = "003-weights"
    title = "Paper 003, Section 6: weights of documents"
    shared = ("representation", "weights")
    kernels: ClassVar = {"weighted_jt": "k~", "weighted_jt_normalized": "k"}

    def orders(self, quick: bool) -> tuple[float, ...]:
        return COARSE_ORDERS

    def runs(self, quick: bool) -> int:
        return QUICK_RUNS if quick else RUNS // 3

    def cells(self, quick: bool) -> list[PaperCell]:
        def grid(**parameters: str) -> tuple[Setting, ...]:
            return tuple(parameters | {"q": q} for q in self.orders(quick))

        return [
            PaperCell(
                figure.data,
                f"{figure.title.split(': ')[1]}, {representation}, {symbol}",
                weights,
                grid(representation=representation, kernel=kernel, weights=weights),
            )
            for figure in ((Paper003Figure2,) if quick else (Paper003Figure1, Paper003Figure2))
            for representation in REPRESENTATIONS
            for kernel, symbol in self.kernels.items()
            for weights in WEIGHTS
        ]
