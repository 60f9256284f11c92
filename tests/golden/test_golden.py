"""Results of earlier versions, compared by ARI: other machines may round differently, but not segment differently."""

from golden.make_golden import FOLDER, cases
from sklearn.metrics import adjusted_rand_score

from segjt.io import read_labels


def test_results_are_those_of_earlier_versions():
    scores = {}
    for name, labels in cases():
        earlier = read_labels(FOLDER / f"{name}.png")
        scores[name] = adjusted_rand_score(earlier.ravel(), labels.ravel())
    assert len(scores) == 12
    assert not {name: score for name, score in scores.items() if score < (0.98 if name.endswith("merged") else 0.9)}
