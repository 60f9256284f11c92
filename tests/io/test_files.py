"""Files are written all together or not at all, and never replace what is to be kept."""

import errno

import pytest

from segjt.io import intended_name, write_files
from segjt.io.files import temporary_name


def test_write_files_is_all_or_nothing(tmp_path):
    files = {tmp_path / "a": b"1", tmp_path / "missing" / "b": b"2"}
    with pytest.raises(FileNotFoundError):
        write_files(files)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["photo_labels.png", ".hidden", "two\nlines.png", "a.1.part"])
def test_temporary_names_tell_what_they_are_meant_for(tmp_path, name):
    temporary = temporary_name(tmp_path / name)
    assert temporary.parent == tmp_path
    assert intended_name(temporary.name) == name
    assert intended_name(name) is None


def test_write_files_keeps_what_exists(tmp_path):
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(FileExistsError, match="--overwrite"):
        write_files({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("b", b"old")]
    write_files({tmp_path / "a": b"1", tmp_path / "b": b"2"}, overwrite=True)
    assert (tmp_path / "b").read_bytes() == b"2"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_files({tmp_path / "a": b"1"})
    assert list(tmp_path.iterdir()) == []


def test_write_files_does_not_replace_folders_or_dangling_links(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError, match=r"b: is a folder where a result should go"):
        write_files({tmp_path / "a": b"1", tmp_path / "b": b"2"}, overwrite=True)
    assert (tmp_path / "a").read_bytes() == b"old"
    (tmp_path / "c").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError, match="c: exists and is kept"):
        write_files({tmp_path / "c": b"1"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]
