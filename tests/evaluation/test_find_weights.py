"""The fit of the constants by which find = auto and scene go."""

import numpy as np

from segjt.evaluation import find_weights


def test_the_best_height_is_the_top_of_a_hill_not_a_spike():
    n = len(find_weights.HEIGHTS)
    hill = np.exp(-(((np.arange(n) - 15) / 5) ** 2))
    hill[30] = 1.2
    assert find_weights.best_height(np.stack([hill, hill]), np.array([1, 3])) == 15


def test_weights_of_images_count():
    rows = np.zeros((2, len(find_weights.HEIGHTS)))
    rows[0, 5:8] = rows[1, 20:23] = 1
    assert 4 <= find_weights.best_height(rows, np.array([3, 1])) <= 8
    assert 19 <= find_weights.best_height(rows, np.array([1, 3])) <= 23


def test_the_confidence_that_parts_two_kinds_is_found_and_used_on_others():
    confidences = np.concatenate([np.linspace(0.62, 0.70, 20), np.linspace(0.80, 0.9, 20)])
    many = np.arange(40) >= 20
    assert 0.7 < find_weights.best_confidence(confidences, many) <= 0.8
    assert (find_weights.cross_validated_decision(confidences, many, 0) == many).all()


def test_main_prints_figures_and_constants(data_folder, capsys):
    find_weights.main(["--data", str(data_folder), "--every", "30"])
    printed = capsys.readouterr().out
    assert "in use: -4.45" in printed
    assert "confidence fitted on all" in printed
