"""What the documentation shows is run: examples of docstrings, Python of the guides, commands of README."""

import doctest
import importlib
import pkgutil
import re
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import REPOSITORY
from PIL import Image
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from segjt.cli.commands import build_parser
from segjt.cli.entry import main

GUIDES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]


def all_modules():
    """Names of the modules of segjt; `evaluation` and `datasets` are in folders of their own where it is editable."""
    names = {"segjt", "segjt.evaluation", "segjt.datasets"}
    for package in map(importlib.import_module, sorted(names)):
        names.update(module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))
    return sorted(names)


def source(module):
    return Path(find_spec(module).origin).read_text(encoding="utf-8")


def blocks(guide, language):
    """The fenced blocks of a guide in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (REPOSITORY / guide).read_text(encoding="utf-8"), re.M | re.S)


# Docstrings


@pytest.mark.parametrize("module", [module for module in all_modules() if ">>> " in source(module)])
def test_examples_of_docstrings(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testmod(importlib.import_module(module), report=False)
    assert attempted > 0, "no docstring holds the example"
    assert failed == 0, "see the output above"


def test_no_example_is_skipped():
    assert [module for module in all_modules() if re.search(r"doctest:.*\+SKIP", source(module))] == []


# Python in the guides


@pytest.mark.parametrize("guide", [guide for guide in GUIDES if blocks(guide, "python")])
def test_python_of_the_guides(guide, crop, tmp_path, monkeypatch):
    """The blocks run in order, in one namespace: an image, and iris flowers as vectors."""
    monkeypatch.chdir(tmp_path)
    flowers, species = load_iris(return_X_y=True)
    flowers = minmax_scale(flowers)
    namespace = {"image": crop, "X": flowers[::2], "y": species[::2], "Y": flowers[1::4], "new": flowers[1::2]}
    for block in blocks(guide, "python"):
        exec(compile(block, guide, "exec"), namespace)


# Commands in README


def commands():
    """The `segjt ...` lines of README's command blocks, without their comments."""
    lines = [line for block in blocks("README.md", "bash") for line in block.splitlines()]
    return [line.split("  #")[0].rstrip() for line in lines if line.startswith("segjt ")]


BENCHMARKS = [line for line in commands() if line.startswith("segjt benchmark ")]


@pytest.fixture(scope="module")
def desk(tmp_path_factory, crop):
    """A folder with the files that README names, and the results of its first command."""
    folder = tmp_path_factory.mktemp("desk")
    Image.fromarray(crop).save(folder / "photo.jpg")
    Image.fromarray(crop[:, :, 0]).save(folder / "scan.tif")
    (folder / "photos").mkdir()
    for name in ("one.png", "two.jpg"):
        Image.fromarray(crop[:24, :32]).save(folder / "photos" / name)
    assert main(["segment", str(folder / "photo.jpg"), "-o", str(folder / "results"), "--quiet"]) == 0
    return folder


@pytest.mark.parametrize("line", [line for line in commands() if line not in BENCHMARKS])
def test_commands_of_the_readme(line, desk, tmp_path, monkeypatch, capsys):
    """Each command in a fresh folder, as each is a recipe of its own; only `> FILE` is left to the test."""
    copy = shutil.copytree(desk, tmp_path / "desk")
    if "-o results" in line:
        shutil.rmtree(copy / "results")
    monkeypatch.chdir(copy)
    before = set(copy.rglob("*"))
    command, _, target = line.partition(" > ")
    assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    printed = capsys.readouterr().out
    if target:
        Path(target).write_text(printed)
        assert main(["segment", "photo.jpg", "--config", target, "--quiet"]) == 0
    assert printed
    assert set(copy.rglob("*")) > before or command == "segjt kernels"


@pytest.mark.parametrize("line", BENCHMARKS)
def test_benchmarks_of_the_readme(line):
    """Benchmarks take minutes to hours: these commands are only parsed, which checks names and values of options.

    `tests/cli/test_benchmark.py` and `test_learning_benchmark.py` run the benchmarks themselves on small data.
    """
    options = build_parser().parse_args(shlex.split(line)[1:])
    assert options.command.startswith("segjt.cli.benchmark:")


def test_readme_has_commands_and_python():
    assert len(commands()) - len(BENCHMARKS) >= 10
    assert len(BENCHMARKS) >= 8
    assert len(blocks("README.md", "python")) >= 3
