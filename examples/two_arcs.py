"""Two concentric arcs, cut by spectral clustering (Ghoshdastidar et al., Jensen-type kernels, Figure 1).

k-means cuts both arcs across the middle. The paper reports that the n-point linear kernel separates them for n >= 7.
Drawn here: `nlin` with the coefficient as printed (row 1) and as it should be (row 2), and the Gaussian (row 3). Our
Gaussian is exp(-|x - y|^2 / (2 sigma^2)); if the paper's lacks the 2, its sigma is ours times the root of 2.

Only the printed formula separates the arcs: it adds a constant c to the true V. To see why that helps, let m be n - 1,
mu the mean and S the covariance of the points, and measure x and y from mu.

- V(x, y) = h + g'x + g'y + x'Py with P = 4m (S + m mu mu'), so the degrees d are affine in x. The first eigenvector of
  the normalised V accounts for d d' / sum(d). The second lives on the rest, V - d d' / sum(d) = x'Qy with
  Q = P - g g' / h. It is affine over affine, so two clusters meet in a straight line, whatever n and c.
- g points along mu, and in the true V the term g g' / h cancels the one in mu mu'. About 4m S is left: as in PCA,
  points are told apart along their largest variance, which cuts the arcs across.
- A constant c only changes h, to h + c. The share c / (h + c) of g g' / h then stays in Q: a term along mu that grows
  with m^2, while 4m S grows with m. From some n on, points are told apart along mu, by their distance from the origin.

So it is the constant that separates the arcs, not the number of points: the true V plus its mean does so for n = 2. And
it works because one arc lies behind the other as seen from the origin: turned by 90 degrees about the middle of the
square, the arcs are not separated for any n >= 7. `along_over_across` is the ratio of the two terms.

Run ``python examples/two_arcs.py``; it writes two_arcs.jpg beside itself, or where its argument says.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from drawing import save, script_options
from sklearn.metrics import adjusted_rand_score

from segjt.kernels import make_kernel
from segjt.kernels.base import Kernel
from segjt.learn import KernelSpectralClustering

ROWS = {
    "published": [make_kernel("nlin", n=n, coefficient="published") for n in (2, 7, 20)],
    "exact": [make_kernel("nlin", n=n, coefficient="exact") for n in (2, 7, 20)],
    "gaussian": [make_kernel("gaussian", sigma=sigma) for sigma in (0.09, 0.12, 0.15)],
}
TEXTS = {
    "published": "The printed formula has one coefficient doubled,\nwhich adds a constant to the affinity V. Degree\n"
    "normalisation then no longer cancels the term\nalong the mean (arrow); that term grows with n²\n"
    "and points are told apart along the arrow. It takes\n"
    "arcs that lie one behind the other as seen from 0.",
    "exact": "With the correct V it cancels. What is left is\nthe covariance of the points, and as in PCA or\n"
    "k-means they are told apart along their largest\nvariance, for every n. The border is a straight\n"
    "line in both rows: V is affine in each point.",
    "gaussian": "The Gaussian follows the arcs, border and all,\nuntil sigma is so large that a slow change along\n"
    "the arcs costs less than a step between them\n(second and third eigenvector trade places).",
}
COLOURS = np.array(["#d1495b", "#00798c"])


def two_arcs(rng: np.random.Generator, points: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Return points on two arcs around (0.1, 0.1), and which arc each is on."""
    angle = np.deg2rad(np.linspace(9, 81, points))
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    X = 0.1 + np.concatenate([0.5 * arc, 0.8 * arc])
    return X + rng.normal(scale=0.012, size=X.shape), np.repeat([0, 1], points)


def cluster(X: np.ndarray, kernel: Kernel) -> KernelSpectralClustering:
    """Cut X into two clusters."""
    return KernelSpectralClustering(2, kernel=kernel).fit(X)


def scores(X: np.ndarray, y: np.ndarray, kernels: list[Kernel]) -> list[float]:
    """Return the adjusted Rand index (1: all points right, 0: no better than chance) with each kernel."""
    return [adjusted_rand_score(y, cluster(X, kernel).labels_) for kernel in kernels]


def along_over_across(X: np.ndarray, kernel: Kernel) -> float:
    """Return how strongly V - d d' / sum(d) tells points apart along their mean, relative to across it."""
    V = kernel.affinity(X)
    degree = V.sum(1)
    back = np.linalg.pinv(X - X.mean(0))
    Q = back @ (V - np.outer(degree, degree) / degree.sum()) @ back.T
    along = X.mean(0) / np.linalg.norm(X.mean(0))
    across = np.array([-along[1], along[0]])
    return float((along @ Q @ along * (X @ along).var()) / (across @ Q @ across * (X @ across).var()))


def draw(panel: plt.Axes, X: np.ndarray, y: np.ndarray, kernel: Kernel) -> None:
    """Draw the points in the colours of their clusters, over the cluster that is predicted at each place."""
    model = cluster(X, kernel)
    score = adjusted_rand_score(y, model.labels_)
    # Clusters have no order: the one of the lowest right point, on the outer arc, is blue everywhere.
    blue = model.labels_[100]
    ticks = np.linspace(0, 1, 151)
    places = np.column_stack([axis.ravel() for axis in np.meshgrid(ticks, ticks)])
    ground = (model.predict(places) == blue).reshape(151, 151)
    panel.contourf(ticks, ticks, ground, levels=[-0.5, 0.5, 1.5], colors=list(COLOURS), alpha=0.13)
    panel.scatter(*X.T, s=7, c=COLOURS[(model.labels_ == blue).astype(int)])
    name = ", ".join(f"{key} = {value}" for key, value in kernel.parameters().items())
    panel.set_title(f"{kernel.name}: {name}\nARI {round(score, 2) + 0.0:.2f}", fontsize=9)
    panel.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 1], yticks=[0, 1], aspect="equal")
    note = f", along / across {along_over_across(X, kernel):.2g}" if kernel.name == "nlin" else ""
    print(f"{kernel.name}, {name}: ARI {score:.3f}{note}")


def main(target: Path) -> None:
    """Draw one row per kind of kernel, with what it shows beside it."""
    X, y = two_arcs(np.random.default_rng(0))
    figure, axes = plt.subplots(3, 4, figsize=(12.5, 9), layout="constrained", width_ratios=[1, 1, 1, 1.25])
    for row, (name, kernels) in zip(axes, ROWS.items(), strict=True):
        for panel, kernel in zip(row, kernels, strict=False):
            draw(panel, X, y, kernel)
            if name != "gaussian":
                panel.annotate("", X.mean(0), (0, 0), arrowprops={"arrowstyle": "->", "color": "0.25"})
        row[-1].axis("off")
        row[-1].text(0, 0.5, TEXTS[name], transform=row[-1].transAxes, va="center", fontsize=10, linespacing=1.5)
    save(figure, target, dpi=110)


if __name__ == "__main__":
    main(**vars(script_options(__file__)))
