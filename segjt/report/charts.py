"""Charts of a report: the positions of bars, points and ticks. The template draws them as inline SVG.

Lengths along x are percentages of the width, so that a chart fits any screen while its text keeps its size; lengths
along y are pixels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

Scale = Callable[[float], float]

# Number of colours and markers in the style sheet; further series start again with the first.
STYLES = 8
BAR, BAR_GAP, GROUP_GAP = 15, 3, 14
LINE_HEIGHT = 280
CHARACTER = 7.2


@dataclass(frozen=True)
class Bar:
    """One bar, with its standard error and a figure published by others, if known."""

    group: str
    series: str
    value: float | None
    error: float | None = None
    published: float | None = None

    def ends(self) -> list[float]:
        """Return the values that the bar, its whisker and its mark reach to."""
        reach = [self.value + self.error if known(self.error) else self.value] if known(self.value) else []
        return [*reach, *([self.published] if known(self.published) else [])]


@dataclass(frozen=True)
class BarChart:
    """Horizontal bars in groups, from 0.

    Attributes
    ----------
    title, axis, note : str
        What the chart shows, what its axis is, and what else a reader must know.
    bars : sequence of Bar
        Groups and series come in the order of their first bars.
    """

    title: str
    axis: str
    bars: Sequence[Bar]
    note: str = ""
    kind = "bars"

    @property
    def series(self) -> list[str]:
        """The names in the legend."""
        return distinct(bar.series for bar in self.bars)

    @property
    def has_published(self) -> bool:
        """Whether any bar has a published figure."""
        return any(known(bar.published) for bar in self.bars)

    def headers(self) -> list[str]:
        """Return the columns of `numbers`."""
        return ["group", "series", self.axis, "standard error", "published"]

    def numbers(self) -> list[list[Any]]:
        """Return the numbers of the chart, for a table below it."""
        return [[bar.group, bar.series, bar.value, bar.error, bar.published] for bar in self.bars]

    def layout(self) -> dict[str, Any]:
        """Return the positions of groups, bars and ticks."""
        ticks = nice_ticks(0.0, max((end for bar in self.bars for end in bar.ends()), default=1.0))
        to_percent = scale(ticks, 0.0, 100.0)
        groups: list[dict[str, Any]] = []
        y = GROUP_GAP / 2
        for name in distinct(bar.group for bar in self.bars):
            members = [bar for bar in self.bars if bar.group == name]
            rows = [self.row(bar, y + i * (BAR + BAR_GAP), to_percent) for i, bar in enumerate(members)]
            height = len(members) * (BAR + BAR_GAP) - BAR_GAP
            groups.append({"name": name, "middle": y + height / 2, "rows": rows})
            y += height + GROUP_GAP
        margin = CHARACTER * max((len(group["name"]) for group in groups), default=0) + 14
        return {
            "height": y - GROUP_GAP / 2,
            "margin": min(margin, 210),
            "groups": groups,
            "ticks": placed(ticks, to_percent),
        }

    def row(self, bar: Bar, y: float, to_percent: Scale) -> dict[str, Any]:
        """Return the position of one bar, of its whisker and of its mark."""
        value = bar.value if known(bar.value) else 0.0
        error = bar.error if known(bar.error) else 0.0
        return {
            "bar": bar,
            "style": self.series.index(bar.series) % STYLES,
            "y": y,
            "middle": y + BAR / 2,
            "thickness": BAR,
            "length": to_percent(value),
            "whisker": (to_percent(max(value - error, 0.0)), to_percent(value + error)) if error else None,
            "published": to_percent(bar.published) if known(bar.published) else None,
            "end": to_percent(max(bar.ends(), default=0.0)),
            "text": f"{bar.value:.3f}" if known(bar.value) else "not run",
        }


@dataclass(frozen=True)
class Line:
    """A series of points (x, y) joined by lines, with standard errors if given; points without y are left out."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    errors: Sequence[float | None] = ()


@dataclass(frozen=True)
class LineChart:
    """Lines over a common x axis, such as a score over q."""

    title: str
    x_axis: str
    y_axis: str
    lines: Sequence[Line]
    note: str = ""
    kind = "lines"

    @property
    def series(self) -> list[str]:
        """The names in the legend."""
        return [line.name for line in self.lines]

    def headers(self) -> list[str]:
        """Return the columns of `numbers`."""
        return ["series", self.x_axis, self.y_axis, "standard error"]

    def numbers(self) -> list[list[Any]]:
        """Return the numbers of the chart, for a table below it."""
        return [[line.name, x, y, error] for line in self.lines for x, y, error in points(line)]

    def layout(self) -> dict[str, Any]:
        """Return the positions of points and ticks."""
        drawn = [point for line in self.lines for point in points(line)]
        x_ticks = ticks_around(x for x, _, _ in drawn)
        y_ticks = ticks_around(end for _, y, error in drawn for end in (y - (error or 0.0), y + (error or 0.0)))
        to_x, to_y = scale(x_ticks, 0.0, 100.0), scale(y_ticks, LINE_HEIGHT, 0.0)
        return {
            "height": LINE_HEIGHT,
            "lines": [
                {"style": number % STYLES, "dots": dots(line, to_x, to_y)} for number, line in enumerate(self.lines)
            ],
            "x_ticks": placed(x_ticks, to_x),
            "y_ticks": placed(y_ticks, to_y),
        }


Chart = BarChart | LineChart


def points(line: Line) -> list[tuple[float, float, float | None]]:
    """Return the points (x, y, standard error) of a line that can be drawn, sorted by x."""
    errors = line.errors or [None] * len(line.x)
    every = zip(line.x, line.y, errors, strict=True)
    return sorted((x, y, error if known(error) else None) for x, y, error in every if known(x) and known(y))


def dots(line: Line, to_x: Scale, to_y: Scale) -> list[dict[str, Any]]:
    """Return the position and the text of each point of a line."""
    return [
        {
            "x": to_x(x),
            "y": to_y(y),
            "whisker": (to_y(y - error), to_y(y + error)) if error else None,
            "text": f"{line.name}: {y:.3f} at {x:g}" + (f" ± {error:.3f}" if error else ""),
        }
        for x, y, error in points(line)
    ]


def known(value: float | None) -> TypeGuard[float]:
    """Tell whether a value is a finite number."""
    return value is not None and math.isfinite(value)


def distinct(names: Iterable[str]) -> list[str]:
    """Return each name once, in order of first appearance."""
    return list(dict.fromkeys(names))


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return about five round numbers, evenly spaced, from at most `low` to at least `high`."""
    if not high > low:
        low, high = (min(low, 0.0), max(high, 0.0)) if low or high else (0.0, 1.0)
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * i, 12) for i in range(first, last + 1)]


def ticks_around(values: Iterable[float]) -> list[float]:
    """Return about five round numbers that enclose the values, or 0 to 1 if there are none."""
    shown = list(values) or [0.0, 1.0]
    return nice_ticks(min(shown), max(shown))


def placed(ticks: Sequence[float], to_position: Scale) -> list[tuple[float, str]]:
    """Return the position and the text of each tick."""
    return [(to_position(tick), shown_number(tick, ticks)) for tick in ticks]


def scale(ticks: Sequence[float], start: float, end: float) -> Scale:
    """Return the function that maps the first tick to `start`, the last to `end`, and values in between linearly."""
    return lambda value: round(start + (end - start) * (value - ticks[0]) / (ticks[-1] - ticks[0]), 3)


def shown_number(tick: float, ticks: Sequence[float]) -> str:
    """Return the text of a tick, with as many decimals as all ticks need."""
    decimals = next((n for n in range(12) if all(round(t, n) == t for t in ticks)), 12)
    return f"{tick:.{decimals}f}"
