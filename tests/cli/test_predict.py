"""What `predict` reads and writes: the separator of the data, a text of the command line."""

import json

import pytest

from tests.cli.conftest import one_sentence

ROWS = [("1", "wheat; and barley, in the rain"), ("2", "the bank\nlent money")]


def table(path, separator):
    quoted = [separator.join(f'"{field}"' for field in row) for row in ROWS]
    path.write_text("\n".join([f"id{separator}body", *quoted]) + "\n", encoding="utf-8")
    return path


#: The data's name and separator, the output's name, further options, and the separator that is written.
SEPARATORS = [
    ("a.csv", ",", "-", [], ","),
    ("a.csv", ";", "-", [], ";"),
    ("a.csv", ";", "out.csv", [], ";"),
    ("a.csv", ";", "out.csv", ["--format", "csv"], ";"),
    ("a.csv", ";", "out.txt", [], ";"),
    ("a.csv", "\t", "out.csv", [], "\t"),
    ("a.tsv", "\t", "-", [], "\t"),
    ("a.tab", "\t", "out.tab", [], "\t"),
    ("a.csv", ",", "out.TSV", [], "\t"),
    ("a.tsv", "\t", "out.csv", [], ","),
    ("a.tsv", "\t", "-", ["--format", "csv"], ","),
]


@pytest.mark.parametrize(("name", "read", "out", "options", "written"), SEPARATORS)
def test_the_separator_of_the_data_is_written(
    name, read, out, options, written, textensor, model, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    done = textensor("predict", model, table(tmp_path / name, read), "-o", out, *options)
    assert done.code == 0, done.err
    found = done.out if out == "-" else (tmp_path / out).read_text(encoding="utf-8")
    header, first, *_ = found.split("\n")
    assert header == written.join(["id", "body", "label", "score", "unsure"])
    text = '"wheat; and barley, in the rain"' if written in ",;" else "wheat; and barley, in the rain"
    assert first.startswith(written.join(["1", text, "grain", ""]))
    assert "2" + written + '"the bank\nlent money"' + written + "money" in found


def test_other_formats_are_written_with_commas(textensor, model, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"body": "wheat and barley"}\n')
    out = textensor("predict", model, path, "--format", "csv").out
    assert out.startswith("body,label,score,unsure\nwheat and barley,grain,")


def test_a_sheet_of_excel(textensor, model, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["id", "body"], [1, "wheat and barley"], [], [2, "the bank lent money"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    out = textensor("predict", model, tmp_path / "a.xlsx").out.splitlines()
    assert out[0] == "id,body,label,score,unsure"
    assert [line.split(",")[:3] for line in out[1:]] == [
        ["1", "wheat and barley", "grain"],
        ["2", "the bank lent money", "money"],
    ]
    done = textensor("index", tmp_path / "a.xlsx", "--text", "body", "--id", "name", "-o", tmp_path / "new")
    one_sentence(done, "a.xlsx, row 2: no column 'name' for --id, only 'id', 'body'.")


def test_clusters_keep_the_separator_too(textensor, tmp_path):
    out = textensor("cluster", table(tmp_path / "a.csv", ";"), "--text", "body", "-k", 2).out
    assert out.startswith("id;body;cluster\n")


def test_a_text_of_the_command_line(textensor, model, monkeypatch):
    done = textensor("predict", model, "--text", "the bank lent money")
    assert done.code == 0, done.err
    header, row = done.out.splitlines()
    assert header == "text,label,score,unsure"
    assert row.startswith("the bank lent money,money,0.")
    found = json.loads(textensor("predict", model, "--text", "the ship, sailed", "--json").out)
    assert (found["text"], found["label"]) == ("the ship, sailed", "sea")


def test_a_text_of_the_command_line_goes_to_a_file(textensor, model, tmp_path):
    out = tmp_path / "one.jsonl"
    assert textensor("predict", model, "--text", "", "-o", out).out == ""
    assert json.loads(out.read_text())["text"] == ""


def test_nothing_to_predict(textensor, model):
    one_sentence(textensor("predict", model), "There is nothing to predict", code=2)
    done = textensor("predict", model, "--text", "body")  # the column at fit, and the file was forgotten
    one_sentence(done, "--text body is the column of the texts, and there is no file", code=2)
