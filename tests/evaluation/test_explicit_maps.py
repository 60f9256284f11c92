"""The command that measures explicit maps, run small."""

import numpy as np
import pytest

from segjt.evaluation import explicit_maps


def test_errors_on_pixels():
    X, source = explicit_maps.pixels(150)
    assert X.shape == (150, 3)
    assert set(source) == {0, 1, 2}
    found = {(kernel, name): rest for kernel, name, *rest in explicit_maps.errors(X)}
    assert {kernel for kernel, _ in found} == {"jt2", "jt3", "nlin", "expjt2", "gaussian"}
    for kernel in explicit_maps.EXPLICIT:
        features, largest, frobenius, _ = found[kernel, "explicit"]
        assert features > 3
        assert max(largest, frobenius) < 1e-11
    for kernel in explicit_maps.NYSTROEM:
        assert found[kernel, "Nystroem, 300"][2] < found[kernel, "Nystroem, 100"][2] < 1e-2
        assert found[kernel, "Nystroem, 300"][3] == pytest.approx(1)


def test_growth_is_that_of_a_process_of_its_own():
    (one,) = explicit_maps.growth("svm", "nlin", [300])
    assert one.rows == 300
    assert one.seconds > 0
    assert 50 < one.megabytes < 2048


def test_exponent_of_a_power():
    measured = [explicit_maps.Growth(n, 3e-6 * n**1.5, 100.0) for n in (10, 100, 1000)]
    assert explicit_maps.exponent(measured) == pytest.approx(1.5)


def test_report(monkeypatch, capsys):
    monkeypatch.delenv("SEGJT_DATA", raising=False)
    monkeypatch.setattr(explicit_maps, "errors", lambda X: [("jt2", "explicit", 204, 2e-13, 9e-14, 1.0)])
    monkeypatch.setattr(
        explicit_maps, "growth", lambda method, kernel, sizes: [explicit_maps.Growth(n, n / 100, 90) for n in sizes]
    )
    explicit_maps.main(["--rows", "50", "--sizes", "100", "1000", "--methods", "svm", "--kernels", "jt2"])
    printed = capsys.readouterr().out
    assert "50 pixels" in printed
    assert "2.0e-13" in printed
    assert "10.00 s    90 MiB" in printed
    assert printed.rstrip().endswith("1.00")


def test_tables_of_the_papers(data_folder):
    sets = dict(explicit_maps.tables(60))
    assert list(sets) == ["60 pixels", "60 rows of segment", "60 rows of yeast"]
    assert all(X.min() >= 0 and X.max() <= 1 and len(np.unique(X)) > 2 for X in sets.values())
