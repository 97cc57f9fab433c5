"""Documents that are odd or hostile: counted, and harmless wherever they are shown."""

from tests.cli.conftest import write_csv
from tests.files.zoo import TEXTS, WORDS
from textensor.cli import rows


def test_odd_documents_are_told_with_counts(textensor, tmp_path):
    data = write_csv(
        tmp_path / "odd.csv",
        ["text", "label"],
        [*zip(TEXTS, WORDS, strict=True), ("", "sea"), ("wheat " * 200_000, "grain"), ("a song", "music")],
    )
    path = tmp_path / "my.model"
    done = textensor("fit", data, "-m", "svm", "-o", path)
    assert done.code == 0
    assert "warning: 1 of 4 labels has one document only, the first is 'music'" in done.err
    assert "warning: 1 of 15 documents is empty" in done.err
    assert "warning: 1 of 15 documents has more than 1,000,000 characters" in done.err
    (line,) = [line for line in textensor("show", path).out.splitlines() if line.startswith("music")]
    assert line.endswith("not measurable")


HOSTILE = ["\x1b[31mred", "[bold]b[/bold]", "=1+1", "<script>alert(1)</script>", "\u202eback", "a\x9b2Jb"]


def test_hostile_texts_and_labels_drive_nothing(textensor, tmp_path, monkeypatch):
    data = write_csv(
        tmp_path / "bad.csv",
        ["text", "label"],
        [(f"{HOSTILE[k % 6]} word{k % 6} also{k % 6}", HOSTILE[k % 6]) for k in range(24)],
    )
    path = tmp_path / "my.model"
    screens = [
        textensor("fit", data, "-m", "svm", "-o", path),
        textensor("show", path),
        textensor("explain", path, " ".join(HOSTILE)),
        textensor("evaluate", path, data, "--report", tmp_path / "out.html"),
        textensor("compare", data, "--train", "25%,50%", "--splits", 1, "--report", tmp_path / "both.html"),
        textensor("cluster", data, "-k", 2, "-o", tmp_path / "clustered.csv"),
        textensor("index", data, "-o", tmp_path / "my.index"),
        textensor("search", tmp_path / "my.index", HOSTILE[0]),
        textensor("fit", data, "--text", HOSTILE[0], "-o", path),
        textensor("explain", path, "x", "--label", HOSTILE[5] + "x"),
    ]
    for done in screens:
        shown = done.out + done.err
        assert not set("\x1b\x9b\u202e") & set(shown)
    assert [done.code for done in screens] == [0] * 8 + [1] * 2
    assert "[bold]b[/bold]" in screens[1].out
    table = textensor("predict", path, data).out
    assert "'=1+1 word2" in table
    assert ",'=1+1," in table
    assert ",'=1+1," in (tmp_path / "clustered.csv").read_text(encoding="utf-8")
    for name in ("out.html", "both.html"):  # plots are SVG within them
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert "<svg" in page
        assert "<script>alert" not in page
        assert not set("\x1b\x9b\u202e") & set(page)
    monkeypatch.setattr(rows.sys.stdout, "isatty", lambda: True, raising=False)
    assert not set("\x1b\x9b\u202e") & set(textensor("predict", path, data).out)
