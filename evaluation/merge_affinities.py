"""Ways to compare neighbouring segments, measured beside one another: `python -m segjt.evaluation.merge_affinities`.

On the Weizmann one-object images, with the settings of a grid and for every way to merge and `merge_affinity=` in it: F
of one map per image. Bins, power and number of segments are chosen on four fifths of the images and used on the rest
(cross-validated), or for each image with knowledge of the truth (tuned, as in the papers).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from segjt.datasets import Item, weizmann
from segjt.evaluation.grid import read_grid
from segjt.evaluation.runner import image_and_scorer
from segjt.evaluation.unit_of_work import Unit
from segjt.evaluation.units import run_unit
from segjt.runtime.arrays import Floats, Indices

FOLDS = 5
COMPARED = ("merge_method", "merge_affinity")


def object_scores(items: Sequence[Item], unit: Unit) -> Floats:
    """Return F of every image and setting of a unit, (images, settings)."""
    scores = []
    for item in items:
        image, scorer = image_and_scorer(item)
        scores.append([of_setting[0] for of_setting in run_unit(image, unit, scorer).scores])
    return np.array(scores)


def chosen_settings(f: Floats) -> Indices:
    """Return for each image (row) the setting that is best on average over the images of all other folds."""
    fold = np.arange(len(f)) % FOLDS
    best = [f[fold != left_out].mean(0).argmax() for left_out in range(FOLDS)]
    return np.array(best)[fold]


def mean_text(f: Floats) -> str:
    """Return mean and standard error as text."""
    return f"{f.mean():.3f} ± {f.std(ddof=1) / np.sqrt(len(f)):.3f}"


def setting_text(setting: dict[str, Any]) -> str:
    """Return what a setting chooses."""
    return ", ".join(f"{name} {setting[name]}" for name in ("bins", "power", "n_segments"))


def print_comparison(f: Floats, settings: Sequence[dict[str, Any]]) -> None:
    """Print the scores of each way to merge and to compare; differences are those to the first of its way to merge."""
    print(f"{'merge':9} {'affinity':26} {'cross-validated':>15} {'difference':>15} {'tuned':>15}  most often chosen")
    ways = dict.fromkeys(tuple(setting[name] for name in COMPARED) for setting in settings)
    first: dict[str, Floats] = {}
    for way in ways:
        places = np.array([p for p, each in enumerate(settings) if tuple(each[name] for name in COMPARED) == way])
        chosen = chosen_settings(f[:, places])
        held_out = f[np.arange(len(f)), places[chosen]]
        difference = held_out - first.setdefault(way[0], held_out)
        usual = settings[int(places[Counter(chosen.tolist()).most_common(1)[0][0]])]
        against = mean_text(difference) if difference.any() else ""
        tuned = mean_text(f[:, places].max(1))
        print(f"{way[0]:9} {way[1]:26} {mean_text(held_out):>15} {against:>15} {tuned:>15}  {setting_text(usual)}")


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description="Accuracy of merging by different affinities of segments.")
    parser.add_argument("--data", default=None, help="folder of the data (default: SEGJT_DATA)")
    parser.add_argument("--grid", default="affinity", help="grid of settings, by name or as a TOML file")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th image, for a quick try")
    options = parser.parse_args()
    items = weizmann(options.data)[:: options.every]
    for row in read_grid(options.grid).rows(peers=[]):
        for unit in row.units:
            print(f"Weizmann, one object, {len(items)} images, {unit.parameters}: mean F ± standard error")
            print_comparison(object_scores(items, unit), unit.settings())


if __name__ == "__main__":
    main()
