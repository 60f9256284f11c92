import json
import sqlite3
import subprocess
import sys

import pytest

from segjt.evaluation import store as stores
from segjt.evaluation.store import Store
from segjt.evaluation.unit_of_work import Unit, UnitResult

JT2 = Unit("segjt", {"kernel": "jt2"}, ({"n_segments": [2, 3]},))
OTSU = Unit("otsu", {}, ({"classes": [2]},))
RESULT = UnitResult([[0.5, 1.0], [0.25, 0.75]], [0.1, 0.2], 0.4)


def test_what_is_added_is_found_again_and_nothing_else(tmp_path):
    with Store(tmp_path / "new" / "store.sqlite") as store:
        assert store.get("weizmann", "image", JT2) is None
        store.add("weizmann", "image", JT2, RESULT)
        assert store.get("weizmann", "image", JT2) == RESULT
        for benchmark, image, unit in (("bsds", "image", JT2), ("weizmann", "other", JT2), ("weizmann", "image", OTSU)):
            assert store.get(benchmark, image, unit) is None
    with Store(tmp_path / "new" / "store.sqlite") as store:
        assert store.get("weizmann", "image", JT2) == RESULT
        assert store.finished("weizmann", [JT2, OTSU]) == {("image", JT2.key())}
        assert store.totals("weizmann", JT2) == {"image": 0.4}


def test_a_unit_that_is_computed_twice_is_one(tmp_path):
    with Store(tmp_path / "store.sqlite") as one, Store(tmp_path / "store.sqlite") as other:
        one.add("weizmann", "image", JT2, RESULT)
        other.add("weizmann", "image", JT2, RESULT)
        assert one.get("weizmann", "image", JT2) == RESULT
        assert one.connection.execute("SELECT count(*) FROM units").fetchone() == (1,)


def test_other_code_does_not_reuse_results(tmp_path, monkeypatch):
    with Store(tmp_path / "store.sqlite") as store:
        store.add("weizmann", "image", JT2, RESULT)
        monkeypatch.setattr(stores, "code_version", lambda method: "0.1.0+other")
        assert store.get("weizmann", "image", JT2) is None
        assert store.finished("weizmann", [JT2]) == set()


def test_failures_are_kept_until_a_unit_succeeds(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        store.add_failure("weizmann", "image", JT2, "out of luck")
        store.add_failure("weizmann", "path.png", None, "not an image")
        assert store.failures("weizmann") == [("image", JT2.key(), "out of luck"), ("path.png", "", "not an image")]
        store.add("weizmann", "image", JT2, RESULT)
        store.forget_failure("weizmann", "path.png")
        assert store.failures("weizmann") == []


def test_many_processes_write_at_once(tmp_path):
    code = """
import sys
from pathlib import Path
from segjt.evaluation.store import Store
from segjt.evaluation.unit_of_work import Unit, UnitResult
with Store(Path(sys.argv[1])) as store:
    for k in range(60):
        store.add("weizmann", str(k % 40), Unit("otsu", {}, ({"classes": [2]},)), UnitResult([[k % 40]], [0.0], 1.0))
"""
    path = tmp_path / "store.sqlite"
    crew = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(4)]
    assert [process.wait() for process in crew] == [0] * 4
    with Store(path) as store:
        stored = [store.get("weizmann", str(k), OTSU) for k in range(40)]
        assert [result.scores for result in stored] == [[[k]] for k in range(40)]
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_file_that_is_not_a_store(tmp_path):
    path = tmp_path / "store.sqlite"
    path.write_bytes(b"a" * 5000)
    with pytest.raises(ValueError, match=r"store.sqlite: is not a store of segjt .*; name another file with --store"):
        Store(path)
    with pytest.raises(OSError, match=r"cannot be used .*; name another file with --store"):
        Store(tmp_path)


def test_scores_are_json_that_anyone_can_read(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        store.add("weizmann", "image", JT2, RESULT)
    row = sqlite3.connect(tmp_path / "store.sqlite").execute("SELECT unit, scores FROM units").fetchone()
    assert json.loads(row[0]) == ["segjt", {"kernel": "jt2"}, [{"n_segments": [2, 3]}]]
    assert json.loads(row[1]) == RESULT.scores
