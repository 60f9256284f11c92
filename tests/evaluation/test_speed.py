"""The benchmark of speed, on a small photograph: that it runs and says what it measured, not how long it took."""

import json
import statistics

import numpy as np
import PIL.Image
import pytest
from sklearn.metrics import adjusted_rand_score

from segjt.evaluation import speed


@pytest.fixture
def small(monkeypatch):
    """Everything the benchmark does, with less of it."""
    monkeypatch.setattr(speed, "SHAPE", (40, 56))
    monkeypatch.setattr(speed, "MEGAPIXELS", (0.01, 0.02, 0.03))
    monkeypatch.setattr(speed, "PLAIN_KERNELS", ("jt2",))
    other_tools = speed.other_tools
    slowest = "scikit-image slic + cut_normalized"
    monkeypatch.setattr(speed, "other_tools", lambda: {slowest: other_tools()[slowest]})
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
    assert all(timing["peak_megabytes"] > 50 for timing in record["growth"])
    assert [timing["megapixels"] for timing in record["growth"]] == [0.01, 0.02, 0.03]
    width, height = PIL.Image.open(tmp_path / "speed.png").size
    assert width > height > 300


def test_peak_memory_of_a_peer():
    peer = speed.in_own_process("scikit-image felzenszwalb", 0.01)
    assert peer.peak_megabytes > 50
    assert peer.seconds > 0


def test_both_cut_the_same_block(small):
    image = speed.photograph()
    contestants = speed.methods(quick=True)
    theirs = contestants["one block, expjt2 16: scikit-learn SpectralClustering"](image)
    own = contestants["one block, expjt2 16: segjt"](image)
    assert own.shape == (16, 16)
    assert adjusted_rand_score(theirs, own.ravel()) > 0.3  # by chance it would be 0


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
