import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import tensors as oracle
from textensor.space import Arrangement, TermTensors


@st.composite
def batches(draw):
    """Documents, an arrangement of order 1 to 4 and a generator for what multiplies them."""
    order = draw(st.integers(1, 4))
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=order, max_size=order)))
    n_cells = int(np.prod(shape))
    n_terms = draw(st.integers(max(1, n_cells - 3), n_cells))
    n_documents = draw(st.integers(0, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n_documents, n_terms)) * (rng.random((n_documents, n_terms)) < 0.4)
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    return X.astype(dtype), Arrangement(rng.permutation(n_terms), shape=shape), rng


def dense(X, arrangement):
    fitted = arrangement.fit(X)
    return oracle.dense_tensors(X, fitted.permutation_, fitted.shape_)


def close(got, expected):
    tolerance = 1e-5 if expected.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@settings(max_examples=60, deadline=None)
@given(batches())
def test_every_operation_equals_the_dense_oracle(batch):
    X, arrangement, rng = batch
    full = dense(X, arrangement)
    tensors = TermTensors(X, arrangement)
    assert tensors.shape == full.shape
    close(tensors.to_dense(), full)
    vectors = [rng.normal(size=n).astype(X.dtype) for n in full.shape[1:]]
    factors = [rng.normal(size=(n, int(rng.integers(1, 4)))).astype(X.dtype) for n in full.shape[1:]]
    kept = [None if rng.random() < 0.5 else factor for factor in factors]
    for some in (factors, kept):
        close(tensors.project(some), oracle.project(full, some))
    for mode in range(1, full.ndim):
        contracted = tensors.contract(mode, vectors[mode - 1])
        assert contracted.dtype == X.dtype
        close(contracted, oracle.contract(full, mode, vectors[mode - 1]))
        close(tensors.contract_all_but(mode, vectors), oracle.contract_all_but(full, mode, vectors))
        close(tensors.unfold(mode).toarray(), oracle.unfold(full, mode))
        close(tensors.gram(mode), oracle.gram(full, mode).astype(X.dtype))


def test_the_last_contraction_does_not_depend_on_the_order_of_modes():
    rng = np.random.default_rng(0)
    tensors = TermTensors(rng.random((6, 30)), Arrangement("document-frequency", shape=(-1, 5)))
    u, v = rng.random(6), rng.random(5)
    close(tensors.contract(1, u) @ v, tensors.contract(2, v) @ u)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array, np.asarray])
def test_any_interface_gives_the_same(make):
    X = sp.random(7, 12, 0.3, random_state=1, format="csr")
    expected = TermTensors(X, Arrangement("given", shape=(4, 3))).to_dense()
    np.testing.assert_array_equal(
        TermTensors(make(X.toarray()), Arrangement("given", shape=(4, 3))).to_dense(), expected
    )


def test_untidy_matrices_are_read_right_and_left_as_they_were():
    data = np.array([1.0, 2.0, 4.0, 8.0])
    indices = np.array([3, 0, 3, 1], dtype=np.int64)  # unsorted, with a duplicate
    indptr = np.array([0, 3, 4], dtype=np.int64)
    for array in (data, indices, indptr):
        array.flags.writeable = False
    X = sp.csr_array((data, indices, indptr), shape=(2, 4))
    tensors = TermTensors(X, Arrangement("given", shape=(2, 2)))
    np.testing.assert_array_equal(tensors.to_dense()[0], [[2, 0], [0, 5]])
    np.testing.assert_array_equal(tensors.gram(1), [[4, 0], [0, 25 + 64]])
    np.testing.assert_array_equal(X.indices, [3, 0, 3, 1])
    assert tensors.X.indices.dtype == np.int32


@pytest.mark.parametrize("bad_index", [4, -1])
def test_indices_out_of_range_are_refused_before_any_kernel(bad_index):
    X = sp.csr_matrix((np.ones(1), np.array([0]), np.array([0, 1])), shape=(1, 4))
    X.indices[0] = bad_index
    with pytest.raises(ValueError, match="ind"):
        TermTensors(X, Arrangement("given", shape=(2, 2)))


@pytest.mark.parametrize("make", [sp.csc_matrix, sp.csc_array, sp.bsr_array])
def test_other_formats_are_checked_before_scipy_converts_them(make):
    X = make(np.eye(4))
    X.indices[0] = 10**8
    with pytest.raises(ValueError, match="ind"):
        TermTensors(X, Arrangement("given", shape=(2, 2)))
    triples = sp.coo_array((np.ones(1), ([0], [0])), shape=(1, 4))
    triples.coords[1][0] = 99
    with pytest.raises(ValueError, match="out of range"):
        TermTensors(triples, Arrangement("given", shape=(2, 2)))


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array, sp.csc_array])
def test_pointers_that_fall_to_zero_are_refused(make):
    X = make(np.eye(4))
    X.indptr[1] = 10**8
    X.indptr[-1] = 0  # no values at all, as scipy's own check has it
    with pytest.raises(ValueError, match="pointers that fall"):
        TermTensors(X, Arrangement("given", shape=(2, 2)))


def test_modes_too_long_to_pack_are_still_right():
    tensors = TermTensors([[1.0, 2.0, 3.0]], Arrangement("given", shape=(1, 3, 2**31)))
    assert tensors.gram(1).tolist() == [[14.0]]


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        TermTensors([[np.nan, 1.0]], Arrangement("given", shape=(2, 1)))


def test_wrong_modes_and_lengths_are_refused():
    tensors = TermTensors(np.eye(4), Arrangement("given", shape=(2, 2)))
    with pytest.raises(ValueError, match="no mode 0"):
        tensors.contract(0, [1, 1])
    with pytest.raises(ValueError, match="no mode 3"):
        tensors.gram(3)
    with pytest.raises(ValueError, match="of length 2, has the shape"):
        tensors.contract(1, [1, 1, 1])
    with pytest.raises(ValueError, match="1 vectors for 2 modes"):
        tensors.contract_all_but(1, [None])
    with pytest.raises(ValueError, match="4 terms, the arrangement 2"):
        TermTensors(np.eye(4), Arrangement("given", shape=(2, 1)).fit(np.eye(2)))


def test_a_dense_batch_too_large_is_refused_before_it_is_made():
    X = sp.csr_matrix((10**6, 10**4))
    with pytest.raises(MemoryError, match="GiB"):
        TermTensors(X, Arrangement("given")).to_dense()
    with pytest.raises(MemoryError, match="GiB"):
        TermTensors(X, Arrangement("given", shape=(10**4, 1))).contract(2, [1.0])
    with pytest.raises(MemoryError, match="GiB"):
        TermTensors(sp.csr_matrix((1, 10**5)), Arrangement(order=1)).gram(1)


def test_the_arrangement_given_is_not_changed():
    arrangement = Arrangement("document-frequency", shape=(-1, 2))
    TermTensors(np.eye(4), arrangement)
    assert not hasattr(arrangement, "permutation_")


def test_some_documents_some_cells_and_squares_of_a_projection():
    rng = np.random.default_rng(2)
    X = rng.random((50, 24)) * (rng.random((50, 24)) < 0.3)
    tensors = TermTensors(X, Arrangement("given", shape=(4, 3, 2)))
    factors = [rng.random((4, 2)), None, rng.random((2, 2))]
    whole = tensors.project(factors)
    assert tensors[10:30].shape == (20, 4, 3, 2)
    np.testing.assert_array_equal(tensors[10:30].project(factors), whole[10:30])
    cells = np.array([[1, 2, 0], [0, 0, 1], [1, 2, 0]])
    np.testing.assert_array_equal(tensors.project(factors, cells), whole[:, *cells.T])
    close(tensors.squares(factors), (whole**2).sum(axis=0))
