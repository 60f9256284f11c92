"""The benchmark of speed as text and as a picture."""

from __future__ import annotations

import io
import statistics
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segjt.evaluation.speed import Timing


def timings_text(timings: Iterable[Timing]) -> str:
    """Return a line for each contender."""
    lines = [f"{'method, 300x225 photograph':58} {'seconds':>8} {'CPU':>8} {'peak MB':>8}"]
    for timing in timings:
        peak = "" if timing.peak_megabytes is None else f"{timing.peak_megabytes:.0f}"
        lines.append(f"{timing.name:58} {timing.seconds:8.4f} {statistics.median(timing.cpu):8.4f} {peak:>8}")
    return "\n".join(lines)


def ratios_text(figures: Mapping[str, float]) -> str:
    """Return a line for each ratio, after an empty one."""
    return "\n".join(["", *(f"{name:70} {value:7.2f}" for name, value in figures.items())])


def growth_text(name: str, growth: Iterable[Timing], exponent: float | None) -> str:
    """Return the time and memory of a contender by size of the image, after an empty line."""
    lines = ["", name]
    lines += [f"{timing.name:48} {timing.seconds:8.3f} s {timing.peak_megabytes:8.0f} MB" for timing in growth]
    if exponent is not None:
        lines.append(f"exponent of time from 1 megapixel on: {exponent:.2f}")
    return "\n".join(lines)


def picture(record: Mapping[str, Any], growing: str) -> bytes:
    """Return a PNG of a record: seconds of each contender, and how time and memory of one of them grow."""
    from matplotlib.figure import Figure

    timings, growth = record["timings"], record["growth"]
    figure = Figure(figsize=(13, 0.28 * len(timings) + 1.5), layout="constrained")
    bars, curves = figure.subplots(1, 2, width_ratios=[2, 1])
    names = [timing["name"] for timing in timings]
    seconds = [statistics.median(timing["wall"]) for timing in timings]
    colours = ["C0" if "segjt" in name else "0.6" if "plain" in name else "C1" for name in names]
    bars.barh(names, seconds, color=colours)
    bars.bar_label(bars.containers[0], [f"{value:.3g}" for value in seconds], padding=3, fontsize=8)
    bars.set(xscale="log", xlabel="seconds", title="300x225 photograph", xlim=(min(seconds) / 2, 3 * max(seconds)))
    bars.invert_yaxis()
    bars.margins(y=0.01)
    bars.tick_params(labelsize=8)
    megapixels = [timing["megapixels"] for timing in growth]
    curves.loglog(megapixels, [timing["wall"][0] for timing in growth], "o-", label="seconds")
    curves.loglog(megapixels, [timing["peak_megabytes"] / 1000 for timing in growth], "s--", label="peak memory, GB")
    curves.set(xlabel="megapixels", title=growing)
    curves.legend()
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=100)
    return data.getvalue()
