"""Classifiers over tensors: labels of every kind, weights of documents, and reasons for a decision."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.preprocessing import normalize

from tests.classify.tensor_data import documents
from textensor.classify import MinMaxSVM, SemanticSVM, SupportTensorMachine, TensorLeastSquares
from textensor.datasets import make_documents
from textensor.evaluate import f1_by_argmax, f1_by_assignment
from textensor.files import load, save
from textensor.reduce import LSI


def test_many_classes_by_arg_max_and_names_of_any_kind():
    X, y = documents(n_classes=4, n=200)
    names = np.array(["a", "bb", "ccc", "d"])[y]
    model = SupportTensorMachine(10.0, shape=(6, 4), rank=3, random_state=0).fit(X, names)
    assert model.decision_function(X).shape == (200, 4)
    np.testing.assert_array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X))
    assert f1_by_argmax(names, model.predict(X)).micro > 0.6


@pytest.mark.parametrize("sparse", [False, True])
def test_several_labels(sparse):
    corpus = make_documents(300, 60, 4, random_state=0)
    Y = corpus.y if sparse else corpus.y.toarray()
    model = SupportTensorMachine(10.0, shape=(-1, 6), n_jobs=2, random_state=0).fit(corpus.X, Y)
    predicted = model.predict(corpus.X)
    assert sp.issparse(predicted) == sparse
    predicted = predicted.toarray() if sparse else predicted
    np.testing.assert_array_equal(predicted, model.decision_function(corpus.X) > 0)
    assert predicted.shape == (300, 4)


@pytest.mark.parametrize(
    "model",
    [
        SupportTensorMachine(random_state=0, thresholds="tuned"),
        TensorLeastSquares(random_state=0),
        MinMaxSVM(random_state=0),
        SemanticSVM(reducer=LSI(4), random_state=0),
    ],
)
def test_collections_of_labels_are_an_indicator_with_names(model, tmp_path):
    corpus = make_documents(90, 40, 3, random_state=0)
    X, Y, names = normalize(corpus.X), corpus.y.toarray(), np.array(["tea", "rice", "corn"])
    Y[:5] = 0  # no label applies
    order = np.argsort(names)
    y = [tuple(names[row > 0].tolist()) for row in Y]
    expected = clone(model).fit(X, Y[:, order])
    found = clone(model).fit(X, y)
    assert found.classes_.tolist() == ["corn", "rice", "tea"]
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    np.testing.assert_array_equal(found.decision_function(X), expected.decision_function(X))
    assert f1_by_assignment(y, found.predict(X), classes=found.classes_).micro == (
        f1_by_assignment(Y[:, order], expected.predict(X)).micro
    )
    save(found, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), found.predict(X))


def test_unlabelled_documents_are_seen_by_the_arrangement_alone():
    X, y = documents(n=40)
    X[20:, 5] = 1.0
    marked = np.where(np.arange(40) < 20, y, -1)
    model = SupportTensorMachine(
        shape=(6, 4), arrangement="document-frequency", unlabeled_value=-1, random_state=0
    ).fit(X, marked)
    assert model.classes_.tolist() == [0, 1]
    assert model.arrangement_.permutation_[0] == 5
    given_order = SupportTensorMachine(
        shape=(6, 4), random_state=0, arrangement=model.arrangement_.permutation_
    ).fit(X[:20], y[:20])
    np.testing.assert_array_equal(model.decision_function(X), given_order.decision_function(X))
    with pytest.raises(ValueError, match="No document has a label"):
        SupportTensorMachine(unlabeled_value=-1).fit(X, np.full(40, -1))
    indicator = np.where(np.arange(40)[:, None] < 20, np.eye(2, dtype=int)[y], -1)
    assert SupportTensorMachine(unlabeled_value=-1).fit(X, indicator).predict(X).shape == (40, 2)


def test_the_weight_arrangement_is_each_labels_own():
    X, y = documents(n_classes=3, n=150)
    model = SupportTensorMachine(10.0, arrangement="weight", shape=(6, 4)).fit(X, y)
    assert len(model.arrangement_) == 3
    assert all(sorted(a.permutation_) == list(range(24)) for a in model.arrangement_)
    assert model.predict(X).shape == (150,)


def test_the_parts_of_an_explanation_sum_to_the_decision():
    X, y = documents(n_classes=3, n=150)
    model = SupportTensorMachine(10.0, shape=(6, 4), thresholds="tuned").fit(X, y)
    names = [f"term{j}" for j in range(24)]
    decisions = model.decision_function(X[:5])
    for explained, row in zip(model.explain(X[:5], top=3, names=names), decisions, strict=True):
        (reason,) = explained
        assert reason.label == model.classes_[row.argmax()]
        assert reason.decision == pytest.approx(row.max())
        assert sum(amount for _, amount in reason.parts) == pytest.approx(row.max())
        sizes = [abs(amount) for _, amount in reason.parts[:3]]
        assert sizes == sorted(sizes, reverse=True)
        assert [name for name, _ in reason.parts[-3:]] == ["(all other terms)", "(intercept)", "(threshold)"]
    both = model.explain(X[:1], labels=[0, 2])[0]
    assert [reason.label for reason in both] == [0, 2]
    assert [reason.decision for reason in both] == pytest.approx(decisions[0, [0, 2]].tolist())
    with pytest.raises(ValueError, match="no label 'x'"):
        model.explain(X[:1], labels=["x"])
    with pytest.raises(ValueError, match="2 names for 24 terms"):
        model.explain(X[:1], names=["a", "b"])


def test_degenerate_questions_have_the_right_answer():
    X, y = documents(n=10)
    assert SupportTensorMachine().fit(X, np.zeros(10)).predict(X).tolist() == [0.0] * 10
    Y = np.column_stack([np.ones(10), np.zeros(10), y]).astype(int)
    predicted = SupportTensorMachine().fit(X, Y).predict(X)
    assert predicted[:, 0].all()
    assert not predicted[:, 1].any()
    X[3] = 0.0
    model = SupportTensorMachine(shape=(2, 40)).fit(X, y)
    assert model.decision_function(np.zeros((1, 24)))[0] == model.intercept_[0]


def test_documents_of_weight_zero_are_not_there():
    X, y = documents()
    weight = np.where(np.arange(60) < 40, 1.0, 0.0)
    weighted = SupportTensorMachine(arrangement="given", random_state=0).fit(X, y, weight)
    alone = SupportTensorMachine(arrangement="given", random_state=0).fit(X[:40], y[:40])
    np.testing.assert_array_equal(weighted.decision_function(X), alone.decision_function(X))


def test_class_weights_move_the_decision():
    X, y = documents(n=200)
    y = np.where(np.arange(200) < 190, 0, y)
    plain = SupportTensorMachine(1.0, shape=(6, 4)).fit(X, y)
    balanced = SupportTensorMachine(1.0, shape=(6, 4), class_weight="balanced").fit(X, y)
    given = SupportTensorMachine(1.0, shape=(6, 4), class_weight={1: 20.0}).fit(X, y)
    for model in (balanced, given):
        assert model.predict(X).sum() > plain.predict(X).sum()


def test_documents_of_weight_zero_have_no_say_in_thresholds():
    X, y = documents(n=60, p=12)
    weight = np.zeros(60)
    kept = np.r_[np.flatnonzero(y == 0)[:6], np.flatnonzero(y == 1)[:6]]
    weight[kept] = 1
    options = {"thresholds": "tuned", "arrangement": "given", "random_state": 0}
    weighed = SupportTensorMachine(**options).fit(X, y, weight)
    order = np.sort(kept)
    alone = SupportTensorMachine(**options).fit(X[order], y[order])
    np.testing.assert_allclose(weighed.thresholds_, alone.thresholds_, atol=1e-9)
    weight[kept[1:]] = 0
    assert SupportTensorMachine(**options).fit(X, y, weight).thresholds_ == 0


def test_every_label_that_was_given_is_explained():
    X, y = documents(n_classes=3)
    Y = np.column_stack([y == 0, y > 0, y == 2]).astype(int)
    model = SupportTensorMachine(random_state=0).fit(X, Y)
    decided = model.decision_function(X)
    for reasons, decisions in zip(model.explain(X), decided, strict=True):
        expected = np.flatnonzero(decisions > 0) if (decisions > 0).any() else [decisions.argmax()]
        assert [reason.label for reason in reasons] == list(expected)
        np.testing.assert_allclose([r.decision for r in reasons], decisions[expected], atol=1e-9)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
def test_sparse_labels_come_back_as_they_were_given(container):
    X, y = documents(n_classes=3)
    Y = container(np.eye(3, dtype=int)[y])
    assert isinstance(SupportTensorMachine(random_state=0).fit(X, Y).predict(X), container)


@pytest.mark.parametrize("options", [{"top": 1.5}, {"labels": 0}, {"labels": "a"}])
def test_questions_that_make_no_sense_are_refused(options):
    X, y = documents()
    with pytest.raises(ValueError, match=r"top|labels"):
        SupportTensorMachine(random_state=0).fit(X, y).explain(X, **options)
