"""How good, and which is better: the commands that measure."""

import json

import pytest

from tests.cli.conftest import write_csv
from tests.files.zoo import SEVERAL, TEXTS, WORDS
from textensor import TextCategorizer

pytest.importorskip("jinja2", reason="the extra [report] is not installed")
FIELDS = ("--text", "body", "--label", "kind")


def test_evaluate(textensor, model, mail, tmp_path):
    done = textensor("evaluate", model, mail, *FIELDS)
    assert done.code == 0, done.err
    assert "2 of 24 documents have no label and are skipped" in done.err
    assert "22 documents" in done.out
    assert (
        "\n22 of 22 documents were in the training data, so the figures are too good: evaluate on" in done.out
    )
    found = json.loads(textensor("evaluate", model, mail, *FIELDS, "--json", "--train", mail).out)
    assert found["trained on"] == 22
    assert found["headlines"]["argmax"]["micro"]["value"] == 1
    assert found["near duplicates"] == 22
    page = tmp_path / "out.html"
    assert textensor("evaluate", model, mail, *FIELDS, "--report", page).out.endswith(f"Report: {page}\n")
    assert "<html" in page.read_text(encoding="utf-8")
    assert "22 of 22 test documents were in the training data, so" in page.read_text(encoding="utf-8")


def test_documents_that_were_trained_on_are_counted(textensor, model, tmp_path):
    """Also if they are a part of the training data, in another order and another case."""
    rows = [
        (TEXTS[8].upper(), "sea"),
        ("a new ship", "sea"),
        (f"  {TEXTS[0]} ", "grain"),
        (TEXTS[3], "grain"),
    ]
    data, page = write_csv(tmp_path / "new.csv", ["body", "kind"], rows), tmp_path / "out.html"
    done = textensor("evaluate", model, data, "--report", page)
    assert "2 of 4 documents were in the training data, so the figures are too good" in done.out
    assert "2 of 4 test documents were in the training data" in page.read_text(encoding="utf-8")
    data = write_csv(tmp_path / "new.csv", ["body", "kind"], rows[:2])
    assert "1 of 2 documents was in the training data" in textensor("evaluate", model, data).out
    data = write_csv(tmp_path / "new.csv", ["body", "kind"], rows[1:2])
    done = textensor("evaluate", model, data, "--report", page)
    assert "in the training data" not in done.out + page.read_text(encoding="utf-8")
    assert json.loads(textensor("evaluate", model, data, "--json").out)["trained on"] == 0


def test_coverage_says_how_many_documents_are_right_above_a_probability(textensor, model, mail, tmp_path):
    assert "at least" not in textensor("evaluate", model, mail).out
    done = textensor("evaluate", model, mail, "--coverage", "--report", tmp_path / "out.html")
    assert done.code == 0, done.err
    (header,) = [line for line in done.out.splitlines() if line.startswith("probability")]
    assert header.split() == ["probability", "documents", "share", "right", "share", "of", "right"]
    (every,) = [line for line in done.out.splitlines() if line.startswith("any ")]
    assert every.split() == ["any", "22", "100%", "22", "1.000", "[0.851,", "1.000]"]
    assert "How much can be automated" in (tmp_path / "out.html").read_text(encoding="utf-8")
    points = json.loads(textensor("evaluate", model, mail, "--json").out)["coverage"]
    assert points[0] == {
        "above": 0.0,
        "n_documents": 22,
        "n_right": 22,
        "share": 1.0,
        "right": 1.0,
        "low": pytest.approx(0.8513, abs=1e-4),
        "high": 1.0,
    }
    assert [point["n_documents"] for point in points] == sorted(
        (point["n_documents"] for point in points), reverse=True
    )


def test_coverage_needs_probabilities(textensor, mail, tmp_path):
    path = tmp_path / "my.model"
    textensor("fit", mail, *FIELDS, "-m", "svm", "--no-cross-validate", "-o", path)
    done = textensor("evaluate", path, mail, "--coverage")
    assert (done.code, done.out) == (1, "")
    assert "has no probabilities for --coverage: fit it with cross-validation." in done.err
    assert json.loads(textensor("evaluate", path, mail, "--json").out)["coverage"] is None


def test_a_label_never_seen_counts_as_never_found(textensor, model, tmp_path):
    data = write_csv(tmp_path / "new.csv", ["body", "kind"], [("wheat rose", "grain"), ("a song", "music")])
    found = json.loads(textensor("evaluate", model, data, *FIELDS, "--json").out)
    assert found["headlines"]["argmax"]["micro"]["value"] == 0.5
    assert [one["label"] for one in found["labels"]] == ["grain", "money", "sea", "music"]
    assert found["mistakes"] == 1
    assert "not measurable" in textensor("evaluate", model, data, *FIELDS).out


def test_evaluate_several_labels(textensor, tagged, tmp_path):
    path = tmp_path / "tags.model"
    textensor("fit", tagged, "--label-separator", "|", "-m", "svm", "-o", path)
    rows = [(text, "|".join(labels)) for text, labels in zip(TEXTS, SEVERAL, strict=True)]
    data = write_csv(tmp_path / "new.csv", ["text", "label"], [*rows, ("a song", "music")])
    done = textensor("evaluate", path, data, "--label-separator", "|", "--report", tmp_path / "r.html")
    assert done.code == 0, done.err
    assert "1 label was not in the training data" in done.err


def test_evaluate_takes_columns_and_separator_from_the_fit(textensor, model, mail, tmp_path):
    assert textensor("evaluate", model, mail).out == textensor("evaluate", model, mail, *FIELDS).out
    rows = [(text, "; ".join(labels)) for text, labels in zip(TEXTS, SEVERAL, strict=True)]
    data, path = write_csv(tmp_path / "new.csv", ["body", "tags"], rows), tmp_path / "tags.model"
    named = ("--text", "body", "--label", "tags", "--label-separator", ";")
    assert textensor("fit", data, *named, "-m", "svm", "-o", path).code == 0
    assert textensor("evaluate", path, data).out == textensor("evaluate", path, data, *named).out
    assert textensor("predict", path, data).out == textensor("predict", path, data, *named[:2]).out
    assert ",early;grain," in textensor("predict", path, data).out


def test_several_labels_without_a_separator_are_refused(textensor, tagged, tmp_path):
    labels = [tuple(one) for one in SEVERAL]
    TextCategorizer("svm", cross_validate=False).fit(TEXTS, labels).save(tmp_path / "tags.model")
    done = textensor("evaluate", tmp_path / "tags.model", tagged)
    assert (done.code, done.out) == (1, "")
    assert "name their separator with --label-separator" in done.err


def test_one_label_models_refuse_several(textensor, model, tagged):
    done = textensor(
        "evaluate", model, tagged, "--text", "text", "--label", "label", "--label-separator", "|"
    )
    assert (done.code, "fit it on such documents" in done.err) == (1, True)


def test_compare(textensor, mail, tmp_path):
    page = tmp_path / "out.html"
    options = ("--methods", "svm,srda-knn", "--train", "20%,0.5", "--splits", 2)
    done = textensor("compare", mail, *FIELDS, *options, "--report", page)
    assert done.code == 0, done.err
    assert "2 splits; marks against svm" in done.out
    assert page.exists()
    found = json.loads(textensor("compare", mail, *FIELDS, *options, "--json").out)
    cells = [(cell["size"], cell["protocol"], cell["method"]) for cell in found["cells"]]
    assert len(set(cells)) == len(cells) == 2 * 2 * 2
    assert {cell["size"] for cell in found["cells"]} == {"20%", "50%"}
    first, other = (
        {cell["micro_mark"] for cell in found["cells"] if cell["method"] == name}
        for name in ("svm", "srda-knn")
    )
    assert first == {""}
    assert other <= {">>", ">", "~", "<", "<<"}


def test_compare_with_nothing_left_to_score(textensor, mail, tmp_path):
    done = textensor("compare", mail, *FIELDS, "--methods", "svm", "--train", "99%")
    assert (done.code, done.out) == (1, "")
    assert "Trained on 99% of 22 labelled documents, too few are left to score" in done.err
    rows = [*zip(TEXTS, WORDS, strict=True), ("a song", "music"), ("a tune", "music")]
    data = write_csv(tmp_path / "few.csv", ["body", "kind"], rows)
    done = textensor("compare", data, *FIELDS, "--methods", "svm", "--train", "50%", "--splits", "1")
    assert done.code == 0
    assert (
        "1 of 4 labels has no document left to score at 50% and will not count, the first is 'music'"
        in done.err
    )
    assert "±" not in done.out
    assert "One split; marks against svm." in done.out


def test_compare_reads_the_rest_and_several_labels(textensor, mail, tagged):
    common = ("--train", "50%", "--splits", 1, "--json")
    found = json.loads(textensor("compare", mail, *FIELDS, "--methods", "coem", "--read-rest", *common).out)
    plain = json.loads(textensor("compare", mail, *FIELDS, "--methods", "coem", *common).out)
    assert found["tested on"]["50%"] < plain["tested on"]["50%"]
    several = textensor("compare", tagged, "--label-separator", "|", "--methods", "svm", *common)
    assert {cell["protocol"] for cell in json.loads(several.out)["cells"]} == {"assignment"}


def test_splits_train_on_what_they_say():
    from textensor.workbench.trials import try_methods

    texts, labels = [f"{text} {k}" for k in range(5) for text in TEXTS], WORDS.tolist() * 5
    trials = list(try_methods(texts, labels, ["svm"], [0.2, 0.5], n_splits=2))
    assert [(one.size, one.n_train) for one in trials] == [("20%", 12)] * 2 + [("50%", 30)] * 2
    assert [[score.protocol for score in one.scores] for one in trials] == [["argmax", "assignment"]] * 4
    assert [one.scores[0].n_documents for one in trials] == [48, 48, 30, 30]
    again = list(try_methods(texts, labels, ["svm"], [0.2, 0.5], n_splits=2, n_jobs=2))
    assert [one.scores[1].micro for one in again] == [one.scores[1].micro for one in trials]


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_help_has_an_example(textensor, command):
    assert f"Example: textensor {command}" in textensor(command, "--help").out
