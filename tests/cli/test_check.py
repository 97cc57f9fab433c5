"""`textensor check`, the tables that it writes, and `--rename`, which reads them."""

import json

import pytest

from tests.cli.conftest import one_sentence, write_csv
from tests.faults import contents
from tests.files.zoo import TEXTS, WORDS
from tests.languages import LANGUAGES
from textensor import TextCategorizer

#: Three labels, each in two spellings.
SPELT = [name.capitalize() if k % 4 == 3 else name for k, name in enumerate(WORDS.tolist())]


@pytest.fixture
def messy(tmp_path):
    rows = [*zip(TEXTS, SPELT, strict=True), *zip((f"{t} too" for t in TEXTS), SPELT, strict=True)]
    return write_csv(tmp_path / "messy.csv", ["text", "label"], rows)


def test_check_says_what_it_finds(textensor, messy):
    done = textensor("check", messy)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "24 documents, 24 with a label; 6 labels, one to a document. Scripts: Latin 24. Languages, a guess: "
        "english 92%, unknown 8%. Encoding: ascii.",
        "",
        "3 of 6 labels look like another spelling, such as 'Grain' for 'grain': textensor check --fix writes "
        "a table for --rename.",
        "  'Grain' (2) looks like 'grain' (6): case",
        "  'Money' (2) looks like 'money' (6): case",
        "  'Sea' (2) looks like 'sea' (6): case",
    ]


def test_check_in_json(textensor, messy):
    done = textensor("check", messy, "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["labels"]["grain"] == 6
    assert found["spellings"][0]["suggestion"] == "grain"
    assert (found["encodings"], found["unit"], found["several"]) == (["ascii"], "line", False)


def test_check_names_lines_and_encodings(textensor, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes('text;label\n"wheat\nand rye";a\n\ncaf\xe9;b\n"wheat\r\nAND rye";b\n'.encode("cp1252"))
    done = textensor("check", path)
    assert "Encoding: cp1252." in done.out
    assert "  lines 2, 6: 'a', 'b'" in done.out
    folder = tmp_path / "mail"
    for name, text in {"a/1": "wheat", "a/2": "caf\xe9", "b/1": "\ufeffwheat"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("cp1252" if name == "a/2" else "utf-8"))
    done = textensor("check", folder)
    assert "Encoding: ascii, cp1252, utf-8." in done.out
    assert "  entries 0, 2: 'a', 'b'" in done.out


def test_check_reads_what_fit_reads(textensor, mail, tagged, tmp_path):
    assert textensor("check", mail, "--text", "body", "--label", "kind").out.startswith(
        "24 documents, 22 with"
    )
    done = textensor("check", tagged)
    assert (
        "look like several with '|' between them, such as 'grain|early': name the separator with" in done.out
    )
    split = textensor("check", tagged, "--label-separator", "|")
    assert "4 labels, several to a document" in split.out
    assert "'|'" not in split.out
    assert textensor("check", "docstrings").code == 0
    one_sentence(textensor("check", mail, "--label", "kind"), "name yours with --text.")


def test_a_table_of_labels_is_written_edited_and_read(textensor, messy, tmp_path):
    table, model = tmp_path / "labels.csv", tmp_path / "my.model"
    done = textensor("check", messy, "--fix", table)
    assert done.err == f"Written: {table} (3 suggestions); correct it, then fit --rename.\n"
    assert table.read_text() == "label,suggestion\nGrain,grain\nMoney,money\nSea,sea\n"
    table.write_text(
        "suggestion;label\ncereal;grain\ncereal; Grain \n;Money\nsea;sea\nharbour;no such label\n"
    )
    done = textensor("fit", messy, "-m", "svm", "--rename", table, "-o", model)
    assert done.code == 0
    assert f"2 labels renamed in 8 documents, by {table}; 1 label of it not in the data." in done.err
    assert TextCategorizer.load(model).data_["labels"] == {
        "Money": 2,
        "Sea": 2,
        "cereal": 8,
        "money": 6,
        "sea": 6,
    }
    found = textensor("evaluate", model, messy, "--rename", table, "--json")
    assert {one["label"] for one in json.loads(found.out)["labels"]} == {
        "Money",
        "Sea",
        "cereal",
        "money",
        "sea",
    }
    assert textensor("check", messy, "--rename", table, "--json").out.count('"cereal"') == 1
    options = ("--methods", "svm", "--train", "50%", "--splits", 1, "--rename", table)
    assert textensor("compare", messy, *options).code == 0


def test_several_labels_are_renamed_one_by_one(textensor, tagged, tmp_path):
    table, model = tmp_path / "labels.jsonl", tmp_path / "my.model"
    table.write_text('{"label": "early", "suggestion": "grain"}\n')
    fitted = textensor(
        "fit", tagged, "--label-separator", "|", "-m", "svm", "--rename", table, "-o", model, "--json"
    )
    assert json.loads(fitted.out)["data"]["labels"] == {"grain": 8, "money": 4, "sea": 4}


def test_cells_that_a_spreadsheet_would_run_come_back(textensor, tmp_path):
    labels = ["=Sum", "=sum", "'tis", "'TIS", "+One", "+one"] * 2
    data = write_csv(tmp_path / "a.csv", ["text", "label"], zip(TEXTS, labels, strict=True))
    table = tmp_path / "labels.csv"
    assert textensor("check", data, "--fix", table).code == 0
    assert table.read_text().splitlines()[1:] == ["'tis,'TIS", "'+one,'+One", "'=sum,'=Sum"]
    found = json.loads(textensor("check", data, "--rename", table, "--json").out)
    assert len(found["labels"]) == 3
    assert found["spellings"] == []


def test_nothing_to_fix(textensor, mail, tmp_path):
    table = tmp_path / "labels.csv"
    done = textensor("check", mail, "--text", "body", "--label", "kind", "--fix", table)
    assert done.code == 0
    assert "labels.csv was not written: no label looks like another spelling." in done.err
    assert not table.exists()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("old.csv", "old.csv is there already: remove it or choose another place."),
        ("link.csv", "link.csv is not replaced (it is a link)"),
        ("messy.csv", "messy.csv is the data itself"),
        ("nowhere/labels.csv", "There is no folder to write nowhere/labels.csv to"),
    ],
)
def test_a_table_replaces_nothing(place, message, textensor, messy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.csv").write_text("label,suggestion\nedited,by hand\n")
    (tmp_path / "link.csv").symlink_to("nothing")
    before = contents(tmp_path)
    one_sentence(textensor("check", messy, "--fix", place), message)
    assert contents(tmp_path) == before


#: Tables that cannot be, and what the sentence says.
BAD_TABLES = {
    "not there": (None, "labels.csv: no such file; textensor check --fix writes one."),
    "empty": ("", "labels.csv: the file is empty."),
    "other columns": (
        "label,new\na,b\n",
        'labels.csv, line 2: a table of labels has the columns "label", "suggestion", and this one has '
        '"label", "new"; write one with textensor check --fix.',
    ),
    "a label twice": (
        "label,suggestion\na,b\nc,d\na,c\n",
        'line 4: the label "a" is renamed to "b" and to "c"; keep one of them.',
    ),
    "a chain": (
        "label,suggestion\na,b\nb,c\n",
        'line 2: "a" becomes "b", which is renamed itself in line 3; give both the same suggestion.',
    ),
    "a circle": (
        "label,suggestion\na,b\nb,a\n",
        'line 2: "a" becomes "b", which is renamed itself in line 3',
    ),
    "no label": ("label,suggestion\na,b\n ,c\n", "line 3: there is no label to rename; remove the line."),
    "ragged": ("label,suggestion\na\n", "line 2: 1 field where the header has 2"),
    "no text": ("label,suggestion\na\0,b\n", "not text"),
    "a long cell": ("label,suggestion\n" + "a" * (1 << 21) + ",b\n", "over the cap of 1 MiB"),
}


@pytest.mark.parametrize("command", ["fit", "compare", "check"])
@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables(name, command, textensor, messy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, message = BAD_TABLES[name]
    if text is not None:
        (tmp_path / "labels.csv").write_text(text)
    before = contents(tmp_path)
    out = ["-o", "my.model"] if command == "fit" else []
    one_sentence(textensor(command, messy, *out, "--rename", "labels.csv"), message)
    assert contents(tmp_path) == before


def test_a_table_that_renames_nothing(textensor, messy, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("label,suggestion\na,\nb,b\n")
    done = textensor("check", messy, "--rename", table)
    assert done.code == 0
    assert "0 labels renamed in 0 documents, by" in done.err


def test_fit_begins_with_what_is_notable(textensor, messy, tmp_path):
    done = textensor("fit", messy, "-m", "svm", "-o", tmp_path / "my.model")
    assert done.code == 0
    first = done.err.splitlines()[0]
    assert first == (
        "textensor: warning: 3 of 6 labels look like another spelling, such as 'Grain' for 'grain': "
        "textensor check --fix writes a table for --rename."
    )


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_ids_given_as_labels_end_the_command_at_once(command, textensor, tmp_path):
    rows = [(f"{TEXTS[k % 12]} {k}", k, WORDS[k % 12]) for k in range(30)]
    data, model = write_csv(tmp_path / "a.csv", ["text", "id", "label"], rows), tmp_path / "my.model"
    out = ["-o", model] if command == "fit" else ["--methods", "svm", "--splits", 1]
    done = textensor(command, data, "--label", "id", *out)
    one_sentence(
        done,
        "a.csv: the column 'id' looks like ids, 30 labels for 30 documents; name the column of the labels "
        "with --label.",
    )
    assert not model.exists()
    assert textensor("check", data, "--label", "id").code == 0
    assert textensor(command, data, *out).code == 0


def test_hostile_labels_are_harmless_on_the_screen(textensor, tmp_path):
    rows = [("wheat", "\x1b[31mRed"), ("rye", "\x1b[31mred"), ("oats", "\x1b[31mred")]
    data, table = write_csv(tmp_path / "a.csv", ["text", "label"], rows), tmp_path / "labels.csv"
    done = textensor("check", data, "--fix", table)
    assert done.code == 0
    assert "\x1b" not in done.out + done.err
    done = textensor("check", data, "--rename", table, "--json")
    assert json.loads(done.out)["labels"] == {"\x1b[31mred": 3}


def test_languages_are_guessed_and_a_language_is_suggested_once(textensor, tmp_path):
    path = write_csv(tmp_path / "german.csv", ["text", "label"], LANGUAGES["German"])
    hint = "Most documents are in German: --language german --stem may help if few have a label."
    found = textensor("check", path)
    assert "Languages, a guess: german 80%, unknown 20%. Encoding: utf-8." in found.out
    assert found.out.endswith(f"\n\n{hint}\n")
    assert json.loads(textensor("check", path, "--json").out)["languages"] == {"german": 0.8, "unknown": 0.2}
    options = ("-m", "svm", "-o", tmp_path / "german.model")
    fitted = textensor("fit", path, *options).err
    assert "Languages, a guess: german 80%, unknown 20%." in fitted
    assert hint in fitted
    assert hint not in textensor("fit", path, *options, "--language", "german", "--stem").err


def test_an_encoding_that_is_not_utf_8_is_named(textensor, tmp_path):
    rows = "".join(f"{text},{label}\n" for text, label in LANGUAGES["German"])
    (tmp_path / "old.csv").write_text("text,label\n" + rows, encoding="cp1252")
    options = ("-m", "svm", "-o", tmp_path / "old.model")
    assert "Encoding: cp1252." in textensor("fit", tmp_path / "old.csv", *options).err
