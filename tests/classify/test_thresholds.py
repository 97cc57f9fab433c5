import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from sklearn.preprocessing import normalize

from textensor.base.reading.y import read_labels
from textensor.classify import SupportTensorMachine
from textensor.classify.thresholds import (
    N_FOLDS,
    average_threshold,
    folds,
    held_out,
    score_folds,
    tune_threshold,
)
from textensor.datasets import make_documents
from textensor.evaluate import f1_by_assignment


@given(st.lists(st.tuples(st.sampled_from([-2.0, -1.0, -0.5, 0.0, 1.5]), st.booleans()), min_size=1))
def test_no_threshold_has_a_better_f1(cases):
    scores = np.array([score for score, _ in cases])
    positive = np.array([answer for _, answer in cases])
    threshold = tune_threshold(scores, positive, fall_back=0.0)
    if not positive.any():
        assert threshold == 0
        return
    best = max(f1_score(positive, scores > t, zero_division=0) for t in [*(scores - 0.01), scores.max() + 1])
    assert f1_score(positive, scores > threshold, zero_division=0) == pytest.approx(best)


def test_a_poor_f1_falls_back_to_the_highest_score():
    scores = np.array([3.0, 2.0, 1.0, 0.0, -1.0])
    positive = np.array([False, False, False, False, True])
    # Best F1 is 1/3, with everything assigned: below one half, so nothing is.
    assert tune_threshold(scores, positive) == 3.0
    assert not (scores > tune_threshold(scores, positive)).any()


def test_scores_that_were_not_made_are_left_out():
    scores = np.array([np.nan, 1.0, -1.0, np.nan])
    assert tune_threshold(scores, np.array([True, True, False, False])) == 0.0
    assert tune_threshold(np.full(2, np.nan), np.array([True, False])) == 0.0


@given(
    st.lists(
        st.tuples(
            st.sampled_from([-2.0, -0.5, 0.0, 1.5, np.nan]),
            st.booleans(),
            st.integers(0, 2),
            st.sampled_from([0.0, 1.0]),
        ),
        min_size=1,
    )
)
def test_the_average_is_that_of_the_folds(cases):
    scores, positive, fold, weight = (np.array(column) for column in zip(*cases, strict=True))
    expected = []
    for number in range(3):
        mine = [(s, p) for s, p, f, w in cases if f == number and w > 0 and not np.isnan(s)]
        if any(p for _, p in mine):
            expected.append(
                tune_threshold(np.array([s for s, _ in mine]), np.array([p for _, p in mine]), 0.3)
            )
        elif mine:
            expected.append(max(s for s, _ in mine))
    mean = sum(expected) / len(expected) if expected else 0.0
    assert average_threshold(scores, positive, fold, weight=weight) == pytest.approx(mean)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=40), st.integers(0, 5))
def test_folds_spread_every_label(y, seed):
    labels = read_labels(np.array([*y, 0, 1, 2]))
    n = len(y) + 3
    parts = list(folds(labels.questions, seed))
    assert sorted(np.concatenate([held for _, held in parts])) == list(range(n))
    for train, held in parts:
        assert not set(train) & set(held)
    for q in range(labels.n_questions):
        members = np.flatnonzero(labels.targets(q) > 0)
        sizes = [np.isin(members, held).sum() for _, held in parts]
        assert max(sizes) - min(sizes) <= 1 or len(parts) < N_FOLDS


def test_held_out_rows_are_scored_once_by_the_others():
    answers = read_labels(np.repeat([0, 1, 2], 6)).questions
    seen = []

    def score(some, others):
        seen.append(np.sort(np.concatenate([some, others])).tolist())
        return np.column_stack([others, -others])

    found, fold = score_folds(score, answers, 2, seed=0)
    assert seen == [list(range(18))] * 3
    np.testing.assert_array_equal(found, np.column_stack([np.arange(18), -np.arange(18)]))
    assert np.bincount(fold).tolist() == [6, 6, 6]
    found, fold = score_folds(score, answers, 2, seed=0, n_folds=1)
    assert (np.isnan(found).all(axis=1) == (fold == -1)).all()
    assert np.count_nonzero(fold == 0) == 6


def test_a_column_that_learnt_nothing_has_no_held_out_scores():
    truth = np.zeros((9, 3), dtype=bool)
    truth[:4, 0], truth[8, 1], truth[:, 2] = (
        True,
        True,
        True,
    )  # one document has the second label, all the third
    labelled = np.insert(np.ones(9, dtype=bool), 2, False)

    def score(some, others):
        assert 2 in some  # unlabelled documents are in every training part
        return np.tile(others[:, None], 3).astype(float)

    scores, fold = held_out(score, sp.csc_array(truth), labelled)
    np.testing.assert_array_equal(scores[:, 0], np.flatnonzero(labelled))
    assert np.isnan(scores[fold == fold[8], 1]).all()
    assert not np.isnan(scores[fold != fold[8], 1]).any()
    assert np.isnan(scores[:, 2]).all()
    assert np.isnan(held_out(score, sp.csc_array(truth), labelled, at_least=4)[0]).all()
    assert held_out(score, sp.csc_array(truth[:1]), labelled[:1])[1].tolist() == [-1]


def test_tuned_thresholds_help_rare_labels():
    corpus = make_documents(1500, 300, 8, random_state=0)
    X = normalize(corpus.X.astype(float))
    train, test = slice(0, 1000), slice(1000, None)
    figures = {}
    for thresholds in ("none", "tuned", "averaged"):
        model = SupportTensorMachine(
            1.0,
            shape=(-1, 10),
            arrangement="document-frequency",
            rank=3,
            tol=1e-2,
            thresholds=thresholds,
            random_state=0,
            n_jobs=2,
        ).fit(X[train], corpus.y[train])
        figures[thresholds] = f1_by_assignment(corpus.y[test], model.decision_function(X[test])).macro
    assert figures["tuned"] > figures["none"]
    assert figures["averaged"] > figures["none"]


def test_labels_with_one_two_and_no_documents_are_safe():
    rng = np.random.default_rng(0)
    X = rng.random((40, 12))
    Y = np.zeros((40, 4), dtype=int)
    Y[0, 0] = 1
    Y[:2, 1] = 1
    Y[:20, 3] = 1
    for y in (Y, sp.csr_array(Y)):
        model = SupportTensorMachine(thresholds="tuned", random_state=0).fit(X, y)
        assert np.isfinite(model.thresholds_).all()
        assert model.predict(X).shape == (40, 4)
    assert not model.predict(X).toarray()[:, 2].any()


def test_score_minus_threshold_is_the_decision():
    rng = np.random.default_rng(0)
    X = rng.random((60, 12))
    y = np.where(X[:, 0] > 0.7, "rare", "common")
    plain = SupportTensorMachine(random_state=0).fit(X, y)
    tuned = SupportTensorMachine(random_state=0, thresholds="tuned").fit(X, y)
    np.testing.assert_allclose(
        tuned.decision_function(X), plain.decision_function(X) - tuned.thresholds_, atol=1e-12
    )
    np.testing.assert_array_equal(tuned.predict(X) == "rare", tuned.decision_function(X) > 0)
