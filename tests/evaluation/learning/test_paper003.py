import csv
import gzip
import json

import numpy as np
import pytest

from segjt.datasets.texts import read_texts, text_files
from segjt.evaluation.learning import charts
from segjt.evaluation.learning.experiment import Trial
from segjt.evaluation.learning.paper003_documents import (
    TESTING,
    TRAINING,
    WEIGHTS,
    Draw,
    bags_of_words,
    draw_documents,
    measures,
    svm_accuracy,
)
from segjt.evaluation.learning.paper003_figures import (
    BEST,
    TAUS,
    TSALLIS,
    DocumentWeights,
    Paper003Figure1,
    Paper003Figure2,
    grams,
    trial_of_setting,
)
from segjt.evaluation.learning.registry import claims_of
from segjt.evaluation.learning.tables import experiment_table
from segjt.kernels import make_kernel

WORDS = [first + second + "x" for first in "bcdfghklmn" for second in "aeiou"]


def make_collection(path, documents=270):
    """Documents of two classes that use the same words, some of them more often in one class."""
    rng = np.random.default_rng(0)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["label", "split", "text"])
        writer.writerow(["student", "train", ""])
        for label, tilt in (("student", 1.0), ("faculty", -1.0)):
            odds = np.exp(tilt * np.linspace(-0.8, 0.8, len(WORDS)))
            for number in range(2 * documents):
                chosen = rng.choice(WORDS, rng.integers(5, 25), p=odds / odds.sum())
                writer.writerow([label, "train" if number % 2 else "test", " ".join(chosen)])
    return path


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "text"
    folder.mkdir()
    return make_collection(folder / "webkb_student_faculty.csv.gz")


@pytest.fixture(scope="module")
def documents(collection):
    return bags_of_words(read_texts(collection))


def test_documents_become_distributions(documents):
    assert documents.counts.shape == (1080, len(WORDS))  # the one without words is left out
    counts = documents.counts
    length = counts.sum(axis=1)
    assert length.max() > 20
    tf, tf_idf = (measures(counts, 400, name).toarray() for name in ("tf", "tf-idf"))
    assert np.allclose(tf, counts.toarray() / length[:, None])
    idf = np.log(400 / (counts[:400].toarray() > 0).sum(0))
    assert np.allclose(tf_idf, tf * idf / (tf * idf).sum(1, keepdims=True))
    for name, expected in zip(WEIGHTS, (length**0, length, length**0.5, 1 + np.log(length)), strict=True):
        assert np.allclose(measures(counts, 400, "tf-idf", name).sum(axis=1), expected)


def test_a_test_document_of_unknown_words(documents):
    """It has no tf-idf and is like no other; all kernels have a value for it."""
    counts = documents.counts[:6].tolil()
    counts[:5, 0] = 0
    counts[5] = 0
    counts[5, 0] = 3
    rows = measures(type(documents.counts)(counts), 5, "tf-idf")
    assert rows.toarray()[5].sum() == 0
    for kernels in (["linear"], ["heat"], ["weighted_jt", "weighted_jt_normalized"]):
        for (name, value), gram in grams(kernels, rows, 5, (0.0, 1.0, 2.0)):
            assert np.allclose(gram[5], np.exp(-(np.pi**2) / (4 * value)) if name == "heat" else 0)


def test_runs_are_drawn_from_the_two_parts(documents):
    runs = [draw_documents(documents, number) for number in (0, 1)]
    for run in runs:
        train, test = run.places[: 2 * TRAINING], run.places[2 * TRAINING :]
        assert documents.training[train].all()
        assert not documents.training[test].any()
        assert len(np.unique(run.places)) == len(run.places) == 2 * (TRAINING + TESTING)
        for labels, places, size in ((run.y_train, train, TRAINING), (run.y_test, test, TESTING)):
            assert np.array_equal(labels, documents.labels[places])
            assert np.unique(labels, return_counts=True)[1].tolist() == [size, size]
        assert sorted(np.concatenate([unseen for _, unseen in run.folds])) == list(range(2 * TRAINING))
    assert np.array_equal(runs[0].places, draw_documents(documents, 0).places)
    assert not np.array_equal(runs[0].places, runs[1].places)


def test_too_few_documents_are_named(tmp_path):
    few = bags_of_words(read_texts(make_collection(tmp_path / "few.csv.gz", documents=220)))
    with pytest.raises(ValueError, match=r"the test part has 220 documents .* of the class faculty.*draws 250"):
        draw_documents(few, 0)


def test_svm_does_not_see_the_scale_of_a_kernel(documents):
    run = draw_documents(documents, 0)
    rows = measures(documents.counts[run.places], 2 * TRAINING, "tf").toarray()
    gram = make_kernel("jt2", q=1.0)(rows, rows[: 2 * TRAINING])
    accuracy, validated = svm_accuracy(gram, run, costs=(0.1, 1.0))
    assert 0.75 < accuracy < 1
    assert 0.75 < validated < 1
    assert svm_accuracy(1e-4 * gram, run, costs=(0.1, 1.0)) == (accuracy, validated)


def test_svm_takes_the_cost_with_the_best_validation():
    """With a tiny C all training documents weigh the same; here some of a class are far on the other side."""
    y = np.array(["a", "b"] * 20)
    x = np.where(y == "a", 0.1, -0.1)
    x[::8] = 9.0
    x[1::8] = -0.05
    folds = [(np.arange(20, 40), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    run = Draw(np.arange(80), y, y, folds)
    rows = np.concatenate([x, x])[:, None]
    gram = rows @ rows[:40].T
    poor = svm_accuracy(gram, run, costs=(1e-6,))
    assert max(poor) < 1
    assert svm_accuracy(gram, run, costs=(1e-6, 1e6)) == svm_accuracy(gram, run, costs=(1e6, 1e-6)) == (1.0, 1.0)


def test_kernels_are_those_of_the_registry(documents):
    rows = measures(documents.counts[:30], 10, "tf-idf")
    dense = rows.toarray()
    by_kernel = dict(grams(["linear"], rows, 10, ())) | dict(grams(["heat"], rows, 10, ()))
    for tau in TAUS:
        assert np.allclose(
            by_kernel["heat", tau], make_kernel("heat", tau=tau)(dense, dense[:10]), rtol=0, atol=1e-7 / tau
        )
    unit = dense / np.linalg.norm(dense, axis=1, keepdims=True)
    assert np.allclose(by_kernel["linear", None], unit @ unit[:10].T)
    heavy = dense * np.arange(1, 31)[:, None]
    orders = (0.0, 0.5, 1.0, 2.0)
    by_kernel = dict(grams(["weighted_jt", "weighted_jt_normalized"], type(rows)(heavy), 10, orders))
    assert len(by_kernel) == 8
    for (name, q), gram in by_kernel.items():
        assert np.allclose(gram, make_kernel(name, q=q)(heavy, heavy[:10]), rtol=1e-10)


def test_tuned_takes_the_best_validation_of_each_run():
    outcomes = {
        ("weighted_jt", 0.0): [(0.7, 0.9), (0.8, 0.5)],
        ("weighted_jt", 1.0): [(0.6, 0.8), (0.9, 0.6)],
        ("heat", 1.0): [(1.0, 1.0), (1.0, 1.0)],
    }
    assert trial_of_setting({"kernel": "weighted_jt", "q": 1.0}, outcomes) == Trial([0.6, 0.9], pytest.approx(0.7))
    assert trial_of_setting({"kernel": "weighted_jt", "q": "tuned"}, outcomes) == Trial([0.7, 0.9], pytest.approx(0.75))


def invented_table(experiment, score):
    """The table of an experiment whose settings have these mean scores, with runs that scatter by 0.01."""
    cells = experiment.cells(quick=True)
    noise = 0.01 * np.sin(np.arange(30))
    trials = {
        (cell.data, json.dumps(setting, sort_keys=True)): (Trial((score(setting) + noise).tolist(), 0.5), 1.0)
        for cell in cells
        for setting in cell.settings
    }
    return experiment_table(experiment, cells, trials)


def accuracies(tf_best, tf_idf_best, linear=0.9, heat=0.9):
    """Accuracies with an optimum over q for each representation."""

    def score(setting):
        if setting["kernel"] in ("linear", "heat"):
            return linear if setting["kernel"] == "linear" else heat
        best = tf_best if setting["representation"] == "tf" else tf_idf_best
        return 0.93 if setting["q"] == "tuned" else 0.931 - 0.02 * abs(setting["q"] - best)

    return score


def test_claims_of_the_figures():
    table = invented_table(Paper003Figure2(), accuracies(0.5, 1.0, heat=0.929))
    claims = {claim.text: claim for claim in claims_of(table)}
    assert claims[f"tf: {TSALLIS} outperforms linear, significantly"].verdict == "holds"
    assert claims[f"tf-idf: {TSALLIS} outperforms heat, significantly"].verdict == "within noise"  # 0.930 and 0.929
    assert claims["the optimum q is usually higher for tf-idf than for tf"].verdict == "holds"
    assert "tf 0.5 (0.931), tf-idf 1 (0.931)" in claims["the optimum q is usually higher for tf-idf than for tf"].ours
    assert [claim.verdict for claim in claims.values()].count("holds") == len(claims) - 1 == 7
    table = invented_table(Paper003Figure1(), accuracies(1.0, 0.5, heat=0.929))
    failed = [claim.text for claim in claims_of(table) if claim.verdict == "does not hold"]
    assert failed == [
        f"tf: {TSALLIS} and linear do not differ significantly",
        "tf: heat and linear do not differ significantly",
        f"tf-idf: {TSALLIS} and linear do not differ significantly",
        "tf-idf: heat and linear do not differ significantly",
        "the optimum q is usually higher for tf-idf than for tf",
    ]


def test_claims_of_the_weights():
    def score(setting):
        return 0.9 + 0.01 * (setting["weights"] == "square root") * (setting["representation"] == "tf")

    claims = claims_of(invented_table(DocumentWeights(), score))
    assert [claim.verdict for claim in claims] == ["does not hold", "does not hold", "holds", "holds"]
    assert claims[0].text == "stud-vs-fac, tf, k~: uniform weighting is the best of the four"
    assert claims[0].ours.startswith("uniform 0.9004, word counts 0.9004, square root 0.9104")


def test_charts_have_a_panel_for_each_representation():
    panels = charts.charts_of(invented_table(Paper003Figure1(), accuracies(0.5, 1.0)))
    assert [chart.title.rpartition(": ")[2] for chart in panels] == ["tf", "tf-idf"]
    tsallis, *levels = panels[1].lines
    assert tsallis.x == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert tsallis.y == pytest.approx([0.911, 0.921, 0.931, 0.921, 0.911], abs=1e-3)
    assert [(line.name, line.x) for line in levels] == [(name, [0.0, 2.0]) for name in (TSALLIS, "linear", "heat")]


def test_the_command(run, collection, tmp_path):
    done = run(
        "benchmark", "text", "--quick", "--experiments", "003-figure2", "--data", collection.parent, "-o", tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "What the paper says in words" in done.stdout
    (experiment,) = json.loads((tmp_path / "table.json").read_text())["experiments"]
    scores = {(entry["row"], entry["column"]): entry for entry in experiment["entries"]}
    assert len(scores) == 2 * 9
    assert len(experiment["claims"]) == 8
    for row in ("tf", "tf-idf"):
        over_q = [scores[row, f"q = {q}"]["score"] for q in ("0", "0.5", "1", "1.5", "2")]
        assert scores[row, BEST]["score"] == max(over_q) > 0.75
    assert scores["tf", "q = 0"]["score"] == scores["tf-idf", "q = 0"]["score"]  # the same words in common
    assert "does not hold" in (tmp_path / "report.html").read_text()
    again = run(
        "benchmark", "text", "--quick", "--experiments", "003-figure2", "--data", collection.parent, "-o", tmp_path
    )
    assert again.stdout == done.stdout


def test_missing_collection_is_named(run, collection, tmp_path):
    done = run(
        "benchmark", "text", "--quick", "--experiments", "003-figure1", "--data", collection.parent, "-o", tmp_path
    )
    assert done.returncode != 0
    assert "reuters_earn_acq" in done.stderr


def test_student_and_faculty_pages(data_folder):
    pages = bags_of_words(read_texts(text_files(data_folder)["webkb_student_faculty"]))
    assert pages.counts.shape[0] == 2765 - 24
    run = draw_documents(pages, 0)
    rows = measures(pages.counts[run.places], 2 * TRAINING, "tf")
    ((_, gram),) = grams(["weighted_jt"], rows, 2 * TRAINING, (0.5,))
    accuracy, validated = svm_accuracy(gram, run, costs=(1.0,))
    assert min(accuracy, validated) > 0.88
