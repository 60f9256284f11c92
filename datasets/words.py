"""Documents as bags of words: tokens, a vocabulary, and probability vectors tf and tf-idf (paper 003, Section 6)."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from segjt.runtime.arrays import Floats, SparseRows

WORD = re.compile("[a-z]{2,}")


def tokens(text: str, stemmed: bool = False) -> list[str]:
    """Return the words of a text: runs of two letters or more, in lower case, no stop words, stemmed.

    Parameters
    ----------
    text : str
        A document.
    stemmed : bool
        Whether the text has stems already and no stop words; then its words are left as they are.

    Notes
    -----
    Numbers are not words. The stop words are those of scikit-learn, the stems those of Porter's algorithm in Snowball
    (M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980), which also stems words of two letters.
    """
    words = WORD.findall(text.lower())
    if stemmed:
        return words
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    stem = porter_stemmer()
    return [stem(word) for word in words if word not in ENGLISH_STOP_WORDS]


@functools.cache
def porter_stemmer() -> Callable[[str], str]:
    """Return a function that gives the stem of a word: connect for connected and connections."""
    try:
        from snowballstemmer import stemmer
    except ModuleNotFoundError:
        raise OSError(
            "stemming words needs snowballstemmer, which is not installed; pip install 'segjt[text]'"
        ) from None
    # Without a cache the words of a collection take five times as long.
    return functools.lru_cache(maxsize=100_000)(stemmer("porter").stemWord)


def vocabulary(documents: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return the column of each word in these documents, in alphabetical order."""
    return {word: column for column, word in enumerate(sorted({word for words in documents for word in words}))}


def word_counts(documents: Sequence[Sequence[str]], columns: dict[str, int]) -> SparseRows:
    """Return how often each word is in each document, sparse; words without a column are left out."""
    from scipy.sparse import csr_array

    counted = [Counter(columns[word] for word in words if word in columns) for words in documents]
    starts = np.cumsum([0, *(len(words) for words in counted)])
    places = np.array([column for words in counted for column in sorted(words)], dtype=np.int32)
    values = np.array([words[column] for words in counted for column in sorted(words)], dtype=np.float64)
    return csr_array((values, places, starts), shape=(len(documents), len(columns)))


def inverse_document_frequency(counts: SparseRows) -> Floats:
    """Return ln(N / n) of each word that is in n of N documents; 0 if it is in none or in all."""
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: Floats = np.log(counts.shape[0] / np.maximum(frequency, 1))
    return np.where(frequency > 0, idf, 0.0)


def to_simplex(counts: SparseRows, weights: Floats | None = None) -> SparseRows:
    """Return each row as a probability vector: tf, or tf-idf if words have weights (`inverse_document_frequency`).

    A row without words, or with only words of weight 0, stays 0.
    """
    from scipy.sparse import csr_array

    measures = csr_array(counts if weights is None else counts * weights[None, :], copy=True)
    measures.eliminate_zeros()
    sums = measures.sum(axis=1)
    measures.data /= np.repeat(sums, np.diff(measures.indptr))
    return measures
