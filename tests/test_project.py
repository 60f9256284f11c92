"""The project as others meet it: imports, the wheel, the README."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import REPOSITORY

import segjt


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_is_light():
    heavy = {"numpy", "scipy", "numba", "sklearn", "skimage", "cv2", "PIL", "tifffile", "tqdm", "matplotlib", "jinja2"}
    for statement in ("import segjt", "import segjt.cli, sys; sys.argv = ['segjt']; segjt.cli.main.__doc__"):
        loaded = run(sys.executable, "-c", f"{statement}; import sys; print(*sys.modules)").split()
        assert not heavy & set(loaded), statement


@pytest.mark.parametrize("command", ["segment", "objects"])
def test_help_is_light(command):
    code = (
        f"import sys, segjt.cli\ntry: segjt.cli.main([{command!r}, '--help'])\nfinally: print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.rstrip().endswith("False")


def test_segmenting_does_not_import_what_it_does_not_use(image_file):
    code = f"""
import sys, segjt.cli
assert segjt.cli.main(["segment", {str(image_file)!r}, "--quiet"]) == 0
print(*sys.modules)
"""
    loaded = set(run(sys.executable, "-c", code).split())
    assert not loaded & {"sklearn", "skimage", "cv2", "matplotlib", "tifffile"}


def test_public_names():
    assert set(segjt.__all__) <= set(dir(segjt))
    for name in segjt.__all__:
        assert getattr(segjt, name).__doc__
    with pytest.raises(AttributeError, match="No segjt attribute segmnt"):
        _ = segjt.segmnt


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    run("git", "clone", "-q", REPOSITORY, source) if (REPOSITORY / ".git").exists() else pytest.skip(
        "not a git checkout"
    )
    # The clone has the last commit; take what is being worked on.
    for name in run("git", "-C", REPOSITORY, "ls-files", "-mo", "--exclude-standard").splitlines():
        if (REPOSITORY / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((REPOSITORY / name).read_bytes())
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, source)
    return next(folder.glob("*.whl"))


def test_wheel_has_no_top_level_datasets_or_evaluation(wheel):
    files = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in files} == {"segjt", f"segjt-{segjt.__version__}.dist-info"}
    assert "segjt/datasets/__init__.py" in files
    assert "segjt/evaluation/scores.py" in files
    assert "segjt/datasets/samples/quilt.png" in files
    assert "segjt/py.typed" in files
    assert "segjt/kernels/ERRATA.md" in files
    assert "segjt/evaluation/learning/published/000-table3.csv" in files
    assert {f"segjt/report/templates/report.{kind}" for kind in ("html", "css", "js")} <= set(files)


def test_wheel_in_a_fresh_environment(wheel, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel)
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    assert (packages / "segjt" / "datasets").is_dir()
    assert not (packages / "datasets").exists()
    assert not (packages / "evaluation").exists()
    # Its dependencies are taken from this environment, segjt from the wheel.
    code = """
import segjt, segjt.datasets, segjt.evaluation.scores as scores
image, truth = segjt.datasets.load_sample("quilt")
labels = segjt.segment(image[60:130, 90:170], n_segments=4)
print(segjt.__file__, min(scores.region_f_measures(labels, truth[60:130, 90:170]).values()))
for name in ("datasets", "evaluation"):
    try:
        __import__(name)
        print("top-level", name)
    except ImportError:
        pass
"""
    libraries = [folder for folder in sys.path if Path(folder).name == "site-packages"]
    environment = {"PYTHONPATH": os.pathsep.join(libraries), "PATH": "/usr/bin:/bin"}
    where, score = run(python, "-c", code, env=environment, cwd=tmp_path).split()
    assert str(tmp_path) in where
    assert float(score) > 0.8


def test_editable_install_has_the_same_packages(tmp_path):
    code = """
import importlib.util, segjt.datasets, segjt.evaluation
print(segjt.datasets.__file__, segjt.evaluation.__file__)
print(importlib.util.find_spec("datasets"), importlib.util.find_spec("evaluation"))
"""
    datasets, evaluation, *top_level = run(sys.executable, "-c", code, cwd=tmp_path).split()
    assert datasets == str(REPOSITORY / "datasets" / "__init__.py")
    assert evaluation == str(REPOSITORY / "evaluation" / "__init__.py")
    assert top_level == ["None", "None"]


def test_ci_runs_what_the_readme_says():
    """`.ci/run` takes both set-up commands from README, so that they cannot drift apart."""
    readme = (REPOSITORY / "README.md").read_text()
    ci = (REPOSITORY / ".ci" / "run").read_text()
    for name in ("first", "test"):
        assert readme.count(f"<!-- {name} command -->\n```bash\npython3 -m venv .venv && ") == 1
        assert f"readme_command {name}" in ci
