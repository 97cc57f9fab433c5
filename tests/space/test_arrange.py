import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.oracles import tensors as oracle
from textensor.space import Arrangement
from textensor.space.arrange import grouped_fill, square_shape


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("n_terms", [1, 2, 3, 5, 7, 9, 12, 16, 17, 23, 30])
def test_square_is_the_best_of_all_shapes(n_terms, order):
    assert square_shape(n_terms, order) == oracle.square_shape(n_terms, order)


@given(st.integers(1, 10**6), st.integers(2, 4))
def test_square_holds_the_terms_without_a_row_to_spare(n_terms, order):
    n1, *rest = square_shape(n_terms, order)
    assert (n1 - 1) * np.prod(rest) < n_terms <= n1 * np.prod(rest)


def test_the_shapes_of_the_papers():
    X = sp.csr_matrix((1, 18933))
    assert Arrangement(shape=(-1, 50)).fit(X).shape_ == (379, 50)
    assert Arrangement(shape=(-1, 20)).fit(X).shape_ == (947, 20)
    assert Arrangement().fit(X).shape_ == (138, 138)
    assert Arrangement(order=1).fit(X).shape_ == (18933,)


def test_document_frequency_counts_documents_and_breaks_ties_by_index():
    X = np.array([[9, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 0]])
    assert Arrangement("document-frequency").fit(X).permutation_.tolist() == [1, 2, 0, 3]


def test_an_explicit_zero_is_no_occurrence():
    X = sp.csr_matrix((np.array([0.0, 0.0, 1.0]), np.array([0, 0, 1]), np.array([0, 1, 2, 3])), shape=(3, 2))
    assert Arrangement("document-frequency").fit(X).permutation_.tolist() == [1, 0]


def test_documents_of_weight_zero_have_no_say():
    X = np.array([[1, 0], [1, 0], [0, 1]])
    assert Arrangement().fit(X, sample_weight=[0, 0, 1]).permutation_.tolist() == [1, 0]
    with pytest.raises(ValueError, match="3 finite numbers"):
        Arrangement().fit(X, sample_weight=[1, 1])


def test_grouped_fill_by_hand():
    # n1 = 3. Positive, by size: 4, 0, 6, 2 -> one whole column 4 0 6, 2 remains.
    # Negative: 7, 1 -> no whole column. Zero: 3, 5 -> none. Pooled: 2, 7, 1, 3, 5.
    weights = np.array([4.0, -1.0, 1.0, 0.0, 5.0, 0.0, 2.0, -3.0])
    assert grouped_fill(weights, 3).tolist() == [4, 0, 6, 2, 7, 1, 3, 5]


@given(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0]), min_size=1, max_size=40), st.integers(1, 7))
def test_grouped_fill_keeps_signs_apart_in_whole_columns(weights, n_rows):
    weights = np.array(weights)
    order = grouped_fill(weights, n_rows)
    assert sorted(order) == list(range(len(weights)))
    whole = sum(int((weights * side > 0).sum()) // n_rows for side in (1, -1))
    for column in range(whole):
        assert len(set(np.sign(weights[order[column * n_rows : (column + 1) * n_rows]]))) == 1


def test_weights_are_handed_in():
    arrangement = Arrangement("weight", weights=[0.0, 1.0, -1.0], shape=(1, 3)).fit(np.eye(3))
    assert arrangement.permutation_.tolist() == [1, 2, 0]
    for bad in (None, [1.0], [1.0, np.nan, 0.0]):
        with pytest.raises(ValueError, match="weights"):
            Arrangement("weight", weights=bad).fit(np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": (2, 2)}, "4 cells, too few for 5 terms"),
        ({"shape": (0, 5)}, "every mode is at least 1"),
        ({"shape": (-1, -1)}, "one may be -1"),
        ({"shape": (-2, 5)}, "every mode is at least 1"),
        ({"shape": ()}, "at least one mode"),
        ({"order": 0}, "order must be a whole number from 1 to"),
        ({"order": 2.5}, "order must be a whole number from 1 to"),
        ({"shape": (2.5, 3)}, "whole numbers"),
        ({"shape": 50}, "whole numbers"),
        ({"kind": "alphabetical"}, "no arrangement 'alphabetical'"),
        ({"kind": [0, 1, 2, 3, 3]}, "not a permutation"),
        ({"kind": [0, 1]}, "not a permutation"),
    ],
)
def test_what_cannot_be_arranged_is_said_in_a_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        Arrangement(**arguments).fit(np.eye(5))


def test_more_columns_than_terms():
    assert Arrangement(shape=(-1, 50)).fit(np.eye(3)).shape_ == (1, 50)


def test_a_clone_is_not_fitted_and_indices_follow_the_grid():
    fitted = Arrangement([2, 0, 1, 3], shape=(2, 2)).fit(np.eye(4))
    assert not hasattr(clone(fitted), "permutation_")
    rows, columns = fitted.indices()
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(1, 0), (0, 1), (0, 0), (1, 1)]
