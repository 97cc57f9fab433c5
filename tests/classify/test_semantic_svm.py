import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from textensor.base.reading.y import read_labels
from textensor.classify import SemanticSVM
from textensor.classify.self_training import self_labelled
from textensor.reduce import KDA, LRWMMC, LSI, SRDA, LatentSemanticKernel, SemiSupervisedLRWMMC, TensorLSI

NOT_HELD = {
    "check_sample_weight_equivalence_on_dense_data": "descent stops at a tolerance, far above 1e-7",
    "check_sample_weight_equivalence_on_sparse_data": "descent stops at a tolerance, far above 1e-7",
    "check_classifiers_classes": "it has a class -1, which is the mark of documents without a label",
}


@parametrize_with_checks([SemanticSVM()], expected_failed_checks=lambda estimator: NOT_HELD)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def documents(n=300, n_terms=200, n_classes=4, few=3, seed=0):
    """Documents of which few of each class are labelled."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    profiles = 0.3 * rng.gamma(0.15, size=(n_classes, n_terms)) + 0.02
    X = normalize(sp.csr_matrix(rng.poisson(profiles[y]).astype(float)))
    marked = np.full(n, -1)
    for c in np.unique(y):
        some = np.flatnonzero(y == c)[:few]
        marked[some] = c
    return X, y, marked


@pytest.mark.parametrize("weight", [0.0, 1.5])
@pytest.mark.parametrize("C", [0.5, 10])
def test_without_self_training_it_is_an_svm_over_terms_and_coordinates(weight, C):
    X, y, marked = documents()
    model = SemanticSVM(C, reducer=LSI(5), weight=weight, rounds=0, tol=1e-7, random_state=0).fit(X, marked)
    A = np.hstack([X.toarray(), weight * normalize(LSI(5).fit(X).transform(X))])
    seen = marked >= 0
    svm = LinearSVC(loss="hinge", C=C, tol=1e-8, max_iter=1_000_000, random_state=0).fit(A[seen], y[seen])
    np.testing.assert_allclose(model.decision_function(X), svm.decision_function(A), atol=1e-4)
    own = np.hstack([model.coef_, model.coordinate_coef_])
    np.testing.assert_allclose(own, svm.coef_[:, : own.shape[1]], atol=1e-4)
    assert own.shape[1] == (205 if weight else 200)
    assert (model.reducer_ is None) == (weight == 0)
    assert model.n_pseudo_ == 0


@pytest.mark.parametrize(("weight", "embedding_weight"), [(0.0, 1.0), (1.0, 0.7), (1.0, 0.0)])
@pytest.mark.parametrize("columns", [None, np.arange(0, 200, 3)])
def test_an_embedding_is_one_more_block_of_unit_length(weight, embedding_weight, columns):
    X, y, marked = documents()
    E = np.random.default_rng(1).standard_normal((300, 6)) * 7
    E[5] = 0
    options = {"reducer": LSI(5), "rounds": 0, "tol": 1e-7, "random_state": 0, "columns": columns}
    model = SemanticSVM(2.0, weight=weight, n_embedding=6, embedding_weight=embedding_weight, **options).fit(
        sp.hstack([X, E]), marked
    )
    read = X if columns is None else X[:, columns]
    Z = normalize(LSI(5).fit(read).transform(read))
    A = np.hstack([X.toarray(), embedding_weight * normalize(E), weight * Z])
    seen = marked >= 0
    svm = LinearSVC(loss="hinge", C=2.0, tol=1e-8, max_iter=1_000_000, random_state=0).fit(A[seen], y[seen])
    both = sp.csr_matrix(sp.hstack([X, E]))
    np.testing.assert_allclose(model.decision_function(both), svm.decision_function(A), atol=1e-4)
    assert (model.coef_.shape, model.embedding_coef_.shape) == ((4, 200), (4, 6))
    scaled = sp.csr_matrix(sp.hstack([X, 1000 * E]))
    np.testing.assert_allclose(model.decision_function(scaled), model.decision_function(both), atol=1e-12)


@pytest.mark.parametrize("kind", ["classes", "two", "several"])
def test_reasons_with_an_embedding_sum_to_the_decision(kind):
    X, y, marked = documents(120, 60, 3)
    random = np.random.default_rng(1)
    E = random.standard_normal((120, 4)) + 3 * np.eye(4)[y]
    E[:2] = 0
    given = {"classes": marked, "two": np.minimum(marked, 1), "several": np.eye(3, dtype=int)[y]}[kind]
    both = sp.csr_matrix(sp.hstack([X, E]))
    model = SemanticSVM(reducer=LSI(4), n_embedding=4, random_state=0).fit(both, given)
    decisions = np.atleast_2d(model.decision_function(both).T).T
    if kind == "two":
        decisions = np.hstack([-decisions, decisions])
    names = [f"t{j}" for j in range(60)] + ["e"] * 4
    for k in (0, 7, 50):
        reasons = model.explain(both[[k]], 100, names=names, labels=[*model.classes_])[0]
        for label, reason, decision in zip(model.classes_, reasons, decisions[k], strict=True):
            assert reason.decision == pytest.approx(decision, abs=1e-12)
            through = sum(amount for name, amount in reason.parts if name == "e")
            cut = random.standard_normal((5, 4))
            parts = np.vstack([cut, E[k] - cut.sum(axis=0)])  # any parts that sum to the embedding
            amounts = model.embedding_amounts(parts, label)
            assert amounts.shape == (6,)
            assert amounts.sum() == pytest.approx(through, abs=1e-10)


def test_an_embedding_leaves_some_terms():
    X, _, marked = documents(30, 20)
    for n in (20, 25):
        with pytest.raises(ValueError, match=f"n_embedding is {n} and X has 20 columns"):
            SemanticSVM(n_embedding=n).fit(X, marked)
    with pytest.raises(ValueError, match="columns must be numbers of columns of X, from 0 to 17"):
        SemanticSVM(n_embedding=2, columns=[18]).fit(X, marked)


def test_unlabelled_text_and_self_training_help():
    X, y, marked = documents(600, few=2)
    hidden = marked < 0

    def right(**options):
        model = SemanticSVM(reducer=LSI(4), random_state=0, **options).fit(X, marked)
        return (model.predict(X[hidden]) == y[hidden]).mean()

    assert right(weight=0, rounds=0) < right(rounds=0) <= right()


def test_the_surest_are_labelled():
    labels = read_labels(np.array([0, 1, 2]))
    scores = np.array([[2.0, 0, -1], [1, 0.9, -1], [0, 3, -1], [0, 0.5, -1], [-3, -2, -1]])
    answers = self_labelled(scores, labels, 0.5)
    np.testing.assert_array_equal(answers, [[1, -1, -1], [0, 0, 0], [-1, 1, -1], [0, 0, 0], [-1, -1, 1]])
    two = self_labelled(np.array([[-2.0], [-1], [0.5], [3]]), read_labels(np.array(["a", "b"])), 0.5)
    np.testing.assert_array_equal(two, [[-1], [0], [0], [1]])


def test_of_several_labels_as_many_are_given_as_there_were():
    labels = read_labels(np.array([[1, 0], [0, 0], [0, 1], [0, 1]]))
    scores = np.column_stack([np.arange(8.0), -np.arange(8.0)])
    answers = self_labelled(scores, labels, 0.5)
    np.testing.assert_array_equal(answers[:, 0], [-1, -1, -1, 0, 0, 0, 0, 1])
    np.testing.assert_array_equal(answers[:, 1], [1, 1, 0, 0, 0, 0, -1, -1])


REDUCERS = [
    LSI(3),
    TensorLSI(3),
    LatentSemanticKernel(3),
    SRDA(),
    LRWMMC(1, 2),
    SemiSupervisedLRWMMC(1, 2, reg=0.1, unlabeled_value=None),
    KDA(),
]


@pytest.mark.parametrize("reducer", REDUCERS, ids=lambda reducer: type(reducer).__name__)
@pytest.mark.parametrize("kind", ["classes", "two"])
def test_any_reducer_and_its_reasons(reducer, kind):
    X, _, marked = documents(120, 60, 3)
    if kind == "two":
        marked = np.where(marked > 1, 1, marked)
    before = reducer.get_params()
    model = SemanticSVM(reducer=reducer, random_state=0).fit(X, marked)
    assert str(reducer.get_params()) == str(before)
    decisions = np.atleast_2d(model.decision_function(X[:5]).T).T
    for reasons, row in zip(model.explain(X[:5]), decisions, strict=True):
        assert reasons[0].decision == pytest.approx(row.max() if kind == "classes" else row[0])
        assert sum(amount for _, amount in reasons[0].parts) == pytest.approx(reasons[0].decision)
    named = {name for name, _ in model.explain(X[:1])[0][0].parts}
    assert ("(coordinates)" in named) == (not isinstance(reducer, LSI | TensorLSI | LRWMMC))


def test_several_labels_dense_and_sparse_with_and_without_marks():
    X, y, marked = documents()
    Y = np.column_stack([y == 0, y > 1]).astype(int)
    Y[marked < 0] = -1
    dense = SemanticSVM(random_state=0, thresholds="tuned").fit(X, Y)
    sparse = SemanticSVM(random_state=0, thresholds="tuned").fit(X, sp.csr_array(Y))
    np.testing.assert_array_equal(dense.decision_function(X), sparse.decision_function(X))
    assert sp.issparse(sparse.predict(X))
    assert (dense.predict(X)[:, 0] == (y == 0)).mean() > 0.7
    with pytest.raises(ValueError, match="one class for each document"):
        SemanticSVM(reducer=SRDA()).fit(X, Y)


def test_threads_and_forms_of_documents_do_not_show():
    X, _, marked = documents()
    expected = SemanticSVM(random_state=0).fit(X, marked).decision_function(X)
    unsorted = sp.csr_array(X).copy()
    unsorted.indices = unsorted.indices.astype(np.int64)
    unsorted.indptr = unsorted.indptr.astype(np.int64)
    for given, n_jobs in ((X, 2), (unsorted, 1), (X.toarray(), 2)):
        found = SemanticSVM(random_state=0, n_jobs=n_jobs).fit(given, marked).decision_function(given)
        np.testing.assert_allclose(found, expected, atol=1e-9)
    one, two = (SemanticSVM(random_state=0, n_jobs=n).fit(X, marked).coef_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    narrow = SemanticSVM(random_state=0).fit(X.astype(np.float32), marked)
    assert (narrow.predict(X) == expected.argmax(axis=1)).mean() > 0.98


def test_words_as_labels_and_documents_without_weight():
    X, y, marked = documents()
    words = np.array(["a", "b", "c", "d"])[y].astype(object)
    words[marked < 0] = ""
    model = SemanticSVM(unlabeled_value="", random_state=0).fit(X, words)
    numbers = SemanticSVM(random_state=0).fit(X, marked)
    np.testing.assert_array_equal(model.decision_function(X), numbers.decision_function(X))
    weight = np.ones(len(y))
    weight[::3] = 0
    weighed = clone(numbers).fit(X, marked, weight)
    alone = clone(numbers).fit(X[weight > 0], marked[weight > 0])
    np.testing.assert_allclose(weighed.decision_function(X), alone.decision_function(X), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "C must be"),
        ({"weight": -1}, "weight must be"),
        ({"weight": np.inf}, "weight must be"),
        ({"n_embedding": -1}, "n_embedding must be"),
        ({"n_embedding": 1.5}, "n_embedding must be"),
        ({"embedding_weight": -1}, "embedding_weight must be"),
        ({"rounds": 1.5}, "rounds must be"),
        ({"pseudo_cost": np.nan}, "pseudo_cost must be"),
        ({"tol": 0}, "tol must be"),
        ({"class_weight": {9: 1}}, "no class of y"),
        ({"thresholds": "some"}, "thresholds must be one of"),
        ({"reducer": "lsi"}, "reducer must be a transformer"),
        ({"reducer": LSI}, "reducer must be a transformer"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    X, _, marked = documents()
    with pytest.raises(ValueError, match=message):
        SemanticSVM(**options).fit(X, marked)


def test_one_class_and_empty_documents():
    X, _, _ = documents(30, 20)
    assert (SemanticSVM().fit(X, np.zeros(30)).predict(X) == 0).all()
    empty = sp.csr_matrix((6, 20))
    assert np.isfinite(SemanticSVM().fit(empty, [0, 1, 0, 1, -1, -1]).decision_function(empty)).all()
    with pytest.raises(ValueError, match="No document has a label"):
        SemanticSVM().fit(X, np.full(30, -1))


def test_a_space_can_be_learnt_once_for_several_fits():
    X, _, marked = documents()
    for options in ({}, {"columns": np.arange(0, 200, 2)}, {"n_embedding": 10}, {"weight": 0.0}):
        model = SemanticSVM(random_state=0, **options)
        space = model.learn_space(X)
        assert (space is None) == (model.weight == 0)
        assert not hasattr(model, "columns_")
        again = clone(model).fit(X, marked, space=space)
        np.testing.assert_array_equal(again.decision_function(X), model.fit(X, marked).decision_function(X))
        assert again.reducer_ is space
    other = SemanticSVM(10.0, reducer=LSI(7)).fit(X, marked).reducer_
    assert SemanticSVM(random_state=0).fit(X, marked, space=other).coordinate_coef_.shape == (4, 7)


def test_a_space_that_does_not_fit_is_refused():
    X, _, marked = documents()
    space = SemanticSVM().learn_space(X[:, :150])
    with pytest.raises(ValueError, match="space was learnt from 150 terms, and X has 200"):
        SemanticSVM().fit(X, marked, space=space)
    with pytest.raises(ValueError, match="not fitted"):
        SemanticSVM().fit(X, marked, space=LSI(5))
    with pytest.raises(ValueError, match="SRDA needs labels"):
        SemanticSVM(reducer=SRDA()).learn_space(X)
    assert SemanticSVM(random_state=0).fit(X, marked).reducer_.n_features_in_ == 200
