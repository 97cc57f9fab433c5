"""One line makes a method known everywhere: it is fitted, saved, loaded, asked and explained."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from tests.files.zoo import FRESH, TEXTS, WORDS
from textensor import TextCategorizer
from textensor.base.kept import floats, keeps, labels, size
from textensor.files import ModelFileError
from textensor.workbench.methods import METHODS, Method


@keeps(
    n_features_in_=size("n_terms"),
    classes_=labels("n_classes"),
    centroids_=floats("n_classes", "n_terms"),
)
class Centroids(ClassifierMixin, BaseEstimator):
    """A method from outside the package."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def fit(self, X, y):
        X = validate_data(self, X, accept_sparse="csr")
        self.classes_ = np.unique(y)
        self.centroids_ = np.vstack([X[y == label].mean(axis=0) for label in self.classes_])
        self.centroids_ = np.ascontiguousarray(self.centroids_, dtype=float)
        return self

    def decision_function(self, X):
        return self.scale * (X @ self.centroids_.T)

    def predict(self, X):
        return self.classes_[self.decision_function(X).argmax(axis=1)]


NEW = [
    Method(
        "mine", "other settings", "textensor.classify.SupportTensorMachine", {"rank": 2, "shape": (-1, 5)}
    ),
    Method("mine", "another reducer", "textensor.reduce.KDA", nearest=True),
    Method("mine", "scikit-learn's", "sklearn.svm.LinearSVC", {}, ({"C": 2.0},)),
    Method("mine", "a class of the user's", f"{__name__}.Centroids", {}, ({"scale": 2.0},)),
]


@pytest.fixture(params=NEW, ids=lambda method: method.estimator)
def method(request, monkeypatch):
    monkeypatch.setitem(METHODS, "mine", request.param)
    return request.param


def test_a_categorizer_knows_a_new_method(method, tmp_path):
    model = TextCategorizer("mine").fit(TEXTS, WORDS.tolist())
    model.save(tmp_path / "my.model")
    again = TextCategorizer.load(tmp_path / "my.model")
    assert again.method_ == "mine"
    np.testing.assert_array_equal(again.predict_scores(FRESH), model.predict_scores(FRESH))
    (reason,) = again.explain(FRESH[:1], 3)[0]
    assert reason.label == again.predict(FRESH[:1])[0]
    assert reason.decision == pytest.approx(model.predict_scores(FRESH[:1]).max(), abs=1e-9)


def test_every_command_knows_a_new_method(method, tmp_path, mail, textensor):
    path = tmp_path / "mine.model"
    assert method.about in textensor("methods").out
    done = textensor("fit", mail, "--text", "body", "--label", "kind", "-m", "mine", "-o", path)
    assert (done.code, done.err.count("Error")) == (0, 0)
    done = textensor("predict", path, mail)
    assert done.code == 0
    assert "grain" in done.out
    done = textensor("explain", path, "wheat and barley", "--json")
    assert (done.code, "grain" in done.out) == (0, True)
    found = json.loads(textensor("show", path, "--json").out)
    assert found["metadata"]["method"] == "mine"


def test_a_class_that_is_in_no_table_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(METHODS, "mine", NEW[-1])
    model = TextCategorizer("mine").fit(TEXTS, WORDS.tolist())
    model.save(tmp_path / "my.model")
    monkeypatch.delitem(METHODS, "mine")
    with pytest.raises(ModelFileError, match=r"Centroids' is no class that this version can load"):
        TextCategorizer.load(tmp_path / "my.model")
    with pytest.raises(ModelFileError, match="Centroids cannot be stored"):
        model.save(tmp_path / "new.model")
