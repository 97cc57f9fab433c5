"""Everything that can be wrong with what a command is given: one sentence, a code, nothing half-written."""

import errno
import os
import re
import zipfile

import pytest

from tests.cli.conftest import write_csv
from tests.files.zoo import TEXTS, WORDS
from textensor import TextCategorizer
from textensor.base import disk
from textensor.cli import rows
from textensor.files import save
from textensor.space import TermVectorizer

HEADER = "text,label\n"
GOOD = "".join(f"{text},{label}\n" for text, label in zip(TEXTS, WORDS, strict=True))


def not_text(path):
    path.write_bytes(b"PK\x03\x04" + bytes(range(256)) * 9)


def mixed(path):
    path.write_bytes("text,label\ngrößer,a\nkleiner,b\n".encode() + "caf\xe9,b\n".encode("cp1252"))


def mixed_the_other_way(path):
    path.write_bytes(b"text,label\n" + "café,a\n".encode("cp1252") * 9 + "größer,b\n".encode())


def long_document(path):
    path.write_text(HEADER + GOOD + "wheat " * (3 << 20) + ",grain\n")


#: What is wrong, how such a file is made, the options, and what the sentence says.
BAD_DATA = {
    "not text": (not_text, [], "this is not text"),
    "no such file": (lambda path: None, [], "no such file or folder"),
    "empty": (lambda path: path.write_text(""), [], "the file is empty"),
    "only a header": (lambda path: path.write_text(HEADER), [], "no documents in it"),
    "no text column": (
        lambda path: path.write_text(HEADER + GOOD),
        ["--text", "body"],
        'no column "body", the columns are "text", "label"; name yours with --text.',
    ),
    "no label column": (
        lambda path: path.write_text(HEADER + GOOD),
        ["--label", "kind"],
        'no column "kind", the columns are "text", "label"; name yours with --label.',
    ),
    "duplicate headers": (
        lambda path: path.write_text("text,text,label\na,b,c\n"),
        [],
        "more than one column",
    ),
    "one label": (lambda path: path.write_text(HEADER + "a b,x\nc d,x\n"), [], "one and the same, 'x'"),
    "no label at all": (lambda path: path.write_text(HEADER + "a b,\nc d,\n"), [], "no label"),
    "mixed encodings": (mixed, [], "line 4: bad encoding"),
    "mixed encodings, cp1252 first": (mixed_the_other_way, [], "line 11: mixed encodings, UTF-8 here"),
    "wrong encoding": (
        lambda path: path.write_bytes("text,label\ngrößer,a\n".encode("cp1252")),
        ["--encoding", "utf-8"],
        "pass the file's own --encoding",
    ),
    "over the cap": (long_document, [], "a document over the cap of 16 MiB; cut it into several"),
    "ragged": (lambda path: path.write_text(HEADER + "a,b,c\n"), [], "3 fields where the header has 2"),
    "a field too few": (
        lambda path: path.write_text(HEADER + "a,b\nc\n"),
        [],
        "line 3: 1 field where the header has 2; quote fields that hold line ends, or fill in",
    ),
    "a field too few after a text of several lines": (
        lambda path: path.write_text(HEADER + '"a\n\n\nb",x\r\n"c\rd",y\ne\n'),
        [],
        "data.csv, line 8: 1 field",
    ),
    "open quote": (
        lambda path: path.write_text(HEADER + '"a,b\n'),
        [],
        "an unterminated quote opens here and is not closed before the end of the file; close it.",
    ),
    "a quote in the middle": (
        lambda path: path.write_text(HEADER + '"a" b,c\n'),
        [],
        "more text follows; double the quotes inside a field.",
    ),
    "a folder that cannot be read": (lambda path: path.symlink_to(path), [], "data.csv"),
    "no terms": (lambda path: path.write_text(HEADER + "a,x\nb,y\n" * 2), [], "no terms"),
}


def one_sentence(done, message, code=1):
    """Whether a command failed as it should."""
    assert done.code == code
    assert done.out == ""
    told = [line for line in done.err.splitlines() if line.startswith("textensor: ")]
    told = [
        line for line in told if not line.startswith("textensor: warning: ")
    ]  # on the data, before the error
    assert len(told) == 1
    assert message in told[0]
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data(name, textensor, tmp_path):
    make, options, message = BAD_DATA[name]
    data = tmp_path / "data.csv"
    make(data)
    before = sorted(tmp_path.iterdir())
    done = textensor("fit", data, "-m", "svm", *options, "-o", tmp_path / "my.model")
    one_sentence(done, message)
    assert sorted(tmp_path.iterdir()) == before


FIT, PREDICT = ["fit", "no.csv", "-o", "no.model"], ["predict", "no.model", "no.csv"]
COMPARE = ["compare", "no.csv"]
#: Options that cannot be, and what the sentence says: data and model are not there, and nobody looks.
BAD_OPTIONS = {
    "no such method": ([*FIT, "-m", "magic"], "no method 'magic'"),
    "auto and another": ([*FIT, "-m", "svm,auto"], "auto stands alone"),
    "a method twice": ([*FIT, "-m", "svm,svm"], "'svm' twice"),
    "no such setting": ([*FIT, "-m", "svm", "--set", "depth=3"], "--set: The method svm has no setting"),
    "no setting": ([*FIT, "-m", "svm", "--set", "depth"], "KEY=VALUE"),
    "a setting of a search": ([*FIT, "--set", "C=3"], "--set is for one method"),
    "a negative budget": ([*FIT, "--time-budget", "-1"], "0 or more, not -1"),
    "a setting of 400 digits": ([*FIT, "-m", "svm", "--set", f"C={'9' * 400}"], "a number of 400 digits"),
    "modules of 400 digits": ([*FIT, "-m", "minmax", "--set", f"modules=1{'0' * 399}"], "of 400 digits"),
    "no budget": ([*FIT, "--time-budget", "nan"], "0 or more, not nan"),
    "no threads": ([*FIT, "--n-jobs", "0"], "--n-jobs is a number of threads"),
    "too many threads": ([*FIT, "--n-jobs", "257"], "threads up to 256"),
    "no such encoding": ([*FIT, "--encoding", "klingon"], "--encoding is one that Python knows"),
    "no encoding of text": ([*FIT, "--encoding", "rot13"], "--encoding is one that Python knows"),
    "nothing between labels": ([*FIT, "--label-separator", ""], "--label-separator is what stands"),
    "nothing between labels to predict": ([*PREDICT, "--label-separator", ""], "--label-separator is what"),
    "one column for both": ([*FIT, "-m", "svm", "--text", "label"], "name the same column, 'label'"),
    "no threads to predict": ([*PREDICT, "--n-jobs", "0"], "--n-jobs is a number of threads"),
    "no such format": ([*PREDICT, "--format", "xls"], "--format is csv or jsonl"),
    "unsure below nothing": ([*PREDICT, "--unsure-below", "nan"], "--unsure-below is a number"),
    "no such method to compare": ([*COMPARE, "--methods", "svm,magic"], "no method 'magic'"),
    "a method twice to compare": ([*COMPARE, "--methods", "svm,svm"], "'svm' twice"),
    "a table of labels to a pipe": (["check", "no.csv", "--fix", "-"], "--fix is a file to write"),
    "one column for both to check": (["check", "no.csv", "--text", "label"], "name the same column, 'label'"),
    "nothing to predict": (["predict", "no.model"], "There is nothing to predict"),
    "no share": ([*COMPARE, "--train", "5%,x"], "--train is shares between 0% and 100%"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_options(name, textensor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command, message = BAD_OPTIONS[name]
    one_sentence(textensor(*command), message, code=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["fit", "predict", "cluster", "index"])
def test_no_folder_is_made(what, textensor, mail, model, tmp_path):
    *command, _ = writing(what, mail, model, tmp_path)
    before = sorted(tmp_path.iterdir())
    one_sentence(textensor(*command, tmp_path / "nosuch" / "new"), "There is no folder to write")
    assert sorted(tmp_path.iterdir()) == before


def newer_format(path):
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("header.json", (1980, 1, 1, 0, 0, 0))
        archive.writestr(info, '{"format":"textensor-model-99","arrays":[]}')


#: Files that are no models, and what the sentence says.
BAD_MODELS = {
    "no such file": (lambda path: None, "There is no model file"),
    "not a model": (lambda path: path.write_text("hello"), "cannot be read as a model"),
    "newer format": (newer_format, "its format 99 is newer than this version of textensor"),
    "no categorizer": (lambda path: save(TermVectorizer().fit(TEXTS), path), "holds a TermVectorizer"),
    "a folder": (lambda path: path.mkdir(), "cannot be read as a model"),
}


@pytest.mark.parametrize("name", BAD_MODELS)
@pytest.mark.parametrize("command", ["predict", "explain", "evaluate"])
def test_bad_models(name, command, textensor, mail, tmp_path):
    make, message = BAD_MODELS[name]
    make(tmp_path / "my.model")
    data = "wheat" if command == "explain" else mail
    one_sentence(textensor(command, tmp_path / "my.model", data), message)


def test_a_truncated_model_is_refused(textensor, model, mail):
    model.write_bytes(model.read_bytes()[:-100])
    one_sentence(textensor("predict", model, mail, "--text", "body"), "cannot be read as a model")
    one_sentence(textensor("show", model), "cannot be read as a model")


@pytest.mark.parametrize(
    "card",
    [
        {"data": "x", "held out": "y"},
        {"data": {"labels": ["a"]}, "held out": {"labels": [1]}},
        {"data": {"labels": {"\x1b[2Ja": {}}}, "held out": {"labels": {"\x1b[2Ja": "1"}}, "settings": 3},
        {"method": ["a"], "settings": {"C": {}}, "data": {"documents": "many", "labels": 3}},
    ],
)
def test_a_card_that_lies_is_shown_all_the_same(card, textensor, tmp_path):
    model = TextCategorizer("svm", cross_validate=False).fit(TEXTS, WORDS)
    model.save(tmp_path / "my.model", metadata=card)
    done = textensor("show", tmp_path / "my.model")
    assert done.code == 0, done.err
    assert "textensor-model-2" in done.out
    assert "\x1b" not in done.out


def test_what_is_there_is_not_replaced_by_mistake(textensor, mail, model, tmp_path):
    before = mail.read_bytes(), model.read_bytes()
    one_sentence(textensor("fit", mail, "-o", mail), "is not replaced")
    one_sentence(textensor("predict", model, mail, "--text", "body", "-o", model), "the model itself")
    one_sentence(textensor("predict", model, mail, "--text", "body", "-o", tmp_path), "is no regular file")
    one_sentence(textensor("predict", model, mail, "--text", "body", "--format", "xls"), "csv or jsonl", 2)
    assert (mail.read_bytes(), model.read_bytes()) == before


def linked(path, target):
    path.symlink_to(target)
    return path


#: Places that a report or a table must leave alone, by what is there, and what the sentence says.
PLACES = {
    "the data": (lambda place, mail: mail, "is the data itself"),
    "the data by a link": (lambda place, mail: linked(place, mail), "is the data itself"),
    "a link": (lambda place, mail: linked(place, mail.with_name("other")), "it is a link|is a link"),
    "a pipe": (lambda place, mail: os.mkfifo(place) or place, "not a regular file|no regular file"),
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("command", ["predict", "cluster", "evaluate", "compare"])
def test_what_is_read_and_what_is_no_file_stays(name, command, textensor, mail, model, tmp_path):
    make, message = PLACES[name]
    (tmp_path / "other").write_text("<!doctype html>")
    place = make(tmp_path / "place", mail)
    before = {path: path.lstat() for path in tmp_path.iterdir()}
    text, label = ("--text", "body"), ("--label", "kind")
    done = textensor(
        *{
            "predict": ["predict", model, mail, *text, "-o", place],
            "cluster": ["cluster", mail, *text, "-k", 2, "-o", place],
            "evaluate": ["evaluate", model, mail, *text, *label, "--report", place],
            "compare": ["compare", mail, *text, *label, "--report", place],
        }[command]
    )
    assert done.code == 1
    assert done.out == ""
    assert re.search(message, done.err)
    after = {path: path.lstat() for path in tmp_path.iterdir()}
    assert after.keys() == before.keys()
    assert all(after[p][:2] == before[p][:2] and after[p].st_size == before[p].st_size for p in after)


def test_a_report_replaces_only_a_page(textensor, mail, model, tmp_path):
    fields, place = ("--text", "body", "--label", "kind"), tmp_path / "out"
    asked = ("evaluate", model, mail, *fields, "--report")
    one_sentence(textensor(*asked, model), "is the model itself")
    other = tmp_path / "train.csv"
    other.write_bytes(mail.read_bytes())
    one_sentence(textensor(*asked, other, "--train", other), "is the training data itself")
    place.write_text("my thesis")
    one_sentence(textensor(*asked, place), "it is no page of HTML")
    one_sentence(textensor("compare", mail, *fields, "--report", place), "it is no page of HTML")
    assert place.read_text() == "my thesis"
    for older in ("", "<!DocType HTML><p>older"):
        place.write_text(older)
        assert textensor(*asked, place).code == 0
        assert "<html" in place.read_text(encoding="utf-8")


def writing(what, mail, model, folder):
    """Return a command that writes a file, or a folder."""
    fields, kind = ["--text", "body"], ["--label", "kind"]
    return {
        "fit": ["fit", mail, *fields, *kind, "-m", "svm", "-o", model],
        "predict": ["predict", model, mail, *fields, "-o", folder / "labelled.csv"],
        "evaluate": ["evaluate", model, mail, *fields, *kind, "--report", folder / "out.html"],
        "compare": ["compare", mail, *fields, *kind, "--train", "50%", "--report", folder / "out.html"],
        "index": ["index", mail, *fields, "-o", folder / "my.index"],
        "cluster": ["cluster", mail, *fields, "-k", "2", "-o", folder / "labelled.csv"],
    }[what]


WRITING = ["fit", "predict", "evaluate", "compare", "index", "cluster"]


@pytest.mark.parametrize("what", WRITING)
def test_a_full_disk(what, textensor, mail, model, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("labelled.csv", "out.html"):
        (tmp_path / name).write_text("<!DOCTYPE html>older\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(disk.os, "fsync", full)
    done = textensor(*writing(what, mail, model, tmp_path))
    one_sentence(done, "No space left on device")
    assert ".partial" not in done.err
    assert "was not written (" in done.err or "cannot be written (" in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("what", WRITING)
def test_an_interruption_in_mid_write(what, textensor, mail, model, tmp_path, monkeypatch):
    def interrupted(handle):
        raise KeyboardInterrupt

    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(disk.os, "fsync", interrupted)
    done = textensor(*writing(what, mail, model, tmp_path))
    assert done.code == 130
    assert done.err.splitlines()[-1] == "textensor: interrupted; no file is left half-written."
    assert "Traceback" not in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_bad_row_in_the_middle_leaves_the_old_file(textensor, model, tmp_path):
    data, out = tmp_path / "new.csv", tmp_path / "out.csv"
    data.write_text("body\n" + "wheat\n" * 5000 + "a,b\n")
    out.write_text("older\n")
    one_sentence(textensor("predict", model, data, "--text", "body", "-o", out), "line 5002: 2 fields")
    assert out.read_text() == "older\n"


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
