"""Covering, PRI, VoI and boundary F of every kernel and peer on Berkeley's images, at ODS and OIS."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segjt.evaluation.berkeley import BerkeleyScore, RegionScore, ScaleScore, berkeley_score, mean_score
from segjt.evaluation.boundaries import BoundaryCounts, BoundaryScore, boundary_score, curves_of, pooled
from segjt.evaluation.peers import OF_CONTOURS
from segjt.evaluation.results import RowResults
from segjt.evaluation.scorers import DIGITS, RegionScorer
from segjt.evaluation.table_files import blocks_text, encode_json, markdown, setting_text
from segjt.io import encode_csv
from segjt.runtime.arrays import Floats

REGION_SCORES = ("covering", "pri", "voi")
BOUNDARY = "boundary"
SCORES = (*REGION_SCORES, BOUNDARY)
EXPLANATION = (
    "ODS: the one setting of the row that is best for all images; OIS: the best setting for each image; each score "
    "chooses for itself. Covering and PRI: higher is better; VoI is in bits, lower is better. Boundary: F of boundary "
    "pixels, matched one to one with those of people within 0.0075 of the diagonal; AP: the area below precision over "
    "recall of a hierarchy that is cut at thresholds (height, threshold). auto: covering, PRI and VoI of the map with "
    "n_segments = auto. Arbelaez et al. 2011 give for gPb-owt-ucm, which is trained, covering 0.59 / 0.65, "
    "PRI 0.83 / 0.86, VoI 1.69 / 1.48 and boundary F 0.73 / 0.76 on the 200 test images."
)


@dataclass(frozen=True)
class RegionRow:
    """A row of the table: its results, ODS and OIS by place of the setting, and the scores of n_segments = auto."""

    results: RowResults
    score: BerkeleyScore[int]
    boundary: BoundaryScore[int]
    auto: RegionScore | None
    seconds: float | None

    def scale(self, name: str) -> ScaleScore[int] | BoundaryScore[int]:
        """Return ODS and OIS of one of `SCORES`."""
        if name == BOUNDARY:
            return self.boundary
        scale: ScaleScore[int] = getattr(self.score, name)
        return scale


def berkeley_table(results: Sequence[RowResults]) -> list[RegionRow]:
    """Return the rows that have results of at least one image."""
    table = []
    for row in results:
        if not row.items:
            continue
        places = range(len(row.settings))
        score = berkeley_score({place: scores_of(row, place) for place in places})
        autos = [place for place in places if row.settings[place].get("n_segments") == "auto"]
        auto = mean_score(scores_of(row, autos[0])) if len(autos) == 1 else None
        boundary = boundary_score({place: counts_of(row, place) for place in places}, curves_of(row.settings))
        seconds = float(row.seconds[:, score.covering.setting].mean())
        # Of contour maps that come with the images nobody knows how long they took.
        known = row.row.method not in OF_CONTOURS
        table.append(RegionRow(row, score, boundary, auto, seconds if known else None))
    return table


def scores_of(results: RowResults, place: int) -> list[RegionScore]:
    """Return the scores of all images with one setting."""
    columns = [results.column(name)[:, place] for name in (*REGION_SCORES, "weight")]
    return [
        RegionScore(float(covering), float(pri), float(voi), int(weight))
        for covering, pri, voi, weight in zip(*columns, strict=True)
    ]


def counts_of(results: RowResults, place: int) -> list[BoundaryCounts]:
    """Return the boundary pixels of all images with one setting."""
    columns = [results.column(name)[:, place].astype(int) for name in RegionScorer.BOUNDARIES]
    return [BoundaryCounts(*map(int, counts)) for counts in zip(*columns, strict=True)]


def precision_recall(results: RowResults) -> list[tuple[list[float], list[float]]]:
    """Return recalls and precisions of all images together, at the thresholds of each hierarchy of a row."""
    curves = []
    for curve in curves_of(results.settings):
        counts = sorted((pooled(counts_of(results, place)) for place in curve), key=lambda one: one.recall)
        curves.append(([one.recall for one in counts if one.drawn], [one.precision for one in counts if one.drawn]))
    return curves


def values_of(results: RowResults, score: str) -> Floats:
    """Return one of `SCORES` of each image and setting."""
    if score != BOUNDARY:
        return results.column(score)
    counts = [counts_of(results, place) for place in range(len(results.settings))]
    return np.array([[of_image.f for of_image in of_setting] for of_setting in counts]).T


def berkeley_markdown(table: Sequence[RegionRow], title: str) -> str:
    """Return the table of scores and the best settings as Markdown, without times."""
    heads = ["method", "blocks", "covering ODS / OIS", "PRI ODS / OIS", "VoI ODS / OIS", "boundary ODS / OIS", "AP"]
    lines, settings = [], []
    for row in table:
        name = [row.results.row.title, blocks_text(row.results.row)]
        scales = [row.scale(score) for score in SCORES]
        ap = "" if row.boundary.ap is None else f"{row.boundary.ap:.3f}"
        auto = "" if row.auto is None else f"{row.auto.covering:.3f}, {row.auto.pri:.3f}, {row.auto.voi:.3f}"
        figures = [f"{scale.ods:.3f} / {scale.ois:.3f}" for scale in scales]
        lines.append([*name, *figures, ap, auto, str(len(row.results.items))])
        for score, scale in zip(SCORES, scales, strict=True):
            settings.append([*name, score, setting_text(row.results.settings[scale.setting])])
    best = markdown([["method", "blocks", "score", "setting at ODS"], *settings])
    scores = markdown([[*heads, "auto", "images"], *lines])
    return "\n\n".join([f"# {title}", scores, EXPLANATION, f"## Best settings\n\n{best}"]) + "\n"


def berkeley_json(table: Sequence[RegionRow], benchmark: str) -> bytes:
    """Return the table as JSON."""
    rows = []
    for row in table:
        scales = {score: row.scale(score) for score in SCORES}
        rows.append(
            {
                "method": row.results.row.name,
                "block_size": row.results.row.block_size,
                "images": len(row.results.items),
                "scores": {
                    score: {
                        "ods": round(scale.ods, 6),
                        "ois": round(scale.ois, 6),
                        "setting": row.results.settings[scale.setting],
                    }
                    for score, scale in scales.items()
                },
                "ap": row.boundary.ap and round(row.boundary.ap, 6),
                "auto": row.auto and {score: round(getattr(row.auto, score), 6) for score in REGION_SCORES},
            }
        )
    return encode_json({"benchmark": benchmark, "rows": rows})


def berkeley_csv(table: Sequence[RegionRow]) -> bytes:
    """Return the scores of each image at ODS and at its own best setting as CSV, with the setting."""
    lines: list[list[Any]] = [["method", "block_size", "scale", "score", "image", "value", "setting"]]
    for row in table:
        results = row.results
        for score in SCORES:
            values = values_of(results, score)
            best = values.argmin(1) if score == "voi" else values.argmax(1)
            fixed = [row.scale(score).setting] * len(values)
            for scale, places in (("ODS", fixed), ("OIS", best)):
                for image, place in enumerate(places):
                    setting = json.dumps(results.settings[place], sort_keys=True)
                    name = (results.row.name, results.row.block_size or "", scale, score, results.images[image])
                    lines.append([*name, round(values[image, place], DIGITS), setting])
    return encode_csv(lines)
