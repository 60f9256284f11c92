"""The benchmark of stability on small pictures of our own making: its figures, resuming, and what it leaves out."""

import csv
import json

import numpy as np
import pytest
from benchmark_data import make_bsds, make_weizmann, picture, save

import segjt
from segjt.cli.entry import main
from segjt.evaluation import stability
from segjt.evaluation.changes import CHANGES
from segjt.evaluation.peers import peer_labels
from segjt.evaluation.stability import CONTENDERS, evenly, known_names, run_stability_benchmark, stability_images
from segjt.evaluation.stability_report import Agreement, table_contents, table_rows
from segjt.evaluation.store import Store
from segjt.evaluation.versions import sources_of_method
from segjt.labels import adjusted_rand_index

CHOSEN = ("flip left-right", "shift by 6", "another seed", "grey for RGB")


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("one", "two")):
        save(tmp_path / "pictures" / f"{name}.png", picture(seed)[0])
    return tmp_path / "pictures"


def run_here(folder, output, contenders=CONTENDERS[:2]):
    with Store(output / "store.sqlite") as store:
        return run_stability_benchmark(
            stability_images(None, str(folder), None), CHOSEN, contenders, store, output, 1, quiet=True
        )


def test_figures_are_those_of_segment_and_a_second_run_computes_nothing(folder, tmp_path, monkeypatch):
    outcome = run_here(folder, tmp_path / "out")
    assert outcome.problems == []
    with open(tmp_path / "out" / "results.csv", newline="") as file:
        lines = {(line["method"], line["change"], line["image"]): line for line in csv.DictReader(file)}
    assert len(lines) == 2 * (len(CHOSEN) + 2)  # Felzenszwalb's has no seed and takes RGB only
    image = picture(0)[0]
    ours = [segjt.segment(part, rng=seed) for part, seed in ((image, 0), (image[:, ::-1], 0), (image, 1))]
    assert float(lines["segjt", "flip left-right", "one"]["ari"]) == pytest.approx(
        adjusted_rand_index(ours[0], ours[1][:, ::-1]), abs=1e-6
    )
    assert float(lines["segjt", "another seed", "one"]["ari"]) == pytest.approx(
        adjusted_rand_index(ours[0], ours[2]), abs=1e-6
    )
    assert [lines["segjt", "grey for RGB", name]["ari"] for name in ("one", "two")] == ["1.0", "1.0"]
    moved = [peer_labels(np.ascontiguousarray(part), "felzenszwalb", {}) for part in (image[:-6, :-6], image[6:, 6:])]
    assert float(lines["felzenszwalb", "shift by 6", "one"]["ari"]) == pytest.approx(
        adjusted_rand_index(moved[0][6:, 6:], moved[1][:-6, :-6]), abs=1e-6
    )
    table = json.loads((tmp_path / "out" / "table.json").read_text())
    assert [row["change"] for row in table["rows"]] == [*CHOSEN, "mean of those that all have"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("After") >= 2
    monkeypatch.setattr(stability, "run_stability_task", lambda task: pytest.fail("computed again"))
    assert run_here(folder, tmp_path / "out").text == outcome.text


def test_a_broken_picture_is_left_out(folder, tmp_path, capsys):
    (folder / "two.png").write_text("not a picture")
    options = ["--changes", "flip up-down", "--methods", "felzenszwalb", "--workers", "1", "--quiet"]
    code = main(["benchmark", "stability", "--folder", str(folder), *options, "-o", str(tmp_path / "out")])
    out, err = capsys.readouterr()
    assert code == 2
    assert err.startswith(f"segjt: left out: two: {folder / 'two.png'}: ")
    assert "# Stability, 1 image\n" in out
    assert "wrote the tables and report.html to" in out


def test_images_come_evenly_from_both_sets(tmp_path):
    make_weizmann(tmp_path)
    make_bsds(tmp_path / "bsds500", ("train/11", "train/12", "train/13", "val/14", "val/15", "val/16", "val/17"))
    names = [item.name for item in stability_images(str(tmp_path), None, "4")]
    assert names == ["apple", "cat", "12", "16"]
    assert len(stability_images(str(tmp_path), None, None)) == 10
    assert [item.name for item in stability_images(str(tmp_path), None, "cat,13")] == ["cat", "13"]
    with pytest.raises(ValueError, match="no image would be left"):
        stability_images(str(tmp_path), None, "0")
    with pytest.raises(FileNotFoundError, match="holds no image"):
        stability_images(None, str(tmp_path), None)


def test_evenly_takes_from_the_larger_set_what_the_smaller_lacks():
    assert [len(set(evenly([range(3), range(10, 20)], count))) for count in (1, 2, 8, 13, 99)] == [1, 2, 8, 13, 13]


def test_an_unknown_name_is_an_error_with_a_suggestion():
    assert known_names(None, list(CHANGES), "change") == list(CHANGES)
    with pytest.raises(ValueError, match=r"no change is called 'BRG' .did you mean 'BGR'"):
        known_names(["BRG"], list(CHANGES), "change")


def test_rows_have_mean_and_least_and_count_other_numbers_of_segments():
    some = [Agreement("segjt", "BGR", str(k), ari, 4, after, 0.5) for k, (ari, after) in enumerate([(0.5, 3), (1, 4)])]
    row = table_rows(some)[0]
    assert (row.mean, row.least, row.renumbered) == ({"segjt": 0.75}, {"segjt": 0.5}, {"segjt": 1})
    assert "0.750 (0.50)" in table_contents(some)["table.md"].decode()
    assert "# Stability, 0 images" in table_contents([])["table.md"].decode()


def test_the_mean_is_that_of_changes_that_all_contenders_have():
    some = [Agreement(name, "BGR", "one", 0.5, 4, 4, 0.1) for name in CONTENDERS]
    only_ours = Agreement("segjt", "another seed", "one", 1.0, 4, 4, 0.1)
    assert set(table_rows([*some, only_ours])[-1].mean.values()) == {0.5}


def test_other_tools_do_not_depend_on_our_code():
    assert "segjt.pipeline" in sources_of_method("stability segjt")
    assert not any(name.startswith("segjt.superpixels") for name in sources_of_method("stability slic_ncut"))
    assert all("segjt.evaluation.changes" in sources_of_method(f"stability {name}") for name in CONTENDERS)
