"""The boundary score of the Berkeley sets: F of boundary pixels, matched one to one, at ODS and OIS, and AP.

As Arbelaez, Maire, Fowlkes and Malik define it (Contour detection and hierarchical image segmentation, PAMI 2011), and
in what the paper leaves open as their code does (BSDS500's `evaluation_bdry_image`, `correspondPixels` and
`collect_eval_bdry`):

- the boundary of a label map is every pixel that is not in one segment with its neighbours to the right, below and
  diagonally below, thinned to lines of one pixel; so are BSDS500's `groundTruth{k}.Boundaries`, and contour maps at
  image size, `ucm2(3:2:end, 3:2:end)`, at a threshold;
- a map is matched with each person's, one pixel with one, over at most 0.0075 of the diagonal. Precision is the share
  of its pixels that are matched with those of any person, recall that of the pixels of all people, F their harmonic
  mean;
- ODS is the best F of one setting with the counts of all images added up, OIS that of the counts at each image's best
  setting; AP is the area below the curve of precision over recall that the thresholds of a hierarchy give.

Two differences. Their matching has the least total distance of all largest matchings. Ours is a largest one, too, so
recall is the same, in which near pixels go first (`segjt.evaluation.pixel_matching`): in gPb-owt-ucm's maps of four
images up to 0.2 % more pixels count as precise near ODS, and 0.5 % at the finest threshold. And they look for ODS
between thresholds, too, on a line from one to the next; here it is the F of maps that exist.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segjt.evaluation.pixel_matching import Matcher, thinned
from segjt.runtime.arrays import Mask

SettingKey = TypeVar("SettingKey", bound=Hashable)
# Of the diagonal: how far apart pixels that are matched may be.
TOLERANCE = 0.0075
# Parameters that cut a hierarchy at a threshold.
THRESHOLDS = ("height", "threshold")


@dataclass(frozen=True)
class BoundaryCounts:
    """Pixels of a map's boundary and of the people's boundaries, of one image or of several.

    Attributes
    ----------
    precise : int
        Pixels of the map that are matched with some person's.
    drawn : int
        Pixels of the map.
    recalled : int
        Pixels of all people that are matched with the map's.
    true : int
        Pixels of all people.
    """

    precise: int
    drawn: int
    recalled: int
    true: int

    @property
    def precision(self) -> float:
        """Share of the map's pixels that are matched; 0 if it has none."""
        return self.precise / self.drawn if self.drawn else 0.0

    @property
    def recall(self) -> float:
        """Share of the people's pixels that are matched; 0 if they have none."""
        return self.recalled / self.true if self.true else 0.0

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True)
class BoundaryScore(Generic[SettingKey]):
    """F at `setting`, the best for all images (ODS), and at each image's best (OIS); AP of the best hierarchy."""

    ods: float
    ois: float
    setting: SettingKey
    ap: float | None


def boundary_map(labels: NDArray[Any]) -> Mask:
    """Return the thin boundary of a label map."""
    # The last row and column are repeated: beyond the image there is no boundary.
    padded = np.pad(labels, ((0, 1), (0, 1)), mode="edge")
    across, down = padded[:, 1:] != padded[:, :-1], padded[1:] != padded[:-1]
    return thinned(across[:-1] | across[1:] | down[:, :-1] | down[:, 1:])


class BoundaryTruth:
    """The boundaries that people drew of one image.

    Parameters
    ----------
    truth : (people, H, W) array
        Their label maps.
    tolerance : float
        How far apart matched pixels may be, as a share of the diagonal.
    """

    def __init__(self, truth: ArrayLike, tolerance: float = TOLERANCE) -> None:
        people = np.asarray(truth)
        self.shape = people.shape[1:]
        distance = tolerance * float(np.hypot(*self.shape))
        self.people = [Matcher(boundary_map(person), distance) for person in people]

    def counts(self, labels: NDArray[Any]) -> BoundaryCounts:
        """Return what a label map's boundary has in common with them."""
        if labels.shape != self.shape:
            raise ValueError(f"labels have the shape {labels.shape} and the truth {self.shape}; give maps of one image")
        drawn = np.argwhere(boundary_map(labels))
        matched = [person.partners(drawn) >= 0 for person in self.people]
        return BoundaryCounts(
            precise=int(np.any(matched, axis=0).sum()),
            drawn=len(drawn),
            recalled=sum(int(of_person.sum()) for of_person in matched),
            true=sum(person.pixels for person in self.people),
        )


def pooled(counts: Iterable[BoundaryCounts]) -> BoundaryCounts:
    """Return the counts of several images together."""
    rows = [(one.precise, one.drawn, one.recalled, one.true) for one in counts]
    return BoundaryCounts(*(sum(column) for column in zip(*rows, strict=True)))


def boundary_score(
    counts: Mapping[SettingKey, Sequence[BoundaryCounts]], curves: Iterable[Sequence[SettingKey]] = ()
) -> BoundaryScore[SettingKey]:
    """Return ODS, OIS and AP of images that were segmented with several settings.

    Parameters
    ----------
    counts : mapping of setting to sequence of BoundaryCounts
        For each setting the counts of the same images in the same order. The first setting wins a tie.
    curves : iterable of sequences of settings
        The thresholds of each hierarchy, from which its precision and recall at many scales come.
    """
    together = {setting: pooled(of_setting) for setting, of_setting in counts.items()}
    best = max(together, key=lambda setting: together[setting].f)
    of_images = zip(*counts.values(), strict=True)
    ois = pooled(max(of_image, key=lambda one: one.f) for of_image in of_images)
    areas = [average_precision([together[setting] for setting in curve]) for curve in curves]
    return BoundaryScore(together[best].f, ois.f, best, max(areas, default=None))


def average_precision(curve: Sequence[BoundaryCounts]) -> float:
    """Return the area below precision over recall, by its values at recalls of 0, 0.01, ..., 1.

    Between thresholds precision is on a line; at recalls that none of them reaches, small or large, it is 0.
    """
    recall, first = np.unique([counts.recall for counts in curve], return_index=True)
    precision = np.array([counts.precision for counts in curve])[first]
    if len(recall) < 2:
        return 0.0
    return float(np.interp(np.linspace(0.0, 1.0, 101), recall, precision, left=0.0, right=0.0).sum() / 100)


def curves_of(settings: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return the places of the settings that cut each hierarchy: those that differ in nothing but the threshold."""
    curves: dict[str, list[int]] = {}
    for place, setting in enumerate(settings):
        shared = {name: value for name, value in setting.items() if name not in THRESHOLDS}
        if len(shared) < len(setting):
            curves.setdefault(json.dumps(shared, sort_keys=True), []).append(place)
    return [curve for curve in curves.values() if len(curve) > 1]
