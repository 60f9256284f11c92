"""What the version of the code follows: every source that a method runs, and no other."""

import importlib.metadata
import subprocess
import sys

import pytest

from segjt.evaluation import sources, versions
from segjt.evaluation.versions import code_version, sources_of_method

PAPERS = ("000", "001", "002", "003", "004")
ALGORITHM = ("kernels", "spectral", "superpixels", "region_graph", "merging", "whole_image", "pipeline", "parameters")


@pytest.fixture
def versions_after(monkeypatch):
    """Return the versions of methods as they would be if a module of segjt computed something else."""
    read = sources.source_text

    def after(changed, *methods):
        text = "\nchanged = True\n"
        monkeypatch.setattr(sources, "source_text", lambda module: read(module) + (text if module == changed else ""))
        sources.source_of.cache_clear()
        code_version.cache_clear()
        return [code_version(method) for method in methods]

    yield after
    monkeypatch.undo()
    sources.source_of.cache_clear()
    code_version.cache_clear()


@pytest.mark.parametrize(
    ("module", "ours", "peer", "learning"),
    [
        ("segjt.io", True, True, True),
        ("segjt.image", True, True, True),
        ("segjt.labels", True, True, True),
        ("segjt.datasets.weizmann_database", True, True, False),
        ("segjt.datasets.vectors", False, False, True),
        ("segjt.evaluation.scorers", True, True, False),
        ("segjt.evaluation.pixel_matching", True, True, False),
        ("segjt.evaluation.peers", True, True, False),
        ("segjt.evaluation.object_peers", True, True, False),
        ("segjt.evaluation.instances", True, True, False),
        ("segjt.evaluation.unit_of_work", True, True, False),
        ("segjt.evaluation.units", True, False, False),
        ("segjt.kernels.classic", True, False, True),
        ("segjt.kernels.evaluators.exponential_sums", True, False, True),
        ("segjt.spectral.kmeans", True, False, True),
        ("segjt.pipeline", True, False, False),
        ("segjt.trees.number_of_segments", True, False, False),
        ("segjt.evaluation.learning.paper000", False, False, True),
        ("segjt.cli.entry", False, False, False),
        ("segjt.cli.batch", False, False, False),
        ("segjt.report.page", False, False, False),
        ("segjt.report.charts", False, False, False),
        ("segjt.evaluation.tables", False, False, False),
        ("segjt.evaluation.instance_tables", False, False, False),
        ("segjt.evaluation.learning.registry", False, False, False),
        ("segjt.evaluation.learning.paper000_claims", False, False, False),
        ("segjt.evaluation.learning.verdicts", False, False, False),
        ("segjt.evaluation.learning.baselines", False, False, True),
        ("segjt.evaluation.claims", False, False, False),
    ],
)
def test_a_change_counts_for_those_who_run_it(versions_after, module, ours, peer, learning):
    methods = ("segjt", "otsu", "learning 000")
    before, after = versions_after(None, *methods), versions_after(module, *methods)
    assert [one != other for one, other in zip(before, after, strict=True)] == [ours, peer, learning]


def test_no_source_of_the_algorithm_decides_the_results_of_a_peer():
    rooms = {module.split(".")[1] for module in sources_of_method("otsu") if "." in module}
    assert not rooms & set(ALGORITHM)
    assert set(ALGORITHM) <= {module.split(".")[1] for module in sources_of_method("segjt") if "." in module}
    assert sources_of_method("segjt objects") == sources_of_method("segjt")


@pytest.mark.parametrize("paper", PAPERS)
def test_a_learning_experiment_depends_on_its_own_paper_and_on_what_all_share(paper):
    modules = {module.removeprefix("segjt.") for module in sources_of_method(f"learning {paper}")}
    assert {"kernels.multipoint", "kernels.classic", "evaluation.learning.experiment"} <= modules
    papers = {module for module in modules if module.startswith("evaluation.learning.paper")}
    assert papers
    assert all(module.startswith(f"evaluation.learning.paper{paper}") for module in papers)
    unrelated = {"report", "cli", "pipeline", "superpixels", "merging", "trees"}
    assert not {module.split(".")[0] for module in modules} & unrelated
    assert not {"evaluation.learning.report", "evaluation.learning.tables", "evaluation.learning.benchmark"} & modules


def test_versions_of_libraries_count(monkeypatch):
    before = code_version("otsu")
    code_version.cache_clear()
    monkeypatch.setattr(versions, "library_version", lambda name: "next")
    assert code_version("otsu") != before
    code_version.cache_clear()


def test_libraries_are_found_by_the_names_they_are_installed_by():
    assert versions.library_version("sklearn") == importlib.metadata.version("scikit-learn")
    assert all(versions.library_version(name) for name in ("PIL", "cv2", "numba", "numpy", "scipy", "skimage"))
    assert versions.library_version("not_installed") == ""


def test_a_library_under_another_name_counts(monkeypatch):
    monkeypatch.setattr(versions, "installed", lambda: {"cv2": ["opencv-python-headless"]})
    monkeypatch.setattr(importlib.metadata, "version", {"opencv-python-headless": "4.9"}.__getitem__)
    assert versions.library_version("cv2") == "4.9"


def test_it_imports_no_source_and_is_computed_once():
    code = """
import sys
from segjt.evaluation.versions import code_version
code_version("segjt")
code_version("segjt")
assert code_version.cache_info().misses == 1
assert "segjt.pipeline" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
