import os
import subprocess
import sys

import numpy as np
import pytest

import segjt
from segjt.evaluation import accuracy
from segjt.evaluation.scores import best_f_measure
from segjt.trees import number_of_segments


class Drawn:
    """A picture of noise with a patch in it, as an item of a benchmark."""

    def __init__(self, seed, colour=0.7):
        rng = np.random.default_rng(seed)
        self.mask = np.zeros((48, 60), bool)
        top, left = rng.integers(8, 16, 2)
        self.mask[top : top + 20, left : left + 25] = True
        self.pixels = np.clip(np.where(self.mask, colour, 0.3) + rng.normal(0, 0.08, self.mask.shape), 0, 1)

    def image(self):
        return self.pixels

    def truth(self):
        return self.mask[None]


@pytest.fixture(scope="module")
def cases():
    return [accuracy.case_of(Drawn(seed), segjt.Parameters(workers=1)) for seed in range(6)]


def test_f_of_a_map_is_that_of_the_cut():
    item = Drawn(0)
    case, tree = accuracy.case_of(item, segjt.Parameters()), segjt.hierarchy(item.image())
    for n in (1, 2, 3, 7, 30):
        assert accuracy.f_of_map(case, n) == pytest.approx(best_f_measure(tree.cut(n), item.mask))
    assert accuracy.fixed_f(case, number_of_segments.WEIGHTS) == pytest.approx(best_f_measure(tree.cut(), item.mask))


def test_fitted_weights_find_the_object(cases):
    weights = accuracy.fit_weights(cases)
    assert weights.shape == number_of_segments.WEIGHTS.shape
    for case in cases:
        probable = number_of_segments.object_probabilities(case.candidates.features, weights).argmax()
        assert case.f[probable] > 0.9
    assert accuracy.cross_validated_f(cases, seed=0) > 0.9


def test_fitted_weights_are_a_minimum(cases):
    weights = accuracy.fit_weights(cases)

    def loss(w):
        every = np.concatenate([case.candidates.features[~np.isnan(case.candidates.features).any(1)] for case in cases])
        value = accuracy.PENALTY * ((w * every.std(0)) ** 2).sum()
        for case in cases:
            P = number_of_segments.object_probabilities(case.candidates.features, w)
            ok = P > 0
            target = np.exp(case.f[:-1][ok] / accuracy.TEMPERATURE)
            value -= (target / target.sum() * np.log(P[ok])).sum() / len(cases)
        return value

    for k in range(len(weights)):
        for step in (-0.02, 0.02):
            moved = weights.copy()
            moved[k] *= 1 + step
            assert loss(moved) > loss(weights) - 1e-6


def test_berkeley_scores_are_those_of_cuts_at_heights(photograph):
    tree = segjt.hierarchy(photograph)

    class Photograph:
        def image(self):
            return photograph

        def truth(self):
            return np.stack([tree.cut_at(float(accuracy.HEIGHTS[20]))] * 2)

    score = accuracy.score_heights([Photograph()], segjt.Parameters())
    assert score.covering.ods == score.pri.ods == 1
    assert score.voi.ods == 0
    assert score.covering.setting <= accuracy.HEIGHTS[20]


def test_the_command_prints_all_tables(data_folder):
    command = [sys.executable, "-m", "segjt.evaluation.accuracy", "--every", "25", "--presets", "default,paper"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, env=os.environ | {"SEGJT_DATA": str(data_folder)}
    )
    assert done.returncode == 0, done.stderr
    for word in ("default", "paper", "cross-validated", "weights fitted on all", "covering", "pri", "voi"):
        assert word in done.stdout
