"""Segment two pictures and draw the stages: image, initial segments, merged segments.

Run ``python examples/quickstart.py``; it writes quickstart.jpg beside itself, or where its argument says.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from drawing import save, script_options
from skimage.data import coffee

import segjt
from segjt.datasets import load_sample
from segjt.image import as_image
from segjt.results.overlay import overlay


def main(target: Path) -> None:
    """Draw one row per picture."""
    pictures = {"a sample of segjt": load_sample("landscape")[0], "scikit-image's coffee": coffee()[::2, ::2]}
    figure, axes = plt.subplots(len(pictures), 3, figsize=(10.5, 5.2), layout="constrained")
    for row, (name, image) in zip(axes, pictures.items(), strict=True):
        initial = segjt.oversegment(image)
        labels = segjt.merge(image, initial)
        checked = as_image(image)
        panels = {
            name: image,
            f"{initial.max()} initial segments": overlay(checked, initial),
            f"{labels.max()} merged segments": overlay(checked, labels),
        }
        for panel, (title, picture) in zip(row, panels.items(), strict=True):
            panel.imshow(picture, interpolation="nearest")
            panel.set_title(title, fontsize=10)
            panel.axis("off")
    save(figure, target, dpi=110)


if __name__ == "__main__":
    main(**vars(script_options(__file__)))
