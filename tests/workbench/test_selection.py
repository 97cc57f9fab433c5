"""Held-out scores of candidates: what is learnt from which documents, and how often."""

import numpy as np
import pytest

from textensor import TextCategorizer
from textensor.base.reading import y as readers
from textensor.base.reading.y import read_named
from textensor.reduce import LSI
from textensor.workbench.choice import selection

SUBJECTS = {
    "farm": "wheat maize corn harvest grain field crop barn",
    "bank": "rate money loan bank market credit share fund",
}


def texts_and_labels(n_labelled, n_unlabelled, seed=0):
    """Return short texts on two subjects, the first ones labelled."""
    random = np.random.default_rng(seed)
    names = [*SUBJECTS] * (n_labelled + n_unlabelled)
    texts = [" ".join(random.choice(SUBJECTS[name].split(), 5)) for name in names]
    known = np.arange(len(names)) < n_labelled
    return texts, [name if label else None for name, label in zip(names, known, strict=True)]


@pytest.fixture
def spaces(monkeypatch):
    """Count the documents of each space that is learnt."""
    sizes = []
    fit = LSI.fit

    def counting(self, X, y=None):
        sizes.append(X.shape[0])
        return fit(self, X, y)

    monkeypatch.setattr(LSI, "fit", counting)
    return sizes


def test_the_space_is_learnt_once_if_unlabelled_text_is_plenty(spaces):
    texts, labels = texts_and_labels(12, 38)
    model = TextCategorizer("semantic-svm").fit(texts, labels)
    assert spaces == [100]
    spaces.clear()
    few, some = texts_and_labels(12, 18)
    TextCategorizer("semantic-svm").fit(few[:50], some[:50])
    assert spaces == [46, 46, 46, 50]
    assert model.figures_["micro"] == 1.0


def test_a_search_learns_one_space_for_each_kind_of_features(spaces):
    texts, labels = texts_and_labels(12, 38)
    model = TextCategorizer("auto").fit(texts, labels)
    read = {one["features"] for one in model.tried_ if one["method"] == "semantic-svm"}
    assert spaces == [100] * len(read)


def test_the_model_is_the_same_with_a_shared_space(monkeypatch):
    texts, labels = texts_and_labels(12, 38)
    shared = TextCategorizer("semantic-svm").fit(texts, labels)
    monkeypatch.setattr(selection, "PLENTY", np.inf)
    alone = TextCategorizer("semantic-svm").fit(texts, labels)
    np.testing.assert_array_equal(
        shared.model_.decision_function(shared.vectorizer_.transform(texts)),
        alone.model_.decision_function(alone.vectorizer_.transform(texts)),
    )


@pytest.mark.parametrize("several", [False, True])
def test_labels_are_read_once(several, monkeypatch):
    reads = []
    for name in ("read_sets", "_read_indicator", "_read_tested"):
        real = getattr(readers, name)

        def read(*given, name=name, real=real, **more):
            reads.append((name, given[-1]))
            return real(*given, **more)

        monkeypatch.setattr(readers, name, read)
    texts = ["wheat rose", "maize and wheat", "maize fell", "bank rates", "the bank lent", "rates rose"]
    labels = ["grain"] * 3 + ["money"] * 3
    TextCategorizer("svm").fit(texts, [(one,) for one in labels] if several else labels, check=False)
    names = [what for name, what in reads if name == "_read_tested"]  # lists of categories
    assert set(names) <= {"labels", "classes"}
    assert len(reads) - len(names) == 1


def test_thresholds_of_held_out_scores_are_found_once(monkeypatch):
    calls, real = [], selection.compete
    monkeypatch.setattr(selection, "compete", lambda *given: calls.append(1) or real(*given))
    texts = ["wheat rose", "maize and wheat", "maize fell", "bank rates", "the bank lent", "rates rose"]
    TextCategorizer("svm").fit(texts, ["grain"] * 3 + ["money"] * 3)
    assert len(calls) == 3  # after each fold


def test_the_scores_of_one_document_are_level():
    known = read_named(["a", "b"]).rows(np.array([1]))
    scores = np.array([[0.5, -0.5]])
    levels = selection.compete(scores, known)
    np.testing.assert_array_equal(levels.level(scores), scores)
