"""The fit of the weights by which objects are found."""

import numpy as np
import pytest

from segjt.evaluation import object_weights
from segjt.trees.objectness import FIRST, SECOND


def test_logistic_regression_finds_the_odds_that_made_the_data():
    rng = np.random.default_rng(0)
    X = rng.normal(2, 3, (20000, 2))
    z = (X - 2) / 3
    odds = -0.5 + 1.5 * z[:, 0] - 0.7 * z[:, 1] ** 2
    y = (rng.random(len(X)) < 1 / (1 + np.exp(-odds))).astype(float)
    model = object_weights.logistic(X, y, np.full(len(X), 1 / len(X)), ["a", "b"])
    fitted = model.log_odds({"a": X[:, 0], "b": X[:, 1]})
    assert np.abs(fitted - odds)[np.abs(z).max(1) < 2].max() < 0.25


def test_models_have_the_features_that_are_fitted():
    assert tuple(FIRST.terms) == object_weights.FIRST_FEATURES
    assert tuple(SECOND.terms) == object_weights.SECOND_FEATURES


def test_fitted_on_some_images_they_find_objects_of_others(data_folder):
    from segjt.datasets import nuclei

    cases = [object_weights.case_of(item) for item in nuclei(data_folder)[1:60:20]]
    first, last = object_weights.cross_validated(cases, 0)
    assert 0.2 < first < 1
    assert 0.2 < last < 1
    first_model, second = object_weights.fit_both(cases)
    assert "agreement" in object_weights.model_text(first_model)
    chosen, odds = cases[0].choose(second, object_weights.features_with_likeness(cases[0], first_model))
    assert (odds[chosen] > -1).all()
    assert cases[0].f1(chosen) == pytest.approx(cases[0].f1(chosen[::-1]))
