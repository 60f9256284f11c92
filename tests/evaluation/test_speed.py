"""The benchmark of speed, on a small photograph: that it runs and says what it measured, not how long it took."""

import json
import statistics

import numpy as np
import PIL.Image
import pytest
from sklearn.metrics import adjusted_rand_score

from segjt.evaluation import contenders, speed


@pytest.fixture
def small(monkeypatch):
    """Everything the benchmark does, with less of it."""
    monkeypatch.setattr(speed, "SHAPE", (40, 56))
    monkeypatch.setattr(speed, "MEGAPIXELS", (0.01, 0.02, 0.03))
    monkeypatch.setattr(contenders, "PLAIN_KERNELS", ("jt2",))
    slowest = contenders.SLIC_NCUT
    monkeypatch.setattr(contenders, "OTHER_TOOLS", {slowest: contenders.OTHER_TOOLS[slowest]})
    monkeypatch.setattr(speed, "photograph", lambda shape=(40, 56), made=speed.photograph: made(shape))


def test_quick_run(small, tmp_path, capsys):
    record = speed.run_speed_benchmark(tmp_path, quick=True, overwrite=False)
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
    methods = contenders.contenders(quick=True)
    theirs = methods["one block, expjt2 16: scikit-learn SpectralClustering"](image)
    own = methods["one block, expjt2 16: segjt"](image)
    assert own.shape == (16, 16)
    assert adjusted_rand_score(theirs, own.ravel()) > 0.3  # by chance it would be 0


def test_every_method_has_its_turn_in_every_round():
    calls = []
    methods = {name: lambda image, name=name: calls.append(name) for name in "abc"}
    timings = speed.interleaved(methods, np.zeros((50, 50, 3), np.uint8), 2)
    assert calls == list("abc" * 3)  # the first round is not measured
    assert [len(timing.wall) for timing in timings.values()] == [2, 2, 2]


def test_exponent():
    np.testing.assert_allclose(speed.fitted_exponent([1, 4, 16], [2, 2 * 4**1.1, 2 * 16**1.1]), 1.1)
    grown = {size: speed.Timing("", [3 * size**1.2]) for size in (0.25, 1.0, 4.0, 16.0)}
    grown[0.25].wall = [100.0]  # small images do not count
    np.testing.assert_allclose(speed.growth_exponent(grown), 1.2)
    assert speed.growth_exponent({size: grown[size] for size in (0.25, 1.0)}) is None


@pytest.mark.parametrize("quick", [True, False])
def test_every_comparison_is_of_two_contenders(quick):
    names = contenders.contenders(quick).keys()
    compared = list(contenders.comparisons(quick))
    assert {name for pair in compared for name in (pair.numerator, pair.denominator)} <= names
    assert len({pair.title for pair in compared}) == len(compared) == (9 if quick else 18)
    assert contenders.GROWING in names


def test_results_are_kept(tmp_path, run):
    (tmp_path / "speed.json").write_text("{}")
    done = run("benchmark", "speed", "--quick", "-o", tmp_path)
    assert done.returncode == 2
    assert "speed.json" in done.stderr
    assert "exists" in done.stderr
