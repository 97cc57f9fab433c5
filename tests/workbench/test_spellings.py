"""Labels that look like other spellings of each other, and labels that do not."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textensor.workbench.check import spellings
from textensor.workbench.check.spellings import edits, fold, similar_labels

#: Labels with their numbers of documents, and what is found: label, suggestion, reason.
ALIKE = [
    ({"Sports": 9, "sports": 5, "SPORTS": 1}, [("sports", "Sports", "case"), ("SPORTS", "Sports", "case")]),
    ({"tech support": 9, "tech-support": 5}, [("tech-support", "tech support", "spaces or punctuation")]),
    ({"tech  support": 1, "tech support": 5}, [("tech  support", "tech support", "spaces or punctuation")]),
    ({"techsupport": 1, "Tech_Support.": 5}, [("techsupport", "Tech_Support.", "spaces or punctuation")]),
    ({"café": 2, "cafe": 3}, [("café", "cafe", "accents")]),
    ({"cafe\u0301": 2, "café": 3}, [("cafe\u0301", "café", "characters")]),
    ({"straße": 2, "STRASSE": 3}, [("straße", "STRASSE", "case")]),
    ({"ｆｕｌｌ": 2, "full": 3}, [("ｆｕｌｌ", "full", "characters")]),
    ({"a\u200bb": 2, "ab": 3}, [("a\u200bb", "ab", "characters")]),
    ({"Год": 2, "год": 3}, [("Год", "год", "case")]),
    ({"<=50K.": 2, "<=50K": 9}, [("<=50K.", "<=50K", "spaces or punctuation")]),
    ({"R&D": 4, "r and d": 3}, [("r and d", "R&D", "spaces or punctuation")]),
    ({"invoice": 4, "invoices": 3}, [("invoices", "invoice", "singular and plural")]),
    ({"categories": 4, "category": 3}, [("category", "categories", "singular and plural")]),
    ({"box": 4, "boxes": 3}, [("boxes", "box", "singular and plural")]),
    ({"Sports": 4, "Sprots": 4}, [("Sprots", "Sports", "spelling")]),  # letters swapped
    ({"billing": 4, "biling": 4}, [("billing", "biling", "spelling")]),  # a letter doubled
    ({"neutral": 40, "neutrol": 4}, [("neutrol", "neutral", "spelling")]),
    ({"shipping": 40, "shpping": 4}, [("shpping", "shipping", "spelling")]),
    ({"customer support": 9, "custmer support": 4}, [("custmer support", "customer support", "spelling")]),
    ({"administration": 50, "admnistratoin": 2}, [("admnistratoin", "administration", "spelling")]),
    (
        {"Billing": 9, "BILLING": 5, "biling": 2},
        [("BILLING", "Billing", "case"), ("biling", "Billing", "spelling")],
    ),
]


@pytest.mark.parametrize(("counts", "expected"), ALIKE, ids=[" / ".join(one) for one, _ in ALIKE])
def test_labels_that_look_alike(counts, expected):
    found = similar_labels(counts)
    assert [(one.label, one.suggestion, one.reason) for one in found] == expected
    assert all(
        (one.n_documents, one.n_suggested) == (counts[one.label], counts[one.suggestion]) for one in found
    )


#: Labels that are different although they are nearly the same.
DIFFERENT = [
    ["1", "-1"],
    ["+1", "-1"],
    ["1.5", "15"],
    ["1-5", "15"],
    ["v1.0", "v10"],
    ["A", "A-", "A+"],
    ["C", "C++", "C#"],
    ["<=50K", ">50K"],
    ["level1", "level2"],
    ["chapter 11", "chapter 12"],
    ["class a", "class b"],
    ["type ii", "type iii"],
    ["cpi", "cpu", "wpi"],
    ["corn", "coin"],
    ["news", "new york"],
    ["import", "export"],
    ["active", "inactive"],
    ["legal", "illegal"],
    ["positive", "negative"],
    ["Ireland", "Iceland"],
    ["hyperglycemia", "hypoglycemia"],
    ["sun-oil", "soy-oil"],
    ["bus", "bu"],
    ["glass", "glas-s-t"],
    ["दे", "दै"],
    ["", " "],
    ["?", "!"],
    ["a;b", "ab"],
]


@pytest.mark.parametrize("labels", DIFFERENT, ids=" / ".join)
def test_labels_of_their_own(labels):
    assert similar_labels(dict.fromkeys(labels, 10)) == []


def test_a_letter_apart_is_an_error_only_if_one_is_rare():
    assert similar_labels({"Ireland": 9, "Iceland": 8}) == []
    assert len(similar_labels({"Ireland": 9, "Iceland": 4})) == 1
    assert similar_labels({"hyperglycemia": 30, "hypoglycemia": 20}) == []


@pytest.mark.parametrize(
    ("common", "rare"),
    [("cocoa", "copra"), ("science", "silence"), ("finance", "fiancee"), ("history", "hickory")],
)
def test_two_letters_apart_are_no_error_in_short_labels(common, rare):
    """Too many short words are two letters apart, so a rare label would be suspected without a reason."""
    assert edits(common, rare, 2) == 2
    assert similar_labels({common: 1000, rare: 1}) == []
    longer = {f"{common}-reports": 1000, f"{rare}-reports": 1}  # the word decides, not the label
    assert similar_labels(longer) == []


def test_a_series_is_no_error_of_typing():
    many = {f"group{letter}": 100 if letter == "a" else 2 for letter in "abcd"}
    assert similar_labels(many) == []
    assert len(similar_labels({"groupa": 100, "groupb": 2})) == 1


def test_errors_of_errors_lead_to_the_one_that_is_meant():
    found = similar_labels({"neutral": 90, "neutrall": 40, "neutraal": 12, "Neutrall": 3})
    assert {one.suggestion for one in found} == {"neutral"}
    assert len(found) == 3


def test_what_has_most_documents_is_suggested_and_the_first_of_a_tie():
    assert similar_labels({"b": 2, "B": 2})[0].suggestion == "B"
    assert similar_labels({"B": 2, "b": 3})[0].suggestion == "b"


def test_many_labels_are_compared_in_buckets(monkeypatch):
    """Each bucket is a key with letters left out; the number of comparisons must not be that of all pairs."""
    compared = []
    distance = spellings._distance
    monkeypatch.setattr(spellings, "_distance", lambda *pair: compared.append(pair) or distance(*pair))
    for make in (
        lambda letters: "word" + letters,
        lambda letters: f"{letters} a quite long name",
        lambda letters: "x" * 30 + letters,
    ):
        similar_labels({make("".join(letters)): 5 for letters in product("abcdefghij", repeat=3)})
    assert len(compared) < 60_000  # of 1,498,500 pairs
    monkeypatch.setattr(spellings, "MOST_LABELS", 2)
    compared.clear()
    found = similar_labels({"sports": 9, "Sports": 2, "sprots": 1, "other": 1})
    assert [one.label for one in found] == ["Sports"]
    assert compared == []


def literal(one, other):
    """The same distance, letter by letter from the ends."""
    if not one or not other:
        return len(one) + len(other)
    found = min(
        literal(one[:-1], other) + 1,
        literal(one, other[:-1]) + 1,
        literal(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    )
    if len(one) > 1 and len(other) > 1 and one[-2:] == other[-1] + other[-2]:
        found = min(found, literal(one[:-2], other[:-2]) + 1)
    return found


@given(st.text("abc", max_size=5), st.text("abc", max_size=5), st.integers(0, 3))
def test_the_distance_is_the_literal_one(one, other, most):
    assert edits(one, other, most) == min(literal(one, other), most + 1)


@given(st.text(max_size=20))
def test_folding_takes_any_label(label):
    words = fold(label)
    assert words
    assert all(isinstance(word, str) for word in words)


@given(st.dictionaries(st.text("aAbB -éè1", max_size=8), st.integers(1, 9), max_size=8))
def test_suggestions_are_labels_that_keep_their_names(counts):
    found = similar_labels(counts)
    renamed = {one.label for one in found}
    assert len(renamed) == len(found)
    assert all(one.suggestion in counts and one.suggestion not in renamed for one in found)
