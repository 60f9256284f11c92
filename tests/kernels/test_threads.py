"""Kernels start no threads: blocks that already run on threads ask for them, within the number of workers given."""

import ast
import pkgutil
import threading
from pathlib import Path

import numpy as np
import pytest

import segjt.kernels
from segjt.kernels import make_kernel

ALLOWED = {"segjt.fields", "segjt.runtime.arrays", "segjt.runtime.compiled", "segjt.runtime.vector_math"}
MODULES = [module.name for module in pkgutil.walk_packages(segjt.kernels.__path__, "segjt.kernels.")]


@pytest.mark.parametrize("name", ["relaxed_j", "relaxed_b", "expjt3", "jt3"])
def test_a_kernel_starts_no_thread(name, monkeypatch):
    started = []
    start = threading.Thread.start

    def noted(self):
        started.append(self.name)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", noted)
    # 320 rows of 16 columns are more pairs times columns squared than threads once took to start.
    rows = np.random.default_rng(0).random((320, 16 if name.startswith("relaxed") else 3))
    make_kernel(name).log_affinity(rows)
    assert started == []


@pytest.mark.parametrize("name", MODULES)
def test_a_kernel_knows_only_its_room_and_three_modules_of_runtime(name):
    path = Path(segjt.kernels.__path__[0], *name.split(".")[2:])
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
    imported = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    ours = {module for module in imported if module.split(".")[0] == "segjt"}
    assert {module for module in ours if not module.startswith("segjt.kernels")} <= ALLOWED
