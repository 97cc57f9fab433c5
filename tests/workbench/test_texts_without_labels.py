"""Indexes and clusters of texts in any script."""

import pytest

from tests.languages import LANGUAGES
from textensor.space import TermVectorizer
from textensor.workbench import cluster_texts, index_texts, search_texts


@pytest.mark.parametrize(
    ("language", "query", "label"),
    [
        ("Japanese", "雨の天気", "weather"),
        ("Chinese", "锅里的蔬菜", "cooking"),
        ("Thai", "ฝนและลม", "weather"),
        ("Khmer", "បន្លែ", "cooking"),
        ("Hindi", "मौसम", "weather"),
        ("German", "Regen", "weather"),
    ],
)
def test_a_search_finds_texts_of_any_script(language, query, label, tmp_path):
    texts, labels = zip(*LANGUAGES[language], strict=True)
    index_texts(tmp_path / "index", texts, list(map(str, range(len(texts)))), dimensions=5)
    found = search_texts(tmp_path / "index", query, k=2)
    assert [labels[int(match.id)] for match in found] == [label] * 2


def test_stop_words_are_left_out_only_if_asked_for(tmp_path):
    texts = ["the cat", "the dog", "a bird", "dog and cat"]
    for name, stop_words, n_found in (("all", None, 2), ("some", "english", 0)):
        index_texts(
            tmp_path / name,
            texts,
            list("abcd"),
            dimensions=4,
            vectorizer=TermVectorizer(stop_words=stop_words),
        )
        found = search_texts(tmp_path / name, "the")
        assert len(found) >= n_found
        assert bool(found) == bool(n_found)


def test_clusters_of_texts_without_spaces():
    weather = ["今天下雨", "昨天下雨", "明天下雨", "天天下雨"]
    cooking = ["蔬菜做汤", "用蔬菜汤", "蔬菜汤锅"]
    number, clusters = cluster_texts(weather + cooking, 2, dimensions=2)
    assert number.tolist() == [0] * 4 + [1] * 3
    assert "下雨" in clusters[0].terms
    assert "蔬菜" in clusters[1].terms


def test_stop_words_of_clusters():
    texts = ["wheat and maize", "maize and wheat", "a bank and rates", "rates and banks"]
    _, clusters = cluster_texts(
        texts, 2, dimensions=2, vectorizer=TermVectorizer(stop_words=["wheat", "rates"])
    )
    assert {"wheat", "rates"}.isdisjoint(clusters[0].terms + clusters[1].terms)
