"""One photograph, cut into six segments with kernels of all five papers that segjt implements.

Every kernel cuts the blocks of the photograph into small segments, and these are merged in the same way, so the panels
differ only in how alike a kernel finds two pixels. Row 1 compares their colours, by classic kernels and a normalised
one; row 2 too, by Jensen-Tsallis kernels of two and of more points; row 3 compares the histograms, or the means and
covariances, of the pixels around them. The last panel of row 1 is the other method: the whole image at once, reduced.
As far as possible, the same colours mark the same things in all panels.

Run ``python examples/kernels_on_a_photograph.py``, which takes about a minute; it writes kernels_on_a_photograph.jpg
beside itself, or where its argument says. ``--width 90`` makes a smaller, quicker one.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from drawing import match_labels, save, script_options
from skimage.data import coffee
from skimage.transform import resize

import segjt
from segjt.image import as_image
from segjt.results.overlay import overlay

SEGMENTS = 6
ROWS = {
    "colours: classic, normalised": [
        {"kernel": "gaussian", "sigma": 0.1},
        {"kernel": "self_tuning", "neighbour": 7},
        {"kernel": "normalized", "base_kernel": "jt2", "order": 1},
        {"method": "whole", "kernel": "gaussian", "sigma": 0.1},
    ],
    "colours: Jensen-Tsallis": [
        {"kernel": "jt2", "q": 1},
        {"kernel": "expjt2", "q": 1, "t": 1},
        {"kernel": "jt3", "q": 1},
        {"kernel": "nlin", "n": 6},
        {"kernel": "npoint", "base_kernel": "gaussian", "n": 4},
    ],
    "histograms, Gaussians": [
        {"kernel": "js"},
        {"kernel": "expjr", "q": 0.5},
        {"kernel": "heat", "tau": 0.1},
        {"kernel": "relaxed_h"},
        {"kernel": "relaxed_br"},
    ],
}


def panel_title(parameters: dict[str, object]) -> str:
    """Return the title of a panel: the kernel's name and its parameters."""
    parts = [f"{name} = {value}" for name, value in parameters.items() if name not in ("kernel", "method")]
    name = f"whole image, {parameters['kernel']}" if "method" in parameters else f"{parameters['kernel']}"
    return ", ".join([name, *parts]).replace(", base_kernel = ", " of ")


def main(target: Path, width: int) -> None:
    """Draw the photograph, and its segments by each kernel."""
    image = np.rint(resize(coffee(), (width * 2 // 3, width), anti_aliasing=True) * 255).astype(np.uint8)
    reference = segjt.segment(image, n_segments=SEGMENTS, kernel="heat")
    figure, axes = plt.subplots(3, 5, figsize=(15, 6.9), layout="constrained")
    axes[0, 0].imshow(image)
    axes[0, 0].set_title("the photograph", fontsize=10)
    for row, (name, settings) in zip(axes, ROWS.items(), strict=True):
        row[0].set_ylabel(name, fontsize=10)
        for panel, parameters in zip(row[-len(settings) :], settings, strict=True):
            labels = segjt.segment(image, n_segments=SEGMENTS, **parameters)
            panel.imshow(overlay(as_image(image), match_labels(labels, reference)), interpolation="nearest")
            panel.set_title(panel_title(parameters), fontsize=10)
            print(f"{panel_title(parameters)}: {labels.max()} segments", flush=True)
    for panel in axes.flat:
        panel.set(xticks=[], yticks=[])
    save(figure, target)


if __name__ == "__main__":
    width = {"type": int, "default": 300, "help": "width of the photograph, in pixels"}
    main(**vars(script_options(__file__, width=width)))
