import gzip

import numpy as np
import pytest

from segjt.datasets.texts import read_texts, text_files

GOOD = 'label,split,text\nearn,train,"Net profit, rose"\nacq,test,\nearn,test,"two\nlines"\n'


def write(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["news.csv", "news.csv.gz"])
def test_plain_or_gzipped(tmp_path, name):
    documents = read_texts(write(tmp_path / name, GOOD))
    assert documents.name == "news"
    assert documents.texts == ["Net profit, rose", "", "two\nlines"]
    assert documents.labels.tolist() == ["earn", "acq", "earn"]
    assert documents.split.tolist() == ["train", "test", "test"]


def test_a_text_longer_than_the_csv_module_likes(tmp_path):
    text = "word " * 50_000
    assert read_texts(write(tmp_path / "long.csv", f"label,split,text\na,train,{text}\n")).texts == [text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("text,label\nx,y\n", "line 1: the columns are 'text,label'; the first line must be label,split,text"),
        ("label,split,text\n", "has no documents"),
        (GOOD + "earn,train,a,b\n", "line 6: has 4 columns instead of 3"),
        (GOOD + ",train,a\n", "line 6, column label: is empty"),
        (GOOD + "earn,validation,a\n", "line 6, column split: is 'validation'; give train or test"),
        (GOOD + 'earn,train,"open\nand on\n', "line 6: is not CSV"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_column(tmp_path, text, message):
    path = write(tmp_path / "bad.csv", text)
    with pytest.raises(ValueError, match="bad") as error:
        read_texts(path)
    assert message in str(error.value)


def test_files_that_are_no_text(tmp_path):
    for name, content in {
        "cut.csv.gz": gzip.compress(GOOD.encode() * 99)[:60],
        "damaged.csv.gz": gzip.compress(b"x")[:12] + b"\xff" * 40,
        "plain.csv.gz": GOOD.encode(),
        "latin.csv": GOOD.replace("rose", "café").encode("latin-1"),
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=name):
            read_texts(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="none"):
        read_texts(tmp_path / "none.csv")


def test_files_by_name(tmp_path, monkeypatch):
    (tmp_path / "text").mkdir()
    for name in ("b.csv.gz", "A.csv", "readme.txt"):
        write(tmp_path / "text" / name, GOOD)
    assert list(text_files(tmp_path)) == ["A", "b"]
    assert text_files(tmp_path / "text") == text_files(tmp_path)
    monkeypatch.setenv("SEGJT_DATA", str(tmp_path))
    assert text_files() == text_files(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"empty: holds no documents.*label,split,text"):
        text_files(tmp_path / "empty")


def test_the_papers_collections(data_folder):
    files = text_files(data_folder)
    pages = read_texts(files["webkb_student_faculty"])
    assert len(pages.texts) == len(pages.labels) == 2765
    for label, split, documents in (("student", "train", 1097), ("student", "test", 544), ("faculty", "test", 374)):
        assert ((pages.labels == label) & (pages.split == split)).sum() == documents
    assert np.unique(read_texts(files["reuters_earn_acq"]).labels).tolist() == ["acq", "earn"]
