"""HOSVD: all distances kept at full rank, and the core of the leading vectors."""

import numpy as np
import pytest

from tests.oracles import tensorlsi as oracle
from tests.oracles.tensors import dense_tensors
from tests.reduce.latent_data import documents
from textensor.reduce import HOSVD
from textensor.space import CharTrigramVectorizer


def test_hosvd_of_full_rank_keeps_all_distances():
    X = CharTrigramVectorizer().fit_transform(["wheat and maize", "bank rates", "maize and wheat", "a bank"])
    model = HOSVD(shape=(27, 27, 27)).fit(X)
    Y = model.transform(X)
    np.testing.assert_allclose(Y @ Y.T, (X @ X.T).toarray(), atol=1e-10)


@pytest.mark.parametrize(("shape", "ranks"), [((6, 4), (3, 2)), ((4, 3, 2), (2, 2, 1)), ((24,), (5,))])
def test_hosvd_is_the_core_of_the_leading_vectors(shape, ranks):
    X = documents()
    model = HOSVD(ranks, shape=shape).fit(X)
    tensors = dense_tensors(X, np.arange(24), shape)
    core = tensors
    for mode, (moment, r) in enumerate(zip(oracle.moments(tensors), ranks, strict=True), start=1):
        vectors = oracle.eigenvectors(moment)[1][:, :r]
        signs = np.sign(np.einsum("ij,ij->j", vectors, model.factors_[mode - 1]))
        core = np.moveaxis(np.tensordot(core, vectors * signs, axes=(mode, 0)), -1, mode)
    expected = [tensor.ravel(order="F") for tensor in core]
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-9)
    streamed = HOSVD(ranks, shape=shape).partial_fit(X[:7]).partial_fit(X[7:])
    np.testing.assert_array_equal(streamed.transform(X), model.transform(X))
    with pytest.raises(ValueError, match="ranks for"):
        HOSVD((1,) * (len(shape) + 1), shape=shape).fit(X)
    with pytest.raises(ValueError, match="whole numbers above 0"):
        HOSVD((0,) * len(shape), shape=shape).fit(X)
