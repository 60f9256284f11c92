"""What kernels look like on [0, 1]^2 (Ghoshdastidar et al., Learning with Jensen-Tsallis kernels, Figures 1, 2 and 5).

Each image shows the similarity of x with x0 = (0.5, 0.5), marked by a cross, as a function of x: (0, 0) is at the
bottom left, and brighter is more similar. Each curve shows the same along the diagonal from (0, 0) to (1, 1).

- Rows 1 and 2, Figure 1: the Jensen-Tsallis kernel and its exponential, on one scale per row. q = 2 is linear.
- Row 3, Figure 2: the 3-point kernels, compared with those of 2 points.
- Row 4, Figure 5: the n-point extension of the Gaussian with sigma = 0.1; n = 2 is the Gaussian itself.

An n-point kernel is drawn as K(x, x0, ..., x0), all arguments but the first fixed at x0. ``kernel(X, Y)`` takes the
other points from the rows of Y, so ``kernel(X, [x0])`` is that times a constant, K(x0, ..., x0). The constant cancels
where the largest value is scaled to 1, as in rows 3 and 4.

Run ``python examples/kernel_landscapes.py``; it writes kernel_landscapes.jpg beside itself, or where its argument says.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from drawing import save, script_options

from segjt.kernels import make_kernel
from segjt.kernels.base import Kernel

CENTRE = np.array([[0.5, 0.5]])
TICKS = np.linspace(0, 1, 201)
PLANE = np.column_stack([axis.ravel() for axis in np.meshgrid(TICKS, TICKS)])
DIAGONAL = np.column_stack([TICKS, TICKS])
QS = (0.25, 1, 2)


def draw_landscape(panel: plt.Axes, kernel: Kernel, title: str, largest: float | None = None) -> None:
    """Draw k(x, x0) on the square; colours range from 0 to `largest`, or to the largest value, scaled to 1."""
    values = kernel(PLANE, CENTRE).reshape(len(TICKS), len(TICKS))
    if largest is None:
        values, largest = values / values.max(), 1
    drawn = panel.imshow(values, origin="lower", extent=(0, 1, 0, 1), vmin=0, vmax=largest)
    panel.plot(*CENTRE.T, "w+", markersize=8)
    panel.set(xticks=[0, 1], yticks=[0, 1])
    panel.set_title(title, fontsize=10)
    panel.figure.colorbar(drawn, ax=panel, shrink=0.9)


def draw_curves(panel: plt.Axes, kernels: dict[str, Kernel], title: str, scaled: bool = True) -> None:
    """Draw k(x, x0) of each kernel along the diagonal; `scaled`: with the largest value scaled to 1."""
    for (label, kernel), style in zip(kernels.items(), ("-", "--", ":"), strict=False):
        values = kernel(DIAGONAL, CENTRE)[:, 0]
        panel.plot(TICKS, values / values.max() if scaled else values, style, label=label)
    panel.set(xlim=(0, 1), ylim=(0, None), xticks=[0, 0.5, 1], box_aspect=1)
    panel.set_title(title, fontsize=10)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)


def main(target: Path) -> None:
    """Draw the three figures in four rows."""
    figure = plt.figure(figsize=(12.5, 12.5), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)
    rows = figure.subfigures(4, 1)
    captions = (
        "Jensen-Tsallis kernel k(x, $x_0$): linear for q = 2, nearly constant for small q",
        "Its exponential exp(t k(x, $x_0$)), t = 1: nearly linear along the diagonal for q = 1",
        "Three points, K(x, $x_0$, $x_0$), q = 1, largest value scaled to 1: shaped much like two points",
        "Gaussian of n points, K(x, $x_0$, ...), $\\sigma$ = 0.1, largest value scaled to 1: peaks on plateaus",
    )
    for row, caption in zip(rows, captions, strict=True):
        row.suptitle(caption, fontsize=12)
    panels = [row.subplots(1, 4) for row in rows]

    for row, name in zip(panels, ("jt2", "expjt2"), strict=False):
        kernels = {f"q = {q}": make_kernel(name, q=q) for q in QS}
        largest = max(kernel(DIAGONAL[-1:], CENTRE).item() for kernel in kernels.values())
        for panel, (label, kernel) in zip(row, kernels.items(), strict=False):
            draw_landscape(panel, kernel, f"{name}, {label}", largest)
        draw_curves(row[-1], kernels, f"{name} along the diagonal", scaled=False)

    for column, (two, three) in enumerate((("jt2", "jt3"), ("expjt2", "expjt3"))):
        kernels = {name: make_kernel(name, q=1) for name in (two, three)}
        draw_landscape(panels[2][column], kernels[three], three)
        draw_curves(panels[2][column + 2], kernels, f"{two}, {three} along the diagonal")

    gaussian = make_kernel("gaussian", sigma=0.1)
    kernels = {"n = 2": gaussian} | {f"n = {n}": make_kernel("npoint", kernel=gaussian, n=n) for n in (4, 6)}
    for panel, (label, kernel) in zip(panels[3], kernels.items(), strict=False):
        draw_landscape(panel, kernel, f"{kernel.name}, {label}")
    draw_curves(panels[3][-1], kernels, "along the diagonal")
    save(figure, target)


if __name__ == "__main__":
    main(**vars(script_options(__file__)))
