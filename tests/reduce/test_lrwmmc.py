import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.oracles import lrwmmc as oracle
from textensor.reduce import (
    DNE,
    LRWMMC,
    MMC,
    FewerAxesWarning,
    KernelLRWMMC,
    SemiSupervisedLRWMMC,
    TensorLRWMMC,
)
from textensor.reduce.axes.embedding import linear_axes
from textensor.reduce.axes.lanczos import lanczos
from textensor.reduce.graph import graphs
from textensor.space import Arrangement, CharTrigramVectorizer, TermTensors, matrix

ALL = [LRWMMC, DNE, MMC, SemiSupervisedLRWMMC, KernelLRWMMC, TensorLRWMMC]
fewer = pytest.mark.filterwarnings("ignore::textensor.reduce.FewerAxesWarning")


@parametrize_with_checks([estimator() for estimator in ALL] + [KernelLRWMMC(axes="coefficients")])
@fewer
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def documents(n=45, d=20, n_classes=3, seed=0):
    """Counts around a profile for each class, of unit length."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    profiles = rng.gamma(0.3, size=(n_classes, d))
    X = rng.poisson(3 * profiles[y] + 0.3).astype(float)
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12), y


def angle(A, B):
    A, B = np.linalg.qr(A.T)[0], np.linalg.qr(B.T)[0]
    return np.linalg.norm(A - B @ (B.T @ A), 2)


@pytest.mark.parametrize("estimator", [LRWMMC, DNE])
@pytest.mark.parametrize("k", [1, 4, 30])
@fewer
def test_axes_are_the_positive_eigenvectors_of_the_sum_over_pairs(estimator, k):
    X, y = documents()
    model = estimator(100, k).fit(X, y)
    W = oracle.weights(oracle.cosines(X), y, k, unit=estimator is DNE)
    values, vectors = oracle.direct(X, W)
    p = int((values > 1e-9).sum())
    np.testing.assert_allclose(model.eigenvalues_, values[:p], atol=1e-9)
    assert angle(model.components_, vectors[:, :p].T) < 1e-6
    np.testing.assert_allclose(model.transform(X), X @ model.components_.T, atol=1e-12)
    largest = np.abs(model.components_).argmax(axis=1)
    assert (model.components_[range(p), largest] > 0).all()


@fewer
def test_dne_and_mmc_are_lrwmmc_with_other_graphs():
    X, y = documents()
    for estimator, rule in [(DNE, _unit), (MMC, graphs.class_scatter)]:
        model = LRWMMC(5, 3, graph=rule).fit(X, y)
        np.testing.assert_array_equal(estimator(5, 3).fit(X, y).components_, model.components_)


def _shared(found):
    """A new rule: pairs of one class weigh -1 / k at rank k, those of two classes all the same."""
    n = len(found.codes)
    W = np.zeros((n, n))
    for neighbours, weight in [(found.within, -1), (found.between, 0.5)]:
        for i, row in enumerate(neighbours.indices):
            for rank, j in enumerate(row[row >= 0]):
                W[i, j] += weight / (1 + rank)
    return sp.csr_matrix(W + W.T)


def _form(estimator, X):
    """What an estimator is fitted on, how its regions are found, and its options."""
    if estimator is KernelLRWMMC:
        return rbf_kernel(X), graphs.kernel_regions, {"kernel": "precomputed"}
    return X, graphs.regions, {}


RULES = [graphs.relevance_graph, graphs.unit_graph, graphs.class_scatter, _shared]


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("rule", RULES)
@fewer
def test_any_rule_works_in_all_forms_and_so_does_the_graph_that_it_makes(estimator, rule):
    X, y = documents()
    X, search, options = _form(estimator, X)
    model = clone(estimator(2, 3, graph=rule, **options)).fit(X, y)
    ready = estimator(2, 3, graph=rule(search(X, y, 3)), **options)
    ready = pickle.loads(pickle.dumps(ready))
    np.testing.assert_array_equal(clone(ready).fit(X, y).transform(X), model.transform(X))
    assert model.get_params()["graph"] is rule
    with pytest.raises(ValueError, match="45 x 45, not 44 x 44"):
        estimator(2, graph=sp.eye(44), **options).fit(X, y)


@pytest.mark.parametrize("estimator", [LRWMMC, DNE, SemiSupervisedLRWMMC, KernelLRWMMC, TensorLRWMMC])
@pytest.mark.parametrize("k", [1, 4, 30])
@fewer
def test_a_search_over_k_needs_one_for_neighbours(estimator, k):
    X, y = documents()
    X, search, options = _form(estimator, X)
    W = estimator._rule(search(X, y, 40).first(k))
    cut = estimator(4, k, graph=W, **options).fit_transform(X, y)
    np.testing.assert_array_equal(cut, estimator(4, k, **options).fit_transform(X, y))


@pytest.mark.parametrize("rule", RULES)
@fewer
def test_both_graphs_of_the_semi_supervised_form_may_be_ready(rule):
    X, y = documents()
    y[20:] = -1
    own = graphs.regions(X[:20], y[:20], 3)
    model = SemiSupervisedLRWMMC(2, 3, reg=0.1, graph=rule).fit(X, y)
    ready = SemiSupervisedLRWMMC(2, reg=0.1, graph=rule(own), graph_all=graphs.knn_graph(X, 3)).fit(X, y)
    np.testing.assert_array_equal(model.components_, ready.components_)
    with pytest.raises(ValueError, match="20 x 20, not 45 x 45"):
        SemiSupervisedLRWMMC(2, graph=sp.eye(45)).fit(X, y)
    with pytest.raises(ValueError, match="45 x 45, not 20 x 20"):
        SemiSupervisedLRWMMC(2, graph_all=sp.eye(20)).fit(X, y)
    with pytest.raises(TypeError, match="give weights, not an operator"):
        SemiSupervisedLRWMMC(2, graph_all=graphs.class_scatter).fit(X, y)


@fewer
def test_a_sequence_of_seeds_is_the_seed_itself():
    X, y = documents(90, 80)
    L = graphs.laplacian(graphs.relevance_graph(graphs.regions(X, y, 3)))
    options = {"solver": "lanczos", "tol": 1e-3}
    model = LRWMMC(5, 3, random_state=np.random.SeedSequence(7), **options)
    found = linear_axes(sp.csr_matrix(X), L, 5, seed=7, **options)
    np.testing.assert_array_equal(clone(model).fit(X, y).components_, found.vectors.T)


def _unit(found):
    """Unit weights, from the regions and nothing else."""
    n = len(found.within.indices)
    W = np.zeros((n, n))
    for neighbours, weight in [(found.within, -1), (found.between, 1)]:
        for i, row in enumerate(neighbours.indices):
            W[i, row[row >= 0]] = W[row[row >= 0], i] = weight
    return sp.csr_matrix(W)


@fewer
def test_mmc_has_the_scatter_of_classes():
    X, y = documents()
    model = MMC().fit(X, y)
    values, vectors = np.linalg.eigh(oracle.scatter_matrix(X, y))
    p = int((values > 1e-9).sum())
    assert p < 3
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:p])
    assert angle(model.components_, vectors[:, ::-1][:, :p].T) < 1e-6


@fewer
def test_no_weight_on_unlabelled_documents_is_the_supervised_method():
    X, y = documents()
    some = y.copy()
    some[20:] = -1
    supervised = LRWMMC(5, 3).fit(X[:20], y[:20])
    for marked, options in [(some, {}), (np.where(some < 0, "", some.astype(str)), {"unlabeled_value": ""})]:
        model = SemiSupervisedLRWMMC(5, 3, reg=0, **options).fit(X, marked)
        np.testing.assert_allclose(model.components_, supervised.components_, atol=1e-9)
    all_labelled = SemiSupervisedLRWMMC(5, 3, reg=0).fit(X, y)
    np.testing.assert_allclose(all_labelled.components_, LRWMMC(5, 3).fit(X, y).components_, atol=1e-9)


@pytest.mark.parametrize("reg", [4.0**-3, 0.5])
@fewer
def test_semi_supervised_axes_are_those_of_both_sums(reg):
    X, y = documents(30, 8)
    y[18:] = -1
    model = SemiSupervisedLRWMMC(100, 3, graph_all=graphs.knn_graph(X, 2), reg=reg).fit(X, y)
    W1 = np.zeros((30, 30))
    W1[:18, :18] = oracle.weights(oracle.cosines(X[:18]), y[:18], 3)
    W2 = oracle.neighbour_weights(oracle.cosines(X), 2)
    M = oracle.criterion_matrix(X, W1) - reg * oracle.criterion_matrix(oracle.scaled(X, W2), W2)
    values, vectors = np.linalg.eigh(M)
    p = int((values > 1e-9).sum())
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:p], atol=1e-9)
    assert angle(model.components_, vectors[:, ::-1][:, :p].T) < 1e-6


@fewer
def test_a_linear_kernel_is_the_plain_method():
    X, y = documents()
    plain = LRWMMC(5, 3).fit(X, y)
    for model, train in [
        (KernelLRWMMC(5, 3, kernel=linear_kernel), X),
        (KernelLRWMMC(5, 3, kernel="precomputed"), X @ X.T),
    ]:
        Z = model.fit_transform(train, y)
        np.testing.assert_allclose(model.eigenvalues_, plain.eigenvalues_)
        np.testing.assert_allclose(np.abs(Z), np.abs(plain.transform(X)), atol=1e-7)


@pytest.mark.parametrize("options", [{"kernel": "rbf", "gamma": 0.7**-2}, {"kernel": "poly", "degree": 2}])
@fewer
def test_kernels_and_algorithm_2(options):
    X, y = documents()
    K = rbf_kernel(X, gamma=1 / 0.7**2) if options["kernel"] == "rbf" else (1 + X @ X.T) ** 2
    length = np.sqrt(K.diagonal())
    W = oracle.weights(K / np.outer(length, length), y, 3)
    values, vectors = np.linalg.eigh(K @ (np.diag(W.sum(axis=1)) - W) @ K)
    model = KernelLRWMMC(4, 3, axes="coefficients", **options).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:4], rtol=1e-7)
    assert angle(model.coefficients_.T, vectors[:, ::-1][:, :4].T) < 1e-6
    other = documents(seed=1)[0]
    Y = rbf_kernel(other, X, gamma=1 / 0.7**2) if options["kernel"] == "rbf" else (1 + other @ X.T) ** 2
    np.testing.assert_allclose(model.transform(other), Y @ model.coefficients_, atol=1e-9)


def test_kernel_matrices_say_their_memory_before_they_take_it():
    X, y = documents()
    with pytest.raises(MemoryError, match="Nystroem"):
        KernelLRWMMC(2, max_memory=1e-5).fit(X, y)
    with pytest.raises(ValueError, match="is square"):
        KernelLRWMMC(2, kernel="precomputed").fit(X[:10], y[:10])


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("name", ["n_components", "n_neighbors", "ranks", "max_iter"])
def test_true_is_no_number(estimator, name):
    model = estimator()
    if name in model.get_params():
        with pytest.raises(ValueError, match=f"{name} must be a whole number of 1 or more.*, not True"):
            model.set_params(**{name: True}).fit(*documents())
    if name == "ranks" and estimator is TensorLRWMMC:
        with pytest.raises(ValueError, match="ranks must be a whole number above 0"):
            TensorLRWMMC((True, 2)).fit(*documents())


WITH_TOLERANCE = [LRWMMC, DNE, MMC, SemiSupervisedLRWMMC, KernelLRWMMC]


@pytest.mark.parametrize("estimator", WITH_TOLERANCE)
@pytest.mark.parametrize("tol", [0, 1, -1e-6, True, False, float("nan"), float("inf"), None, "1e-3"])
def test_a_tolerance_is_between_0_and_1(estimator, tol):
    with pytest.raises(ValueError, match=f"tol must be a number above 0 and below 1, not {tol!r}"):
        estimator(tol=tol).fit(*documents())


@pytest.mark.parametrize("estimator", WITH_TOLERANCE)
def test_the_tolerance_reaches_the_solver(estimator, monkeypatch):
    given = []

    def spy(*arguments, tol, **options):
        given.append(tol)
        return lanczos(*arguments, tol=tol, **options)

    monkeypatch.setattr("textensor.reduce.axes.embedding.lanczos", spy)
    estimator(1, solver="lanczos", tol=0.01).fit(*documents())
    assert given == [0.01]


def test_trigram_tensors_of_full_rank_keep_all_distances():
    texts = [
        "the cat sat on the mat",
        "a cat and a hat",
        "stocks fell on monday",
        "shares rose today",
        "cats",
    ]
    X = CharTrigramVectorizer().fit_transform(texts)
    model = TensorLRWMMC(27, 2, shape=(27, 27, 27), arrangement="given").fit(X, [0, 0, 1, 1, 0])
    np.testing.assert_allclose(euclidean_distances(model.transform(X)), euclidean_distances(X), atol=1e-7)
    assert model.get_feature_names_out()[-1] == "tensorlrwmmc19682"


@pytest.mark.parametrize("shape", [(20,), (5, 4), (5, 2, 2)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_tensors_are_projected_and_come_first_mode_fastest(shape):
    X, y = documents()
    model = TensorLRWMMC(2, 3, shape=shape).fit(sp.csr_matrix(X), y)
    Y = TermTensors(X, model.arrangement_).project(model.factors_)
    np.testing.assert_allclose(model.transform(X), [y.ravel(order="F") for y in Y])
    assert (np.diff(model.objective_history_) >= 0).all()
    assert len(model.objective_history_) == model.n_iter_ * len(shape)
    W = oracle.weights(oracle.cosines(X), y, 3)
    assert oracle.criterion(Y, W) == pytest.approx(model.objective_history_[-1])


def test_wrong_ranks_are_said_in_a_sentence():
    X, y = documents()
    for ranks in [(2,), (2, 0), (2, 2.5)]:
        with pytest.raises(ValueError, match="for each of 2 modes"):
            TensorLRWMMC(ranks).fit(X, y)
    custom = TensorLRWMMC((99, 1), arrangement=Arrangement("given", shape=(5, 4)), max_iter=50)
    assert [factor.shape for factor in custom.fit(X, y).factors_] == [(5, 5), (4, 1)]


@pytest.mark.parametrize("estimator", ALL)
@fewer
def test_every_kind_of_matrix_gives_the_same_and_stays_as_it_is(estimator):
    X, y = documents()
    expected = estimator(3).fit_transform(X, y)
    csr = sp.csr_array(X)
    order = np.lexsort((-csr.indices, csr.nonzero()[0]))
    unsorted = sp.csr_matrix(
        (csr.data[order], csr.indices[order].astype(np.int64), csr.indptr), shape=X.shape
    )
    for given in (csr, sp.csc_matrix(X), unsorted):
        before = given.copy()
        result = estimator(3).fit(given, y).transform(given)
        np.testing.assert_allclose(euclidean_distances(result), euclidean_distances(expected), atol=1e-6)
        assert (given != before).nnz == 0
    narrow = estimator(3).fit_transform(X.astype(np.float32), y)
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(np.abs(narrow), np.abs(expected), atol=1e-3)


@pytest.mark.parametrize("estimator", [LRWMMC, DNE, SemiSupervisedLRWMMC, KernelLRWMMC, TensorLRWMMC])
@fewer
def test_degenerate_documents(estimator):
    X, y = documents()
    X[3] = 0  # an empty document
    X[5] = X[4]  # equal ones of two classes
    y = y.astype(str)
    y[7] = "alone"  # a class of one
    model = estimator(2, 40).fit(X, y)  # k larger than any class
    assert np.isfinite(model.transform(X)).all()
    np.testing.assert_allclose(model.transform(np.zeros((1, 20))), model.transform(X[3:4]), atol=1e-12)
    for bad, labels, message in [
        (X, np.zeros(45), "one class"),
        (np.zeros((4, 3)), [0, 0, 1, 1], "are [01]"),
        (X, np.eye(45, dtype=int), "several labels per document"),
        (np.full((45, 2), np.nan), y, "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator(2).fit(bad, labels)


def test_no_labelled_document_is_said_in_a_sentence():
    X, y = documents()
    with pytest.raises(ValueError, match="No document has a label"):
        SemiSupervisedLRWMMC().fit(X, np.full(len(y), -1))


def test_fewer_axes_than_asked_for_come_with_a_warning():
    X, y = documents()
    with pytest.warns(FewerAxesWarning, match="Only 2 of 7 axes raise the criterion: set n_components to 2"):
        model = MMC(7).fit(X, y)
    assert model.get_feature_names_out().tolist() == ["mmc0", "mmc1"]
    assert model.transform(X).shape == (45, 2)


@pytest.mark.parametrize("estimator", ALL)
@fewer
def test_threads_do_not_show_and_models_are_pickled(estimator):
    X, y = documents()
    options = {} if estimator in (TensorLRWMMC, MMC) else {"solver": "lanczos"}
    one = estimator(3, n_jobs=1, **options).fit(X, y)
    two = clone(one).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.transform(X), two.transform(X))
    # Where arrays lie in memory is another matter: BLAS may add dense rows up in another order there.
    np.testing.assert_allclose(pickle.loads(pickle.dumps(two)).transform(X), two.transform(X), atol=1e-14)


@fewer
def test_the_nearest_neighbour_in_a_pipeline_and_a_search():
    X, y = documents(90, 30)
    pipeline = make_pipeline(LRWMMC(2, 5), KNeighborsClassifier(1))
    search = GridSearchCV(pipeline, {"lrwmmc__n_neighbors": [1, 5], "lrwmmc__n_components": [1, 2]}, cv=3)
    search.fit(X, y)
    plain = KNeighborsClassifier(1).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert search.best_estimator_.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) >= plain - 0.05
    assert make_pipeline(LRWMMC(2)).set_output(transform="pandas").fit_transform(X, y).shape == (90, 2)


def test_a_fit_checks_indices_once(monkeypatch):
    calls = []
    monkeypatch.setattr(matrix, "check_indices", calls.append)
    X = sp.csr_matrix(np.random.default_rng(0).random((12, 6)))
    LRWMMC(2, n_neighbors=3).fit(X, np.arange(12) % 3)
    assert len(calls) == 1
