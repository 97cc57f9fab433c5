"""Files of every wrong kind, for every command that reads: one sentence, a code, and nothing is lost."""

import gzip
import lzma
import zipfile

import pytest

from tests.cli.test_bad_input import GOOD, HEADER, one_sentence
from tests.faults import contents


def deep_json(path):
    path.write_text('{"text": ' + "[" * 100_000 + "]" * 100_000 + ', "label": "a"}\n')


def cut(pack):
    return lambda path: path.write_bytes(pack((HEADER + GOOD).encode() * 50)[:-20])


def with_entities(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", '<!DOCTYPE x [<!ENTITY a "aaa">]><x>&a;</x>')


def old_excel(path):
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))


#: Name of the file, how it is made, and what the sentence says.
FILES = {
    "binary": ("data.csv", lambda path: path.write_bytes(bytes(range(256)) * 40), "this is not text"),
    "NUL bytes": ("data.csv", lambda path: path.write_bytes(b"text,label\na\0b,c\n"), "data.csv"),
    "only NUL bytes": ("data.csv", lambda path: path.write_bytes(bytes(4096)), "data.csv"),
    "gz cut short": ("data.csv.gz", cut(gzip.compress), "damaged or cut short"),
    "xz cut short": ("data.csv.xz", cut(lzma.compress), "cut short"),
    "gz of nothing": ("data.csv.gz", lambda path: path.write_bytes(gzip.compress(b"")), "the file is empty"),
    "no parquet": ("data.parquet", lambda path: path.write_text("hello"), "data.parquet"),
    "parquet cut short": ("data.parquet", lambda path: path.write_bytes(b"PAR1" + bytes(40)), "data.parquet"),
    "no workbook": ("data.xlsx", lambda path: path.write_text("hello"), "not an Excel workbook, or damaged"),
    "a workbook with entities": ("data.xlsx", with_entities, "data.xlsx: a document type, which no workbook"),
    "the old format of Excel": (
        "data.xls",
        old_excel,
        "a NUL character, so this is not text; save a spreadsheet as",
    ),
    "deep JSON": ("data.jsonl", deep_json, "data.jsonl, line 1"),
    "broken JSON": ("data.jsonl", lambda path: path.write_text('{"text": "a"\n'), "data.jsonl, line 1"),
    "JSON that is no object": ("data.jsonl", lambda path: path.write_text("[1, 2]\n"), "data.jsonl, line 1"),
    "text that is a number": (
        "data.jsonl",
        lambda path: path.write_text('{"text": 5, "label": "a"}\n'),
        "data.jsonl, line 1",
    ),
    "an empty folder": ("data", lambda path: path.mkdir(), "data"),
    "a file that is not there": ("data.csv", lambda path: None, "no such file or folder"),
}
OLD = {"old.model": None, "old.csv": "older\n", "old.html": "<!doctype html>older\n"}
COMMANDS = {
    "fit": ["fit", "DATA", "-m", "svm", "-o", "old.model"],
    "predict": ["predict", "mail.model", "DATA", "--text", "text", "-o", "old.csv"],
    "evaluate": [
        "evaluate",
        "mail.model",
        "DATA",
        "--text",
        "text",
        "--label",
        "label",
        "--report",
        "old.html",
    ],
    "check": ["check", "DATA", "--fix", "new.csv"],
    "compare": ["compare", "DATA", "--report", "old.html"],
    "index": ["index", "DATA", "-o", "new.index"],
    "cluster": ["cluster", "DATA", "-k", "2", "-o", "old.csv"],
}


@pytest.fixture
def place(tmp_path, model, monkeypatch):
    """A folder with something old in each place that is written to."""
    for name, text in OLD.items():
        (tmp_path / name).write_bytes(model.read_bytes() if text is None else text.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", COMMANDS)
def test_bad_files(command, name, textensor, place):
    file, make, message = FILES[name]
    for ending, library in {"parquet": "pyarrow", "xlsx": "openpyxl"}.items():
        if file.endswith(ending):
            pytest.importorskip(library)
    make(place / file)
    before = contents(place)
    done = textensor(*(file if part == "DATA" else part for part in COMMANDS[command]))
    one_sentence(done, message)
    assert contents(place) == before


#: Things that are no index, by how they are made.
NO_INDEX = {
    "not there": lambda path: None,
    "a file": lambda path: path.write_text("hello"),
    "an empty folder": lambda path: path.mkdir(),
    "a folder of other files": lambda path: (path.mkdir(), (path / "header.json").write_text("{}")),
}


@pytest.mark.parametrize("name", NO_INDEX)
def test_what_is_no_index(name, textensor, tmp_path):
    NO_INDEX[name](tmp_path / "my.index")
    before = contents(tmp_path)
    one_sentence(textensor("search", tmp_path / "my.index", "wheat"), "my.index")
    assert contents(tmp_path) == before
