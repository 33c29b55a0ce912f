"""The page in a real browser: it opens from disk, answers to mouse and keyboard, and loads nothing."""

from __future__ import annotations

import re
import shutil

import pytest

from example_findings import HOSTILE, full_findings, hostile_findings
from mated.report import numbers_in_words as words
from mated.report.page import render

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (the extra 'browser')")

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser():
    found = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"there is no browser here: {', '.join(_BROWSERS)} are not on the path")
    with playwright.sync_playwright() as p:
        launched = p.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    made = {"full": full_findings(), "hostile": hostile_findings()}
    for name, findings in made.items():
        (folder / f"{name}.html").write_text(render(findings), encoding="utf-8")
    return {name: f"file://{folder / name}.html" for name in made}


@pytest.fixture(scope="module")
def opener(browser, files):
    """Open pages; what they ask for or complain of is collected."""
    contexts, trouble = [], []

    def open_page(which="full", *, width=1280, height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda r: r.url.startswith(("file:", "data:", "blob:")) or trouble.append(r.url))
        page.goto(files[which])
        return page

    open_page.trouble = trouble
    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def opened(opener):
    """Open a page; any trouble with it fails the test at its end."""
    yield opener
    assert opener.trouble == []


@pytest.fixture(scope="module")
def drawn(opener):
    """A page on a desk, every figure drawn, that several tests use one after the other."""
    page = opener()
    draw_all(page)
    return page


@pytest.fixture
def desk(drawn, opener):
    """The same page; any trouble with it fails the test at its end."""
    yield drawn
    assert opener.trouble == []


def draw_all(page):
    """Scroll past every figure, so that each is drawn."""
    for plot in page.locator(".plot").all():
        plot.scroll_into_view_if_needed()
        plot.locator(".main-svg").first.wait_for()
    page.evaluate("window.scrollTo({ top: 0, behavior: 'instant' })")


def row_of(page, system):
    cells = page.locator(f'#explorer-table tr[data-system="{system}"] td')
    return [cell.strip() for cell in cells.all_inner_texts()]


def truth(system, threshold):
    """Return what `mated verify --threshold` prints of a system."""
    e = full_findings().systems[system].bootstrap.at_threshold(float(threshold))
    p = e.point
    rates = [
        words.percent(p.fmr),
        words.between(e.fmr.low, e.fmr.high),
        words.percent(p.fnmr),
        words.between(e.fnmr.low, e.fnmr.high),
    ]
    return [threshold, *rates, words.count(p.errors_nonmated), words.count(p.errors_mated)]


def test_every_figure_is_drawn_without_a_complaint_or_a_request(desk):
    assert desk.locator(".plot").count() == desk.locator(".plot .main-svg:first-of-type").count() > 10


def test_the_slider_shows_what_the_command_prints_wherever_it_stands(desk):
    page = desk
    slider = page.locator("#slider-0")
    last = int(slider.get_attribute("max"))
    seen = set()
    for place in (0, last // 5, last // 2, 3 * last // 4, last):
        slider.evaluate(
            "(s, v) => { s.value = v; s.dispatchEvent(new Event('input', { bubbles: true })); }", str(place)
        )
        threshold = page.locator("#threshold-0").inner_text()
        assert row_of(page, 0) == truth("alpha", threshold)
        assert page.locator("#typed").inner_text() == threshold
        seen.add(threshold)
    assert len(seen) == 5


def test_the_keyboard_moves_the_slider_and_the_numbers(desk):
    page = desk
    slider = page.locator("#slider-1")
    slider.focus()
    before = row_of(page, 1)
    for key in ("ArrowRight", "PageUp", "Home"):
        page.keyboard.press(key)
        after = row_of(page, 1)
        assert after != before
        assert after == truth("beta", page.locator("#threshold-1").inner_text())
        before = after
    assert re.match(r"threshold .+: FMR .+, FNMR .+", slider.get_attribute("aria-valuetext"))
    playwright.expect(page.locator("#explorer-live")).to_have_text(re.compile("^beta, threshold"))


def test_markers_follow_the_slider_in_every_linked_figure(desk):
    page = desk
    page.get_by_role("button", name=re.compile(r"in 100$")).click()
    page.wait_for_timeout(150)
    places = """() => ['roc', 'det', 'rates-0'].map((name) => {
        const plot = document.querySelector(`[data-figure="${name}"]`);
        return plot.data.filter((t) => t.meta && t.meta.follows === 0).map((t) => [t.x[0], t.y[0]]);
    })"""
    before = page.evaluate(places)
    page.get_by_role("button", name="equal error rate").click()
    page.wait_for_timeout(150)
    after = page.evaluate(places)
    v = full_findings().systems["alpha"].verification
    p = v.at_threshold(v.eer().threshold)
    assert all(a != b for a, b in zip(before, after, strict=True))
    assert after[0][0] == pytest.approx([100 * p.fmr, 100 * p.tmr], rel=1e-5)
    assert after[2] == [pytest.approx([p.threshold, 100 * rate], rel=1e-5) for rate in (p.fmr, p.fnmr)]
    assert page.evaluate("document.querySelector('[data-figure=\"rates-0\"]').layout.shapes[0].x0") == p.threshold


def test_a_button_sets_all_systems_to_one_operating_point(desk):
    page = desk
    page.get_by_role("button", name=re.compile(r"in 100$")).click()
    for place, (name, s) in enumerate(full_findings().systems.items()):
        assert row_of(page, place) == truth(name, str(s.verification.at_fmr(0.01).threshold))


def test_hovering_over_a_curve_shows_its_values_with_units(desk):
    page = desk
    plot = page.locator('[data-figure="roc"]')
    plot.scroll_into_view_if_needed()
    at = plot.evaluate(
        """(p) => { const { xaxis: x, yaxis: y } = p._fullLayout, t = p.data.find((d) => d.mode === 'markers');
        const box = p.getBoundingClientRect();
        return [box.left + x._offset + x.c2p(x.d2c(t.x[0])), box.top + y._offset + y.c2p(y.d2c(t.y[0]))]; }"""
    )
    page.mouse.move(at[0], at[1] - 1)
    page.mouse.move(*at)
    hover = plot.locator(".hoverlayer .hovertext")
    playwright.expect(hover.first).to_have_text(re.compile(r"FMR 1 %.*TMR \d+(\.\d+)? %"))


def test_dark_colours_follow_the_system_and_the_button(opened):
    page = opened(color_scheme="dark")
    page.locator('[data-figure="roc"]').scroll_into_view_if_needed()
    page.locator('[data-figure="roc"] .xtick text').first.wait_for()
    look = """() => [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('[data-figure="roc"] .xtick text')).fill]"""

    def lightness(color):
        return sum(int(part) for part in re.findall(r"\d+", color)[:3]) / 765

    background, text = map(lightness, page.evaluate(look))
    assert background < 0.2 < 0.8 < text
    page.get_by_role("button", name="Switch to light colours").click()
    page.wait_for_timeout(100)
    background, text = map(lightness, page.evaluate(look))
    assert text < 0.2 < 0.8 < background


def test_paper_is_light_static_and_holds_every_figure(opened):
    page = opened(width=688, color_scheme="dark")
    page.emulate_media(media="print")
    figures = page.locator(".plot .main-svg:first-of-type")
    playwright.expect(figures).to_have_count(page.locator(".plot").count())
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for hidden in ("#theme", "#print", ".jumps", "#slider-0", ".contents"):
        assert not page.locator(hidden).is_visible()
    assert page.locator("#explorer-table").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= 700")
    assert page.evaluate("getComputedStyle(document.querySelector('#verification')).breakBefore") == "page"
    written = page.pdf(prefer_css_page_size=True)
    assert 5 < len(re.findall(rb"/Type\s*/Page\b", written)) < 40


def test_a_phone_shows_it_without_scrolling_sideways(opened):
    page = opened(width=390, height=844)
    draw_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator(".quick").first.is_visible()


def test_the_keyboard_reaches_the_content_first(opened):
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = "document.querySelector('main').contains(document.activeElement)"
    assert page.evaluate(inside)
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_hostile_labels_are_drawn_as_text_also_on_a_phone(opened):
    page = opened("hostile", width=390, height=844)
    draw_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    shown = page.locator('[data-figure="groups-0-fnmr"] .ytick text').all_text_contents()
    assert any("<b>A</b> & %{x} $e^2$" in text for text in shown)
    assert HOSTILE.systems[0] in page.locator("#verification").text_content()
    assert page.locator(".plot a, .plot b").count() == 0
    assert page.evaluate("window.hacked") is None


def test_numbers_can_be_selected_as_text(desk):
    page = desk
    page.locator("#explorer-table td").first.dblclick()
    assert page.evaluate("getSelection().toString().trim()") in row_of(page, 0)[0]
