"""F1 by assignment and by arg max: worked by hand, against scikit-learn, and hostile input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

from textensor.base.reading import indicator
from textensor.evaluate import f1_by_argmax, f1_by_assignment

# Six documents of categories a, b, c and the decision values of three one-vs-rest classifiers.
TRUTH = np.array(["a", "a", "a", "b", "b", "c"])
VALUES = np.array(
    [
        [+0.9, -0.5, -0.9],  # a: assigned a              arg max a
        [+0.2, +0.4, -0.8],  # a: assigned a and b        arg max b
        [-0.3, -0.2, -0.1],  # a: assigned none           arg max c
        [-0.7, +0.6, -0.4],  # b: assigned b              arg max b
        [-0.1, -0.1, -0.6],  # b: assigned none           arg max a (a tie, the first wins)
        [+0.1, -0.9, +0.3],  # c: assigned a and c        arg max c
    ]
)


def test_by_assignment_by_hand():
    scores = f1_by_assignment(TRUTH, VALUES)
    # a: assigned to documents 0, 1, 5, true of 0, 1, 2, both of 0, 1:  p 2/3, r 2/3, F1 2*2/(3+3) = 2/3
    # b: assigned to 1, 3, true of 3, 4, both of 3:                     p 1/2, r 1/2, F1 2*1/(2+2) = 1/2
    # c: assigned to 5, true of 5:                                      p 1,   r 1,   F1 1
    np.testing.assert_allclose(scores.precision, [2 / 3, 1 / 2, 1])
    np.testing.assert_allclose(scores.recall, [2 / 3, 1 / 2, 1])
    np.testing.assert_allclose(scores.per_category, [2 / 3, 1 / 2, 1])
    assert scores.support.tolist() == [3, 2, 1]
    assert scores.labels.tolist() == ["a", "b", "c"]
    # micro: 4 hits, 6 assigned, 6 true
    assert scores.micro == pytest.approx(2 * 4 / 12)
    # macro: (2/3 + 1/2 + 1)/3 = 13/18 both ways, as precision and recall agree
    assert scores.macro == scores.macro_mean_f1 == pytest.approx(13 / 18)
    assert scores.macro_f1_of_means == pytest.approx(13 / 18)


def test_by_argmax_by_hand():
    scores = f1_by_argmax(TRUTH, VALUES)
    # predicted a b c b a c
    # a: predicted for 0, 4, true of 0, 1, 2, both of 0:  p 1/2, r 1/3, F1 2/5
    # b: predicted for 1, 3, true of 3, 4, both of 3:     p 1/2, r 1/2, F1 1/2
    # c: predicted for 2, 5, true of 5, both of 5:        p 1/2, r 1,   F1 2/3
    np.testing.assert_allclose(scores.per_category, [2 / 5, 1 / 2, 2 / 3])
    assert scores.micro == pytest.approx(3 / 6)
    assert scores.macro == pytest.approx((2 / 5 + 1 / 2 + 2 / 3) / 3)
    # mean precision 1/2, mean recall (1/3 + 1/2 + 1)/3 = 11/18: F1 = 2 * 1/2 * 11/18 / (1/2 + 11/18) = 11/20
    assert scores.macro_f1_of_means == pytest.approx(11 / 20)
    assert f1_by_argmax(TRUTH, VALUES, macro="f1_of_means").macro == scores.macro_f1_of_means


def test_the_same_figures_from_predicted_labels():
    from_labels, from_values = f1_by_argmax(TRUTH, list("abcbac")), f1_by_argmax(TRUTH, VALUES)
    np.testing.assert_array_equal(from_labels.per_category, from_values.per_category)
    assert from_labels.micro == from_values.micro


def test_zero_by_zero_is_zero():
    scores = f1_by_assignment([0, 0, 1], np.full((3, 2), -1.0))
    assert scores.precision.tolist() == scores.recall.tolist() == scores.per_category.tolist() == [0, 0]
    assert scores.micro == scores.macro == scores.macro_f1_of_means == 0


def test_exactly_zero_does_not_assign():
    assert f1_by_assignment([0, 1], [[0.0, 0.0], [-0.0, 1e-300]]).assigned.toarray().tolist() == [
        [False, False],
        [False, True],
    ]


def test_labels_decide_what_is_averaged():
    # c is a column but true of no document here: F1 0, and part of the mean of three
    with_c = f1_by_argmax(["a", "b"], ["a", "b"], classes=["a", "b", "c"])
    assert with_c.macro == pytest.approx(2 / 3)
    assert with_c.micro == 1
    without_c = f1_by_argmax(["a", "b"], ["a", "b"], classes=["a", "b", "c"], labels=["b", "a"])
    assert without_c.macro == 1
    assert without_c.labels.tolist() == ["b", "a"]


def test_a_label_without_a_column_must_be_named():
    values = [[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]
    with pytest.raises(ValueError, match="has z in row 2, which no column stands for"):
        f1_by_assignment(["a", "b", "z"], values, classes=["a", "b"])
    counted = f1_by_assignment(["a", "b", "z"], values, classes=["a", "b"], labels=["a", "b", "z"])
    # a: 1 hit, 2 assigned, 1 true; b: all right; z: never found
    np.testing.assert_allclose(counted.per_category, [2 / 3, 1, 0])
    assert counted.micro == pytest.approx(2 * 2 / (3 + 3))
    left_out = f1_by_assignment(["a", "b", "z"], values, classes=["a", "b"], labels=["a", "b"])
    assert left_out.micro == pytest.approx(2 * 2 / (3 + 2))


def test_the_order_of_columns_is_that_of_classes():
    scores = f1_by_assignment(TRUTH, VALUES[:, [2, 0, 1]], classes=["c", "a", "b"])
    np.testing.assert_allclose(scores.per_category, [1, 2 / 3, 1 / 2])


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_one_column_is_a_binary_decision(shape):
    values = np.array([0.5, -0.5, 2.0, -1.0]).reshape(shape)
    # the category is the second class: 1 hit, 2 assigned, 2 true
    scores = f1_by_assignment(["no", "yes", "yes", "no"], values)
    assert scores.labels.tolist() == ["yes"]
    assert scores.micro == scores.macro == pytest.approx(2 / 4)
    swapped = f1_by_assignment(["no", "yes", "yes", "no"], -values, classes=["yes", "no"])
    assert swapped.labels.tolist() == ["no"]


def test_one_column_by_argmax_chooses_between_two():
    scores = f1_by_argmax([0, 1, 1, 0], np.array([[0.5], [-0.5], [2.0], [0.0]]))
    assert scores.micro == pytest.approx(2 / 4)  # predicted 1 0 1 0: two of four right
    assert scores.labels.tolist() == [0, 1]


def test_a_mark_for_unlabelled_is_not_scored_as_a_negative():
    with pytest.raises(ValueError, match="has -1 in row 1"):
        f1_by_assignment([0, -1, 1], [-1.0, 1.0, 1.0], classes=[0, 1])
    with pytest.raises(ValueError, match="-1 in row 1, where a label indicator holds only 0 and 1"):
        f1_by_assignment([[0, 1], [-1, -1]], np.ones((2, 2)))


CONTAINERS = [
    np.asarray,
    sparse.csr_array,
    sparse.csr_matrix,
    sparse.csc_array,
    sparse.coo_matrix,
    np.float32,
]


@pytest.mark.parametrize("container", CONTAINERS)
def test_multilabel_in_every_container(container):
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(2, size=(2, 40, 5))
    scores = f1_by_assignment(container(truth), container(predicted))
    expected = precision_recall_fscore_support(truth, predicted, zero_division=0)
    for ours, theirs in zip(
        (scores.precision, scores.recall, scores.per_category, scores.support), expected, strict=True
    ):
        np.testing.assert_allclose(ours, theirs)


def test_collections_of_labels():
    truth, values = [("a", "b"), (), ("b",)], np.array([[1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0]])
    expected = f1_by_assignment([[1, 1], [0, 0], [0, 1]], values)
    scores = f1_by_assignment(truth, values)
    assert scores.labels.tolist() == ["a", "b"]
    np.testing.assert_array_equal(scores.per_category, expected.per_category)
    # the columns are those of classes, whichever labels the test documents have
    wide = f1_by_assignment(truth, np.column_stack([-values[:, 0], values]), classes=["c", "a", "b"])
    np.testing.assert_array_equal(wide.per_category[1:], expected.per_category)
    with pytest.raises(ValueError, match="has b in row 0, which no column stands for"):
        f1_by_assignment(truth, values, classes=["a", "c"])
    by_argmax = f1_by_argmax(truth, ["a", "b", "b"])
    # one category each: a and b are found once, and the empty document gets b
    assert by_argmax.micro == pytest.approx(2 * 2 / (3 + 3))


def test_one_label_in_an_indicator():
    scores = f1_by_assignment([[0], [0], [1]], [[-1.0], [1.0], [1.0]])
    assert scores.labels.tolist() == [0]
    assert scores.micro == pytest.approx(2 / 3)


def test_hostile_sparse_input_is_read_right_and_left_alone():
    # unsorted 64-bit indices, a stored zero, and 1 stored as 2 - 1
    data = np.array([1.0, 0.0, 2.0, -1.0])
    matrix = sparse.csr_matrix((2, 3))
    matrix.data, matrix.indices, matrix.indptr = data, np.array([2, 0, 1, 1]), np.array([0, 2, 4])
    before = matrix.data.copy(), matrix.indices.copy()
    scores = f1_by_assignment(matrix, matrix)
    assert scores.truth.toarray().tolist() == [[False, False, True], [False, True, False]]
    assert scores.assigned.nnz == 2
    np.testing.assert_array_equal(matrix.data, before[0])
    np.testing.assert_array_equal(matrix.indices, before[1])


def test_read_only_input():
    values = VALUES.copy()
    values.setflags(write=False)
    assert f1_by_assignment(TRUTH, values).micro == f1_by_assignment(TRUTH, VALUES).micro


def test_blocks_do_not_show(monkeypatch):
    whole = f1_by_assignment(TRUTH, VALUES)
    monkeypatch.setattr(indicator, "BLOCK", 4)
    parts = f1_by_assignment(TRUTH, VALUES)
    assert (whole.assigned != parts.assigned).nnz == 0
    with pytest.raises(ValueError, match="NaN in row 5, column 2"):
        f1_by_assignment(TRUTH, np.where(VALUES == 0.3, np.nan, VALUES))


@pytest.mark.parametrize("score", [f1_by_assignment, f1_by_argmax])
def test_nan_is_refused_and_infinity_is_not(score):
    with pytest.raises(ValueError, match="NaN in row 1"):
        score([0, 1], [[1.0, 0.0], [np.nan, 1.0]])
    assert score([0, 1], [[np.inf, -np.inf], [-np.inf, 1.0]]).micro == 1


@pytest.mark.parametrize(
    ("message", "arguments", "options"),
    [
        ("3 documents, the predictions 2", ([0, 1, 1], np.ones((2, 2))), {}),
        ("y_true has 0 dimensions", (None, np.ones((2, 2))), {}),
        ("3 columns for 2 labels", ([0, 1], np.ones((2, 3))), {}),
        ("3 columns for 2 labels", ([("a",), ("b",)], np.ones((2, 3))), {}),
        ("1 column for 2 labels", ([("a",), ("b",)], np.ones((2, 1))), {}),
        ("names a category twice", ([0, 1], np.ones((2, 2))), {"classes": [1, 1]}),
        ("labels is empty", ([0, 1], np.ones((2, 2))), {"labels": []}),
        ("strings everywhere or numbers everywhere", ([0, 1], np.ones((2, 2))), {"classes": ["0", "1"]}),
        ("y_true holds None at entry 1", (np.array(["a", None], dtype=object), np.ones((2, 2))), {}),
        ("y_true has nan at entry 1", ([0.0, np.nan], np.ones((2, 2))), {}),
        ("macro must be", ([0, 1], np.ones((2, 2))), {"macro": "mean"}),
        ("3 columns for 2 labels: give a column for each", (np.eye(2), np.ones((2, 3))), {}),
        ("y_true has 2 columns for 3 classes", (np.eye(2), np.ones((2, 3))), {"classes": [*"abc"]}),
    ],
)
def test_errors_say_what_is_wrong(message, arguments, options):
    with pytest.raises(ValueError, match=message):
        f1_by_assignment(*arguments, **options)


def test_decision_values_are_not_taken_for_labels():
    with pytest.raises(ValueError, match="documents x columns"):
        f1_by_argmax([0, 1], [0.3, -0.2])
    with pytest.raises(ValueError, match="has c in row 1: add it to classes"):
        f1_by_argmax(["a", "b"], ["a", "c"], classes=["a", "b"])


def test_no_documents():
    with pytest.raises(ValueError, match="0 sample"):
        f1_by_assignment([], np.empty((0, 2)))
    with pytest.raises(ValueError, match="y_true has no documents"):
        f1_by_argmax([], [])


def test_objects_of_pandas():
    pandas = pytest.importorskip("pandas")
    truth, predicted = pandas.Series(["a", "b", "a"], index=[7, 8, 9]), pandas.Series(["a", "b", "b"])
    assert f1_by_argmax(truth, predicted).micro == pytest.approx(2 / 3)
    frame = pandas.DataFrame({"a": [1.0, -1.0, -1.0], "b": [-1.0, 1.0, 1.0]})
    assert f1_by_assignment(truth, frame).micro == pytest.approx(2 / 3)


def test_figures_say_what_they_are():
    assert repr(f1_by_argmax(TRUTH, VALUES)) == (
        "F1Scores(by argmax: micro=0.5000, macro=0.5222 (mean_f1), 3 categories, 6 documents)"
    )


label_lists = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(-2, 4), min_size=n, max_size=n) for _ in range(2)))
)


@settings(max_examples=60, deadline=None)
@given(label_lists)
def test_argmax_agrees_with_scikit_learn(pair):
    truth, predicted = pair
    scores = f1_by_argmax(truth, predicted)
    assert scores.micro == pytest.approx(accuracy_score(truth, predicted))
    assert scores.macro == pytest.approx(f1_score(truth, predicted, average="macro", zero_division=0))
    labels = scores.labels[::-1]
    np.testing.assert_allclose(
        f1_by_argmax(truth, predicted, labels=labels).per_category,
        f1_score(truth, predicted, labels=labels, average=None, zero_division=0),
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(2, 6))
def test_assignment_agrees_with_scikit_learn(seed, n_documents, n_labels):
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=(n_documents, n_labels))
    values = rng.normal(size=(n_documents, n_labels)).round(1)
    scores = f1_by_assignment(truth, values)
    for average in ("micro", "macro"):
        expected = f1_score(truth, values > 0, average=average, zero_division=0)
        assert getattr(scores, average) == pytest.approx(expected)
    assert 0 <= scores.macro_f1_of_means <= 1


@settings(max_examples=60, deadline=None)
@given(label_lists)
def test_argmax_is_the_assignment_of_one_label_each(pair):
    truth, predicted = pair
    scores = f1_by_argmax(truth, predicted)
    signs = np.where(np.equal.outer(predicted, scores.labels), 1.0, -1.0)
    if len(scores.labels) > 1:
        by_assignment = f1_by_assignment(truth, signs, classes=scores.labels)
        np.testing.assert_array_equal(by_assignment.per_category, scores.per_category)
