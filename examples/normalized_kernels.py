"""How the order t of a normalised kernel treats vectors of different length (Ah-Pine, Normalized kernels, Figure 1).

The normalised kernel K^t(x, y) = K(x, y) / M^t(K(x, x), K(y, y)) divides a kernel by a power mean. Here K is linear and
x and y lie on one line, y gamma times as long as x: pointing the opposite way on the left, the same way on the right.
Order 0 is the cosine, which ignores lengths; the larger the order, the less alike are vectors of different length.

At gamma = 2 and t = 1 the value is 2 / ((1 + 4) / 2) = 0.8; the paper's text says 0.85.

Run ``python examples/normalized_kernels.py``; it writes normalized_kernels.jpg beside itself, or where its argument
says.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from drawing import save, script_options

from segjt.kernels import make_kernel

ORDERS = {0: "t → 0 (cosine)", 1: "t = 1", 10: "t = 10", 100: "t = 100", "inf": "t → ∞ (maximum)"}


def main(target: Path) -> None:
    """Draw one curve per order, for opposite and for equal directions."""
    gamma = np.linspace(1, 2, 201)
    x = np.array([[1.0, 0.0]])
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(ORDERS)))
    for panel, cosine in zip(axes, (-1, 1), strict=True):
        y = np.column_stack([cosine * gamma, np.zeros_like(gamma)])
        for (order, label), colour in zip(ORDERS.items(), colours, strict=True):
            kernel = make_kernel("normalized", kernel="linear", order=order)
            values = kernel(x, y)[0]
            panel.plot(gamma, values, "--" if order == "inf" else "-", color=colour, label=label, linewidth=1.8)
            print(f"cos(theta) = {cosine:2}, {label}: {values[-1]:.4f} at gamma = 2")
            if (order, cosine) == (1, 1):
                panel.annotate(
                    f"{values[-1]:.1f} at $\\gamma$ = 2, t = 1",
                    (2, values[-1]),
                    (1.62, 0.93),
                    arrowprops={"arrowstyle": "->", "color": "0.3"},
                )
        # Both panels span the same length, so that the curves mirror each other.
        panel.set(xlim=(1, 2), ylim=sorted((0.48 * cosine, 1.02 * cosine)))
        panel.set(title=f"cos $\\theta$ = ${cosine}$", xlabel="$\\gamma$, ratio of the lengths")
        panel.set_ylabel("$K^t$ of the linear kernel")
        panel.grid(alpha=0.3)
    axes[0].legend(loc="upper left")
    save(figure, target, dpi=120)


if __name__ == "__main__":
    main(**vars(script_options(__file__)))
