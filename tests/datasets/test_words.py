import math

import numpy as np
import pytest

from segjt.datasets.porter import measure, stem
from segjt.datasets.words import inverse_document_frequency, to_simplex, tokens, vocabulary, word_counts

# The examples of Porter's paper, followed through all steps of the algorithm.
STEMS = {
    "caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agre",
    "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing", "conflated": "conflat",
    "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan", "falling": "fall", "hissing": "hiss",
    "fizzed": "fizz", "failing": "fail", "filing": "file", "happy": "happi", "sky": "sky", "relational": "relat",
    "conditional": "condit", "rational": "ration", "valenci": "valenc", "digitizer": "digit", "operator": "oper",
    "feudalism": "feudal", "decisiveness": "decis", "hopefulness": "hope", "sensibiliti": "sensibl",
    "triplicate": "triplic", "formative": "form", "electrical": "electr", "goodness": "good", "revival": "reviv",
    "adjustable": "adjust", "replacement": "replac", "adoption": "adopt", "communism": "commun", "probate": "probat",
    "rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll", "is": "is", "generalizations": "gener",
    "oscillators": "oscil", "monday": "mondai", "syzygy": "syzygi",
}  # fmt: skip


@pytest.mark.parametrize(("word", "expected"), STEMS.items())
def test_stems(word, expected):
    assert stem(word) == expected


def test_measures_of_porters_paper():
    words = {0: ["tr", "ee", "tree", "y", "by"], 1: ["trouble", "oats", "trees", "ivy"], 2: ["troubles", "private"]}
    assert all(measure(word) == m for m, members in words.items() for word in members)


def test_tokens():
    assert tokens("The board's 2-for-1 SPLIT: shares of <ABC.O>, shared!") == [
        "board",
        "split",
        "share",
        "abc",
        "share",
    ]
    assert tokens("the mondai schedules x", stemmed=True) == ["the", "mondai", "schedules"]


def test_counts_and_probability_vectors():
    documents = [["b", "a", "b"], ["a", "c"], [], ["a", "unknown"]]
    columns = vocabulary(documents[:2])
    assert columns == {"a": 0, "b": 1, "c": 2}
    counts = word_counts(documents, columns)
    assert counts.toarray().tolist() == [[1, 2, 0], [1, 0, 1], [0, 0, 0], [1, 0, 0]]
    tf = to_simplex(counts).toarray()
    assert counts.sum() == 6  # as before
    assert np.allclose(tf, [[1 / 3, 2 / 3, 0], [1 / 2, 0, 1 / 2], [0, 0, 0], [1, 0, 0]])
    idf = inverse_document_frequency(counts)
    assert np.allclose(idf, [math.log(4 / 3), math.log(4), math.log(4)])
    weighted = [math.log(4 / 3), 2 * math.log(4)]
    assert np.allclose(to_simplex(counts, idf).toarray()[0], [*(np.array(weighted) / sum(weighted)), 0])
    everywhere = word_counts([["a", "b"], ["a"]], {"a": 0, "b": 1})
    assert to_simplex(everywhere, inverse_document_frequency(everywhere)).toarray().tolist() == [[0, 1], [0, 0]]
