"""The pages in a real browser."""

import pytest

from tests.report import browser, story
from tests.report.test_pages import hostile_comparison, hostile_evaluation
from textensor.report import evaluate_model, write_comparison, write_report

pytestmark = pytest.mark.skipif(
    browser.find() is None, reason="There is no Chromium or Chrome on this machine."
)

COLUMN = "[...document.querySelectorAll('.sortable tbody tr')].map(row => row.cells[{}].dataset.value)"
SORTED = "[...document.querySelectorAll('.sortable thead th')].map(head => head.getAttribute('aria-sort'))"


@pytest.fixture(scope="module")
def chrome(tmp_path_factory):
    with browser.Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    write_report(folder / "report.html", story.evaluation())
    write_comparison(folder / "comparison.html", story.comparison())
    write_report(folder / "hostile.html", hostile_evaluation())
    write_comparison(folder / "hostile-comparison.html", hostile_comparison())
    return folder


def test_a_click_sorts_the_table_and_a_second_one_turns_it_round(chrome, folder):
    chrome.open(folder / "report.html")
    names = chrome.run(COLUMN.format(0))
    chrome.click(".sortable th:nth-child(2) button")
    f1 = [float(value) for value in chrome.run(COLUMN.format(1))]
    assert f1 == sorted(f1, reverse=True)
    assert chrome.run(SORTED)[:3] == [None, "descending", None]
    chrome.click(".sortable th:nth-child(2) button")
    assert [float(value) for value in chrome.run(COLUMN.format(1))] == sorted(f1)
    assert chrome.run(SORTED)[1] == "ascending"
    chrome.click(".sortable th:nth-child(1) button")
    assert chrome.run(COLUMN.format(0)) == sorted(names)
    assert chrome.run(SORTED)[:2] == ["ascending", None]


def test_the_keyboard_sorts_too(chrome, folder):
    chrome.open(folder / "report.html")
    chrome.run("document.querySelector('.sortable th:nth-child(6) button').focus()")
    chrome.press("Enter", 13, "\r")
    counts = [int(value) for value in chrome.run(COLUMN.format(5))]
    assert counts == sorted(counts, reverse=True)
    assert chrome.run("document.activeElement.textContent") == "True"
    chrome.press("Tab", 9)
    assert chrome.run("document.activeElement.textContent") == "Assigned"


def test_what_is_not_measurable_stays_at_the_end(chrome, folder, tmp_path):
    truth = ["a"] * 6 + ["b"] * 2 + ["c"] * 6
    decisions = [[1, 0, 0]] * 6 + [[0, 1, 0]] * 2 + [[1, 0, 0.5]] * 6
    write_report(tmp_path / "few.html", evaluate_model(truth, decisions, ["a", "b", "c"]))
    chrome.open(tmp_path / "few.html")
    for _ in range(2):
        chrome.click(".sortable th:nth-child(2) button")
        assert chrome.run(COLUMN.format(0))[-1] == "b"


@pytest.mark.parametrize("name", ["report", "comparison", "hostile", "hostile-comparison"])
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_fit_run_nothing_foreign_and_load_nothing(chrome, folder, name, width):
    chrome.open(folder / f"{name}.html", width)
    assert chrome.run("document.documentElement.scrollWidth") == width
    assert chrome.run("document.title") not in ("ran", "1")
    assert chrome.complaints == []
    assert chrome.requests == [(folder / f"{name}.html").as_uri()]
    # The style is in force, and the script has run: the policy names the right sums.
    assert chrome.run("getComputedStyle(document.querySelector('table')).borderCollapse") == "collapse"
    assert chrome.run("[...document.querySelectorAll('.needs-script')].every(hint => !hint.hidden)")


@pytest.mark.parametrize("dark", [False, True])
def test_a_table_that_goes_on_beside_a_phone_has_a_shade_there(chrome, folder, dark):
    chrome.open(folder / "report.html", 390, dark=dark)
    wide = "[...document.querySelectorAll('.scroll')].find(e => e.scrollWidth > e.clientWidth + 50)"
    style = f"(s => [s.backgroundAttachment, s.backgroundImage])(getComputedStyle({wide}))"
    attachment, image = chrome.run(style)
    assert attachment == "local, local, scroll, scroll"
    assert ("rgba(255, 255, 255, 0.35)" if dark else "rgba(0, 0, 0, 0.3)") in image


def test_a_script_that_got_onto_a_page_would_not_run(chrome, folder, tmp_path):
    page = (folder / "report.html").read_text(encoding="utf-8")
    foreign = "<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\"></body>"
    (tmp_path / "changed.html").write_text(page.replace("</body>", foreign), encoding="utf-8")
    chrome.open(tmp_path / "changed.html")
    assert chrome.run("document.title") != "ran"
    assert any("Content Security Policy" in str(complaint) for complaint in chrome.complaints)


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out_from_the_paper_in_light_and_dark(chrome, folder, dark):
    chrome.open(folder / "report.html", dark=dark)
    colours = (
        "(s => [s.color, s.backgroundColor].map(c => c.match(/\\d+/g).slice(0, 3).map(Number)))"
        "(getComputedStyle(document.body))"
    )
    ink, paper = chrome.run(colours)
    assert (sum(ink) > sum(paper)) == dark
    assert abs(sum(ink) - sum(paper)) > 450
    fill = chrome.run("getComputedStyle(document.querySelector('svg text')).fill.match(/\\d+/g).map(Number)")
    assert abs(sum(fill) - sum(paper)) > 200


def test_a_report_prints(chrome, folder, tmp_path):
    chrome.open(folder / "report.html", dark=True)
    chrome.paper(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
