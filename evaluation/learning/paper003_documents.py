"""The documents of paper 003's experiments: as measures, the draw of a run, and the SVM of one run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segjt.datasets.texts import TextSet
from segjt.datasets.words import inverse_document_frequency, to_simplex, tokens, vocabulary, word_counts
from segjt.runtime.arrays import Floats, Indices, Mask, SparseRows

REPRESENTATIONS = ("tf", "tf-idf")
# Documents of each class in a run (caption of Figure 1).
TRAINING, TESTING = 200, 250
FOLDS = 5
# In units of 1 / mean k(x, x) of the training documents, since the scale of k_q changes with q; the default of
# SVM-light, which the paper used, is 1. From 100 on no training document is misclassified.
COSTS = (0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
# The paper's weights of a document of n words.
WEIGHTS: dict[str, Callable[[Floats], Floats]] = {
    "uniform": np.ones_like,
    "word counts": lambda n: n,
    "square root": np.sqrt,
    "1 + logarithm": lambda n: 1 + np.log(n),
}


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents with at least one word, as counts of words."""

    counts: SparseRows
    labels: NDArray[np.str_]
    training: Mask


@dataclass(frozen=True)
class Draw:
    """The documents of one run: training documents first, then test documents."""

    places: Indices
    y_train: NDArray[np.str_]
    y_test: NDArray[np.str_]
    folds: list[tuple[Indices, Indices]]


@functools.lru_cache(maxsize=1)
def bags_of_words(data: TextSet) -> Documents:
    """Return the documents over the words of the training part of the collection.

    WebKB comes stemmed. Documents without any of the words have no distribution and are left out: 24 of WebKB's 2765,
    none of Reuters'.
    """
    words = [tokens(text, stemmed=data.name.startswith("webkb")) for text in data.texts]
    training = data.split == "train"
    columns = vocabulary(document for document, used in zip(words, training, strict=True) if used)
    counts = word_counts(words, columns)
    kept = np.flatnonzero(counts.sum(axis=1) > 0)
    return Documents(counts[kept], data.labels[kept], training[kept])


def draw_documents(documents: Documents, run: int) -> Draw:
    """Draw 200 training and 250 test documents of each class from the two parts of the collection."""
    from sklearn.model_selection import StratifiedKFold

    rng = np.random.default_rng(run)
    drawn: list[list[Indices]] = [[], []]
    for label in np.unique(documents.labels):
        for part, training, size in ((0, True, TRAINING), (1, False, TESTING)):
            members = np.flatnonzero((documents.labels == label) & (documents.training == training))
            if len(members) < size:
                raise ValueError(
                    f"the {'training' if training else 'test'} part has {len(members)} documents with words of the "
                    f"class {label}, and the experiment draws {size}; use the whole collection"
                )
            drawn[part].append(rng.permutation(members)[:size])
    train, test = (np.concatenate(part) for part in drawn)
    y_train = documents.labels[train]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=run).split(train, y_train)
    return Draw(np.concatenate([train, test]), y_train, documents.labels[test], list(folds))


def measures(counts: SparseRows, training: int, representation: str, weights: str = "uniform") -> SparseRows:
    """Return the documents of a run as measures: probability vectors tf or tf-idf, times their weights.

    The inverse document frequencies are those of the training documents, which come first. A test document with none of
    their words has no tf-idf and stays 0.
    """
    from scipy.sparse import diags_array

    idf = None if representation == "tf" else inverse_document_frequency(counts[:training])
    return (diags_array(WEIGHTS[weights](counts.sum(axis=1))) @ to_simplex(counts, idf)).tocsr()


def svm_accuracy(gram: Floats, run: Draw, costs: Sequence[float] = COSTS) -> tuple[float, float]:
    """Return the accuracy on the test documents, and in the cross-validation that chose C (the smallest of the best).

    Parameters
    ----------
    gram : (training + test, training) array
        The kernel of all documents of the run with the training documents.
    run : Draw
        Their classes and the folds.
    costs : sequence of float
        Values of C to choose from, in units of 1 / mean k(x, x).
    """
    from sklearn.svm import SVC

    size = len(run.y_train)
    gram = gram / np.mean(np.diag(gram[:size]))

    def hits(cost: float, seen: Indices, y_seen: NDArray[np.str_], unseen: Indices, y_unseen: NDArray[np.str_]) -> int:
        machine = SVC(kernel="precomputed", C=cost).fit(gram[np.ix_(seen, seen)], y_seen)
        return int(np.sum(machine.predict(gram[np.ix_(unseen, seen)]) == y_unseen))

    y = run.y_train
    validated = [sum(hits(cost, a, y[a], b, y[b]) for a, b in run.folds) for cost in costs]
    best = int(np.argmax(validated))
    right = hits(costs[best], np.arange(size), y, np.arange(size, len(gram)), run.y_test)
    return right / len(run.y_test), validated[best] / size
