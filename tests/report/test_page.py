"""The report as a file: complete, escaped, small."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from segjt.report.charts import Bar, BarChart, Line, LineChart
from segjt.report.page import Cell, GalleryItem, Report, Table, encode_report, render
from segjt.report.pictures import encode

NASTY = """<script>alert("x")</script> & 'quotes' "both" </title></style>"""
VOID = {"meta", "link", "img", "input", "br"}


class Structure(HTMLParser):
    """Tags that are open, ids and addresses of a page; an end tag without a start tag is an error."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.ids, self.addresses, self.text = [], [], [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def picture(value=0):
    return encode(np.full((4, 6, 3), value, np.uint8))


def full(text):
    """A report with everything in it, and a text everywhere that a text can be."""
    item = GalleryItem(text, 0.5, {text: picture()}, {text: text}, {text: text}, {text: "a%20b.png"}, text)
    other = GalleryItem("other", None, {}, {text: "other"})
    table = Table(text, [text, "number"], [[text, 1.0], [Cell(text, 2.0, item.address, True), None]], text)
    charts = [
        BarChart(text, text, [Bar(text, text, 0.5, 0.1, 0.6), Bar("b", "c", None)], text),
        LineChart(text, text, text, [Line(text, [0, 1], [0.5, 0.6], [0.1, 0.1]), Line("c", [0, 1], [1, 0])], text),
    ]
    return Report(text, text, [table], charts, [item, other], [text], score_name=text)


def test_page_is_well_formed_and_self_contained():
    page = Structure(render(full("text")))
    assert len(page.ids) == len(set(page.ids))
    assert page.tags.count("h1") == 1
    for address in page.addresses:
        assert address.startswith(("data:", "#")) or address == "a%20b.png"
    for address in page.addresses:
        if address.startswith("#"):
            assert address[1:] in page.ids


def test_texts_are_escaped():
    plain, nasty = Structure(render(full("text"))), Structure(render(full(NASTY)))
    assert nasty.tags == plain.tags
    assert "".join(nasty.text).count(NASTY) >= 20


def test_an_empty_report():
    page = Structure(render(Report("Nothing")))
    assert "section" not in page.tags


def test_the_same_report_is_the_same_file():
    assert render(full("text")) == render(full("text"))


def test_gallery_is_sorted_by_score():
    scores = {"b": 0.5, "c": 0.9, "d": None, "a": 0.5, "e": float("nan"), "f": 0.7}
    report = Report("", gallery=[GalleryItem(name, score, {}) for name, score in scores.items()])
    assert [item.name for item in report.by_score()] == ["c", "f", "a", "b", "d", "e"]


def test_filters_are_tags_with_several_values_in_natural_order():
    items = [
        GalleryItem(f"{i}", 0.1, {}, {"block size": size, "kernel": "jt2"}) for i, size in enumerate(["16", "8", "32"])
    ]
    assert Report("", gallery=items).filters() == {"block size": ["8", "16", "32"]}


def test_equal_pictures_are_stored_once():
    big = encode(np.random.default_rng(0).integers(0, 256, (100, 100, 3), dtype=np.uint8))
    one, many = (
        len(render(Report("", gallery=[GalleryItem(f"{i}", 0.5, {"Image": big}) for i in range(n)]))) for n in (1, 11)
    )
    assert many - one < 10 * 700 < len(big)


def test_cells():
    table = Table(
        "t", ["a", "b", "c"], [["x", 1, 0.12345], [None, float("nan"), np.float32(2)], ["z", None, Cell("3 ± 1", 3)]]
    )
    assert [[cell.text for cell in row] for row in table.cells()] == [
        ["x", "1", "0.123"],
        ["–", "–", "2.000"],  # noqa: RUF001
        ["z", "–", "3 ± 1"],  # noqa: RUF001
    ]
    assert table.numeric() == [False, True, True]
    assert Table("t", ["a"], []).numeric() == [False]


def test_mistakes_are_reported():
    with pytest.raises(ValueError, match="a row of the table 'Scores' has 1 cells; it has 2 columns"):
        Table("Scores", ["a", "b"], [[1]])
    with pytest.raises(ValueError, match="javascript"):
        GalleryItem("x", None, {}, links={"click": "javascript:alert(1)"})
    with pytest.raises(ValueError, match="is neither a web page"):
        Cell("x", link=" javascript:alert(1)")
    with pytest.raises(ValueError, match="has 'x' twice"):
        Report("", gallery=[GalleryItem("x", 0.1, {}), GalleryItem("x", 0.2, {})])


def test_text_that_cannot_be_encoded_is_escaped():
    assert re.search(r"<title>one .udcff</title>", encode_report(Report("one \udcff")).decode())
