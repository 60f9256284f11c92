import sys

import pytest

import segjt
from segjt.evaluation import before_after


def test_the_same_installation_is_compared_with_itself(monkeypatch):
    some = dict(list(before_after.calls())[-2:])
    assert all(hasattr(segjt, call.function) for _, call in before_after.calls())
    monkeypatch.setattr(before_after, "calls", some.items)
    medians = before_after.compare(sys.executable, repetitions=1)
    assert set(medians) == {name for name, _ in (*before_after.calls(), *before_after.starts())}
    assert all(before > 0 and after > 0 for before, after in medians.values())
    lines = before_after.table(medians).splitlines()
    assert len(lines) == len(medians) + 1
    assert lines[0].split() == ["other", "s", "this", "s", "this", "/", "other"]


def test_a_process_that_dies_is_named():
    process = before_after.worker(sys.executable)
    with pytest.raises(OSError, match="the process died in Call"):
        before_after.seconds_of(process, before_after.Call("no_such_function", {}))
    process.communicate()
