"""Merge trees survive a file, and a file that is not a merge tree is named."""

import contextlib

import numpy as np
import pytest

import segjt
from segjt.io import load_tree, save_tree
from segjt.trees.merge_tree import MergeTree


@pytest.fixture(scope="module")
def tree(photograph):
    return segjt.hierarchy(photograph)


def small_tree():
    """Five segments in a row; merges (1 2), (4 5), (3 with 4 5), all."""
    initial = np.array([[1, 2, 3, 4, 5]], np.int32)
    return MergeTree(initial, np.array([[0, 1], [3, 4], [2, 6], [5, 7]]), np.array([-9.0, -7.0, -5.0, -1.0]), 2)


def test_saved_and_loaded(tree, tmp_path):
    save_tree(tree, tmp_path / "tree.npz")
    again = load_tree(tmp_path / "tree.npz")
    for name in ("initial", "merges", "heights"):
        assert (getattr(again, name) == getattr(tree, name)).all()
    assert (again.n_auto, len(again)) == (tree.n_auto, len(tree))
    assert (again.cut(7) == tree.cut(7)).all()
    with pytest.raises(FileExistsError, match=r"tree.npz: exists and is kept"):
        save_tree(tree, tmp_path / "tree.npz")
    save_tree(small_tree(), tmp_path / "tree.npz", overwrite=True)
    assert len(load_tree(tmp_path / "tree.npz")) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["tree.npz"]


def test_a_tree_saves_and_loads_itself(tmp_path):
    small_tree().save(tmp_path / "tree.npz")
    assert (segjt.MergeTree.load(tmp_path / "tree.npz").merges == small_tree().merges).all()
    with pytest.raises(FileExistsError, match=r"tree.npz: exists and is kept"):
        small_tree().save(tmp_path / "tree.npz")
    small_tree().save(tmp_path / "tree.npz", overwrite=True)


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("ends", lambda ends: ends[:, ::-1], "edges that are not between the segments"),
        ("ends", lambda ends: ends + 10**6, "edges that are not between the segments"),
        ("colours", lambda colours: colours[1:], "colours has shape"),
        ("strips", lambda strips: strips.astype(float), "strips has shape"),
        ("units", lambda units: units * np.nan, "units has shape"),
        ("roots", lambda roots: None, "evidence_roots"),
    ],
)
def test_evidence_that_does_not_fit(tree, tmp_path, part, change, message):
    path = tmp_path / "tree.npz"
    save_tree(tree, path)
    with np.load(path) as stored:
        fields = dict(stored)
    fields[f"evidence_{part}"] = change(fields[f"evidence_{part}"])
    np.savez(path, **{name: value for name, value in fields.items() if value is not None})
    with pytest.raises(ValueError, match=message):
        load_tree(path)


def spoil(path, **changes):
    save_tree(small_tree(), path)
    with np.load(path) as stored:
        fields = dict(stored)
    np.savez(path, **{name: value for name, value in (fields | changes).items() if value is not None})


@pytest.mark.parametrize(
    "changes",
    [
        {"format": np.array("another")},
        {"format": None},
        {"heights": None},
        {"heights": np.zeros(3)},
        {"merges": np.zeros((4, 2), int)},
        {"merges": np.array([[0, 1], [3, 4], [2, 6], [5, 8]])},
        {"merges": np.array([[0, 1], [3, 4], [2, 6], [-1, 7]])},
        {"initial": np.zeros((1, 5))},
        {"initial": np.array([[1, 2, 3]], np.int32)},
        {"initial": np.array([[1, 2, 3, 5, 5]], np.int32)},
        {"merges": np.array([[0, 1], [3, 4], [2, 6], [5, 7.0]])},
        {"heights": np.array([-9, -5, -7, -1.0])},
        {"heights": np.array([-9, -7, -5, np.nan])},
        {"heights": np.array(["a", "b", "c", "d"])},
        {"n_auto": np.array(0)},
        {"n_auto": np.array(6)},
        {"n_auto": np.array([1, 2])},
    ],
)
def test_a_file_that_is_not_a_tree_is_named(tmp_path, changes):
    spoil(tmp_path / "tree.npz", **changes)
    with pytest.raises(ValueError, match=r"tree\.npz: is not a merge tree .*; give a file that MergeTree\.save wrote"):
        load_tree(tmp_path / "tree.npz")


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK\x03\x04 damaged"])
def test_a_file_of_another_kind_is_named(tmp_path, data):
    (tmp_path / "tree.npz").write_bytes(data)
    with pytest.raises(ValueError, match="is not a merge tree"):
        load_tree(tmp_path / "tree.npz")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_tree(tmp_path / "tree.npz")


def test_a_tree_of_a_damaged_file_is_named(tmp_path, tree):
    save_tree(tree, tmp_path / "tree.npz")
    data = (tmp_path / "tree.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match=r"half\.npz: is not a merge tree"):
        load_tree(tmp_path / "half.npz")


def test_a_flipped_byte_is_an_error_that_names_the_file(tmp_path, tree):
    save_tree(tree, tmp_path / "tree.npz")
    data = bytearray((tmp_path / "tree.npz").read_bytes())
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(data), 60).tolist():
        (tmp_path / "flipped.npz").write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        # Bytes that no reader looks at, such as the time of a member, may differ.
        with contextlib.suppress(ValueError):
            assert (load_tree(tmp_path / "flipped.npz").cut(5) == tree.cut(5)).all()
