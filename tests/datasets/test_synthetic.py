import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from textensor.datasets import make_documents
from textensor.datasets.corpora import synthetic


def same(a, b):
    return a.shape == b.shape and (a != b).nnz == 0


@settings(deadline=None, max_examples=40)
@given(
    n_documents=st.integers(1, 60),
    n_terms=st.integers(1, 400),
    n_labels=st.integers(1, 8),
    mean_length=st.floats(1, 50),
    seed=st.integers(0, 2**40),
)
def test_any_size(n_documents, n_terms, n_labels, mean_length, seed):
    corpus = make_documents(n_documents, n_terms, n_labels, mean_length=mean_length, random_state=seed)
    X, y = corpus.X, corpus.y
    assert X.shape == (n_documents, n_terms)
    assert y.shape == (n_documents, n_labels)
    X.check_format(full_check=True)
    y.check_format(full_check=True)
    assert X.has_canonical_format
    assert X.dtype == X.indices.dtype == X.indptr.dtype == np.int32
    assert X.data.min() >= 1
    assert X.sum(axis=1).min() >= 1
    assert set(np.unique(y.data)) <= {1}
    assert corpus.texts is None
    assert corpus.train is None


def test_seeded():
    first, again, other = (make_documents(300, 200, 5, random_state=seed) for seed in (3, 3, 4))
    assert same(first.X, again.X)
    assert same(first.y, again.y)
    assert not same(first.X, other.X)
    assert not same(make_documents(300, 200, 5).X, make_documents(300, 200, 5).X)


def test_blocks_do_not_show(monkeypatch):
    """Documents on both sides of a block's edge are as likely as any."""
    monkeypatch.setattr(synthetic, "BLOCK", 100)
    corpus = make_documents(1050, 300, 3, random_state=0)
    lengths = corpus.X.sum(axis=1)
    np.testing.assert_array_equal(lengths, synthetic._lengths(1050, 80.0, 0))
    assert not same(corpus.X[:50], corpus.X[100:150])  # blocks have seeds of their own


def test_labels_from_half_to_one_in_ten_thousand():
    shares = make_documents(100_000, 50, 9, mean_length=2, random_state=0).y.sum(axis=0) / 100_000
    assert shares[0] == 0.5
    assert shares[-1] == 1e-4
    ratios = shares[1:] / shares[:-1]
    np.testing.assert_allclose(ratios, ratios.mean(), rtol=0.05)


def test_terms_follow_zipf():
    counts = make_documents(4000, 2000, 1, random_state=0).X.sum(axis=0)
    ranks = np.arange(1, 2001)
    head = slice(0, 300)
    slope = np.polyfit(np.log(ranks[head]), np.log(counts[head]), 1)[0]
    assert -1.3 < slope < -0.8
    assert counts[:20].sum() > 5 * counts[-200:].sum()


def test_zipf_ranks_cover_the_range():
    uniform = np.linspace(0, 1, 10_001)
    for exponent in (1.0, 1.1):
        for n in (1, 2, 77):
            ranks = synthetic._zipf_ranks(uniform, n, exponent)
            assert set(ranks) == set(range(n))
            assert (np.diff(ranks) >= 0).all()


def test_labels_can_be_learnt():
    corpus = make_documents(4000, 3000, 6, random_state=0)
    X = normalize(corpus.X.astype(float))
    for label in (0, 1):
        y = corpus.y[:, [label]].toarray().ravel()
        predicted = LinearSVC(random_state=0).fit(X[:2000], y[:2000]).predict(X[2000:])
        always = f1_score(y[2000:], np.ones(2000))
        assert f1_score(y[2000:], predicted) > always + 0.1


@pytest.mark.parametrize(
    ("sizes", "options", "sentence"),
    [
        ((0, 1, 1), {}, "n_documents must be .*, not 0"),
        ((1, 0, 1), {}, "n_terms must be .*, not 0"),
        ((1, 1, 0), {}, "n_labels must be .*, not 0"),
        ((1, 1, -1), {}, "n_labels must be .*, not -1"),
        ((1, 2**31, 1), {}, "n_terms must be a whole number from 1 to 2147483647"),
        ((1, 1, 1), {"mean_length": 0.5}, "mean_length must be .*, not 0.5"),
        ((1, 1, 1), {"mean_length": float("nan")}, "mean_length must be .*, not nan"),
        ((1, 1, 1), {"mean_length": float("inf")}, "mean_length must be .*, not inf"),
        ((1, 1, 1), {"random_state": -1}, "random_state must be .*, not -1"),
    ],
)
def test_impossible_sizes(sizes, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_documents(*sizes, **options)
