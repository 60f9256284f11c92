"""The benchmark of speed, on a small photograph: that it runs and says what it measured, not how long it took."""

import json
import statistics

import numpy as np
import pytest

from segjt.evaluation import speed


@pytest.fixture
def small(monkeypatch):
    """Everything the benchmark does, with less of it."""
    monkeypatch.setattr(speed, "SHAPE", (40, 56))
    monkeypatch.setattr(speed, "MEGAPIXELS", (0.01, 0.02, 0.03))
    monkeypatch.setattr(speed, "photograph", lambda shape=(40, 56), made=speed.photograph: made(shape))


def test_quick_run(small, tmp_path, capsys):
    record = speed.run(tmp_path, quick=True, overwrite=False)
    assert record == json.loads((tmp_path / "speed.json").read_text())
    printed = capsys.readouterr().out
    for timing in record["timings"]:
        assert timing["name"] in printed
        assert all(seconds > 0 for seconds in timing["wall"])
    ratio = record["ratios"]["stage one, jt2 16: plain / segjt"]
    by_name = {timing["name"]: statistics.median(timing["wall"]) for timing in record["timings"]}
    np.testing.assert_allclose(ratio, by_name["plain stage one, jt2 16"] / by_name["segjt stage one, jt2 16"])
    assert record["machine"]["cores"] >= 1
    assert [timing["peak_megabytes"] > 50 for timing in record["timings"][-3:]] == [True] * 3


def test_every_method_has_its_turn_in_every_round():
    calls = []
    contestants = {name: lambda image, name=name: calls.append(name) for name in "abc"}
    timings = speed.interleaved(contestants, np.zeros((50, 50, 3), np.uint8), 2)
    assert calls == list("abc" * 3)  # the first round is not measured
    assert [len(timing.wall) for timing in timings.values()] == [2, 2, 2]


def test_exponent():
    np.testing.assert_allclose(speed.exponent([1, 4, 16], [2, 2 * 4**1.1, 2 * 16**1.1]), 1.1)


def test_results_are_kept(tmp_path, run):
    (tmp_path / "speed.json").write_text("{}")
    done = run("benchmark", "speed", "--quick", "-o", tmp_path)
    assert done.returncode == 2
    assert "speed.json" in done.stderr
    assert "exists" in done.stderr
