"""A report: tables, charts and a gallery in one HTML file that needs no network and no other file.

It does not know where its numbers come from: benchmarks of images and of learners, and `segjt batch`, fill the same
classes.

>>> report = Report("A title", tables=[Table("Scores", ["kernel", "F"], [["jt2", 0.78], ["expjt2", 0.80]])])
>>> "expjt2" in render(report)
True
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from segjt.report.charts import Chart, distinct
from segjt.report.pictures import data_address, picture_size

TEMPLATES = Path(__file__).parent / "templates"
NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class Cell:
    """A table cell that is more than a number or a text.

    Attributes
    ----------
    text : str
        The text that is shown.
    value : float, optional
        The number to sort by.
    link : str
        Target of a link: `GalleryItem.address`, a file beside the report, or a web page.
    strong : bool
        Whether it is highlighted, such as the best of a column.
    """

    text: str
    value: float | None = None
    link: str = ""
    strong: bool = False

    def __post_init__(self) -> None:
        check_link(self.link)


@dataclass(frozen=True)
class Table:
    """A table that can be sorted by each column.

    Attributes
    ----------
    caption, note : str
        The texts above and below it.
    columns : sequence of str
        The headers. The first column names the rows.
    rows : sequence of sequences
        Texts, numbers (float: three decimals), None for an empty cell, or `Cell` for anything else.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"a row of the table {self.caption!r} has {len(row)} cells; it has {len(self.columns)} columns"
                )

    def cells(self) -> list[list[Cell]]:
        """Return the rows as cells."""
        return [[as_cell(value) for value in row] for row in self.rows]

    def numeric(self) -> list[bool]:
        """Return for each column whether it holds numbers."""
        return [
            any(cell.value is not None for cell in column)
            and all(cell.value is not None or cell.text in ("", NOTHING) for cell in column)
            for column in zip(*self.cells(), strict=True)
        ] or [False] * len(self.columns)


@dataclass(frozen=True)
class GalleryItem:
    """An image with pictures of its result.

    Attributes
    ----------
    name : str
        Name of the image.
    score : float or None
        The number the gallery is sorted by; None comes last.
    pictures : dict of str to bytes or array
        Contents of PNG, JPEG or WebP files, or pixels (H, W, 3), by caption; `gallery_pictures` of
        `segjt.report.pictures` makes them. Equal pictures of several items are stored once.
    tags : dict of str to str
        Properties the gallery can be filtered by, such as ``{"kernel": "expjt2", "block size": "16"}``.
    parameters : dict
        Shown on demand.
    links : dict of str to str
        Addresses by text: files beside the report, or web pages.
    note : str
        A line below the name.
    """

    name: str
    score: float | None
    pictures: Mapping[str, bytes | NDArray[Any]]
    tags: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def __post_init__(self) -> None:
        for link in self.links.values():
            check_link(link)

    @cached_property
    def anchor(self) -> str:
        """The id of the item in the page: the same for the same name, tags and parameters."""
        key = repr((self.name, sorted(self.tags.items()), sorted(self.parameters.items())))
        word = re.sub(r"[^a-z0-9]+", "-", self.name.lower())[:40].strip("-")
        return f"item-{word}-{hashlib.sha256(key.encode(errors='surrogatepass')).hexdigest()[:10]}"

    @property
    def address(self) -> str:
        """Link to the item, for cells of tables."""
        return f"#{self.anchor}"


@dataclass(frozen=True)
class Report:
    """The content of a page, for `render`.

    Attributes
    ----------
    title, subtitle : str
        The heading, and a line below it.
    tables, charts, gallery : sequences
        The content, in this order.
    notes : sequence of str
        Paragraphs at the end, such as how scores were measured.
    score_name : str
        The name of the gallery's scores.
    """

    title: str
    subtitle: str = ""
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    gallery: Sequence[GalleryItem] = ()
    notes: Sequence[str] = ()
    score_name: str = "F"

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for item in self.gallery:
            if item.anchor in seen:
                raise ValueError(
                    f"the gallery has {item.name!r} twice with the same tags and parameters; give each once"
                )
            seen.add(item.anchor)

    def by_score(self) -> list[GalleryItem]:
        """Return the gallery, best first, items without a score last, ties by name."""
        return sorted(self.gallery, key=lambda item: (-as_number(item.score, -math.inf), item.name))

    def filters(self) -> dict[str, list[str]]:
        """Return the values of each tag that the gallery can be filtered by, which has more than one."""
        tags = distinct(tag for item in self.gallery for tag in item.tags)
        values = {tag: distinct(item.tags[tag] for item in self.gallery if tag in item.tags) for tag in tags}
        return {tag: sorted(choices, key=natural) for tag, choices in values.items() if len(choices) > 1}


class Pictures:
    """The pictures of a page, each stored once: a repeated picture refers to its first appearance."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}

    def attributes(self, picture: bytes | NDArray[Any]) -> dict[str, Any]:
        """Return the attributes of an <img>."""
        address = data_address(picture)
        digest = hashlib.sha256(address.encode()).hexdigest()
        width, height = picture_size(picture)
        size = {"width": width, "height": height}
        if digest in self.ids:
            return size | {"data-same": self.ids[digest]}
        self.ids[digest] = f"picture-{len(self.ids)}"
        return size | {"id": self.ids[digest], "src": address}


def render(report: Report) -> str:
    """Return a report as HTML; every text from the data is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(Table=Table, pictures=Pictures(), shown=shown)
    return environment.get_template("report.html").render(report=report)


def encode_report(report: Report) -> bytes:
    """Return a report as the content of one HTML file."""
    # File names need not be valid text; what cannot be encoded is escaped.
    return render(report).encode("utf-8", errors="backslashreplace")


def as_cell(value: Any) -> Cell:
    """Return a table value as a cell."""
    if isinstance(value, Cell):
        return value
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return Cell(shown(value), float(value) if math.isfinite(value) else None)
    return Cell(shown(value))


def shown(value: Any) -> str:
    """Return a value as shown: floats with three decimals, an en dash for None and NaN."""
    if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
        return NOTHING
    if isinstance(value, (float, np.floating)):
        return f"{value:.3f}"
    return str(value)


def as_number(value: float | None, otherwise: float) -> float:
    """Return a number, or `otherwise` for None and NaN."""
    return otherwise if value is None or math.isnan(value) else value


def natural(text: str) -> list[tuple[int, float, str]]:
    """Return a sort key by which "8" comes before "16"."""
    parts = (part for part in re.split(r"(\d+)", text.lower()) if part)
    return [(0, float(part), "") if part.isdecimal() else (1, 0.0, part) for part in parts]


def check_link(link: str) -> None:
    """Raise a ValueError for a link that is neither a web page nor a file, such as a script."""
    if urlsplit(link).scheme not in ("", "http", "https"):
        raise ValueError(
            f"the link {link!r} is neither a web page nor a file beside the report; quote file names with a colon"
        )
