import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from textensor.classify import AverageClassifier, MinMaxSVM, SupportTensorMachine
from textensor.datasets import make_documents

MEMBERS = (MinMaxSVM(2.0, modules=(1, 1), random_state=0), MinMaxSVM(modules=(2, 3), random_state=0))
REASON = "descent stops at a tolerance, far above 1e-7"


def documents(n=200, n_labels=3):
    corpus = make_documents(n, 40, n_labels, mean_length=15, random_state=0)
    return normalize(sp.csr_matrix(corpus.X, dtype=np.float64)), corpus.y


@parametrize_with_checks(
    [AverageClassifier(MEMBERS)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": REASON,
        "check_sample_weight_equivalence_on_sparse_data": REASON,
    },
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of rows far from unit length
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_the_score_is_the_mean_of_the_members():
    X, Y = documents()
    several = (*MEMBERS, SupportTensorMachine(shape=(8, 5), random_state=0))
    model = AverageClassifier(several).fit(X, Y)
    expected = np.mean([clone.fit(X, Y).decision_function(X) for clone in several], axis=0)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X).toarray(), expected > 0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("kind", ["binary", "multiclass", "multilabel"])
@pytest.mark.parametrize("thresholds", ["none", "tuned", "averaged"])
def test_one_member_is_that_member(kind, thresholds):
    X, Y = documents()
    y = {"binary": Y[:, [0]].toarray().ravel(), "multiclass": Y.argmax(axis=1), "multilabel": Y}[kind]
    y = np.asarray(y).ravel() if kind == "multiclass" else y
    options = {"modules": (2, 3), "random_state": 0}
    alone = MinMaxSVM(**options, thresholds=thresholds).fit(X, y)
    model = AverageClassifier([MinMaxSVM(**options)], thresholds=thresholds).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(model.thresholds_, alone.thresholds_)


def test_reasons_sum_to_the_decision():
    X, Y = documents()
    model = AverageClassifier(MEMBERS, thresholds="averaged").fit(X, Y)
    decisions = model.decision_function(X[:5])
    for reasons, row in zip(model.explain(X[:5], labels=[0, 1, 2]), decisions, strict=True):
        assert [reason.decision for reason in reasons] == pytest.approx(row.tolist())


@pytest.mark.parametrize("members", [(), [LinearSVC()]])
def test_other_members_are_refused(members):
    X, Y = documents(60)
    with pytest.raises(ValueError, match="classifiers of textensor"):
        AverageClassifier(members).fit(X, Y)
