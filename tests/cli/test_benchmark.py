"""`segjt benchmark weizmann`, `bsds`, `sod` and `nuclei` as processes: output, exit codes, Ctrl-C, clear errors."""

import signal
import subprocess
import sys
import time

import pytest
from benchmark_data import count_units, make_bsds, make_grid_file, make_nuclei, make_sod, make_weizmann


@pytest.fixture
def data(tmp_path):
    return make_weizmann(tmp_path / "data")


@pytest.fixture
def arguments(data, tmp_path):
    return ["benchmark", "weizmann", "--data", data, "--grid", make_grid_file(tmp_path), "--workers", 1]


def test_a_run_prints_its_tables_and_writes_them(run, arguments, tmp_path):
    done = run(*arguments, "--kernels", "jt2", "--peers", "otsu", "--images", 2, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "benchmark-weizmann"
    assert sorted(path.name for path in folder.iterdir() if path.suffix != ".sqlite") == [
        *("cells.csv", "report.html", "results.csv", "sentences.csv", "table.json", "table.md", "times.csv")
    ]
    assert (folder / "table.md").read_text() in done.stdout
    assert "seconds per image, one core" in done.stdout
    assert "wrote the tables and report.html to benchmark-weizmann" in done.stdout
    assert "5/5" not in done.stdout
    assert "8/8" in done.stderr  # two images, two settings of stage one, defaults and one peer
    again = run(*arguments, "--kernels", "jt2", "--peers", "otsu", "--images", 2, cwd=tmp_path)
    assert again.stdout == done.stdout
    assert again.stderr == ""


def test_without_peers(run, arguments, tmp_path):
    done = run(*arguments, "--kernels", "jt2", "--peers", "none", "--images", "cat", "--quiet", "-o", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Otsu" not in done.stdout
    assert "segjt, defaults" in done.stdout


def test_an_estimate_runs_hardly_anything(run, arguments, tmp_path):
    done = run(*arguments, "--estimate", "-o", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert "14 of 21 units are to be done, about " in done.stdout
    assert " with --workers 1" in done.stdout
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["store.sqlite"]


def test_berkeley(run, tmp_path):
    data = make_bsds(tmp_path / "data")
    grid = make_grid_file(tmp_path)
    done = run(
        "benchmark", "bsds", "--data", data, "--grid", grid, "--split", "test", "--quiet", "--workers", 1, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "# Berkeley (BSDS), test" in done.stdout
    assert "covering ODS / OIS" in done.stdout
    assert (tmp_path / "benchmark-bsds" / "results.csv").read_text().count("\n") == 1 + 5 * 4 * 2
    assert "boundary ODS / OIS" in done.stdout
    grid = make_grid_file(tmp_path, '[[peer]]\npeer = "gpb_owt_ucm"\n')
    done = run("benchmark", "bsds", "--data", data, "--grid", grid, "--peers", "gpb_owt_ucm", cwd=tmp_path)
    assert done.returncode == 2
    assert "no image comes with the contour map of gpb_owt_ucm; put the maps beside `images`" in done.stderr


def test_salient_objects(run, tmp_path):
    data = make_sod(tmp_path / "data")
    done = run("benchmark", "sod", "--data", data, "--peers", "otsu", "--quiet", "--workers", 1, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "# Salient objects (SOD)" in done.stdout
    assert "| fixed         | hierarchy     | tuned         | images |" in done.stdout
    assert "wrote the tables and report.html to benchmark-sod" in done.stdout
    # Two images: fixed and hierarchy of the defaults, fixed and tuned of the peer.
    assert (tmp_path / "benchmark-sod" / "results.csv").read_text().count("\n") == 1 + 2 * 4
    assert not (tmp_path / "benchmark-sod" / "sentences.csv").exists()


def test_nuclei(run, tmp_path):
    data = make_nuclei(tmp_path / "data")
    grid = make_grid_file(tmp_path, '[[peer]]\npeer = ["otsu_watershed", "blob_watershed"]\n')
    done = run("benchmark", "nuclei", "--data", data, "--grid", grid, "--images", 1, "--workers", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "# Nuclei (2018 Data Science Bowl)" in done.stdout
    assert "| average precision | F1 at 0.5 " in done.stdout
    assert "2/2" in done.stderr
    folder = tmp_path / "benchmark-nuclei"
    assert (folder / "table.md").read_text() in done.stdout
    assert (folder / "results.csv").read_text().count("\n") == 1 + 2


def test_a_broken_image_is_listed_at_the_end(run, arguments, data, tmp_path):
    path = data / "1obj" / "cat" / "human_seg" / "cat_1.png"
    path.write_text("not a picture")
    done = run(*arguments, "--kernels", "jt2", "--peers", "none", "--quiet", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith(f"segjt: left out: cat: {path}: ")
    assert len(done.stderr.splitlines()) == 1
    assert "| 2      |" in done.stdout


def test_ctrl_c_keeps_what_is_finished(run, arguments, tmp_path):
    for workers in (1, 2):
        folder = tmp_path / f"out{workers}"
        command = [sys.executable, "-m", "segjt", *map(str, [*arguments, "--workers", workers, "-o", folder])]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while process.poll() is None and count_units(folder) < 3:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 130, stderr
        assert f"finished work is kept in {folder / 'store.sqlite'}; run the same command again to resume" in stderr
        assert "Traceback" not in stderr
        assert stdout == ""
        assert 3 <= count_units(folder) < 21
    assert run(*arguments, "--quiet", "-o", folder).returncode == 0
    assert count_units(folder) == 21


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            ["--grid", "table8"],
            "table8: no such grid (did you mean 'table7'?); "
            "choose from affinity, cuts, nuclei, paper, quick, sod, table7",
        ),
        (["--kernels", "jt9"], "the grid has no kernel 'jt9'"),
        (["--kernels", ","], "--kernels ',': is empty"),
        (["--block-sizes", "16,big"], "--block-sizes 16,big: is not a comma-separated list of whole numbers"),
        (["--block-sizes", "2"], "block_size = 2 is out of range"),
        (["--peers", "sam"], "the grid has no peer 'sam'"),
        (["--images", "dog"], "no image is called 'dog'"),
        (["--workers", "0"], "'0' is not a whole number above 0"),
        (["--objects", "3"], "--objects 3: unknown; choose from 1, 2"),
        (["--objects", "2"], "has no Weizmann images of 2 objects"),
        (["--data", "nowhere"], "nowhere: no such folder or zip archive"),
        (["--kernel", "jt2"], "unknown argument '--kernel' (did you mean '--kernels'?)"),
    ],
)
def test_mistakes_are_reported_before_anything_is_written(run, arguments, tmp_path, options, reason):
    done = run(*arguments, "-o", tmp_path / "out", *options)
    assert done.returncode == 2
    assert reason in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_mistyped_split(run, tmp_path):
    done = run("benchmark", "bsds", "--split", "tran", cwd=tmp_path)
    assert done.returncode == 2
    assert "--split tran: unknown (did you mean 'train'?); choose from all, train, val, test" in done.stderr


def test_files_of_others_are_not_replaced(run, arguments, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "results.csv").write_text("my own")
    done = run(*arguments, "--quiet", "-o", folder)
    assert done.returncode == 2
    assert "results.csv: exists and is kept; use --overwrite" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["results.csv"]


def test_a_file_that_is_not_a_store(run, arguments, tmp_path):
    wrong = tmp_path / "wrong.sqlite"
    wrong.write_text("not a database" * 100)
    done = run(*arguments, "--quiet", "--store", wrong, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert f"{wrong}: is not a store of segjt" in done.stderr
