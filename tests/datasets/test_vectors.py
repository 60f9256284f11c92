"""Tables of vectors: what is read, what is refused and where, and the rules for missing values and scaling."""

import gzip

import numpy as np
import pytest

from segjt.datasets.vectors import (
    complete_rows,
    genes,
    prepared,
    read_vectors,
    uci,
    unit_range,
    without_constants,
)

TABLE = "a,b,c,target\n1,2,7,x\n3,,7,y\n\n5,6,7,x\n"


@pytest.fixture
def table(tmp_path):
    def write(text, name="points.csv"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


def test_a_table_is_read(table):
    points = read_vectors(table(TABLE))
    np.testing.assert_array_equal(points.X, [[1, 2, 7], [3, np.nan, 7], [5, 6, 7]])
    assert points.y.tolist() == [0, 1, 0]
    assert (points.name, points.columns, points.n_classes) == ("points", ("a", "b", "c"), 2)


def test_a_packed_table_is_the_same(table):
    plain, packed = read_vectors(table(TABLE)), read_vectors(table(TABLE, "points.csv.gz"))
    np.testing.assert_array_equal(plain.X, packed.X)
    assert plain.name == packed.name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,target\n1,x\ntwo,y\n", r"line 3, column 'a': 'two' is not a number"),
        ("a,target\n1,x\ninf,y\n", r"line 3, column 'a': 'inf' is not a number"),
        ("a,b,target\n1,2,x\n1,x\n", r"line 3: has 2 fields, and line 1 has 3"),
        ("a,target\n1,\n", r"line 2, column 'target': is empty"),
        ("a,b\n1,2\n", r"line 1: the columns are a, b; .* 'target'"),
        ("a,target\n", r"has no points"),
        ("a,target\n1_000,x\n", r"line 2, column 'a': '1_000' is not a number"),
        ("a,a,target\n1,2,x\n", r"line 1: the column 'a' is there twice"),
        ('a,target\n1,x\n2,"y\n3,x\n', r"line 3: is not CSV .*; check its quotes"),
        ('a,target\n1,"x"y\n', r"line 2: is not CSV .*; check its quotes"),
        (f"a,target\n{'x' * 200_000},x\n", r"line 2, column 'a': 'x{40}\.\.\.' is not a number"),
        ('a,target\n1,"x\n\nz"\ntwo,x\n', r"line 5, column 'a': 'two' is not a number"),
        ("\n", r"line 1: the columns are missing"),
        ("", r"the file is empty \(0 bytes\)"),
    ],
)
def test_what_is_wrong_is_named_by_file_line_and_column(table, text, message):
    with pytest.raises(ValueError, match=f"points.csv.*{message}"):
        read_vectors(table(text))


def test_a_damaged_archive_is_named(tmp_path):
    path = tmp_path / "broken.csv.gz"
    path.write_bytes(b"not gzip")
    with pytest.raises(ValueError, match=r"broken\.csv\.gz: cannot be read as CSV"):
        read_vectors(path)


def test_rules(table):
    points = read_vectors(table(TABLE))
    assert complete_rows(points).X.tolist() == [[1, 2, 7], [5, 6, 7]]
    assert complete_rows(points).y.tolist() == [0, 0]
    assert without_constants(complete_rows(points)).columns == ("a", "b")
    np.testing.assert_allclose(unit_range(np.array([[1, 2], [2, 4], [5, 4.0]])), [[0, 0], [0.25, 1], [1, 1]])
    assert prepared(points).X.tolist() == [[0, 0], [1, 1]]


def test_nothing_left_is_an_error(table):
    with pytest.raises(ValueError, match="every point has a missing value"):
        complete_rows(read_vectors(table("a,b,target\n,1,x\n1,,y\n")))
    with pytest.raises(ValueError, match="every column is constant"):
        without_constants(read_vectors(table("a,target\n1,x\n1,y\n")))


def test_files_are_found_in_the_folder_or_below_it(tmp_path, monkeypatch):
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "iris.csv").write_text(TABLE)
    (tmp_path / "uci" / "notes.txt").write_text("")
    assert list(uci(tmp_path)) == list(uci(tmp_path / "uci")) == ["iris"]
    monkeypatch.setenv("SEGJT_DATA", str(tmp_path))
    assert list(uci()) == ["iris"]
    with pytest.raises(FileNotFoundError, match="has no CSV files"):
        genes(tmp_path)


def test_every_table_of_the_real_data_is_read(data_folder):
    shapes = {name: read_vectors(path).X.shape for name, path in uci(data_folder).items()}
    assert shapes["iris"] == (150, 4)
    assert shapes["german_numeric"] == (1000, 24)
    assert len(genes(data_folder)) == 35
    assert read_vectors(genes(data_folder)["chen-2002"]).X.shape == (179, 85)
