import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.oracles import coem as oracle
from textensor.classify import CoEM
from textensor.classify.coem import naive_bayes

NOT_HELD = {
    "check_classifiers_classes": "it takes -1 for a class, and here it marks what has none",
    "check_decision_proba_consistency": "it gives numbers below 0, and these are counts of terms",
}


@parametrize_with_checks([CoEM()], expected_failed_checks=lambda _: NOT_HELD)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def documents(seed=0, n=60, p=30, n_classes=3, share=0.3, signal=0.8):
    """Counts, with few labels: at least one of each class."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    X = rng.poisson(0.2 + signal * (np.arange(p) % n_classes == truth[:, None]))
    hidden = (rng.random(n) > share) & (np.arange(n) >= n_classes)
    return X.astype(float), np.where(hidden, -1, truth), truth


@given(st.integers(0, 1000), st.integers(1, 4), st.integers(2, 12), st.sampled_from([0.1, 1.0]))
@settings(max_examples=15)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rounds_are_those_of_the_literal_loop(seed, rounds, p, smoothing):
    X, y, _ = documents(seed, n=16, p=p)
    new = documents(seed + 1, n=6, p=p)[0]
    model = CoEM(smoothing, max_iter=rounds, tol=0, random_state=seed).fit(sp.csr_matrix(X), y)
    expected = oracle.coem(X, y, new, *model.views_, model.n_iter_, smoothing)
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-9)
    # Two classes may be as likely but for rounding, and then either may be named.
    named = expected[np.arange(len(new)), np.searchsorted(model.classes_, model.predict(new))]
    np.testing.assert_allclose(named, expected.max(axis=1), atol=1e-9)


def test_naive_bayes_is_that_of_scikit_learn():
    X, _, y = documents()
    ours = naive_bayes(sp.csr_matrix(X), np.eye(3)[y], 0.5)
    theirs = MultinomialNB(alpha=0.5).fit(X, y)
    np.testing.assert_allclose(ours.log_terms, theirs.feature_log_prob_)
    np.testing.assert_allclose(ours.log_posteriors(sp.csr_matrix(X)), theirs.predict_log_proba(X), atol=1e-9)


def test_without_unlabelled_documents_it_is_two_naive_bayes():
    X, _, y = documents()
    model = CoEM(random_state=0).fit(X, y)
    product = np.prod([MultinomialNB().fit(X[:, v], y).predict_proba(X[:, v]) for v in model.views_], axis=0)
    np.testing.assert_allclose(
        model.predict_proba(X), product / product.sum(axis=1, keepdims=True), atol=1e-9
    )
    assert model.n_iter_ == 1


def test_the_halves_are_halves_and_seeded():
    X, y, _ = documents(p=31)
    model = CoEM(random_state=3).fit(X, y)
    assert sorted(np.concatenate(model.views_)) == list(range(31))
    assert {len(view) for view in model.views_} == {15, 16}
    again = CoEM(random_state=3).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    other = CoEM(random_state=4).fit(X, y)
    assert any(not np.array_equal(a, b) for a, b in zip(other.views_, model.views_, strict=False))


def test_unlabelled_text_helps():
    X, y, truth = documents(n=600, p=90, share=0.0, signal=0.25)
    new, _, new_truth = documents(1, n=300, p=90, signal=0.25)
    few = y != -1
    assert few.sum() == 3
    gain = []
    for seed in range(5):
        model = CoEM(random_state=seed).fit(X, y)
        plain = CoEM(random_state=seed).fit(X[few], truth[few])
        gain.append(model.score(new, new_truth) - plain.score(new, new_truth))
    assert np.mean(gain) > 0.05


def test_it_settles_or_says_that_it_has_not():
    X, y, _ = documents(n=200)
    model = CoEM(random_state=0).fit(X, y)
    assert model.n_iter_ == len(model.change_history_) < 50
    assert model.change_history_[-1] <= 1e-3 < model.change_history_[-2]
    # Settled: more rounds change little.
    longer = CoEM(random_state=0, tol=1e-9, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(longer.predict_proba(X), model.predict_proba(X), atol=0.1)
    with pytest.warns(ConvergenceWarning, match="not settled after 2 rounds"):
        CoEM(max_iter=2, tol=1e-9, random_state=0).fit(X, y)


def test_marks_and_names_of_classes():
    X, y, _ = documents()
    names = np.where(y == -1, "", np.char.add("class ", y.astype(str)))
    named = CoEM(unlabeled_value="", random_state=0).fit(X, names)
    assert named.classes_.tolist() == ["class 0", "class 1", "class 2"]
    numbered = CoEM(random_state=0).fit(X, y)
    np.testing.assert_array_equal(named.predict_proba(X), numbered.predict_proba(X))
    marked = CoEM(unlabeled_value=None, random_state=0).fit(X, y)
    assert marked.classes_.tolist() == [-1, 0, 1, 2]


def test_long_documents_do_not_underflow():
    X, y, truth = documents()
    model = CoEM(random_state=0).fit(X, y)
    P = model.predict_proba(1e5 * X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (model.predict(1e5 * X) == truth).mean() > 0.8


def test_degenerate_documents():
    X, y, _ = documents()
    X[5] = 0
    model = CoEM(random_state=0).fit(X, y)
    empty = model.predict_proba(np.zeros((1, 30)))
    priors = np.exp(model.models_[0].log_priors + model.models_[1].log_priors)
    np.testing.assert_allclose(empty[0], priors / priors.sum())
    one = CoEM(random_state=0).fit(X, np.where(y == 0, 7, -1))
    assert set(one.predict(X)) == {7}
    np.testing.assert_array_equal(one.predict_proba(X), 1)
    single_term = CoEM(random_state=0).fit(X[:, :1], y)
    assert np.isfinite(single_term.predict_proba(X[:, :1])).all()
    duplicates = CoEM(random_state=0).fit(np.ones((6, 4)), [0, 1, -1, -1, 0, 1])
    np.testing.assert_allclose(duplicates.predict_proba(np.ones((1, 4))), [[0.5, 0.5]])


def test_wrong_input_is_said_in_a_sentence():
    X, y, _ = documents()
    with pytest.raises(ValueError, match="No document has a label"):
        CoEM().fit(X, np.full(len(y), -1))
    with pytest.raises(ValueError, match="Negative values"):
        CoEM().fit(-X, y)
    for name, value, message in [
        ("smoothing", 0, "a number above 0, not 0"),
        ("smoothing", "much", "a number above 0, not 'much'"),
        ("max_iter", 0, "a whole number of 1 or more, not 0"),
        ("max_iter", 2.5, "a whole number of 1 or more, not 2.5"),
        ("tol", -1, "a number of 0 or more, not -1"),
    ]:
        with pytest.raises(ValueError, match=f"{name} must be {message}"):
            CoEM(**{name: value}).fit(X, y)
    with pytest.raises(NotFittedError):
        CoEM().predict(X)


def test_pickled_and_cloned():
    X, y, _ = documents()
    model = CoEM(random_state=0).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_log_odds_are_those_of_the_probabilities_and_outlast_them(n_classes):
    X, y, _ = documents(n_classes=n_classes)
    model = CoEM(random_state=0).fit(X, y)
    few = np.minimum(X, 1) * (np.arange(X.shape[1]) < 6)
    P = model.predict_proba(few)
    expected = np.log(P) - np.log1p(-P)
    odds = model.decision_function(few)
    np.testing.assert_allclose(odds, expected[:, 1] if n_classes == 2 else expected, atol=1e-8)
    long = model.decision_function(X * 100)
    assert np.isfinite(long).all()
    assert len(np.unique(model.predict_proba(X * 100).max(axis=1))) < len(X) / 2  # these are saturated
    assert len(np.unique(np.abs(long).reshape(len(X), -1).max(axis=1))) > len(X) * 0.9
    decided = (long > 0).astype(int) if n_classes == 2 else long.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[decided], model.predict(X * 100))
