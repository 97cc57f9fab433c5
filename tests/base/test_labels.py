"""Labels of every kind, read into one object."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from textensor.base.labels import Labels, as_labels, positions
from textensor.base.reading import indicator
from textensor.base.reading.indicator import true_cells
from textensor.base.reading.y import (
    label_names,
    read_classes,
    read_labels,
    read_named,
    read_truth,
    read_vector,
)
from textensor.classify import NearestDocument
from textensor.reduce import SRDA

SPARSE = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix]
MARKED = [[1, 0, 0], [-1, -1, -1], [0, 0, 0], [1, 0, 1]]


def large_indices(matrix):
    """Return a matrix with 64-bit indices, as those of more than two billion cells have."""
    matrix = sp.csr_array(matrix)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def read_only(y):
    y = np.array(y)
    y.setflags(write=False)
    return y


@pytest.mark.parametrize(
    ("y", "mark"),
    [
        (["b", "", "a", "b"], ""),
        (np.array(["b", "", "a", "b"], dtype=object), ""),
        (["b", -1, "a", "b"], -1),
        ([7, -1, 3, 7], -1),
        ([7.0, -1.0, 3.0, 7.0], -1),
        (np.array([[7], [255], [3], [7]], dtype=np.uint8), 255),
        (read_only([True, False, False, True]), None),
    ],
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_one_class_for_each_document(y, mark):
    labels = read_labels(y, mark)
    assert not labels.several
    assert labels.kind == "binary"
    assert labels.n_questions == 1
    assert len(labels.names) == 2
    if mark is not None:
        assert labels.codes.tolist() == [1, -1, 0, 1]
        assert labels.labelled.tolist() == [True, False, True, True]
        assert labels.counts.tolist() == [1, 2]
        assert labels.targets(0).tolist() == [1, -1, 1]
        assert labels.of(1) == ()
    np.testing.assert_array_equal(labels.as_y(), labels.codes)
    np.testing.assert_array_equal(labels.predict(np.array([[-0.5], [0.5]])), labels.names)


@pytest.mark.parametrize("container", [np.array, read_only, list, large_indices, *SPARSE])
def test_an_indicator(container):
    y = container(MARKED)
    before = y.copy()
    labels = read_labels(y, unlabeled_value=-1)
    assert labels.kind == "multilabel"
    assert labels.labelled.tolist() == [True, False, True, True]
    assert labels.truth().tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1]]
    assert labels.as_y().tolist() == MARKED
    assert labels.counts.tolist() == [2, 0, 1]
    assert labels.of(3) == (0, 2)
    predicted = labels.predict(np.array([[0.5, -1.0, 0.0]]))
    if sp.issparse(y):
        assert isinstance(predicted, sp.sparray if isinstance(y, sp.sparray) else sp.csr_matrix)
        assert predicted.toarray().tolist() == [[1, 0, 0]]
        assert (y != before).nnz == 0
    else:
        assert predicted.tolist() == [[1, 0, 0]]


def test_cells_that_are_stored_in_parts_are_summed_and_left_alone():
    y = sp.csr_matrix((2, 2))
    y.data, y.indices, y.indptr = np.array([2.0, -1.0, 0.0, 1.0]), np.array([1, 1, 0, 0]), np.array([0, 2, 4])
    assert read_labels(y).truth().tolist() == [[False, True], [True, False]]
    assert y.nnz == 4


cells = arrays(np.int8, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 1))


@given(cells, st.data())
def test_however_an_indicator_is_stored_it_reads_the_same(y, data):
    if y.shape[1] == 1:
        y = np.hstack([y, y])
    unlabelled = np.array(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y))))
    y[unlabelled] = -1
    if unlabelled.all():
        with pytest.raises(ValueError, match="nothing to learn from"):
            read_labels(y, -1)
        return
    expected = read_labels(y, -1)
    np.testing.assert_array_equal(expected.as_y(), y)
    np.testing.assert_array_equal(read_labels(expected.as_y(), -1).truth(), expected.truth())
    for other in (y.astype(float), y.tolist(), *(container(y) for container in SPARSE)):
        found = read_labels(other, -1)
        np.testing.assert_array_equal(found.as_y(), y)
        np.testing.assert_array_equal(found.labelled, ~unlabelled)
    rows = np.array(data.draw(st.permutations(range(len(y)))), dtype=np.intp)
    np.testing.assert_array_equal(expected.rows(rows).as_y(), y[rows])
    np.testing.assert_array_equal(expected.rows(expected.labelled).as_y(), y[~unlabelled])


names = st.text(min_size=1, max_size=3).filter(lambda name: not name.endswith("\0"))


@given(st.lists(st.lists(names, max_size=3), min_size=1, max_size=8))
def test_named_labels_come_back(given_labels):
    labels = read_named([tuple(one) for one in given_labels])
    assert labels.several
    for document, one in enumerate(given_labels):
        assert set(labels.of(document)) == set(one)
    assert labels.labelled.tolist() == [bool(one) for one in given_labels]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=20))
def test_classes_come_back(y):
    labels = read_labels(y)
    assert labels.names[labels.codes].tolist() == y
    assert read_named(y).names[read_named(y).codes].tolist() == y


def test_what_stands_for_no_label_in_named_ones():
    assert read_named(["b", "", None, "a"]).codes.tolist() == [1, -1, -1, 0]
    assert read_named([["b"], (), set(), None, frozenset("ab")]).as_y().tolist() == [
        [0, 1],
        [-1, -1],
        [-1, -1],
        [-1, -1],
        [1, 1],
    ]
    assert read_named(np.array([3, 5])).names.tolist() == [3, 5]
    assert read_named([]).n_documents == 0


def test_one_class_is_a_class():
    labels = read_labels(["a", "a"])
    assert labels.kind == "binary"
    assert labels.predict(np.zeros((3, 1))).tolist() == ["a"] * 3
    assert labels.targets(0).tolist() == [1, 1]


def test_three_classes_are_three_questions():
    labels = read_labels([2, 0, 1, 2])
    assert labels.kind == "multiclass"
    assert labels.questions.toarray().tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert labels.predict(np.eye(3)).tolist() == [0, 1, 2]
    assert isinstance(labels.without_documents(), Labels)
    assert labels.without_documents().n_documents == 0


@pytest.mark.parametrize(
    ("y", "mark", "message"),
    [
        ([], None, "y has no documents"),
        ([-1, -1], -1, "all 2 are marked -1: nothing to learn from"),
        (["a", None], None, "y holds None at entry 1"),
        (["a", 1], None, "y holds 1 at entry 1: give strings only"),
        (["", "a", 1], "", "y holds 1 at entry 2"),
        (np.array([1, "a"], dtype=object), None, "y holds 'a' at entry 1"),
        (np.array([[1, 2], [3]], dtype=object), None, r"y holds \[1, 2\] at entry 0"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), None, "y holds datetime64.* values"),
        ([0.0, np.nan], None, "y has nan at entry 1"),
        ([-1.0, 0.0, np.inf], -1, "y has inf at entry 2"),
        ([0.5, 1.5], None, "Unknown label type"),
        ([[0, 2], [1, 0]], None, "y has 2 in row 0, where a label indicator holds only 0 and 1"),
        ([[0, 1], [-1, 0]], -1, "y has -1 in row 1"),
        (sp.csr_array([[0.0, 1.0], [0.0, np.nan]]), None, "NaN in row 1, column 1"),
        (np.array([["a", "b"], ["c", "d"]]), None, "an indicator of documents x labels"),
        (np.array([["a", 1], [None, 0]], dtype=object), None, "an indicator of documents x labels"),
        ([[1, 2], [3]], None, "rows of different lengths: give sets"),
        ([("a",), "b"], None, "y holds 'b' at entry 1: give a collection"),
        ([("a",), None], -1, "y holds None at entry 1: give a collection"),
        ([("a",), ("b", "")], None, "a whole number, not ''"),
        ([{1}, {"1"}], None, "give one type"),
        ([set(), set()], None, "all collections are empty"),
        ([[0, 1], [1, 0]], 1, "has another meaning in an indicator"),
        (sp.csr_array((2, 0)), None, "no columns"),
        ([[-1, -1], [-1, -1]], -1, "nothing to learn from"),
    ],
)
def test_y_that_cannot_be_read(y, mark, message):
    with pytest.raises(ValueError, match=message):
        read_labels(y, mark)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([("a",), "b"], "'b' stands alone"),
        ([1.5], "a whole number, not 1.5"),
        ([True], "a whole number, not True"),
        ([("a", "")], "a whole number, not ''"),
        ([float("inf")], "a whole number, not inf"),
        (["a\0"], "ends in a NUL"),
        ([1, "1"], "give one type"),
    ],
)
def test_names_that_are_none(labels, message):
    with pytest.raises(ValueError, match=message):
        read_named(labels)


def test_an_estimator_of_classes():
    X, estimator = np.zeros((3, 1)), object()
    assert read_classes(estimator, X, ["b", "a", ""], "", at_least=2).codes.tolist() == [1, 0, -1]
    for y, message in [
        (None, "object requires y to be passed"),
        (np.eye(3), "needs one class for each document"),
        ([("a",), ("b",), ()], "needs one class for each document"),
        ([1, 2], "inconsistent numbers of samples"),
        ([1, 1, 1], "y has one class"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_classes(estimator, X, y, at_least=2)


def test_blocks_of_a_dense_indicator_do_not_show(monkeypatch):
    y = np.random.default_rng(0).integers(2, size=(30, 5))
    whole = true_cells(y, "y")
    monkeypatch.setattr(indicator, "BLOCK", 7)
    np.testing.assert_array_equal(true_cells(y, "y"), whole)


COLLECTIONS = [("b", "a"), (), ("b",), ("a", "a")]


def as_objects(y):
    """Return the collections as a data frame's column holds them."""
    found = np.empty(len(y), dtype=object)
    for row, one in enumerate(y):
        found[row] = list(one)
    return found


@pytest.mark.parametrize(
    "y",
    [COLLECTIONS, list(map(list, COLLECTIONS)), list(map(set, COLLECTIONS)), as_objects(COLLECTIONS)],
    ids=["tuples", "lists", "sets", "objects"],
)
def test_a_collection_of_labels_for_each_document(y):
    labels = read_labels(y)
    assert labels.kind == "multilabel"
    assert labels.names.tolist() == ["a", "b"]
    assert labels.labelled.all()  # no label applies to the second document, which is a label of its own kind
    assert labels.as_y().tolist() == [[1, 1], [0, 0], [0, 1], [1, 0]]
    assert labels.predict(np.array([[1.0, -1.0]])).tolist() == [[1, 0]]
    marked = [*y[:1], -1, *y[2:]]
    assert read_labels(marked, -1).as_y().tolist() == [[1, 1], [-1, -1], [0, 1], [1, 0]]
    np.testing.assert_array_equal(read_truth(y, "y_true").truth(), labels.truth())


def test_numbers_in_lists_are_an_indicator_and_in_sets_labels():
    assert read_labels([(0, 1), (1, 0)]).truth().tolist() == [[False, True], [True, False]]
    assert read_labels([{0, 1}, {1, 7}]).names.tolist() == [0, 1, 7]
    assert read_labels([("a", "b"), ("c", "d")]).names.tolist() == [*"abcd"]
    assert read_labels([("a",), ()], ()).labelled.tolist() == [True, False]


def test_columns_of_several_types_in_a_data_frame():
    y = np.array([[True, 0], [False, 1.0]], dtype=object)
    assert read_labels(y).truth().tolist() == [[True, False], [False, True]]
    assert read_labels(np.array([3, -1, 5], dtype=object), -1).names.tolist() == [3, 5]


def test_labels_of_test_documents():
    assert read_vector(np.array(["a", "b"], dtype=object), "y").names.dtype.kind == "U"
    assert read_truth([[1], [0]], "y").truth().tolist() == [[True], [False]]
    assert read_truth(np.eye(2), "y", np.array(["b", "a"])).names.tolist() == ["b", "a"]
    assert as_labels(["a", -1]).dtype == object
    assert positions(np.array([3, 9]), np.array([9, 5])).tolist() == [-1, 0]
    for call, message in [
        (lambda: read_vector(np.eye(2), "y"), "y has 2 dimensions: give one label for each document"),
        (lambda: read_vector([("a", "b")], "y"), "y holds collections of labels: give one label"),
        (lambda: read_vector(np.array(["a", 1], dtype=object), "Y"), "Y holds 1 at entry 1: give strings"),
        (lambda: read_vector([1.0, np.nan], "Y"), "Y has nan at entry 1: leave it out"),
        (lambda: read_vector([None, None], "Y"), "Y holds None at entry 0"),
        (lambda: read_truth(np.eye(2), "Y", ["a"]), "Y has 2 columns for 1 classes"),
        (lambda: read_truth([[0, 3]], "Y"), "Y has 3 in row 0"),
        (lambda: label_names([], "labels"), "labels is empty"),
        (lambda: label_names([1, 1], "labels"), "twice"),
        (lambda: positions(np.array(["1"]), np.array([1])), "strings everywhere or numbers everywhere"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_labels_that_were_read_are_read_by_all():
    known, several = read_named(["b", "a", "c"]), read_named([("a", "b"), ("b",)])
    X = np.ones((3, 1))
    assert read_labels(known) is read_named(known) is known
    assert read_truth(known, "y") is read_vector(known, "y") is read_classes(None, X, known) is known
    assert read_labels(several) is read_truth(several, "y") is several
    some = known.rows(np.array([0, 2]))
    assert read_labels(some).names.tolist() == ["b", "c"]
    assert read_labels(some).codes.tolist() == [0, 1]
    assert some.shape == (2,)
    assert several.shape == (2, 2)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: read_vector(read_named([("a",), ("b",)]), "y"), "y holds collections of labels"),
        (lambda: read_classes(None, [[1]], read_named([("a",)])), "y has several labels per document"),
        (lambda: read_classes(None, [[1]], read_named(["a", "b"])), "inconsistent numbers of samples"),
        (lambda: read_truth(read_named(["a", ""]), "y"), "y has no label at entry 1"),
        (lambda: read_vector(read_named([]), "y"), "y has no documents"),
        (lambda: read_labels(read_named(["", ""])), "No document has a label"),
    ],
)
def test_labels_that_were_read_and_do_not_fit(read, message):
    with pytest.raises(ValueError, match=message):
        read()


def test_labels_as_arrays():
    assert np.asarray(read_named(["b", "", "a"])).tolist() == ["b", "", "a"]
    assert np.asarray(read_named([7, None, 3])).tolist() == [7, -1, 3]
    assert np.asarray(read_labels(np.array([True, False]))).dtype == bool
    assert np.asarray(read_named([("a", "b"), (), ("b",)])).tolist() == [[1, 1], [-1, -1], [0, 1]]


def test_other_columns_and_documents():
    known = read_named([("b",), ("b", "c"), ("a",)]).rows(np.array([0, 1]))
    assert known.occurring().names.tolist() == ["b", "c"]
    assert known.occurring().truth().tolist() == [[True, False], [True, True]]
    among = known.occurring().among(np.array(["c", "x", "b"]))
    assert among.truth().tolist() == [[False, False, True], [True, False, True]]
    longer = known.with_unlabelled(2)
    assert longer.labelled.tolist() == [True, True, False, False]
    assert longer.as_y()[2:].tolist() == [[-1] * 3] * 2
    assert known.n_documents == 2


def test_estimators_of_others_are_given_arrays():
    known = read_named(["c", "a", "", "c"]).rows(np.array([0, 2, 3]))
    ours = known.y_for(make_pipeline(SRDA(), NearestDocument()))
    assert isinstance(ours, Labels)
    assert ours.names.tolist() == [0, 1]
    for other in (LinearSVC(), make_pipeline(SRDA(), LinearSVC())):
        assert known.y_for(other).tolist() == [1, -1, 1]
