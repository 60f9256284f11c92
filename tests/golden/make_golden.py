"""Store the label maps that `test_golden.py` compares with. Run it only when results change on purpose."""

from pathlib import Path

import segjt
from segjt.datasets import load_sample
from segjt.io import write_labels

KERNELS = ("gaussian", "jt2", "expjt2", "jt3", "expjt3", "nlin")
FOLDER = Path(__file__).parent


def picture():
    """The middle of the quilt sample, where its four patches meet: 96 x 128 pixels."""
    return load_sample("quilt")[0][48:144, 64:192]


def cases():
    """Name and label map of every golden result."""
    for kernel in KERNELS:
        initial = segjt.oversegment(picture(), kernel=kernel, block_size=16)
        yield f"{kernel}_initial", initial
        yield f"{kernel}_merged", segjt.merge(picture(), initial, n_segments=4, kernel=kernel)


if __name__ == "__main__":
    for name, labels in cases():
        print(write_labels(FOLDER / f"{name}.png", labels, overwrite=True))
