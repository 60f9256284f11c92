import os
import runpy
import subprocess
import sys

import numpy as np
import pytest
from conftest import REPOSITORY
from PIL import Image
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from segjt.datasets import SAMPLES_FOLDER
from segjt.kernels import make_kernel
from segjt.spectral.ncut import partition

EXAMPLES = REPOSITORY / "examples"
SAMPLES = [SAMPLES_FOLDER / f"{name}.png" for name in ("landscape", "cells")]
POINTS = (7, 8, 10, 12, 16, 20)


@pytest.mark.parametrize(
    ("script", "options"),
    [
        ("kernel_landscapes", []),
        ("two_arcs", []),
        ("normalized_kernels", []),
        ("kernels_on_a_photograph", ["--width", "90"]),
        ("kernels_in_blocks", ["--longest", "150", "--images", SAMPLES_FOLDER / "landscape.png"]),
        ("kernels_on_whole_images", ["--longest", "130", "--side", "24", "--images", *SAMPLES]),
        ("local_gaussians", []),
        ("kernel_times", ["--largest", "128"]),
    ],
)
def test_script_draws_its_figure(script, options, tmp_path):
    target = tmp_path / "figure.png"
    command = [sys.executable, EXAMPLES / f"{script}.py", target, *options]
    subprocess.run(command, check=True, timeout=300, env={**os.environ, "MPLBACKEND": "agg"})
    picture = np.asarray(Image.open(target).convert("RGB"))
    assert picture.shape[1] > 1000
    assert picture.std() > 30
    # Each panel holds something: a third of the picture, in each direction, is not of one colour.
    for part in (part for band in np.array_split(picture, 3) for part in np.array_split(band, 3, axis=1)):
        assert part.std() > 10


@pytest.mark.parametrize("script", [path.stem for path in EXAMPLES.glob("*.py") if path.stem != "drawing"])
def test_the_picture_beside_the_script_is_there_and_small(script):
    picture = EXAMPLES / f"{script}.jpg"
    assert picture.stat().st_size < 300_000
    assert Image.open(picture).format == "JPEG"


@pytest.fixture(scope="module")
def arcs():
    """The names of examples/two_arcs.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        return runpy.run_path(str(EXAMPLES / "two_arcs.py"))


def nlin(coefficient, points):
    return [make_kernel("nlin", n=n, coefficient=coefficient) for n in points]


@pytest.mark.parametrize("seed", range(5))
def test_only_the_published_coefficient_separates_the_arcs(arcs, seed):
    X, y = arcs["two_arcs"](np.random.default_rng(seed))
    assert X.min() > 0
    assert X.max() < 1
    assert adjusted_rand_score(y, KMeans(2, n_init=5, random_state=0).fit_predict(X)) < 0.1
    assert arcs["scores"](X, y, nlin("published", POINTS)) == [1.0] * len(POINTS)
    assert max(arcs["scores"](X, y, nlin("published", (2, 3, 4)))) < 0.1
    assert max(arcs["scores"](X, y, nlin("exact", (2, *POINTS)))) < 0.1


def test_small_gaussians_separate_the_arcs_and_a_wide_one_does_not(arcs):
    X, y = arcs["two_arcs"](np.random.default_rng(0))
    small, middle, wide = arcs["scores"](X, y, arcs["ROWS"]["gaussian"])
    assert small == middle == 1.0
    assert wide < 0.1


# What the docstring of two_arcs.py gives as the reason.


def parts(X, V):
    """Return h, g and Q of the docstring, fitted to V, and check that they are all of it."""
    centred = X - X.mean(0)
    degree = V.sum(1)
    rest = V - np.outer(degree, degree) / degree.sum()
    back = np.linalg.pinv(centred)
    Q = back @ rest @ back.T
    np.testing.assert_allclose(centred @ Q @ centred.T, rest, atol=1e-9 * np.abs(V).max())
    h, g = V.mean(), back @ V.mean(1)
    np.testing.assert_allclose(V.mean(1), h + centred @ g, rtol=1e-10)
    return h, g, Q


@pytest.mark.parametrize("n", POINTS)
def test_a_constant_leaves_its_share_of_the_term_along_the_mean(arcs, n):
    X, _ = arcs["two_arcs"](np.random.default_rng(0))
    true, printed = (kernel.affinity(X) for coefficient in ("exact", "published") for kernel in nlin(coefficient, [n]))
    c = (printed - true).mean()
    np.testing.assert_allclose(printed - true, c, rtol=1e-8)
    h, g, Q = parts(X, true)
    mean, m = X.mean(0), n - 1
    assert g @ mean > 0.9999 * np.linalg.norm(g) * np.linalg.norm(mean)
    P = 4 * m * (np.cov(X.T, bias=True) + m * np.outer(mean, mean))
    np.testing.assert_allclose(Q, P - np.outer(g, g) / h, atol=1e-7 * P.max())
    np.testing.assert_allclose(parts(X, printed)[2], Q + np.outer(g, g) / h * c / (h + c), atol=1e-7 * P.max())


def test_which_term_is_larger_decides(arcs):
    X, y = arcs["two_arcs"](np.random.default_rng(0))
    kernels = nlin("published", range(2, 21)) + nlin("exact", range(2, 21))
    ratios = np.array([arcs["along_over_across"](X, kernel) for kernel in kernels])
    assert ((np.array(arcs["scores"](X, y, kernels)) == 1.0) == (ratios > 1)).all()


def test_two_points_and_a_constant_do_as_well(arcs):
    X, y = arcs["two_arcs"](np.random.default_rng(0))
    V = make_kernel("nlin", n=2).affinity(X)
    labels = [partition(np.log(V + c), 2, np.random.default_rng(0)) for c in (0, V.mean())]
    assert adjusted_rand_score(y, labels[0]) < 0.1
    assert adjusted_rand_score(y, labels[1]) == 1.0


def test_turned_arcs_are_not_separated(arcs):
    X, y = arcs["two_arcs"](np.random.default_rng(0))
    turned = np.column_stack([1 - X[:, 1], X[:, 0]])
    assert max(arcs["scores"](turned, y, nlin("published", POINTS))) < 0.1
