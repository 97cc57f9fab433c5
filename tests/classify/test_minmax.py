"""The min-max modular SVM: against the paper by the letter, by identities, at the edges."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.classify.minmax_data import dense, documents, same
from tests.oracles import minmax as oracle
from textensor.classify import MinMaxSVM
from textensor.classify.minmax import modules as modules_file
from textensor.classify.minmax.decompose import DECOMPOSITIONS
from textensor.learn import Hinge, rows_of

REASON = "descent stops at a tolerance, far above 1e-7"


@parametrize_with_checks(
    [MinMaxSVM(random_state=0), MinMaxSVM(modules=(2, 3), overlap=0.2, random_state=0)],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": REASON,
        "check_sample_weight_equivalence_on_sparse_data": REASON,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of rows far from unit length
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@settings(max_examples=15)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([(0, 1), (3, 10), (1, 1)]),
)
def test_scores_are_those_of_the_paper(seed, n_pos, n_neg, overlap):
    rng = np.random.default_rng(seed)
    X = np.float32(rng.standard_normal((24, 6))).astype(float)
    y = np.where(np.arange(24) < 9, 1.0, -1.0)
    new = rng.standard_normal((5, 6))
    model = MinMaxSVM(
        0.7, modules=(n_pos, n_neg), overlap=overlap[0] / overlap[1], tol=1e-7, max_iter=10**6, random_state=0
    ).fit(X, y)
    expected = oracle.scores(X, y, new, n_pos, n_neg, 0.7, overlap)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-4)


def test_one_module_is_the_support_vector_machine():
    X, Y = documents()
    X = X.astype(np.float32).astype(float)
    model = MinMaxSVM(modules=(1, 1), tol=1e-6, max_iter=10**6, random_state=0).fit(X, Y)
    assert len(model.modules_) == 4
    for q in range(3):
        y = np.where(Y[:, [q]].toarray().ravel() > 0, 1.0, -1.0)
        svm = LinearSVC(C=0.5, loss="hinge", tol=1e-8, max_iter=100000).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X)[:, q], svm.decision_function(X), atol=1e-4)
        # The same descent, to the rounding of weights to 32 bits.
        m = int(np.flatnonzero(model._layout.keys[:, 0] == q)[0])
        seed = int(np.random.SeedSequence([model._seed, q, 0, 0]).generate_state(1)[0])
        base = Hinge(0.5, max_epochs=10**6).solve(rows_of(X), y, np.ones(len(y)), tol=1e-6, seed=seed)
        np.testing.assert_allclose(dense(model.coef_)[m], base.weights, rtol=1e-5, atol=1e-6)
        assert model.intercept_[m] == pytest.approx(base.intercept, abs=1e-6)
        slack = Hinge(0.5).loss(svm.decision_function(X), y, np.ones(len(y)))
        primal = slack + Hinge(0.5).penalty(float(svm.coef_[0] @ svm.coef_[0]), float(svm.intercept_[0]))
        assert model.modules_["objective"][m] == pytest.approx(primal, rel=1e-4)


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("stored", ["dense", "sparse"])
def test_predictions_are_what_the_exact_decisions_say(decomposition, stored, monkeypatch):
    monkeypatch.setattr(modules_file, "DENSE_ABOVE", 0.0 if stored == "dense" else 1.0)
    X, Y = documents(300, 60, 12)
    model = MinMaxSVM(decomposition=decomposition, modules=(2, 20), overlap=0.2, random_state=0).fit(X, Y)
    assert sp.issparse(model.coef_) == (stored == "sparse")
    decisions = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X).toarray(), decisions > 0)
    # By the letter: every module's value, MIN, MAX.
    values = X @ dense(model.coef_).T.astype(float) + model.intercept_
    for q in range(12):
        units = [
            values[:, (model.modules_["label"] == q) & (model.modules_["positive"] == i)].min(axis=1)
            for i in np.unique(model.modules_["positive"][model.modules_["label"] == q])
        ]
        np.testing.assert_allclose(decisions[:, q], np.max(units, axis=0), atol=1e-12)
    y = np.asarray(Y[:, 1:5].argmax(axis=1)).ravel()
    several = clone(model).set_params(thresholds="tuned").fit(X, y)
    np.testing.assert_array_equal(several.predict(X), several.decision_function(X).argmax(axis=1))
    two = clone(model).fit(X, y == 1)
    np.testing.assert_array_equal(two.predict(X), two.decision_function(X) > 0)


def test_of_equal_decisions_the_first_class_is_predicted():
    X = np.eye(4)
    model = MinMaxSVM(modules=(1, 2), random_state=0).fit(X, [0, 1, 2, 2])
    model.coef_ = np.zeros_like(dense(model.coef_), order="F")
    model.intercept_ = np.zeros(len(model.intercept_))
    assert model.predict(X).tolist() == model.decision_function(X).argmax(axis=1).tolist() == [0] * 4


def test_rare_labels_are_followed_one_unit_at_a_time():
    X, Y = documents(400, 200, 80)
    model = MinMaxSVM(modules=(1, 40), random_state=0).fit(X, Y[:, 20:])
    np.testing.assert_array_equal(model.predict(X).toarray(), model.decision_function(X) > 0)


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_threads_change_nothing(decomposition):
    X, Y = documents(300, 60, 6)
    model = MinMaxSVM(decomposition=decomposition, positive_size=40, negative_size=60, random_state=3)
    one = clone(model).set_params(n_jobs=1).fit(X, Y)
    two = clone(model).set_params(n_jobs=2).fit(X, Y)
    assert same(one, two, X)
    np.testing.assert_array_equal(one.modules_["objective"], two.modules_["objective"])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_kind_of_matrix_gives_the_same_model_and_is_left_alone(dtype):
    X, Y = documents(100, 20, 3)
    X = X.astype(np.float32).astype(dtype)
    expected = MinMaxSVM(modules=(2, 2), random_state=0).fit(X, Y)
    unsorted = X.copy()
    for d in range(X.shape[0]):
        row = slice(*X.indptr[d : d + 2])
        unsorted.indices[row], unsorted.data[row] = X.indices[row][::-1], X.data[row][::-1]
    unsorted = sp.csr_matrix((unsorted.data, unsorted.indices, unsorted.indptr), shape=X.shape)
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    frozen = X.copy()
    for array in (frozen.data, frozen.indices, frozen.indptr):
        array.flags.writeable = False
    for other in (X.toarray(), sp.csr_array(X), sp.csc_matrix(X), unsorted, long, frozen):
        before = other.copy()
        assert same(expected, MinMaxSVM(modules=(2, 2), random_state=0).fit(other, Y), X)
        assert (abs(other - before)).sum() == 0


def test_labels_with_one_document_with_none_and_with_all():
    X = documents(60, 20)[0].toarray()
    X[7, 3] += 5.0
    Y = np.zeros((60, 4), dtype=int)
    Y[7, 0] = 1
    Y[:, 2] = 1
    Y[:30, 3] = 1
    model = MinMaxSVM(10.0, modules=(3, 4), random_state=0).fit(X, Y)
    table = model.modules_
    assert [int((table["label"] == q).sum()) for q in range(4)] == [4, 1, 1, 12]
    predicted = model.predict(X)
    assert predicted[7, 0] == 1
    assert not predicted[:, 1].any()
    assert predicted[:, 2].all()
    assert MinMaxSVM().fit(X, np.zeros(60)).predict(X).tolist() == [0.0] * 60


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_more_parts_than_rows(decomposition):
    X, Y = documents(30, 20, 3)
    model = MinMaxSVM(decomposition=decomposition, modules=(100, 100), overlap=1.0, random_state=0).fit(X, Y)
    assert model.modules_["rows"].min() >= 2
    np.testing.assert_array_equal(model.predict(X).toarray(), model.decision_function(X) > 0)


def test_the_table_of_modules():
    X, Y = documents(100, 30, 3)
    model = MinMaxSVM(modules=(2, 3), overlap=0.1, random_state=0).fit(X, Y)
    table = model.modules_
    assert table.dtype.names == ("label", "positive", "negative", "rows", "seconds", "objective", "n_iter")
    n_yes = int(Y[:, [0]].sum())
    of_first = table[table["label"] == 0]
    assert sorted(zip(of_first["positive"], of_first["negative"], strict=True)) == [
        (i, j) for i in range(2) for j in range(3)
    ]
    yes = oracle.parts(n_yes, 2, 1, 10)
    no = oracle.parts(100 - n_yes, 3, 1, 10)
    for row in of_first:
        assert row["rows"] == len(yes[row["positive"]]) + len(no[row["negative"]])
    assert (table["seconds"] > 0).all()
    assert (table["objective"] > 0).all()
    assert model.n_iter_ == table["n_iter"].max()
    names = np.array(["ham", "spam"])[Y[:, [0]].toarray().ravel()]
    assert MinMaxSVM().fit(X, names).modules_["label"].tolist() == ["spam"]


def test_a_decision_is_explained_by_the_module_that_made_it():
    X, Y = documents(200, 30, 3)
    model = MinMaxSVM(modules=(3, 4), thresholds="tuned", random_state=0).fit(X, Y)
    decisions = model.decision_function(X[:6])
    for explained, row in zip(model.explain(X[:6], top=3, labels=[0, 1, 2]), decisions, strict=True):
        for reason, decision in zip(explained, row, strict=True):
            assert reason.decision == pytest.approx(decision)
            assert sum(amount for _, amount in reason.parts) == pytest.approx(decision)


def test_unlabelled_documents_and_those_of_weight_zero_are_not_there():
    X, Y = documents(90, 30, 3)
    y = np.asarray(Y[:, 0].toarray()).ravel().astype(int)
    part = np.arange(90) < 60
    expected = MinMaxSVM(modules=(2, 2), decomposition="hyperplane", random_state=0).fit(X[:60], y[:60])
    marked = MinMaxSVM(modules=(2, 2), unlabeled_value=-1, random_state=0).fit(X, np.where(part, y, -1))
    weighted = MinMaxSVM(modules=(2, 2), random_state=0).fit(X, y, part.astype(float))
    assert same(expected, marked, X)
    assert same(expected, weighted, X)


def test_a_fit_that_fails_leaves_no_weights_of_other_labels_and_terms():
    X, Y = documents(60, 20, 3)
    model = MinMaxSVM(random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="modules must be a whole number from 1 to 1000000"):
        model.set_params(modules="bad").fit(sp.hstack([X] * 3).tocsr(), Y[:, :2])
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(NotFittedError):
        model.decision_function(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": -1}, "C must be a number above 0"),
        ({"overlap": 1.5}, "overlap must be a number of 0 or more and at most 1"),
        ({"tol": 0}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"max_iter": 2.5}, "max_iter must be a whole number"),
        ({"decomposition": "halves"}, "decomposition must be one of .* not 'halves'"),
        ({"modules": 0}, "modules must be a whole number from 1 to 1000000"),
        ({"modules": 2.5}, "modules must be a whole number from 1 to 1000000"),
        ({"modules": "33"}, "modules must be a whole number from 1 to 1000000"),
        ({"modules": (1, 2, 3)}, "modules must be a whole number from 1 to 1000000"),
        ({"modules": np.array(4)}, "modules must be a whole number from 1 to 1000000"),
        ({"modules": True}, "modules must be a whole number from 1 to 1000000"),
        ({"negative_size": True}, "negative_size must be a whole number above 0"),
        ({"keep_documents": "no"}, "keep_documents must be True or False"),
        ({"checkpoint": 5, "random_state": 0}, "checkpoint must be a path"),
        ({"overlap": True}, "overlap must be a number of 0 or more and at most 1"),
        ({"positive_size": "all"}, "positive_size must be a whole number above 0"),
        ({"positive_size": np.nan}, "positive_size must be a whole number above 0"),
        ({"overlap": "0.3"}, "overlap must be a number of 0 or more and at most 1"),
        ({"negative_size": 1.0}, "negative_size must be a whole number above 0"),
        ({"thresholds": "best"}, "thresholds must be one of"),
        ({"checkpoint": "x"}, "random_state must be a number"),
    ],
)
def test_wrong_settings_are_said_in_a_sentence(options, message):
    X, Y = documents(60, 20, 3)
    with pytest.raises(ValueError, match=message):
        MinMaxSVM(**options).fit(X, Y)


def test_numbers_that_do_not_fit_are_said_in_a_sentence():
    X, Y = documents(60, 20, 3)
    with pytest.raises(ValueError, match="too large for 32 bits"):
        MinMaxSVM().fit(X * 1e39, Y)
    with pytest.raises(ValueError, match="too small for 32 bits"):
        MinMaxSVM().fit(X * 1e-50, Y)


def test_weights_of_nothing_but_zero_are_said_in_a_sentence():
    X, Y = documents(60, 20, 3)
    y = np.where(np.arange(60) < 30, Y[:, [0]].toarray().ravel(), -1)
    with pytest.raises(ValueError, match="nothing to learn from"):
        MinMaxSVM(unlabeled_value=-1).fit(X, y, np.arange(60) >= 30)


def test_too_few_passes_say_what_to_do():
    X, Y = documents(60, 20, 3)
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        MinMaxSVM(max_iter=1, tol=1e-9).fit(X, Y)


def test_the_usual_company():
    X, Y = documents(120, 20, 3)
    y = np.asarray(Y[:, 0].toarray()).ravel()
    search = GridSearchCV(MinMaxSVM(random_state=0), {"C": [1, 10], "modules": [None, (2, 2), 4]}, cv=2)
    again = pickle.loads(pickle.dumps(search.fit(X, y).best_estimator_))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert not hasattr(MinMaxSVM(), "classes_")
