"""What is odd about documents and labels: every finding, and data with none."""

import json
import warnings

import numpy as np
import pytest

from tests.files.zoo import SEVERAL, TEXTS, WORDS
from textensor import TextCategorizer
from textensor.base.reading.y import read_named
from textensor.workbench import DocumentsWarning, check_documents
from textensor.workbench.check.columns import are_ids, look_like_ids, separated_labels
from textensor.workbench.texts import text_keys

LABELS = WORDS.tolist()


def test_nothing_odd():
    found = check_documents(TEXTS, LABELS)
    assert found.findings == found.notable == []
    assert str(found) == (
        "12 documents, 12 with a label; 3 labels, one to a document. Scripts: Latin 12. Languages, a guess: "
        "english 83%, unknown 17%.\n\n"
        "Nothing odd was found."
    )
    assert found.labels == {"grain": 4, "money": 4, "sea": 4}
    assert "several to a document" in str(check_documents(TEXTS, SEVERAL))


def test_nothing_at_all():
    found = check_documents([], [])
    assert (found.n_documents, found.labels, found.notable) == (0, {}, [])
    assert str(found).startswith("0 documents, 0 with a label; 0 labels")
    assert check_documents(["a text"], [None]).n_labelled == 0


#: Texts and labels that are added to good ones, and the sentence on them.
ODD = {
    "one document": (["a song"], ["music"], "1 of 4 labels has one document only, the first is 'music': F1"),
    "two": (
        ["a song", "a play"],
        ["music", "stage"],
        "2 of 5 labels have one document only, the first is 'music'",
    ),
    "an empty text": ([" \n"], ["sea"], "1 of 13 documents is empty."),
    "empty texts": (["", "\t"], ["sea", ""], "2 of 14 documents are empty."),
    "a short text": (["ok"], ["sea"], "1 of 13 documents has fewer than 3 letters or digits."),
    "signs": (["???", "a!"], ["sea", "sea"], "2 of 14 documents have fewer than 3 letters or digits."),
    "a long text": (["wheat " * 200_000], ["sea"], "1 of 13 documents has more than 1,000,000 characters."),
    "misspelt": (
        ["tides", "a tide"],
        ["Sea", "Sea"],
        "1 of 4 labels looks like another spelling, such as 'Sea' for 'sea': rename as check_documents",
    ),
    "misspelt twice": (
        ["tides", "a tide", "wheats", "the wheat"],
        ["Sea", "Sea", "GRAIN", "GRAIN"],
        "2 of 5 labels look like another spelling, such as 'GRAIN' for 'grain'",
    ),
    "several in one": (
        ["wheat by ship", "a ship of wheat"],
        ["grain;sea", "grain;sea"],
        "1 of 4 labels looks like several with ';' between them, such as 'grain;sea': give a tuple of labels",
    ),
    "a missing value written out": (
        ["tides", "a tide"],
        ["nan", "nan"],
        "The label 'nan' of 2 documents looks like a missing value: leave it empty.",
    ),
    "the same text": (
        [TEXTS[0].upper()],
        ["grain"],
        "1 of 13 documents repeats the text of an earlier one, so",
    ),
    "the same texts": (TEXTS[:2], ["grain", ""], "2 of 14 documents repeat the text of an earlier one, so"),
    "another label": (
        [f"  {TEXTS[0]}\n"],
        ["sea"],
        "2 of 13 documents have the text of another one and a different label: correct the labels",
    ),
    "UTF-8 read as cp1252": (
        ["das MÃ¤rchen", "itâ€™s", "na\ufffdve"],
        ["sea"] * 3,
        "3 of 15 documents show signs of a wrong encoding, such as \ufffd or Ã©",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_every_finding_is_one_sentence_and_a_warning_of_fit(name):
    texts, labels, sentence = ODD[name]
    texts, labels = [*TEXTS, *texts], [*LABELS, *labels]
    found = check_documents(texts, labels)
    said = [one for one in found.notable if one.startswith(sentence)]
    assert len(said) == 1, found.notable
    assert said[0].endswith(".")
    assert said[0] in str(found)
    assert json.loads(json.dumps(found.as_data()))["notable"] == found.notable
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TextCategorizer("svm", cross_validate=False).fit(texts, labels)
    warned = [one for one in caught if one.category is DocumentsWarning]
    assert [str(one.message) for one in warned] == found.notable
    assert {one.filename for one in warned} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DocumentsWarning)
        TextCategorizer("svm", cross_validate=False).fit(texts, labels, check=False)


def test_what_is_rare_is_no_warning():
    texts = [f"{TEXTS[k % 12]} {k}" for k in range(500)]
    labels = [LABELS[k % 12] for k in range(500)]
    found = check_documents(
        [*texts, texts[0], texts[1], "??", "na\ufffdve"], [*labels, "sea", "grain", "sea", "sea"]
    )
    assert (found.n_repeated, found.n_conflicting, found.n_short, found.n_garbled) == (2, 2, 1, 1)
    assert found.notable == []
    assert len(found.findings) == 4


def test_conflicts_name_the_documents():
    texts = ["a b", "c d", "A  b", "c d", "a b", "e f", ""]
    found = check_documents(texts, ["x", "x", "y", "x", "", "y", ""])
    assert [(one.documents, one.labels) for one in found.conflicts] == [((0, 2), ("x", "y"))]
    assert (found.n_repeated, found.n_conflicting) == (3, 2)
    assert "entries 0, 2: 'x', 'y'" in str(found)
    found = check_documents(texts, ["x", "x", "y", "x", "", "y", ""], lines=[2, 3, 4, 7, 8, 9, 10])
    assert "  lines 2, 4: 'x', 'y'" in str(found)
    found = check_documents(texts, ["x", "x", "y", "x", "", "y", ""], lines=range(1, 8), unit="row")
    assert "  rows 1, 3: 'x', 'y'" in str(found)
    with pytest.raises(ValueError, match="7 texts and 2 lines"):
        check_documents(texts, list("xxyxyyy"), lines=[1, 2])


def test_conflicts_of_several_labels():
    found = check_documents(["a b", "a b", "a b"], [("x", "y"), ("y", "x"), ("x",)])
    assert found.conflicts[0].labels == ("x and y", "x")


def test_only_the_first_conflicts_are_kept():
    texts = [f"text {k}" for k in range(50)] * 2
    found = check_documents(texts, ["x"] * 50 + ["y"] * 50)
    assert (found.n_conflicting, len(found.conflicts)) == (100, 20)
    many = check_documents(["same"] * 200, ["x", "y"] * 100)
    assert ", 19, ...: 'x', 'y'" in str(many)


def test_many_findings_are_cut_short():
    labels = [
        f"{'' if k % 2 else ' '}Name{k // 2}".strip(" ") if k % 2 else f"name{k // 2}" for k in range(60)
    ]
    found = check_documents([f"text {k}" for k in range(120)], labels * 2)
    assert len(found.spellings) == 30
    assert "and 10 more" in str(found)


# ---- ids


def test_ids():
    texts = [f"document number {k}" for k in range(40)]
    found = check_documents(texts, range(40))
    assert found.ids
    assert found.notable[0] == "40 labels for 40 documents look like ids: give labels that documents share."
    assert not check_documents(texts[:20], range(20)).ids, "too few to say"
    assert not check_documents(texts, [k // 2 for k in range(40)]).ids


#: How many documents have each label, how many have none, whether they look like ids, and certainly are.
IDS = [
    ([1] * 29, 0, False, False),
    ([1] * 30, 0, True, True),
    ([1] * 30, 5, True, False),  # one example for each label
    ([1] * 29 + [2], 0, True, False),
    ([2] * 30, 0, False, False),
    ([1] * 1001, 5, True, True),
    ([1] * 900 + [2] * 200, 5, True, True),
    ([1] * 900 + [10] * 200, 5, False, False),
]


@pytest.mark.parametrize(("sizes", "unlabelled", "like", "certain"), IDS)
def test_what_looks_like_ids(sizes, unlabelled, like, certain):
    labels = read_named([*np.repeat(np.arange(len(sizes)), sizes).tolist(), *[None] * unlabelled])
    assert (look_like_ids(labels), are_ids(labels)) == (like, certain)


def test_several_labels_count_how_often_they_are_given():
    labels = read_named([(f"a{k}", f"b{k}", "all") for k in range(40)])
    assert look_like_ids(labels)
    assert not look_like_ids(read_named([(f"a{k % 20}", f"b{k % 20}") for k in range(40)]))


# ---- separators


#: Labels with their numbers of documents, and the sign that stands between several.
SEPARATED = [
    (["a", "b", "a;b"], ";"),
    (["a;b", "b;c", "c;a"], ";"),
    (["a|b", "b", "a"], "|"),
    (["a, b", "b, a", "c"], ","),
    (["a", "b", "c", "a,b", "b,c"], ","),
    (["a", "b", "c", "a/b", "c/a"], "/"),
    (["a", "b", "c", "a+b", "c+a"], "+"),
    (["a;b"], None),
    (["a", "b;"], None),
    (["x;y", "z;w"], None),
    (["arts, crafts", "home, garden", "home"], None),
    (["news/world", "news/sports", "news"], None),
    (["C", "C++", "A+"], None),
    (["and/or", "either/or"], None),
    ([";", "|"], None),
    ([], None),
]


@pytest.mark.parametrize(("labels", "sign"), SEPARATED, ids=lambda value: str(value))
def test_several_labels_in_one(labels, sign):
    found = separated_labels(dict.fromkeys(labels, 3))
    assert (found and found.separator) == sign


def test_labels_with_a_separator_are_not_compared_by_spelling():
    labels = ["grain", "Grain"] * 5 + ["wheat"] * 4 + ["grain;wheat", "wheat;grain", "Grain;wheat"]
    found = check_documents([f"text {k}" for k in range(17)], labels)
    assert [one.label for one in found.spellings] == ["grain"]
    assert found.separated.n_documents == 3
    assert found.separated.n_parts == 3
    assert check_documents(["a", "b"], [("a;b",), ("b", "a")]).separated is None, "they were split already"


# ---- texts


def test_keys_know_a_text_again_whatever_its_case_and_spaces():
    keys = text_keys(
        ["A  b\n", "a b", "a  B ", "ab", "", " \t", "Caf\u00e9", "cafe\u0301", "\ud800"]
    ).tolist()
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert keys[4] == keys[5] == -1
    assert keys[6] == keys[7]
    assert all(0 <= key < 1 << 62 for key in keys[:4] + keys[6:])
    assert keys[1] == 738108684772019694, "a model file of another machine knows it, too"


def test_hostile_labels_are_shown_harmless():
    found = check_documents(["a b", "a b"], ["\x1b[31mred", "\u202egnp"])
    assert not set("\x1b\u202e") & set(str(found))
