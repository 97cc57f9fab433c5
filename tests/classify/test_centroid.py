"""The centroid classifier beside its formula."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from textensor.classify import CentroidClassifier
from textensor.datasets import make_documents


def documents(n=200, n_labels=4):
    corpus = make_documents(n, 40, n_labels, mean_length=15, random_state=0)
    return normalize(sp.csr_matrix(corpus.X, dtype=np.float64)), np.arange(n) * 7 % n_labels


def unit(x):
    return x / np.linalg.norm(x)


@parametrize_with_checks([CentroidClassifier()])
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_scores_are_cosines_less_that_of_all_documents():
    X, y = documents()
    model, A = CentroidClassifier().fit(X, y), X.toarray()
    background = unit(A.mean(axis=0))
    expected = np.column_stack([A @ (unit(A[y == k].mean(axis=0)) - background) for k in range(4)])
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    np.testing.assert_allclose(A @ model.coef_.T, expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))
    (reason,) = model.explain(X[:1], top=100)[0]
    assert reason.decision == pytest.approx(expected[0].max())


def test_two_classes_stand_against_each_other():
    X, y = documents(n_labels=2)
    model, A = CentroidClassifier().fit(X, y), X.toarray()
    expected = A @ (unit(A[y == 1].mean(axis=0)) - unit(A[y == 0].mean(axis=0)))
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


def test_documents_without_a_label_or_a_weight_have_no_say():
    X, y = documents()
    part = np.arange(200) < 120
    marked = np.where(part, y, -1)
    whole = CentroidClassifier().fit(X[part], y[part]).decision_function(X)
    found = CentroidClassifier(unlabeled_value=-1).fit(X, marked).decision_function(X)
    np.testing.assert_allclose(found, whole, atol=1e-12)
    weighed = CentroidClassifier().fit(X, y, sample_weight=part.astype(float)).decision_function(X)
    np.testing.assert_allclose(weighed, whole, atol=1e-12)


def test_a_label_without_documents_is_never_given():
    X, _ = documents()
    Y = np.zeros((200, 3), dtype=int)
    Y[:90, 0] = Y[60:, 1] = 1
    model = CentroidClassifier().fit(X, Y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X)[:, [2]].sum() == 0
