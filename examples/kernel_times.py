"""How the time of kernels grows with the number of points (Ghoshdastidar et al., Jensen-Tsallis kernels, Table I).

The paper lists the complexity of its kernels. Here their CPU time is measured: solid lines are segjt, dashed lines the
definition in plain numpy, as far as it gets. The legend has the paper's power of N, and behind it the powers that were
measured at the largest sizes, of segjt and of the definition. Left: 8-bit colours of a photograph. Right: real numbers
in 8 columns.

Run ``python examples/kernel_times.py``, which takes about two minutes; it prints the table of all kernels
(`segjt.evaluation.kernel_times`) and writes kernel_times.jpg beside itself, or where its argument says. ``--largest
128`` measures fewer points.
"""

from pathlib import Path

import drawing
import matplotlib.pyplot as plt

from segjt.evaluation.kernel_times import LARGEST, PUBLISHED, REPETITIONS, Measured, exponent_text, measure_all, table


def draw(panel: plt.Axes, name: str, measured: Measured) -> None:
    """Draw the times of the kernels that the paper lists."""
    for number, (kernel, power) in enumerate(PUBLISHED.items()):
        own, plain = measured.own[kernel], measured.plain[kernel]
        label = f"{kernel}: {power}; {exponent_text(own)} and {exponent_text(plain)}"
        panel.loglog(own.keys(), own.values(), "o-", color=f"C{number}", markersize=4, label=label)
        panel.loglog(plain.keys(), plain.values(), "s--", color=f"C{number}", markersize=3, linewidth=1)
    sizes = sorted(measured.own["jt2"])
    panel.set(title=name, xlabel="N, number of points", xticks=sizes, xticklabels=sizes)
    panel.minorticks_off()
    panel.grid(alpha=0.3)
    # Below the axis, where no curve is.
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": 3, "fontsize": 9, "title_fontsize": 9}
    panel.legend(title="power of N: paper; segjt and definition", **below)


def main(target: Path, largest: int) -> None:
    """Measure, print the table and draw one panel per kind of rows."""
    measured = measure_all(largest, REPETITIONS)
    print(table(measured))
    figure, axes = plt.subplots(1, len(measured), figsize=(12.5, 6.4), sharey=True, layout="constrained")
    for panel, (name, of_rows) in zip(axes, measured.items(), strict=True):
        draw(panel, name, of_rows)
    axes[0].set_ylabel("CPU seconds")
    drawing.save(figure, target)


if __name__ == "__main__":
    largest = {"type": int, "default": LARGEST, "metavar": "N", "help": "most points (default: %(default)s)"}
    main(**vars(drawing.script_options(__file__, largest=largest)))
