"""Compiled code: that it runs, and that the cache on disk never hands out stale machine code."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import segjt
from segjt.runtime import compiled as module
from segjt.runtime.compiled import compiled, compiled_reordering, fingerprint

STEP = 2.0
UNKNOWN = {"a": 1}


def add(x, y):
    return x + y


@compiled
def stepped(x):
    return x + STEP


@compiled
def twice_stepped(x):
    return stepped(stepped(x))


def test_compiles():
    assert compiled(add)(2, 3) == 5


def test_without_a_place_for_the_cache(monkeypatch):
    """In a container whose home cannot be written, numba has no place for a cache: then nothing is cached."""

    def no_locator(dispatcher):
        raise RuntimeError("cannot cache function 'add': no locator available")

    monkeypatch.setattr(module, "FingerprintedCache", no_locator)
    assert compiled(add)(2, 3) == 5


def fresh_fingerprint(function):
    fingerprint.cache_clear()
    return fingerprint(function)


def test_fingerprint_follows_constants_callees_and_versions(monkeypatch):
    before = fresh_fingerprint(twice_stepped)
    assert fresh_fingerprint(twice_stepped) == before
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[__name__], "STEP", 3.0)
        assert fresh_fingerprint(twice_stepped) != before
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[__name__], "stepped", compiled(add))
        assert fresh_fingerprint(twice_stepped) != before
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[__name__], "stepped", compiled_reordering(stepped.py_func))
        assert fresh_fingerprint(twice_stepped) != before
    with monkeypatch.context() as patch:
        patch.setattr(stepped.py_func, "__defaults__", (1.0,))
        assert fresh_fingerprint(twice_stepped) != before
    with monkeypatch.context() as patch:
        patch.setattr(np, "__version__", "0.0")
        assert fresh_fingerprint(twice_stepped) != before
    assert fresh_fingerprint(twice_stepped) == before


def test_fingerprint_follows_constants_reached_through_a_module(monkeypatch):
    from segjt.spectral import ncut
    from segjt.superpixels.block_cut import to_normalised_affinity

    before = fresh_fingerprint(to_normalised_affinity)
    monkeypatch.setattr(ncut, "SAFE_EXPONENT", ncut.SAFE_EXPONENT + 1)
    assert fresh_fingerprint(to_normalised_affinity) != before


def test_fingerprint_follows_what_a_function_encloses():
    def scaled_by(factor):
        @compiled
        def scaled(x):
            return factor * x

        return scaled

    assert fingerprint(scaled_by(2.0)) != fingerprint(scaled_by(3.0))
    assert fingerprint(scaled_by(2.0)) == fingerprint(scaled_by(2.0))


def test_values_that_could_change_unnoticed_are_refused():
    @compiled
    def uses_a_dictionary():
        return UNKNOWN

    with pytest.raises(TypeError, match="and a change of it would go unnoticed"):
        fingerprint(uses_a_dictionary)


def compiled_functions():
    import importlib
    import pkgutil

    from numba.core.dispatcher import Dispatcher

    for module_info in pkgutil.walk_packages(segjt.__path__, "segjt."):
        if not module_info.name.endswith("__main__"):
            for value in vars(importlib.import_module(module_info.name)).values():
                if isinstance(value, Dispatcher):
                    yield value


def test_every_compiled_function_has_a_fingerprint():
    functions = set(compiled_functions())
    assert len(functions) > 50
    assert len({fingerprint(function) for function in functions}) == len(functions)


@pytest.fixture
def copy_of_segjt(tmp_path):
    """A copy of the package, whose compiled code is cached beside it, and a way to run code on it."""
    source = Path(segjt.__file__).parent
    shutil.copytree(source, tmp_path / "segjt", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}

    def call(code):
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{code}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=300)
        return done.stdout.strip()

    return tmp_path / "segjt", call


def edit(path, old, new):
    """Change a file as nastily as possible: to the same size, with the same time of change."""
    text, status = path.read_text(), path.stat()
    assert text.count(old) == 1
    assert len(old) == len(new)
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    for bytecode in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        bytecode.unlink()


def test_editing_a_constant_of_a_callee_changes_the_next_run(copy_of_segjt):
    package, call = copy_of_segjt
    # `to_normalised_affinity` of superpixels/block_cut.py calls `exponentials` of runtime/vector_math.py.
    code = """
import numpy as np
import segjt.superpixels.block_cut as block_cut
Z = np.log(np.random.default_rng(0).random((5, 5)))
Z += Z.T
block_cut.to_normalised_affinity(Z, np.argwhere(np.ones((1, 5))).astype(float), 0.9, 0.02)
hits = sum(block_cut.to_normalised_affinity.stats.cache_hits.values())
print(block_cut.__file__, hits, Z[3, 2])
"""
    where, hits, first = call(code).split()
    assert where.startswith(str(package))
    assert hits == "0"
    _, hits, again = call(code).split()
    assert (hits, again) == ("1", first)
    edit(package / "runtime" / "vector_math.py", "series = series * r + 1 / 24\n", "series = series * r + 1 / 25\n")
    _, hits, changed = call(code).split()
    assert hits == "0"
    assert changed != first
