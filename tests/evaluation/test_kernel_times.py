"""Table I measured: that every kernel is timed, where timing stops, and what the table says; not how long it takes."""

import subprocess
import sys

import numpy as np
import pytest

from segjt.evaluation import kernel_times
from segjt.kernels import kernel_names, make_kernel


def busy(power):
    """Return a method whose CPU time grows with that power of N."""

    def method(X):
        return sum(range(2 * len(X) ** power))

    return method


def test_exponents_are_those_of_the_work():
    times = kernel_times.measure({"square": busy(2), "cube": busy(3)}, np.zeros((128, 1)), [32, 64, 128], 3)
    assert list(times["cube"]) == [32, 64, 128]
    assert kernel_times.exponent(times["square"]) == pytest.approx(2, abs=0.4)
    assert kernel_times.exponent(times["cube"]) == pytest.approx(3, abs=0.4)


def test_only_the_largest_sizes_are_fitted():
    times = {64: 5.0} | {size: 1e-6 * size**2 for size in (128, 256, 512)}
    assert kernel_times.exponent(times) == pytest.approx(2)
    assert kernel_times.exponent({64: 1.0}) is None


def test_a_slow_method_stops_and_the_others_go_on(monkeypatch):
    monkeypatch.setattr(kernel_times, "PATIENCE", 0.01)
    calls = {"slow": [], "fast": []}

    def slow(X):
        calls["slow"].append(len(X))
        sum(range(2_000_000))

    methods = {"slow": slow, "fast": lambda X: calls["fast"].append(len(X))}
    times = kernel_times.measure(methods, np.zeros((8, 1)), [4, 8], 1)
    assert list(times["slow"]) == [4]
    assert set(calls["slow"]) == {4}
    assert list(times["fast"]) == [4, 8]


@pytest.mark.parametrize("rows", kernel_times.ROWS)
def test_rows_are_real_data_in_the_unit_cube(rows):
    X = kernel_times.ROWS[rows]()
    assert len(X) > 1024
    assert X.min() >= 0
    assert X.max() <= 1
    assert len(np.unique(X[:64], axis=0)) > 32
    np.testing.assert_array_equal(X, kernel_times.ROWS[rows]())


@pytest.mark.parametrize("name", kernel_names())
def test_the_affinity_of_every_kernel_is_finite_on_both(name):
    for make_rows in kernel_times.ROWS.values():
        V = kernel_times.affinity(name, make_rows()[:16])
        assert V.shape == (16, 16)
        assert np.isfinite(V).all()


def test_what_is_timed_is_the_kernel():
    X = kernel_times.colours()[:32]
    np.testing.assert_array_equal(kernel_times.own_methods()["jt3"](X), make_kernel("jt3").affinity(X))
    for name, method in kernel_times.plain_methods().items():
        np.testing.assert_allclose(method(X), kernel_times.own_methods()[name](X), rtol=1e-6)


def test_the_table_has_a_line_for_every_kernel():
    own = {name: {512: 0.25, 1024: 1.0} for name in kernel_names()}
    plain = {name: {64: 0.01, 128: 0.16} for name in kernel_times.PUBLISHED}
    lines = kernel_times.table({"colours": kernel_times.Measured(own, plain)}).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["kernel", "Table I", "colours: exponent", "seconds", "plain: exponent", "seconds"]
    assert ["`jt3`", "O(N^4)", "2.0", "1", "4.0", "0.16 (N = 128)"] in cells
    assert ["`gaussian`", "", "2.0", "1", "", ""] in cells
    assert {line[0].strip("`") for line in cells[2:]} == set(kernel_names())
    assert {line[0].strip("`") for line in cells[2:10]} == set(kernel_times.PUBLISHED)


def test_on_the_command_line():
    command = [sys.executable, "-m", "segjt.evaluation.kernel_times", "--repetitions", "1", "--largest"]
    done = subprocess.run([*command, "64"], capture_output=True, text=True, check=True, timeout=600)
    assert "| `expjt3` " in done.stdout
    assert "(N = 64)" in done.stdout
    wrong = subprocess.run([*command, "10"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "largest = 10 leaves no size to measure; give 64 or more" in wrong.stderr
