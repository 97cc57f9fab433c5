"""The telling terms of every method: what they are said to do for a label is what they do to its score."""

import numpy as np
import pytest

from textensor import TextCategorizer
from textensor.workbench.methods import METHODS

TOPICS = ("grain", "money", "sea")


def corpus(kind, n=180):
    """Write documents of two or three topics, each with words of its own among words that all have."""
    random = np.random.default_rng(0)
    topics = TOPICS[:2] if kind == "two labels" else TOPICS
    texts, labels = [], []
    for _ in range(n):
        own = random.choice(topics, 1 if kind != "several labels" else random.integers(1, 3), replace=False)
        words = [f"{topic}{k}" for topic in own for k in random.integers(0, 6, 4)]
        texts.append(" ".join([*words, *(f"any{k}" for k in random.integers(0, 20, 6))]))
        labels.append(tuple(own.tolist()) if kind == "several labels" else str(own[0]))
    return texts, labels


def fitted(name, kind, **settings):
    texts, labels = corpus(kind)
    if METHODS[name].unlabelled:
        nothing = () if kind == "several labels" else ""
        labels = [nothing if k % 5 == 4 else label for k, label in enumerate(labels)]
    model = TextCategorizer(name, settings=settings or None, cross_validate=False, random_state=0)
    return model.fit(texts, labels)


def check_terms_raise(model):
    """Compare each term with an empty document, through the public scores."""
    (empty,) = model.predict_scores([""])
    found = model.telling_terms(5)
    assert list(found) == model.classes_.tolist()
    for k, (label, terms) in enumerate(found.items()):
        assert len(terms) == 5
        assert all(term.startswith(label) for term, _ in terms), (label, terms)
        scores = model.predict_scores([term for term, _ in terms])
        rises = scores[:, k] - empty[k]
        assert (rises > 0).all()
        np.testing.assert_allclose(rises, [amount for _, amount in terms])


CASES = [
    (name, kind)
    for name, method in METHODS.items()
    for kind in ("two labels", "three labels", "several labels")
    if method.several or kind != "several labels"
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_telling_terms_raise_the_score_of_their_label(name, kind):
    model = fitted(name, kind)
    if METHODS[name].nearest:
        assert model.telling_terms() == {}
    else:
        check_terms_raise(model)


@pytest.mark.parametrize("kind", ["two labels", "three labels", "several labels"])
@pytest.mark.parametrize("modules", [(1, 2), (2, 1), (3, 2)])
def test_modules_are_not_taken_for_labels(kind, modules):
    check_terms_raise(fitted("minmax", kind, modules=modules))


def test_amounts_of_a_linear_method_are_its_weights():
    model = fitted("svm", "three labels")
    names = model.vectorizer_.get_feature_names_out().tolist()
    for k, terms in enumerate(model.telling_terms(3).values()):
        weights = [model.model_.coef_[k, names.index(term)] for term, _ in terms]
        np.testing.assert_allclose([amount for _, amount in terms], weights)
        assert weights == sorted(model.model_.coef_[k], reverse=True)[:3]


@pytest.mark.parametrize("at_a_time", [1, 7])
def test_terms_are_scored_in_blocks(at_a_time, monkeypatch):
    model = fitted("minmax", "three labels", modules=(2, 3))
    whole = model.telling_terms()
    monkeypatch.setattr("textensor.workbench.answers.reasons.TERMS", at_a_time)
    assert model.telling_terms() == whole
