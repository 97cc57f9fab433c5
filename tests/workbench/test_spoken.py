"""Languages guessed from stop words and scripts."""

import time

import pytest

from tests.languages import LANGUAGES
from textensor.space import LANGUAGES as WITH_STEMS
from textensor.workbench.check.spoken import MOST, hint, language_of, languages_of

#: Languages whose test texts are too short to be told by stop words: four words with one stop word at most.
SHORT = {"Arabic", "Russian"}

SENTENCES = {
    "bulgarian": "не знам дали това е възможно",
    "czech": "nevím jestli je to možné, ale asi ano",
    "dutch": "ik weet niet of het kan",
    "english": "I would like to know if it's possible to cancel my order",
    "finnish": "en tiedä onko se mahdollista",
    "french": "je ne sais pas si c\u2019est possible",
    "hungarian": "nem tudom, hogy ez lehetséges",
    "indonesian": "saya tidak tahu apakah itu mungkin",
    "italian": "non so se è possibile",
    "persian": "من نمی دانم که آیا این ممکن است",
    "polish": "nie wiem, czy to jest możliwe",
    "portuguese": "não sei se é possível",
    "romanian": "nu știu dacă este posibil",
    "russian": "я не знаю, возможно ли это, но мы можем",
    "spanish": "no sé si es posible hacerlo",
    "swedish": "jag vet inte om det är möjligt",
    "ukrainian": "я не знаю чи це можливо",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_test_texts_are_of_their_language_or_unknown(language):
    found = languages_of([text for text, _ in LANGUAGES[language]])
    assert found.keys() <= {language.lower(), "unknown"}
    assert sum(found.values()) == pytest.approx(1)
    if language not in SHORT:
        assert found[language.lower()] >= MOST


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence(language):
    assert language_of(SENTENCES[language]) == language
    assert language_of(SENTENCES[language].upper()) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42 ???",
        "wheat",
        "iPhone 12 mini 64 GB blue",
        "import numpy as np",
        "مجھے نہیں معلوم کہ یہ ممکن ہے",  # Urdu, which has no list
        "katten",
        "de de de de",  # one word of many languages
        "the Mona Lisa Louvre Paris Orsay Seine Eiffel Montmartre Sorbonne Bastille Marais Opera",
    ],
)
def test_a_language_is_unknown_rather_than_wrong(text):
    assert language_of(text) == "unknown"


def test_scripts_decide_by_most_letters():
    assert language_of("the word 小麦 is what it is for wheat") == "english"
    assert language_of("小麦の値段") == "japanese"
    assert language_of("小麦价格") == "chinese"


def test_empty_texts_do_not_count_and_unknown_comes_last():
    assert languages_of(["", " ", "\n"]) == languages_of([]) == {}
    found = languages_of(["", "42", "x1", "y", "das ist der Wind und die See"])
    assert list(found.items()) == [("german", 0.25), ("unknown", 0.75)]


def test_the_time_does_not_grow_with_the_documents():
    texts = ["das ist der Wind und die See " * 1000] * 1000
    languages_of(texts[:1])  # reads the lists
    start = time.process_time()
    once = languages_of(texts)
    seconds = time.process_time() - start
    start = time.process_time()
    assert languages_of(texts * 100) == once == {"german": 1.0}
    assert time.process_time() - start < 5 * seconds + 0.1


def test_a_hint_is_given_only_for_a_language_of_most_documents_that_has_stems():
    assert "language='finnish' with stem=True" in hint({"finnish": 0.7, "unknown": 0.3})
    for languages in ({}, {"unknown": 1.0}, {"english": 1.0}, {"thai": 1.0}, {"german": 0.5, "dutch": 0.5}):
        assert hint(languages) == ""
    assert all(hint({name: 1.0}) for name in WITH_STEMS if name != "english")
