import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.preprocessing import normalize

from textensor.classify import SupportTensorMachine
from textensor.datasets import make_documents
from textensor.space import SemanticArrangement, TermTensors
from textensor.space.semantic import bisect

SUBJECTS = 4


def topical(n=200, per_subject=15, seed=0):
    """Documents of one subject each; a subject has terms of its own."""
    rng = np.random.default_rng(seed)
    subject = rng.integers(SUBJECTS, size=n)
    X = np.zeros((n, SUBJECTS * per_subject))
    for d, s in enumerate(subject):
        X[d, s * per_subject + rng.integers(per_subject, size=8)] += 1
    return normalize(X), subject


def test_terms_of_one_subject_share_a_column():
    X, _ = topical()
    arrangement = SemanticArrangement(n_latent=0, shape=(15, 4)).fit(X)
    columns = arrangement.permutation_.reshape(4, 15)
    for column in columns:
        assert len(set(column // 15)) == 1


def test_the_cells_are_those_of_the_augmented_matrix():
    X, _ = topical()
    arrangement = SemanticArrangement(n_latent=20, shape=(-1, 6)).fit(X)
    assert arrangement.shape_ == (10, 8)
    tensors = TermTensors(X, arrangement)
    dense = tensors.to_dense()
    augmented = arrangement.augment(sp.csr_matrix(X)).toarray()
    np.testing.assert_array_equal(augmented[:, :60], X)
    for column, position in enumerate(arrangement.positions_):
        np.testing.assert_array_equal(dense[:, position % 10, position // 10], augmented[:, column])
    assert len(np.unique(arrangement.positions_)) == 80


def test_latent_coordinates_are_those_of_latent_semantic_indexing():
    X, _ = topical()
    arrangement = SemanticArrangement(n_latent=5, latent_weight=3.0, idf_power=2.0, shape=(-1, 6)).fit(X)
    idf = np.log(len(X) / (X > 0).sum(axis=0)) ** 2
    weighted = normalize(X * idf)
    exact = np.linalg.svd(weighted, full_matrices=False)[2][:5]
    expected = 3.0 * normalize((X * idf) @ exact.T)
    latent = arrangement.augment(sp.csr_matrix(X)).toarray()[:, 60:]
    # The same up to signs, and to what a randomised decomposition leaves open.
    np.testing.assert_allclose(np.abs(latent @ latent.T), np.abs(expected @ expected.T), atol=0.3)
    np.testing.assert_allclose(np.linalg.norm(latent, axis=1), 3.0, rtol=1e-6)


def test_parts_of_a_decision_add_up_through_the_latent_space():
    X, _ = topical()
    arrangement = SemanticArrangement(n_latent=7, shape=(-1, 6)).fit(X)
    weights = np.random.default_rng(1).normal(size=67)
    document = sp.csr_matrix(X[:1])
    parts = arrangement.per_term(document, weights.__getitem__)
    assert parts.sum() == pytest.approx((arrangement.augment(document) @ weights)[0])


def test_labels_are_not_looked_at_and_runs_repeat():
    X, subject = topical()
    first = SemanticArrangement(n_latent=10).fit(X)
    again = clone(first).fit(sp.csr_array(X), subject)
    np.testing.assert_array_equal(first.permutation_, again.permutation_)
    np.testing.assert_array_equal(first.components_, again.components_)


@pytest.mark.parametrize(
    "X", [np.zeros((3, 4)), np.eye(3), np.ones((1, 5)), np.zeros((0, 4)), np.ones((5, 1))]
)
def test_documents_that_teach_nothing_still_give_an_arrangement(X):
    arrangement = SemanticArrangement(shape=(-1, 2)).fit(X)
    assert sorted(arrangement.permutation_) == list(range(len(arrangement.permutation_)))
    assert TermTensors(X, arrangement).to_dense().shape[0] == len(X)


def test_wrong_settings_are_said_in_a_sentence():
    for options, message in [
        ({"n_latent": -1}, "0 or more"),
        ({"latent_weight": -1.0}, "0 or more"),
        ({"shape": (3, 3, 3)}, "order 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            SemanticArrangement(**options).fit(np.eye(4))
    with pytest.raises(ValueError, match="5 terms, the arrangement 4"):
        SemanticArrangement(n_latent=2, shape=(-1, 2)).fit(np.eye(4)).augment(sp.csr_matrix(np.eye(5)))


def test_bisection_gives_parts_of_one_length():
    parts = bisect(np.random.default_rng(0).normal(size=(103, 5)), 11, 10)
    assert [len(part) for part in parts] == [10] * 10 + [3]
    assert sorted(np.concatenate(parts)) == list(range(103))


def test_few_labels_with_unlabelled_text_beat_few_labels_alone():
    X, subject = topical(n=400)
    labelled = np.concatenate([np.flatnonzero(subject == s)[:2] for s in range(SUBJECTS)])
    y = np.full(400, -1)
    y[labelled] = subject[labelled]
    model = SupportTensorMachine(
        arrangement=SemanticArrangement(n_latent=4, shape=(-1, 6)), rank=2, unlabeled_value=-1, random_state=0
    ).fit(X, y)
    plain = SupportTensorMachine(shape=(-1, 6), random_state=0).fit(X[labelled], subject[labelled])
    assert (model.predict(X) == subject).mean() > (plain.predict(X) == subject).mean()
    assert (model.predict(X) == subject).mean() > 0.95


def test_by_name_and_explained():
    corpus = make_documents(120, 90, 3, random_state=0)
    X = normalize(corpus.X.astype(float))
    model = SupportTensorMachine(arrangement="semantic", shape=(-1, 5), rank=2, random_state=0).fit(
        X, corpus.y
    )
    decisions = model.decision_function(X[:4])
    for explained, row in zip(model.explain(X[:4], top=5), decisions, strict=True):
        assert explained[0].decision == pytest.approx(row.max())
    assert model.coef_.shape[1] == 90
