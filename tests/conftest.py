"""Fixtures shared by all tests: real pictures, real processes, real files."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import segjt.datasets

# In CI the same examples every time, so that a failure is due to the change; elsewhere new ones.
settings.register_profile("segjt", deadline=None, max_examples=40, derandomize="CI" in os.environ)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "segjt"))

REPOSITORY = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def photograph():
    """A photograph of 225 x 300 pixels: scikit-image's coffee cup, reduced by whole pixels' means."""
    from skimage.data import coffee
    from skimage.transform import resize

    return np.rint(resize(coffee()[:400, 34:568], (225, 300), anti_aliasing=True) * 255).astype(np.uint8)


@pytest.fixture(scope="session")
def crop(photograph):
    """A piece of the photograph that is quick to segment and has sharp edges: 48 x 64 pixels."""
    return np.ascontiguousarray(photograph[90:138, 120:184])


@pytest.fixture(scope="session")
def samples():
    """The sample images of segjt with their truth, by name."""
    return {name: segjt.datasets.load_sample(name) for name in segjt.datasets.sample_names()}


@pytest.fixture(scope="session")
def data_folder():
    """The benchmark data; tests that need them are skipped where SEGJT_DATA is not set."""
    folder = os.environ.get("SEGJT_DATA")
    if not folder:
        pytest.skip("SEGJT_DATA is not set: point it at a folder with the benchmark data to run this test")
    return Path(folder)


@pytest.fixture
def run():
    """Run `segjt` as a process of its own and return exit code, stdout and stderr."""

    def call(*arguments, prefix=(), **options):
        command = [*map(str, prefix), sys.executable, "-m", "segjt", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return call


@pytest.fixture
def image_file(tmp_path, crop):
    """A small photograph in a file of its own."""
    from PIL import Image

    path = tmp_path / "photo.png"
    Image.fromarray(crop).save(path)
    return path
