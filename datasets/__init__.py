"""Images to try segjt on: a few samples of our own making, with their truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segjt.knobs import suggestion

SAMPLES_FOLDER = Path(__file__).parent / "samples"

__all__ = ["SAMPLES_FOLDER", "load_sample", "sample_names"]


def sample_names() -> list[str]:
    """Return the names of the sample images."""
    return sorted(path.stem for path in SAMPLES_FOLDER.glob("*.png") if not path.stem.endswith("_truth"))


def load_sample(name: str) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return a sample image (H, W, 3) uint8 and its true segments, labels from 1."""
    from segjt.io import read_image, read_labels

    if name not in sample_names():
        raise ValueError(
            f"no sample is called {name!r}{suggestion(name, sample_names())}; choose from {', '.join(sample_names())}"
        )
    return read_image(SAMPLES_FOLDER / f"{name}.png").pixels, read_labels(SAMPLES_FOLDER / f"{name}_truth.png")
