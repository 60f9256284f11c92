"""From the distance of points to that of Gaussians (Abou-Moustafa et al., Relaxed exponential kernels, Figure 1).

(A) The exponential kernel K_E sees the Euclidean distance between X and Y, and nothing of the points around them.
(B) X and Y have their nearest neighbours, whose (C) mean and covariance make two local Gaussians, drawn at one and two
standard deviations. The relaxed kernels compare these. The two rows have, to 1 %, the same distance between X and Y and
so the same K_E; of all pairs of this distance, they are the least and the most alike by K_H. The values of the kernels
are printed below; each has the width that it chooses by itself for all points.

The points are iris flowers: the length of their petals and of their sepals, scaled to [0, 1].

Run ``python examples/local_gaussians.py``; it writes local_gaussians.jpg beside itself, or where its argument says.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from drawing import save, script_options
from matplotlib.patches import Ellipse
from sklearn.datasets import load_iris

from segjt.datasets.vectors import unit_range
from segjt.kernels import make_kernel
from segjt.kernels.gaussians import Gaussians, local_gaussians, neighbourhood

NEIGHBOURS, GAMMA = 10, 1e-4
DISTANCE = 0.25
# Half the side of a panel.
AROUND = 0.32
RELAXED = {"K_J": "relaxed_j", "K_H": "relaxed_h", "K_B": "relaxed_b", "K_{JR}": "relaxed_jr", "K_{BR}": "relaxed_br"}
COLOURS = {"X": "#2a9d3a", "Y": "#2166ac"}


def pairs_of_one_distance(points: np.ndarray, similarity: np.ndarray) -> list[tuple[int, int]]:
    """Return the least and the most similar pair of points, of those that are about `DISTANCE` apart."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    first, second = np.triu(np.abs(apart - DISTANCE) < 0.01 * DISTANCE).nonzero()
    values = similarity[first, second]
    return [(int(first[place]), int(second[place])) for place in (values.argmin(), values.argmax())]


def draw_gaussian(panel: plt.Axes, gaussian: Gaussians, colour: str) -> None:
    """Draw the ellipses at one and two standard deviations: axes are eigenvectors of the covariance."""
    variances, axes = np.linalg.eigh(gaussian.covariances[0])
    angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
    for deviations, alpha in ((1, 0.35), (2, 0.18)):
        width, height = 2 * deviations * np.sqrt(variances[::-1])
        ellipse = Ellipse(gaussian.means[0], width, height, angle=angle, color=colour, alpha=alpha, linewidth=0)
        panel.add_patch(ellipse)
    panel.plot(*gaussian.means[0], "+", color=colour, markersize=9, markeredgewidth=1.8)


def draw_row(row: list[plt.Axes], points: np.ndarray, pair: tuple[int, int], gaussians: Gaussians) -> None:
    """Draw the distance, the neighbours and the Gaussians of a pair."""
    distance, neighbours, ellipses = row
    x, y = points[list(pair)].mean(0)
    for panel in row:
        panel.scatter(*points.T, s=14, c="0.75", linewidths=0)
        panel.set(xlim=(x - AROUND, x + AROUND), ylim=(y - AROUND, y + AROUND), xticks=[], yticks=[], aspect="equal")
    distance.plot(*points[list(pair)].T, color="#d1495b", linewidth=1.6)
    for (name, colour), place in zip(COLOURS.items(), pair, strict=True):
        point = points[place]
        offsets, used = neighbourhood(point[None], points, NEIGHBOURS)
        near = point + offsets[0, used[0]]
        neighbours.plot(*np.stack([np.broadcast_to(point, near.shape), near], 1).T, color=colour, linewidth=0.9)
        for panel in (neighbours, ellipses):
            panel.scatter(*near.T, s=22, c=colour)
        draw_gaussian(ellipses, gaussians[place : place + 1], colour)
        for panel in (distance, neighbours):
            panel.scatter(*point, s=70, c=colour, edgecolors="white", zorder=3)
        distance.annotate(name, point, (-20, 9), textcoords="offset points", color=colour, fontsize=14, weight="bold")


def main(target: Path) -> None:
    """Draw one row per pair of points."""
    points = unit_range(load_iris().data[:, [2, 0]])
    gaussians = local_gaussians(points, points, NEIGHBOURS, GAMMA, "neighbourhood")
    relaxed = {sign: make_kernel(name)(gaussians) for sign, name in RELAXED.items()}
    K_E = make_kernel("exponential")(points)
    figure, axes = plt.subplots(2, 3, figsize=(12.5, 8.6), layout="constrained")
    names = ("least alike", "most alike")
    for row, name, (i, j) in zip(axes, names, pairs_of_one_distance(points, relaxed["K_H"]), strict=True):
        row[0].set_ylabel(f"{name} at this distance", fontsize=11)
        draw_row(row, points, (i, j), gaussians)
        values = [f"${sign} = {K[i, j]:.3f}$" for sign, K in ({"K_E": K_E} | relaxed).items()]
        row[0].set_xlabel(f"distance {np.linalg.norm(points[i] - points[j]):.3f}:   {values[0]}", fontsize=11)
        row[1].set_xlabel(f"{NEIGHBOURS} neighbours of each", fontsize=11)
        row[2].set_xlabel(",  ".join(values[1:4]) + "\n" + ",  ".join(values[4:]), fontsize=11)
        print(", ".join(values).replace("$", ""))
    titles = ("(A) Euclidean distance between X and Y", "(B) nearest neighbours of X and Y", "(C) local Gaussians")
    for panel, title in zip(axes[0], titles, strict=True):
        panel.set_title(title, fontsize=12)
    save(figure, target)


if __name__ == "__main__":
    main(**vars(script_options(__file__)))
