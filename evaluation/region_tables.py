"""Covering, PRI and VoI of every kernel and peer on Berkeley's images, at ODS and OIS."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from segjt.evaluation.berkeley import BerkeleyScore, RegionScore, berkeley_score, mean_score
from segjt.evaluation.results import RowResults
from segjt.evaluation.table_files import blocks_text, encode_csv, encode_json, markdown, setting_text

SCORES = ("covering", "pri", "voi")
EXPLANATION = (
    "ODS: the one setting of the row that is best for all images; OIS: the best setting for each image; each score "
    "chooses for itself. Covering and PRI: higher is better; VoI is in bits, lower is better. auto: the one map of "
    "n_segments = auto. Arbelaez et al. 2011 give for gPb-owt-ucm, which is trained, covering 0.59 / 0.65, "
    "PRI 0.83 / 0.86 and VoI 1.69 / 1.48 on the 200 test images."
)


@dataclass(frozen=True)
class RegionRow:
    """A row of the table: its results, ODS and OIS by place of the setting, and the scores of n_segments = auto."""

    results: RowResults
    score: BerkeleyScore[int]
    auto: RegionScore | None
    seconds: float


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
        table.append(RegionRow(row, score, auto, float(row.seconds[:, score.covering.setting].mean())))
    return table


def scores_of(results: RowResults, place: int) -> list[RegionScore]:
    """Return the scores of all images with one setting."""
    return [
        RegionScore(float(covering), float(pri), float(voi), int(weight))
        for covering, pri, voi, weight in results.scores[:, place]
    ]


def berkeley_markdown(table: Sequence[RegionRow], title: str) -> str:
    """Return the table of scores and the best settings as Markdown, without times."""
    heads = ["method", "blocks", "covering ODS / OIS", "PRI ODS / OIS", "VoI ODS / OIS", "auto", "images"]
    lines, settings = [], []
    for row in table:
        name = [row.results.row.title, blocks_text(row.results.row)]
        scales = [getattr(row.score, score) for score in SCORES]
        auto = "" if row.auto is None else f"{row.auto.covering:.3f}, {row.auto.pri:.3f}, {row.auto.voi:.3f}"
        figures = [f"{scale.ods:.3f} / {scale.ois:.3f}" for scale in scales]
        lines.append([*name, *figures, auto, str(len(row.results.items))])
        for score, scale in zip(SCORES, scales, strict=True):
            settings.append([*name, score, setting_text(row.results.settings[scale.setting])])
    best = markdown([["method", "blocks", "score", "setting at ODS"], *settings])
    return "\n\n".join([f"# {title}", markdown([heads, *lines]), EXPLANATION, f"## Best settings\n\n{best}"]) + "\n"


def berkeley_json(table: Sequence[RegionRow], benchmark: str) -> bytes:
    """Return the table as JSON."""
    rows = []
    for row in table:
        scales = {score: getattr(row.score, score) for score in SCORES}
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
                "auto": row.auto and {score: round(getattr(row.auto, score), 6) for score in SCORES},
            }
        )
    return encode_json({"benchmark": benchmark, "rows": rows})


def berkeley_csv(table: Sequence[RegionRow]) -> bytes:
    """Return the scores of each image at ODS and at its own best setting as CSV, with the setting."""
    lines: list[list[Any]] = [["method", "block_size", "scale", "score", "image", "value", "setting"]]
    for row in table:
        results = row.results
        for score in SCORES:
            values = results.column(score)
            best = values.argmin(1) if score == "voi" else values.argmax(1)
            fixed = [getattr(row.score, score).setting] * len(values)
            for scale, places in (("ODS", fixed), ("OIS", best)):
                for image, place in enumerate(places):
                    setting = json.dumps(results.settings[place], sort_keys=True)
                    name = (results.row.name, results.row.block_size or "", scale, score, results.images[image])
                    lines.append([*name, values[image, place], setting])
    return encode_csv(lines)
