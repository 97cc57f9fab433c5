import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from textensor.space import Arrangement, CharTrigramVectorizer, TermTensors


def tensor_of(document):
    """Count trigrams by their definition."""
    symbols = [ord(c) - ord("a") if "a" <= c <= "z" else 26 for c in document.casefold()]
    tensor = np.zeros((27, 27, 27))
    for i, j, k in zip(symbols, symbols[1:], symbols[2:], strict=False):
        tensor[i, j, k] += 1
    return tensor


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.one_of(st.sampled_from("abzA "), st.characters()), max_size=8), max_size=6))
def test_counts_equal_the_definition_as_a_tensor(documents):
    X = CharTrigramVectorizer(norm=None).fit_transform(documents)
    assert X.shape == (len(documents), 19683)
    assert X.has_canonical_format
    tensors = TermTensors(X, Arrangement("given", shape=(27, 27, 27))).to_dense()
    for tensor, document in zip(tensors, documents, strict=True):
        np.testing.assert_array_equal(tensor, tensor_of(document))


def test_rows_have_unit_length_and_short_documents_none():
    X = CharTrigramVectorizer(dtype=np.float32).fit_transform(["hello there", "ab", "", "ßé"])
    assert X.dtype == np.float32
    # "ß" folds to "ss", so the last document has one trigram.
    np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)).A1, [1, 0, 0, 1], rtol=1e-6)


def test_names_and_blocks(monkeypatch):
    vectorizer = CharTrigramVectorizer(norm=None)
    documents = ["abc", "bc!", "", "xyz xyz"] * 5
    X = vectorizer.fit_transform(documents)
    assert vectorizer.get_feature_names_out()[X[1].indices].tolist() == ["bc_"]
    monkeypatch.setattr("textensor.space.text.counts.BLOCK_DOCUMENTS", 3)
    assert (clone(vectorizer).set_params(n_jobs=2).transform(documents) != X).nnz == 0
    assert make_pipeline(vectorizer, MaxAbsScaler()).fit_transform(documents).shape == X.shape


def test_what_is_no_text_is_said_in_a_sentence():
    with pytest.raises(ValueError, match="Document 1 is of type int"):
        CharTrigramVectorizer().transform(["abc", 1])
    with pytest.raises(ValueError, match="iterable of documents"):
        CharTrigramVectorizer().transform("abc")
