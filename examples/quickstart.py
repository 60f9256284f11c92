"""Segment two pictures and draw the stages: image, initial segments, merged segments.

Run ``python examples/quickstart.py``; it writes quickstart.jpg beside itself, or where its argument says.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
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
    figure.savefig(target, dpi=110, **({"pil_kwargs": {"quality": 85}} if target.suffix == ".jpg" else {}))
    print(f"wrote {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".jpg"))
