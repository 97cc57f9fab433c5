import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from textensor.classify import NearestDocument


@parametrize_with_checks([NearestDocument()])
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_it_is_the_nearest_neighbour_by_the_cosine(seed, n_classes):
    random = np.random.default_rng(seed)
    X, Z = random.normal(size=(30, 4)), random.normal(size=(20, 4))
    y = np.arange(30) % n_classes
    model = NearestDocument().fit(X, y)
    expected = KNeighborsClassifier(1, metric="cosine").fit(X, y).predict(Z)
    assert (model.predict(Z) == expected).all()
    decision = model.decision_function(Z)
    if n_classes == 2:
        assert ((decision > 0) == (expected == 1)).all()
    else:
        assert (decision.argmax(axis=1) == expected).all()
        assert ((decision > 0).sum(axis=1) == 1).all()
        second, first = np.sort(decision, axis=1)[:, -2:].T
        np.testing.assert_allclose(first, -second)  # what one is ahead by, the next is behind


def test_documents_without_a_label_are_left_out():
    X, y = np.eye(4), [0, 1, 2, -1]
    model = NearestDocument(unlabeled_value=-1).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.vectors_, np.eye(4)[:3])
    with pytest.raises(ValueError, match="one class"):
        NearestDocument(unlabeled_value=-1).fit(X, [0, -1, -1, 0])


def test_a_document_of_zeros_is_as_near_to_all():
    model = NearestDocument().fit(np.eye(3), list("abc"))
    assert model.decision_function([[0.0, 0.0, 0.0]]).tolist() == [[0.0, 0.0, 0.0]]
    assert model.predict([[0.0, 0.0, 0.0]]) == ["a"]
