import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.oracles import stm as oracle
from textensor.classify import (
    MinMaxSVM,
    SemanticSVM,
    SupportTensorMachine,
    TensorClassifier,
    TensorLeastSquares,
)
from textensor.datasets import make_documents
from textensor.evaluate import f1_by_argmax, f1_by_assignment
from textensor.files import load, save
from textensor.learn import Hinge, SquaredHinge, SquaredLoss
from textensor.reduce import LSI
from textensor.space import Arrangement, SemanticArrangement, TermTensors

EXACT = Hinge(1.0, max_epochs=100_000)

NOT_HELD = {
    "check_sample_weight_equivalence_on_dense_data": "descent stops at a tolerance, far above 1e-7",
    "check_sample_weight_equivalence_on_sparse_data": "descent stops at a tolerance, far above 1e-7",
}


TUNED = {"check_class_weight_classifiers": "a tuned threshold undoes what the class weight moved"}


def expected_failures(estimator):
    held = NOT_HELD if isinstance(estimator._make_learner(), Hinge) else {}
    return {**held, **TUNED} if estimator.thresholds == "tuned" else held


@parametrize_with_checks(
    [
        SupportTensorMachine(),
        TensorLeastSquares(alpha=0.1),
        TensorClassifier(),
        SupportTensorMachine(thresholds="tuned"),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def documents(seed=0, n=60, p=24, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.4, size=(n, p)).astype(float)
    y = (X @ rng.normal(size=(p, n_classes)) + rng.normal(size=(n, n_classes))).argmax(axis=1)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
    return X, y


def objective_of_vector(X, y, C):
    model = LinearSVC(loss="hinge", C=C, tol=1e-10, max_iter=1_000_000).fit(X, y)
    signs = np.where(y == model.classes_[1], 1, -1)
    slack = np.maximum(0, 1 - signs * model.decision_function(X)).sum()
    return 0.5 * (model.coef_**2).sum() + 0.5 * model.intercept_[0] ** 2 + C * slack


def test_order_1_is_the_support_vector_machine():
    X, y = documents()
    model = TensorClassifier(EXACT, order=1, tol=1e-7, max_iter=500).fit(X, y)
    assert model.objective_history_[0][-1] == pytest.approx(objective_of_vector(X, y, 1.0), rel=1e-4)


@pytest.mark.parametrize("shape", [(24, 1), (1, 24)])
def test_a_grid_of_one_row_or_column_is_the_support_vector_machine(shape):
    X, y = documents()
    model = TensorClassifier(EXACT, shape=shape, tol=1e-7, max_iter=500).fit(X, y)
    assert model.objective_history_[0][-1] == pytest.approx(objective_of_vector(X, y, 1.0), rel=1e-4)


def test_full_rank_is_the_support_vector_machine():
    X, y = documents()
    model = TensorClassifier(EXACT, shape=(6, 4), rank=4, tol=1e-8, max_iter=500).fit(X, y)
    assert model.objective_history_[0][-1] == pytest.approx(objective_of_vector(X, y, 1.0), rel=1e-4)
    assert TensorClassifier(shape=(6, 4), rank=99).fit(X, y).factors_[0].shape == (1, 6, 4)


@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_least_squares_of_order_1_are_least_squares(alpha):
    X, y = documents()
    model = TensorLeastSquares(alpha, order=1).fit(X, y)
    A = np.column_stack([X, np.ones(len(X))])
    b = 2.0 * y - 1
    expected = np.linalg.solve(A.T @ A + alpha * np.eye(A.shape[1]), A.T @ b)
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), expected, atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(5, 3), (15, 1), (3, 3, 2), (2, 2, 2, 2)]),
    st.integers(1, 3),
    st.sampled_from(
        [Hinge(1.0, max_epochs=3), Hinge(100.0), SquaredHinge(), SquaredLoss(0.1), SquaredLoss()]
    ),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_objective_never_rises_and_is_what_it_says(seed, shape, rank, learner):
    X, y = documents(seed, n=20, p=15)
    if len(set(y)) < 2:
        return
    model = TensorClassifier(learner, shape=shape, rank=rank, max_iter=8, random_state=0).fit(X, y)
    history = np.array(model.objective_history_[0])
    assert (np.diff(history) <= 1e-9 * np.abs(history[:-1])).all()
    factors = [factor[0] for factor in model.factors_]
    tensors = TermTensors(X, model.arrangement_).to_dense()
    decision = oracle.decisions(tensors, factors, model.intercept_[0])
    np.testing.assert_allclose(model.decision_function(X), decision, atol=1e-9)
    signs = 2.0 * y - 1
    squared = float((oracle.weight_tensor(factors) ** 2).sum())
    value = learner.loss(decision, signs, np.ones(len(y))) + learner.penalty(squared, model.intercept_[0])
    assert value == pytest.approx(history[-1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("shape", [(6, 4), (4, 3, 2)])
def test_at_the_end_no_exact_half_step_gains_anything(shape):
    X, y = documents()
    signs = 2.0 * y - 1
    model = SupportTensorMachine(1.0, shape=shape, tol=1e-6, max_iter=1000).fit(X, y)
    factors = [factor[0] for factor in model.factors_]
    tensors = TermTensors(X, model.arrangement_).to_dense()
    value = oracle.stm_objective(tensors, signs, factors, model.intercept_[0], 1.0)
    assert value == pytest.approx(model.objective_history_[0][-1], rel=1e-9)
    for mode in range(len(shape)):
        assert oracle.best_half_step(tensors, signs, factors, mode, 1.0) >= value * (1 - 2e-3)


@pytest.mark.parametrize("rank", [1, 2])
def test_flipped_labels_flip_the_sign(rank):
    X, y = documents()
    model = SupportTensorMachine(shape=(6, 4), rank=rank, random_state=0)
    np.testing.assert_array_equal(
        clone(model).fit(X, y).decision_function(X), -clone(model).fit(X, 1 - y).decision_function(X)
    )


@pytest.mark.parametrize(
    "model", [SupportTensorMachine(tol=1e-6, max_iter=1000, random_state=0), TensorLeastSquares(0.1)]
)
def test_terms_permuted_together_with_their_arrangement_change_nothing(model):
    X, y = documents()
    order = np.random.default_rng(1).permutation(X.shape[1])
    moved = np.argsort(order)
    plain = clone(model).set_params(arrangement=np.arange(24), shape=(6, 4)).fit(X, y)
    permuted = clone(model).set_params(arrangement=moved, shape=(6, 4)).fit(X[:, order], y)
    np.testing.assert_allclose(permuted.decision_function(X[:, order]), plain.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    "model", [SupportTensorMachine(rank=2), TensorLeastSquares(0.1), SupportTensorMachine(thresholds="tuned")]
)
def test_threads_change_nothing(model):
    X, y = documents(n_classes=5, n=120)
    one = clone(model).set_params(random_state=3, n_jobs=1).fit(X, y)
    two = clone(model).set_params(random_state=3, n_jobs=2).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


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


def test_coef_factors_and_parameters_agree():
    X, y = documents(n_classes=3, n=90)
    model = TensorClassifier(shape=(6, 4), rank=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(X), atol=1e-12)
    assert model.n_parameters_ == 2 * (6 + 4) + 1
    assert [factor.shape for factor in model.factors_] == [(3, 6, 2), (3, 4, 2)]


def test_coef_warns_when_it_is_large(monkeypatch):
    X, y = documents()
    model = SupportTensorMachine().fit(X, y)
    monkeypatch.setattr("textensor.classify.tensor.classifier.LARGE_COEF_BYTES", 100)
    with pytest.warns(UserWarning, match="GiB"):
        _ = model.coef_


@pytest.mark.parametrize(
    "learner", [LinearSVC(loss="hinge"), RidgeClassifier(), SGDClassifier(random_state=0)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_linear_estimator_is_a_learner(learner):
    X, y = documents(n_classes=3, n=120)
    model = TensorClassifier(learner, shape=(6, 4), rank=2, max_iter=5, random_state=0).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.5


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "C must be a number above 0"),
        ({"C": "a"}, "C must be a number above 0"),
        ({"rank": 0}, "rank must be a whole number of 1 or more"),
        ({"rank": 1.5}, "rank must be a whole number of 1 or more"),
        ({"tol": np.inf}, "tol must be a number above 0"),
        ({"intercept_scaling": np.inf}, "intercept_scaling must be a number above 0"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, not 'no'"),
        ({"n_jobs": "a"}, "n_jobs must be a whole number other than 0, or None, not 'a'"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0, or None, not 0"),
        ({"arrangement": "semantic", "order": 3}, "is of order 2, not 3"),
        ({"arrangement": SemanticArrangement(), "shape": (6, 4)}, "its own shape and order"),
        ({"class_weight": {0: -5.0}}, "The weight of class 0 must be a number of 0 or more"),
        ({"class_weight": [1, 2]}, "class_weight must be a dict"),
        ({"shape": (2, 2)}, "too few for 24 terms"),
        ({"thresholds": "best"}, "thresholds must be one of"),
        ({"arrangement": "alphabetical"}, "no arrangement"),
        ({"class_weight": "heavy"}, "class_weight must be"),
    ],
)
def test_wrong_settings_are_said_in_a_sentence(options, message):
    X, y = documents()
    with pytest.raises(ValueError, match=message):
        SupportTensorMachine(**options).fit(X, y)


@pytest.mark.parametrize("make", [sp.csc_matrix, sp.csc_array])
def test_a_damaged_matrix_is_refused_before_anything_follows_its_indices(make):
    X, y = documents()
    damaged = make(X)
    damaged.indices[0] = 10**8
    with pytest.raises(ValueError, match="ind"):
        SupportTensorMachine().fit(damaged, y)
    with pytest.raises(ValueError, match="ind"):
        SupportTensorMachine().fit(X, y).predict(damaged)


def test_too_few_sweeps_say_what_to_do():
    X, y = documents()
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        SupportTensorMachine(max_iter=1, tol=1e-9).fit(X, y)


def test_the_usual_company():
    X, y = documents(n_classes=3, n=120)
    search = GridSearchCV(SupportTensorMachine(shape=(6, 4)), {"C": [1, 10], "rank": [1, 2]}, cv=2).fit(X, y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    probabilities = (
        CalibratedClassifierCV(SupportTensorMachine(shape=(6, 4)), cv=2).fit(X, y).predict_proba(X)
    )
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    with pytest.raises(NotFittedError):
        SupportTensorMachine().predict(X)


def test_an_arrangement_given_is_copied():
    X, y = documents()
    arrangement = Arrangement("given", shape=(8, 3))
    model = SupportTensorMachine(arrangement=arrangement).fit(X, y)
    assert model.arrangement_.shape_ == (8, 3)
    assert not hasattr(arrangement, "permutation_")


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


def test_coef_has_a_weight_for_each_term():
    X, y = documents()
    model = SupportTensorMachine(random_state=0).fit(X, y)
    assert model.coef_.shape == (1, X.shape[1])
    assert SelectFromModel(model, max_features=5, prefit=True).transform(X).shape == (60, 5)


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


@pytest.mark.parametrize("order", [5, 6])
def test_empty_documents_at_high_orders(order):
    model = SupportTensorMachine(order=order, rank=2, random_state=0)
    assert np.isfinite(model.fit(np.zeros((6, 40)), [0, 1] * 3).decision_function(np.ones((2, 40)))).all()


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (SupportTensorMachine(shape=6), {}, "shape must be the lengths"),
        (TensorClassifier(Hinge), {}, "give an object of it"),
        (SupportTensorMachine(class_weight={"zzz": 5}), {}, "no class of y"),
        (SupportTensorMachine(C=-1), {"y": np.ones(60)}, "C must be a number above 0"),
        (SupportTensorMachine(), {"y": np.array(["a", None] * 30, dtype=object)}, "y holds None"),
        (SupportTensorMachine(), {"y": sp.csr_array((60, 0))}, "no columns"),
        (SupportTensorMachine(), {"X": np.full((60, 24), 1e-200)}, "scale it up"),
        (SupportTensorMachine(arrangement=SemanticArrangement(latent_weight=np.inf)), {}, "latent_weight"),
        (SupportTensorMachine(arrangement=SemanticArrangement(idf_power="a")), {}, "idf_power"),
        (SupportTensorMachine(arrangement="Semantic"), {}, "semantic"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(model, change, message):
    X, y = documents()
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(change.get("X", X), change.get("y", y))


@pytest.mark.parametrize("options", [{"top": 1.5}, {"labels": 0}, {"labels": "a"}])
def test_questions_that_make_no_sense_are_refused(options):
    X, y = documents()
    with pytest.raises(ValueError, match=r"top|labels"):
        SupportTensorMachine(random_state=0).fit(X, y).explain(X, **options)
