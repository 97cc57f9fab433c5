"""What is on the page, and what must never get there."""

import html.parser
import re
import sys

import numpy as np
import pytest

from tests.report import story
from textensor.evaluate import f1_by_argmax
from textensor.report import (
    Figure,
    Result,
    Run,
    SizePoint,
    compare_results,
    evaluate_model,
    write_comparison,
    write_report,
)

HOSTILE = [
    "<script>document.title='ran'</script>",
    "</script><script>document.title='ran'</script>",
    "</style><img src=x onerror=\"document.title='ran'\">",
    '" onmouseover="document.title=\'ran\'" x="',
    "' onfocus='document.title=1' autofocus='",
    "javascript:document.title='ran'",
    "{{ 7 * 7 }}{% for x in y %}",
    "$\\frac{1}{0}$ $mathtext",
    "=cmd|' /C calc'!A0",
    "nul\x00bell\x07escape\x1b[31mred\x7f",
    "\u202egnp.exe\u2066\u200f\ufeff",
    "lone \ud800 surrogate",
    "line\u2028and\nparagraph\u2029ends\r\n",
    "&lt;b&gt; &amp; ]]> <!-- --> <![CDATA[",
    "\x1b\x00",
    "x" * 5000,
]


def hostile_evaluation():
    """Labels, texts, terms, reasons, commands, settings: everything that others may write."""
    labels = np.array(HOSTILE)
    n = 6 * len(labels)
    which = np.arange(n) % len(labels)
    rng = np.random.default_rng(0)
    decisions = rng.normal(size=(n, len(labels)))
    decisions[np.arange(n), which] += 1
    texts = [HOSTILE[k] + " " + HOSTILE[-1 - k] for k in which]

    class Reasons:
        def __init__(self, label):
            self.label, self.decision, self.parts = label, 1.0, [(text, 0.5) for text in HOSTILE]

    joined = " ".join(HOSTILE)
    run = Run(joined, joined, joined, joined, {text: text for text in HOSTILE}, joined, {joined: joined})
    return evaluate_model(
        labels[which],
        decisions,
        labels,
        run=run,
        texts=texts,
        train_texts=texts[:30],
        n_train=dict.fromkeys(HOSTILE, 3),
        terms={label: [(text, 1.0) for text in HOSTILE] for label in HOSTILE},
        explain=lambda document, asked: [Reasons(label) for label in asked],
        certainty=rng.random(n),
        sizes=[SizePoint(n, Figure(0.5, 0.4, 0.6), Figure(0.4, 0.3, 0.5)) for n in (1, 10)],
    )


def hostile_comparison():
    truth = HOSTILE * 2
    results = [
        Result(method, size, 5, [f1_by_argmax(truth, truth)], 1.0)
        for method in HOSTILE[:9]
        for size in HOSTILE[:4]
    ]
    return compare_results(results, run=hostile_evaluation().run)


class Elements(html.parser.HTMLParser):
    """Collects what a browser would see as markup."""

    def __init__(self, page):
        super().__init__()
        self.found, self.scripts, self._in = [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self._in = tag

    def handle_data(self, data):
        if self._in == "script":
            self.scripts.append(data)
            self._in = None


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    write_report(folder / "report.html", story.evaluation())
    write_report(folder / "bare.html", story.evaluation(), texts=False)
    write_comparison(folder / "comparison.html", story.comparison())
    write_report(folder / "hostile.html", hostile_evaluation())
    write_comparison(folder / "hostile-comparison.html", hostile_comparison())
    return folder


def _read(path):
    return path.read_bytes().decode("utf-8")


def test_the_page_shows_how_much_can_be_automated_if_that_is_known(pages, tmp_path):
    evaluation, page = story.evaluation(), _read(pages / "report.html")
    assert '<a href="#automation">' in page
    section = page.split('id="automation"')[1].split("<h2")[0]
    for point in evaluation.coverage.levels:
        assert f"<td>{point.n_right:,}</td><td>{point.right:.3f} " in section
    assert section.count("<circle") == len(evaluation.coverage.levels)
    write_report(tmp_path / "plain.html", evaluate_model(["a", "b"], [[1, -1], [1, -1]], ["a", "b"]))
    assert "automation" not in _read(tmp_path / "plain.html")
    truth, sure = np.array([[1, 1], [0, 1]]), [0.6, 0.9]
    several = evaluate_model(truth, [[1, -1], [-1, 1]], ["a", "b"], certainty=sure)
    write_report(tmp_path / "several.html", several)
    assert "right, with all of their labels." in _read(tmp_path / "several.html")


def test_the_page_shows_what_was_measured(pages):
    evaluation, page = story.evaluation(), _read(pages / "report.html")
    for figure in (evaluation.headlines[0].micro, evaluation.labels[0].f1):
        assert f"{figure.value:.3f}" in page
    assert evaluation.run.sha256 in page
    assert evaluation.run.command in page
    assert evaluation.mistakes[0].text in page
    assert evaluation.mistakes[0].reasons[0].terms[0][0] in page
    assert "same words" in page
    assert page.count('<article class="case">') == len(evaluation.mistakes)
    for one in evaluation.labels:
        assert page.count(f'data-value="{one.label}"') == 1


def test_no_texts_means_no_texts_and_no_terms_of_theirs(pages):
    evaluation = story.evaluation()
    page = _read(pages / "bare.html")
    texts = [one.text for one in evaluation.mistakes] + [
        t for pair in evaluation.duplicate_texts.values() for t in pair
    ]
    assert len(texts) > 20
    for text in texts:
        assert text not in page
        assert text[:40] not in page
    mistakes = page[page.index('id="mistakes"') : page.index('id="run"')]
    assert "terms" not in mistakes
    assert "blockquote" not in mistakes
    assert f"Document {evaluation.mistakes[0].document + 1}" in mistakes
    assert 'id="terms"' in page


def test_labels_with_few_documents_say_so(tmp_path):
    evaluation = evaluate_model(["a", "b"], [[1, -1], [1, -1]], ["a", "b"])
    write_report(tmp_path / "few.html", evaluation)
    assert _read(tmp_path / "few.html").count('class="soft">not measurable') == 2


@pytest.mark.parametrize("multilabel", [False, True])
def test_an_evaluation_of_the_least(multilabel, tmp_path):
    truth = np.array([[0, 1], [1, 0]]) if multilabel else ["a", "b"]
    write_report(tmp_path / "least.html", evaluate_model(truth, [[-1, 1], [1, -1]], ["a", "b"]))
    page = _read(tmp_path / "least.html")
    assert ("There are none." in page) == multilabel
    assert 'id="duplicates"' not in page


@pytest.mark.parametrize("name", ["report", "bare", "comparison", "hostile", "hostile-comparison"])
def test_nothing_on_a_page_is_loaded_or_run_but_its_own(pages, name):
    page = _read(pages / f"{name}.html")
    elements = Elements(page)
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"img", "link", "iframe", "object", "embed", "base", "form", "image", "use", "b>"}
    assert [tag for tag, _ in elements.found].count("script") == 1
    assert [tag for tag, _ in elements.found].count("style") == 1
    assert elements.scripts[0].startswith('"use strict";')
    for _, attributes in elements.found:
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "style", "srcdoc")]
        assert attributes.get("href", "#").startswith("#")
    policy = next(a["content"] for _, a in elements.found if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not re.search(r"https?:", page.replace("http-equiv", ""))


@pytest.mark.parametrize("name", ["hostile", "hostile-comparison"])
def test_hostile_text_is_plain_and_escaped(pages, name):
    page = _read(pages / f"{name}.html")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", page)
    assert "&lt;script&gt;document.title" in page
    assert "<script>document" not in page
    assert "{{ 7 * 7 }}" in page
    assert "=cmd|&#39; /C calc&#39;!A0" in page
    # A command is worth nothing unless it is whole; everything else has a bound.
    assert "x" * 700 not in re.sub("<pre>.*</pre>", "", page)
    if name == "hostile":
        assert "$\\frac{1}{0}$ $mathtext" in page
        assert "(no visible name)" in page


def test_equal_evaluations_make_equal_files(pages, tmp_path):
    write_report(tmp_path / "again.html", story.evaluation())
    assert (tmp_path / "again.html").read_bytes() == (pages / "report.html").read_bytes()


def test_a_report_that_fails_leaves_the_old_one_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")
    evaluation = evaluate_model(["a", "b"], [[1, -1], [1, -1]], ["a", "b"])

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        OSError, match=r"report\.html: the report cannot be written \(No space left on device\)"
    ):
        write_report(target, evaluation)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_without_jinja_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    evaluation = evaluate_model(["a", "b"], [[1, -1], [1, -1]], ["a", "b"])
    with pytest.raises(ImportError, match=r'pip install "textensor\[report\]"'):
        write_report(tmp_path / "report.html", evaluation)
    assert list(tmp_path.iterdir()) == []


def test_many_labels_make_a_page_that_can_be_taken_in(tmp_path):
    rng = np.random.default_rng(0)
    truth = (rng.random((400, 300)) < 0.05).astype(int)
    evaluation = evaluate_model(
        truth, truth + rng.normal(size=truth.shape) - 0.5, [f"label {k}" for k in range(300)]
    )
    write_report(tmp_path / "many.html", evaluation)
    page = _read(tmp_path / "many.html")
    assert (
        page.count("<tr><th scope") == 300 + 25 + 1
    )  # labels, the matrix with its line for nothing, headline
    assert "276 other labels are left out" in page
    assert "The 60 commonest labels of 300" in page
    assert len(page) < 1_000_000
