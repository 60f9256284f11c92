"""The report in a real browser, as people use it. Skipped where Chromium is not installed."""

import shutil

import numpy as np
import pytest

import segjt
from segjt.datasets import load_sample, sample_names
from segjt.evaluation.scores import best_f_measure
from segjt.report.charts import Bar, BarChart, Line, LineChart
from segjt.report.page import Cell, GalleryItem, Report, Table, encode_report
from segjt.report.pictures import gallery_pictures

NASTY = """<img src=x onerror="document.title='hacked'"> & 'friends'"""


@pytest.fixture(scope="module")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium: install it (Debian: apt-get install chromium) to run the tests of the report")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'"
    )
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def report_file(tmp_path_factory):
    """A report of the sample images, segmented by two kernels in blocks of two sizes."""
    items = []
    for name in sample_names():
        image, truth = load_sample(name)
        image, truth = image[::2, ::2], truth[::2, ::2] == truth[60, 60]
        for kernel, size in (("jt2", 8), ("jt2", 16), ("gaussian", 16)):
            labels = segjt.segment(image, kernel=kernel, block_size=size, n_segments=5)
            items.append(
                GalleryItem(
                    f"{name} & <b>",
                    best_f_measure(labels, truth),
                    gallery_pictures(image, labels, truth[None], best=[int(labels[30, 30])]),
                    {"kernel": kernel, "block size": str(size)},
                    {"kernel": kernel, "block_size": size, "note": NASTY},
                )
            )
    items.append(GalleryItem(NASTY, None, {"Image": np.zeros((9, 9, 3), np.uint8)}, {"kernel": "none"}))
    rows = [
        ["jt2", 16, Cell("0.9 ± 0.1", 0.9), "b"],
        ["gaussian", 8, 0.11, "a"],
        ["expjt2", 100, None, "a rather long text, " * 5],
        [Cell("to item", link=f"{items[0].address}-parameters"), 9, 0.5, "c"],
    ]
    columns = ["kernel", "size of a block in pixels", "F of the best segment", "remark"]
    q = [0, 0.5, 1, 1.5, 2]
    charts = [
        BarChart("F by kernel", "F", [Bar("expjt2", "16x16", 0.8, 0.02, 0.8), Bar("jt3", "16x16", 0.71, 0.03)]),
        LineChart("F by q", "q", "F", [Line(name, q, np.sin(q).tolist(), [0.1] * 5) for name in ("jt2", "jt3")]),
    ]
    tables = [Table("Scores", columns, rows, "a note"), Table("Long", ["n"], [[i] for i in range(200)])]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(encode_report(Report(f"Title {NASTY}", "subtitle", tables, charts, items, ["a note"])))
    return path


@pytest.fixture
def visit(browser, report_file):
    """Open the report without a network; afterwards nothing may have been asked for and nothing complained about."""
    pages, complaints, requests = [], [], []

    def open_page(width=1280, dark=False, fragment=""):
        page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", offline=True
        )
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(report_file.as_uri() + fragment)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []
    assert {url for url in requests if not url.startswith("data:")} == {
        url.split("#")[0] for url in requests if url.startswith(report_file.as_uri())
    }


def column(page, number):
    return page.locator("#table-1 tbody tr").evaluate_all(f"rows => rows.map(row => row.cells[{number}].textContent)")


def control(page, name):
    return page.locator("#controls").get_by_label(name, exact=True)


def shown_items(page, attribute="data-name"):
    values = page.locator(".item:visible").evaluate_all(f"items => items.map(item => item.getAttribute('{attribute}'))")
    return values if attribute == "data-name" else [None if value is None else float(value) for value in values]


def test_renders_everything(visit):
    page = visit()
    assert page.title() == f"Title {NASTY}"
    assert page.locator("h1").text_content() == f"Title {NASTY}"
    assert page.locator(".item").count() == 10
    page.wait_for_function("[...document.images].every(image => image.complete)")
    assert page.evaluate("document.images.length") == 37
    assert page.evaluate("[...document.images].every(image => image.naturalWidth > 0 && image.alt)")
    for chart in page.locator(".plot svg[role=img]").all():
        assert chart.bounding_box()["height"] > 20
        assert chart.bounding_box()["width"] > 400


def test_tables_sort_by_click_and_by_keyboard(visit):
    page = visit()
    button = page.locator("#table-1 thead button")
    button.nth(1).click()
    assert column(page, 1) == ["100", "16", "9", "8"]  # numbers: largest first, and not as text
    assert page.locator("#table-1 th[aria-sort=descending]").count() == 1
    button.nth(1).click()
    assert column(page, 1) == ["8", "9", "16", "100"]
    button.nth(2).click()
    assert column(page, 2)[:3] == ["0.9 ± 0.1", "0.500", "0.110"]
    button.nth(2).click()
    assert column(page, 0) == ["gaussian", "to item", "jt2", "expjt2"]  # nothing stays last
    button.nth(0).focus()
    page.keyboard.press("Enter")
    assert column(page, 0) == ["expjt2", "gaussian", "jt2", "to item"]
    assert page.locator("#table-1 th[aria-sort]").count() == 1


def test_gallery_filters(visit):
    page = visit()
    assert len(shown_items(page)) == 10
    control(page, "kernel").select_option("jt2")
    assert len(shown_items(page)) == 6
    control(page, "block size").select_option("8")
    assert len(shown_items(page)) == 3
    control(page, "Name").fill(f" {sample_names()[1].upper()} & <")
    assert shown_items(page) == [f"{sample_names()[1]} & <b>"]
    assert page.locator("#count").text_content() == "1 of 10"
    control(page, "Name").fill("no such image")
    assert shown_items(page) == []
    page.get_by_role("button", name="Show all").click()
    assert len(shown_items(page)) == 10


def test_worst_first(visit):
    page = visit()
    scores = shown_items(page, "data-score")
    assert scores[-1] is None
    assert scores[:-1] == sorted(scores[:-1], reverse=True)
    control(page, "Worst first").check()
    scores = shown_items(page, "data-score")
    assert scores[-1] is None
    assert scores[:-1] == sorted(scores[:-1])
    control(page, "kernel").select_option("jt2")
    assert shown_items(page, "data-score") == sorted(shown_items(page, "data-score"))
    control(page, "Worst first").uncheck()
    assert shown_items(page, "data-score") == sorted(shown_items(page, "data-score"), reverse=True)


def test_links_open_the_parameters_of_an_item_that_is_filtered_out(visit):
    page = visit()
    control(page, "Name").fill("no such image")
    page.get_by_role("link", name="to item").click()
    opened = page.locator("details[open] dl")
    opened.wait_for()
    assert opened.count() == 1
    assert NASTY in opened.text_content()
    assert len(shown_items(page)) == 10
    again = visit(fragment=page.url[page.url.index("#") :])
    assert again.locator("details[open] dl").count() == 1


@pytest.mark.parametrize("dark", [False, True])
def test_readable_at_phone_width(visit, dark):
    page = visit(390, dark)
    for details in page.locator("details").all():
        details.evaluate("details => { details.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    # The wide table scrolls inside its own box, the long one too; charts stay on the page.
    box = page.locator(".scroll").first
    assert box.evaluate("box => box.scrollWidth > box.clientWidth && box.clientWidth <= 390")
    assert page.locator(".scroll").nth(1).evaluate("box => box.scrollHeight > box.clientHeight")
    for text in page.locator(".plot text").all():
        edges = text.bounding_box()
        assert edges["x"] >= 0
        assert edges["x"] + edges["width"] <= 390


def test_contrast_in_light_and_dark(visit):
    for dark in (False, True):
        page = visit(dark=dark)
        # Colours as the browser has computed them, against the page: at least 4.5 to 1 (WCAG AA).
        colours = page.evaluate(
            """() => ["body", ".subtitle", ".note", "nav a", ".score span", "summary", "dt", "figcaption"].map(
                 (name) => getComputedStyle(document.querySelector(name)).color)"""
        )
        background = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (background < 0.1) == dark
        for colour in colours:
            low, high = sorted([luminance(colour), background])
            assert (high + 0.05) / (low + 0.05) >= 4.5, colour


def luminance(colour):
    """Relative luminance of "rgb(r, g, b)", as WCAG defines it."""
    s = np.array([int(part) for part in colour.strip("rgb()").split(",")]) / 255
    linear = np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
