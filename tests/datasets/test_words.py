import math
import sys

import numpy as np
import pytest
from reference import porter

from segjt.datasets import words
from segjt.datasets.texts import read_texts, text_files
from segjt.datasets.words import inverse_document_frequency, porter_stemmer, to_simplex, tokens, vocabulary, word_counts
from segjt.evaluation.learning.registry import data_source

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
    "rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll", "generalizations": "gener",
    "oscillators": "oscil", "monday": "mondai", "syzygy": "syzygi",
}  # fmt: skip


@pytest.mark.parametrize(("word", "expected"), STEMS.items())
def test_stems(word, expected):
    assert porter_stemmer()(word) == porter.stem(word) == expected


def test_stems_of_the_collections_are_those_of_the_paper(data_folder):
    """But for words of two letters, which the library stems too, and one misspelt word of 24247.

    Step 1b of the paper reduces every double consonant but l, s and z, that of the library nine of them, not cc.
    """
    vocabulary_words = {
        word for path in text_files(data_folder).values() for text in read_texts(path).texts for word in every(text)
    }
    assert len(vocabulary_words) > 24000
    stem = porter_stemmer()
    other = {
        word: (stem(word), porter.stem(word))
        for word in vocabulary_words
        if len(word) > 2 and stem(word) != porter.stem(word)
    }
    assert other == {"succed": ("succ", "suc")}


def every(text):
    return words.WORD.findall(text.lower())


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    porter_stemmer.cache_clear()
    assert tokens("left as they are", stemmed=True) == ["left", "as", "they", "are"]
    with pytest.raises(OSError, match=r"needs snowballstemmer.*pip install 'segjt\[text\]'"):
        tokens("connected")
    with pytest.raises(OSError, match="needs snowballstemmer"):
        data_source("text")  # before anything runs


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
