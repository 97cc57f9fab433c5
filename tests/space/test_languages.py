import warnings

import pytest
import Stemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from stop_words import AVAILABLE_LANGUAGES

from textensor.space import LANGUAGES, TermVectorizer, stop_words_of


def test_every_language_has_stop_words_and_a_stemmer():
    assert list(LANGUAGES) == sorted(set(AVAILABLE_LANGUAGES) & set(Stemmer.algorithms()))
    for language in LANGUAGES:
        words = stop_words_of(language)
        assert len(words) > 50
        assert all(word == word.lower() and " " not in word and "'" not in word for word in words)


def test_english_stop_words_are_those_of_scikit_learn():
    assert stop_words_of("english") == ENGLISH_STOP_WORDS


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("german", "Das Wetter ist schön und die Häuser sind groß", ["gross", "haus", "schon", "wett"]),
        ("french", "Les chevaux de la ferme", ["cheval", "ferm"]),
        ("russian", "он и она в доме", ["дом"]),
        ("hindi", "यह किताब और कलम है", ["कलम", "किताब"]),
    ],
)
def test_stop_words_and_stems_of_a_language(language, text, terms):
    vectorizer = TermVectorizer(stop_words=language, stemmer=language, scripts=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(vectorizer.fit([text]).vocabulary_) == terms
    assert vectorizer.get_stop_words() == stop_words_of(language)


@pytest.mark.parametrize("language", ["klingon", "porter", ""])
def test_a_language_without_stop_words_is_said_in_a_sentence(language):
    with pytest.raises(ValueError, match=r"stop_words must be a list of words, None or one of arabic, "):
        TermVectorizer(stop_words=language).fit(["aa"])
    with pytest.raises(ValueError, match="There are no stop words for"):
        stop_words_of(language)


def test_stop_words_of_ones_own_are_checked_as_by_scikit_learn():
    with pytest.warns(UserWarning, match="inconsistent with your preprocessing"):
        TermVectorizer(stop_words=["don't"]).fit(["aa bb"])
    with pytest.raises(ValueError, match="stop_words"):
        TermVectorizer(stop_words=3).fit(["aa"])
