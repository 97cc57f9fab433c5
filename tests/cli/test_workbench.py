"""The commands from documents to labels and reasons."""

import csv
import io
import json
import re

import pytest

from tests.cli.conftest import write_csv
from textensor import TextCategorizer

FIELDS = ("--text", "body", "--label", "kind")


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_fit_says_what_it_tried_and_why(textensor, mail, tmp_path):
    done = textensor("fit", mail, *FIELDS, "-o", tmp_path / "my.model")
    assert done.code == 0, done.err
    assert "semantic-svm on words (C=1.0): micro-F1" in done.err
    assert "Chosen: " in done.err
    n_tried = done.err.count("1 of 3 folds")
    best = f"best of {n_tried} candidates; expect slightly less on new documents"
    assert best in done.out
    assert best in textensor("show", tmp_path / "my.model").out
    assert "24 documents, 3 labels" in done.out
    assert TextCategorizer.load(tmp_path / "my.model").data_["unlabelled"] == 2


def test_fit_with_settings_and_json(textensor, mail, tmp_path):
    path = tmp_path / "my.model"
    done = textensor("fit", mail, *FIELDS, "-o", path, "-m", "svm", "--set", "C=10", "--json", "--n-jobs", 1)
    card = json.loads(done.out)
    assert (card["method"], card["settings"]) == ("svm", {"C": 10})
    assert card["bytes"] == path.stat().st_size
    tuned = textensor("fit", mail, *FIELDS, "-o", path, "-m", "svm,tls", "--json", "--time-budget", 0)
    assert [one["method"] for one in json.loads(tuned.out)["tried"]] == ["svm"]
    quick = textensor("fit", mail, *FIELDS, "-o", path, "-m", "tls", "--no-cross-validate", "--json")
    assert json.loads(quick.out)["held out"] is None
    assert textensor("predict", path, mail, "--text", "body").code == 0
    assert "not measurable" not in textensor("show", path).out
    assert "not measured" in textensor("show", path).out


def test_predict_keeps_columns_and_adds_its_own(textensor, model, mail):
    done = textensor("predict", model, mail, "--text", "body")
    assert done.code == 0, done.err
    rows = read(done.out)
    assert list(rows[0]) == ["id", "body", "kind", "label", "score", "unsure"]
    assert [row["id"] for row in rows] == [str(k) for k in range(24)]
    assert [row["label"] for row in rows if row["kind"]] == [row["kind"] for row in rows if row["kind"]]
    texts = [row["body"] for row in rows]
    categorizer = TextCategorizer.load(model)
    unsure = categorizer.unsure(categorizer.predict_scores(texts)).tolist()
    assert [row["unsure"] == "true" for row in rows] == unsure
    strict = read(textensor("predict", model, mail, "--text", "body", "--unsure-below", 1.1).out)
    assert {row["unsure"] for row in strict} == {"true"}


def test_predict_writes_a_label_of_its_own_for_unsure_rows(textensor, model, mail):
    plain = read(textensor("predict", model, mail, "--text", "body").out)
    limit = sorted(float(row["score"]) for row in plain)[12]
    options = ("--text", "body", "--unknown", "for a person", "--unsure-below", limit)
    rows = read(textensor("predict", model, mail, *options).out)
    for row, other in zip(rows, plain, strict=True):
        unsure = row["unsure"] == "true"
        assert row["label"] == ("for a person" if unsure else other["label"])
        assert row["score"] == other["score"]
    assert 0 < sum(row["unsure"] == "true" for row in rows) < len(rows)
    own = read(textensor("predict", model, mail, "--text", "body", "--unknown", "?").out)
    expected = ["?" if row["unsure"] == "true" else row["label"] for row in plain]
    assert [row["label"] for row in own] == expected


def test_predict_writes_one_label_for_unsure_rows_of_several(textensor, tagged, tmp_path):
    path = tmp_path / "tags.model"
    textensor("fit", tagged, "--label-separator", "|", "-m", "svm", "-o", path)
    everything = ("--unknown", "?", "--unsure-below", 2)
    assert {row["predicted_label"] for row in read(textensor("predict", path, tagged, *everything).out)} == {
        "?"
    }
    lines = textensor("predict", path, tagged, *everything, "--json").out.splitlines()
    assert all(json.loads(line)["predicted_label"] == ["?"] for line in lines)


def test_predict_writes_json_lines_and_files(textensor, model, mail, tmp_path):
    out = tmp_path / "found.jsonl"
    assert textensor("predict", model, mail, "--text", "body", "-o", out).out == ""
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["label"] == "grain"
    assert isinstance(rows[0]["score"], float)
    assert rows[0]["unsure"] is False
    again = textensor("predict", model, out, "--text", "body")  # a name that is taken stays
    assert json.loads(again.out.splitlines()[0])["predicted_label"] == "grain"
    assert not list(tmp_path.glob(".*"))  # nothing half-written is left


def test_predict_several_labels(textensor, tagged, tmp_path):
    path = tmp_path / "tags.model"
    assert textensor("fit", tagged, "--label-separator", "|", "-m", "svm", "-o", path).code == 0
    rows = read(textensor("predict", path, tagged, "--label-separator", "; ").out)
    assert any("; " in row["predicted_label"] for row in rows)
    lines = textensor("predict", path, tagged, "--json").out.splitlines()
    assert all(isinstance(json.loads(line)["predicted_label"], list) for line in lines)


def test_cells_that_a_spreadsheet_would_run_are_guarded(textensor, model, tmp_path):
    cells = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "-2.5", "\tx", "plain"]
    data = write_csv(tmp_path / "bad.csv", ["=id", "body"], [(cell, "wheat") for cell in cells])
    rows = read(textensor("predict", model, data, "--text", "body").out)
    assert [row["'=id"] for row in rows] == [
        cell if cell in ("-2.5", "plain") else f"'{cell}" for cell in cells
    ]
    lines = textensor("predict", model, data, "--text", "body", "--json").out.splitlines()
    assert [json.loads(line)["=id"] for line in lines] == cells


def test_a_folder_and_rows_of_different_columns(textensor, tmp_path):
    for label, text in (("grain", "wheat and maize"), ("money", "the bank's rates")):
        for k in range(3):
            (tmp_path / "mail" / label).mkdir(parents=True, exist_ok=True)
            (tmp_path / "mail" / label / f"{k}.txt").write_text(f"{text} {'x' * (k + 2)}")
    path = tmp_path / "my.model"
    assert textensor("fit", tmp_path / "mail", "-m", "svm", "-o", path).code == 0
    rows = read(textensor("predict", path, tmp_path / "mail").out)
    assert [row["label"] for row in rows] == ["grain"] * 3 + ["money"] * 3
    lines = tmp_path / "new.jsonl"
    lines.write_text('{"text": "wheat"}\n{"text": "rates", "from": "x"}\n')
    assert len(textensor("predict", path, lines).out.splitlines()) == 2
    done = textensor("predict", path, lines, "--format", "csv", "-o", tmp_path / "o.csv")
    assert done.code == 1
    assert "Line 2 has a column 'from'" in done.err
    assert not (tmp_path / "o.csv").exists()


def test_show(textensor, model):
    done = textensor("show", model)
    assert "24 documents, 3 labels" in done.out
    assert "held-out F1" in done.out
    assert "mail.csv (SHA-256 " in done.out
    assert re.search(r"needs +textensor 0\.1\.0 or newer", done.out)
    assert "tensor: " not in done.out
    assert not re.search(r"^tensor ", done.out, re.MULTILINE)  # an SVM has no grid
    card = json.loads(textensor("show", model, "--json").out)
    assert card["metadata"]["method"] == "svm"
    assert card["versions"]["numpy"]


def test_show_has_the_grid_in_words(textensor, mail, tmp_path):
    path = tmp_path / "my.model"
    textensor("fit", mail, *FIELDS, "-m", "stm", "--no-cross-validate", "-o", path)
    shown = textensor("show", path).out
    assert re.search(r"terms in a grid of \d+ x 50, rank 1\n", shown)
    assert "float64" not in shown


def test_many_labels_of_few_documents_are_no_regression(textensor, tmp_path):
    rows = [(f"word{k} other{k % 7} wheat", f"label{k // 2}") for k in range(60)]
    data = write_csv(tmp_path / "many.csv", ["text", "label"], [*rows[1:], ("one more", "")])
    for method in ("svm", "srda-knn"):
        done = textensor("fit", data, "-m", method, "-o", tmp_path / "my.model")
        assert done.code == 0, done.err
        assert "regression" not in done.err
    assert re.search(r"unlabelled +1 document\n", textensor("show", tmp_path / "my.model").out)


def test_explain(textensor, model):
    done = textensor("explain", model, "wheat of the bank", "--label", "grain", "--top", 1)
    assert done.code == 0, done.err
    assert done.out.startswith("grain: score ")
    found = json.loads(textensor("explain", model, "maize and wheat", "--json").out)
    assert found[0]["label"] == "grain"
    assert sum(amount for _, amount in found[0]["parts"]) == pytest.approx(found[0]["score"])
    assert 0 < found[0]["probability"] < 1


def test_explain_says_when_no_term_is_known(textensor, model):
    done = textensor("explain", model, "zzz qqq", "--json")
    assert "no known words" in done.err
    assert json.loads(done.out)
    assert "No term" not in textensor("explain", model, "wheat zzz").err


def test_methods(textensor):
    assert "support tensor machine" in textensor("methods").out
    assert json.loads(textensor("methods", "--json").out)["svm"]["several"] is True


@pytest.mark.parametrize("command", ["fit", "predict", "show", "explain", "methods"])
def test_help_has_an_example(textensor, command):
    assert f"Example: textensor {command}" in textensor(command, "--help").out
