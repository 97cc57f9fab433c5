import unicodedata

import numpy as np
import pytest

from textensor.report import near_duplicates
from textensor.space import TermVectorizer


def test_all_pairs_multiplied_say_the_same():
    rng = np.random.default_rng(0)
    words = np.array([f"w{k}" for k in range(60)])
    share = 1 / np.arange(1, 61)
    train = [" ".join(rng.choice(words, size=12, p=share / share.sum())) for _ in range(80)]
    test = []
    for text in train[:40]:
        tokens = text.split()
        for _ in range(rng.integers(0, 7)):
            tokens[rng.integers(len(tokens))] = rng.choice(words)
        test.append(" ".join(tokens))
    for threshold in (0.6, 0.9):
        X = TermVectorizer().fit_transform([*train, *(t for t in test if t not in train)]).toarray()
        cosine = X[len(train) :] @ X[: len(train)].T
        others = [i for i, text in enumerate(test) if text not in train]
        near = {i: row.max() for i, row in zip(others, cosine, strict=True) if row.max() >= threshold}
        found = near_duplicates(train, test, threshold=threshold)
        exact = [i for i, text in enumerate(test) if text in train]
        assert len(near) > 3
        assert [one.test for one in found] == sorted([*near, *exact])
        assert [one.test for one in found if one.exact] == exact
        for one in found:
            assert one.cosine == pytest.approx(near.get(one.test, 1))


def test_what_differs_in_case_spaces_and_signs_is_the_same():
    found = near_duplicates(["Ｆｕｌｌ width", "Straße, und\tmehr"], ["full WIDTH!", "STRASSE und  mehr."])
    assert [(one.test, one.train, one.exact) for one in found] == [(0, 0, True), (1, 1, True)]


def test_many_marks_are_not_normalized(monkeypatch):
    given, normalize = [], unicodedata.normalize
    monkeypatch.setattr(
        unicodedata, "normalize", lambda form, text: given.append(len(text)) or normalize(form, text)
    )
    marked = "cafe" + 500 * "\u0301\u0323" + " open"
    found = near_duplicates([marked], ["caf\u00e9 open", marked])
    assert [(one.test, one.exact) for one in found if one.exact] == [(1, True)]
    assert max(given) < 50


@pytest.mark.parametrize(
    ("train", "test"), [([], []), ([], ["a b"]), (["a b"], []), (["", "..."], ["", "!"]), (["x"], ["y"])]
)
def test_documents_without_words_are_like_none(train, test):
    assert near_duplicates(train, test) == []


@pytest.mark.parametrize("threshold", [0, 1.5, float("nan")])
def test_a_threshold_that_is_none_is_refused(threshold):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        near_duplicates(["a"], ["b"], threshold=threshold)
