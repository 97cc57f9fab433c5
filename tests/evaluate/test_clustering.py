"""Draws of categories: by hand, and what cannot be drawn."""

import numpy as np
import pytest
import scipy.sparse as sp

from textensor.evaluate import clustering_draws

Y = np.repeat(list("abcd"), 6)
APART = np.eye(4)[np.repeat(range(4), 6)]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_categories_that_lie_apart_are_found(kind):
    found = clustering_draws(kind(APART), Y, 3, n_draws=4)
    assert found.accuracy == [1.0] * 4
    assert found.dimension == 0
    assert len(found.seconds) == 4


def test_the_dimension_is_picked_on_draws_that_are_not_counted():
    noise = np.random.default_rng(0).standard_normal((24, 3))
    X = np.hstack([10 * APART, noise])
    seen = []

    def reduce(X, k):
        seen.append((len(X), k))
        return np.hstack([X[:, 4:], X[:, :4]])[:, :k]  # noise first: all dimensions are needed

    found = clustering_draws(X, Y, 2, reduce=reduce, dimensions=[3, 7], n_draws=3, n_picked=2)
    assert found.dimension == 7
    assert found.accuracy == [1.0] * 3
    assert seen == [(12, 7)] * 5


def test_draws_come_from_the_seed():
    X = np.random.default_rng(1).standard_normal((24, 2))
    one, same, other = (clustering_draws(X, Y, 2, n_draws=6, random_state=[3, s]) for s in (0, 0, 1))
    assert one.accuracy == same.accuracy
    assert one.accuracy != other.accuracy


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="5 categories cannot be drawn from 4"):
        clustering_draws(APART, Y, 5)
    with pytest.raises(ValueError, match="no number of dimensions"):
        clustering_draws(APART, Y, 2, reduce=lambda X, k: X)
