import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from tests.languages import LANGUAGES
from textensor.space import TermVectorizer, scripts_of
from textensor.space.text.scripts import normalizing, word_kinds
from textensor.space.text.words import ENDS, cut, word_characters

PAIRED = [
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "KATAKANA-HIRAGANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "IDEOGRAPHIC",
]
alphabet = st.one_of(
    st.sampled_from("ab1 ,é語あアーไทยกำ\u0e35\u0301ខ\u17d2ញ\u17bb\u17c6မ\u103c\u1039हि\u200dन्Ωﾞｶ𠀀"),
    st.characters(),
)
# The scripts that no unusual block is of, so that names are enough to know them by.
texts = st.text(alphabet.filter(lambda letter: ord(letter) < 0xA000 or letter in "ﾞｶ𠀀"), max_size=25)


def is_mark(letter):
    return unicodedata.category(letter)[0] == "M" or letter in "\u200c\u200dﾞﾟ"


def is_paired(letter):
    name = unicodedata.name(letter, "").removeprefix("HALFWIDTH ").split(" ")[0]
    return (
        letter.isalnum() and name in PAIRED and not is_mark(letter) and unicodedata.category(letter) != "Nd"
    )


def clusters(text):
    """Cut a text into characters with their marks, and say of what kind each is."""
    found = []
    for letter in text:
        if is_mark(letter):
            if found:
                found[-1][1] += letter
            continue
        kind = "paired" if is_paired(letter) else "word" if letter.isalnum() or letter == "_" else "none"
        stacks = found and found[-1][0] == kind == "paired" and found[-1][1][-1] in "\u17d2\u1039"
        if stacks:
            found[-1][1] += letter
        else:
            found.append([kind, letter])
    return found


def literal(text, min_length):
    """Find the words and pairs of a text, one character after the other."""
    found, run, kind_now = [], [], "none"
    for kind, cluster in [*clusters(text), ["none", ""]]:
        if kind != kind_now:
            if kind_now == "word" and len("".join(run)) >= min_length:
                found.append("".join(run))
            if kind_now == "paired":
                found += [a + b for a, b in pairwise(run)] if len(run) > 1 else run
            run = []
        run, kind_now = [*run, cluster], kind
    return found


@settings(max_examples=200, deadline=None)
@given(st.lists(texts, max_size=4), st.sampled_from([1, 2]))
@example(["ab漢ab漢ab漢", "a漢a漢a漢", "漢", "", "\u0301a", "語語語"], 1)
@example(["ab漢ab漢ab漢ab漢ab漢ab漢", "कि", "क"], 2)
@example(["ខ្ញុំស្រលាញ់ភាសាខ្មែរ", "မြန်မာစာ မန္တလေး", "ภาษาไทยง่าย ๒๐", "ｶﾞｷﾞ"], 2)
def test_words_and_pairs_are_those_of_a_literal_reading(documents, min_length):
    tokens = cut(documents, word_kinds, min_length)
    names = tokens.terms.names()
    found = [
        [names[i] for i in tokens.ids[start:stop]]
        for start, stop in zip(tokens.indptr, tokens.indptr[1:], strict=False)
    ]
    assert found == [literal(document, min_length) for document in documents]


def test_each_plane_has_the_kinds_of_all():
    *ends, last = (end for end, _ in ENDS)
    for end in ends:
        np.testing.assert_array_equal(word_kinds(end), word_kinds(last)[:end])
    np.testing.assert_array_equal(word_kinds(0x80), word_characters(0x80))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("2024年にiPhoneを買う", ["2024", "iphone", "年に", "を買", "買う"]),
        ("हिन्दी में", ["में", "हिन्दी"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("한국어 문장", ["문장", "한국어"]),
        ("Việt Nam", ["nam", "việt"]),
        ("น้ำ", ["น้ำ"]),
    ],
)
def test_examples(text, terms):
    assert sorted(TermVectorizer(scripts=True).fit([text]).vocabulary_) == sorted(
        unicodedata.normalize("NFC", term) for term in terms
    )


def test_equal_letters_are_equal_terms():
    vectorizer = TermVectorizer(scripts=True).fit([unicodedata.normalize("NFD", "Größe Việt 한국")])
    assert list(vectorizer.vocabulary_) == ["größe", "việt", "한국"]


def test_ascii_text_has_the_same_terms():
    texts = ["The quick brown fox, 42 of the_code", "a b", ""]
    for options in ({}, {"ngram_range": (1, 2)}, {"token_pattern": r"\b\w+\b", "char_ngram_range": (2, 3)}):
        plain, scripts = TermVectorizer(**options), TermVectorizer(scripts=True, **options)
        X, Y = plain.fit_transform(texts), scripts.fit_transform(texts)
        assert plain.vocabulary_ == scripts.vocabulary_
        np.testing.assert_array_equal(X.toarray(), Y.toarray())


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0f73", "\u0301"])
def test_long_rows_of_marks_take_no_time(marks):
    # Unbounded, putting 400,000 marks into order would take hours.
    prepared = normalizing(str.lower)("A" + marks * 200_000 + "B")
    assert len(prepared) <= 62
    assert prepared[0].startswith(("a", "á"))
    assert prepared.endswith("b")
    assert normalizing(str.lower)("A" + "\u0316" * 30) == "a" + "\u0316" * 30


@pytest.mark.parametrize(
    "options",
    [{"analyzer": str.split}, {"tokenizer": str.split, "token_pattern": None}, {"token_pattern": "[a-z]+"}],
)
def test_scripts_need_words(options):
    with pytest.raises(ValueError, match="scripts=True finds words"):
        TermVectorizer(scripts=True, **options).fit(["aa"])


def test_scripts_of_texts():
    assert scripts_of([]) == {}
    assert scripts_of(["", "42 _ ½ µ", "…"]) == {}
    assert scripts_of(["wheat", "été", "пшеница 42", "x Ω"]) == {"Latin": 3, "Greek": 1, "Cyrillic": 1}
    assert scripts_of(iter(["日本語のテスト"])) == {"Hiragana": 1, "Katakana": 1, "Han": 1}
    assert scripts_of(["𠀀", "\ud800"]) == {"Han": 1}
    assert scripts_of(["ꦲ"]) == {"Other": 1}


EXPECTED = {
    "Japanese": {"Han", "Hiragana"},
    "Chinese": {"Han"},
    "Thai": {"Thai"},
    "Lao": {"Lao"},
    "Khmer": {"Khmer"},
    "Burmese": {"Burmese"},
    "Hindi": {"Devanagari"},
    "Tamil": {"Tamil"},
    "Arabic": {"Arabic"},
    "Hebrew": {"Hebrew"},
    "Korean": {"Hangul"},
    "Russian": {"Cyrillic"},
    "Greek": {"Greek"},
    "German": {"Latin"},
    "Vietnamese": {"Latin"},
}


def test_each_language_is_written_in_its_script():
    assert LANGUAGES.keys() == EXPECTED.keys()
    for language, documents in LANGUAGES.items():
        texts, labels = zip(*documents, strict=True)
        assert len(documents) >= 8
        assert len(set(labels)) == 2
        assert scripts_of(texts).keys() >= EXPECTED[language]


def n_right(language, **options):
    """Return how many documents of a language are told right by an SVM fitted to the others."""
    texts, labels = map(list, zip(*LANGUAGES[language], strict=True))
    n = 0
    for k, (text, label) in enumerate(zip(texts, labels, strict=True)):
        vectorizer = TermVectorizer(weighting="smooth", sublinear_tf=True, **options)
        X = vectorizer.fit_transform(texts[:k] + texts[k + 1 :])
        model = LinearSVC(class_weight="balanced", random_state=0).fit(X, labels[:k] + labels[k + 1 :])
        new = vectorizer.transform([text])
        n += new.nnz > 0 and model.predict(new)[0] == label
    return n


def test_held_out_documents_are_told_apart():
    plain = {language: n_right(language) for language in LANGUAGES}
    scripts = {language: n_right(language, scripts=True) for language in LANGUAGES}
    for language in ("Japanese", "Chinese", "Thai", "Lao", "Khmer"):
        assert scripts[language] > plain[language], language
    for language, documents in LANGUAGES.items():
        # What is left of words between their marks can be enough for so few documents.
        assert scripts[language] >= plain[language] - 1, language
        assert scripts[language] >= 0.9 * len(documents), language
    assert sum(scripts.values()) > 1.2 * sum(plain.values())
