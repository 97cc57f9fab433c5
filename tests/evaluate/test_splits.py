"""Splitters: sizes by hand, repeatable, and at home in scikit-learn's own tools."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.semi_supervised import SelfTrainingClassifier

from textensor.evaluate import LabeledSplit, SmallSampleSplit


def sizes_of(y, rows):
    return {str(name): int((np.asarray(y)[rows] == name).sum()) for name in np.unique(y)}


def test_sizes_by_hand():
    y = np.repeat(["a", "b", "c", "d"], [100, 50, 30, 11])
    # 5%: a 5, b 2.5 -> 3, c 1.5 -> 2, d .55 -> 1 -> 2 (at least two)
    splits = list(SmallSampleSplit(0.05, random_state=0).split(y, y))
    assert len(splits) == 10
    for train, test in splits:
        assert sizes_of(y, train) == {"a": 5, "b": 3, "c": 2, "d": 2}
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(len(y)))
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()
    # 29% of 50 is 14.5, though 0.29 * 50 is a little less in floating point: 15
    train, _ = next(SmallSampleSplit(0.29, random_state=0).split(y, y))
    assert sizes_of(y, train) == {"a": 29, "b": 15, "c": 9, "d": 3}


def test_at_least_alone():
    y = np.repeat([0, 1], [50, 20])
    train, test = next(SmallSampleSplit(0, at_least=4, random_state=0).split(None, y))
    assert sizes_of(y, train) == {"0": 4, "1": 4}
    assert len(test) == 62


def test_split_i_depends_on_seed_and_i_alone():
    y = np.random.default_rng(0).integers(4, size=200)
    ten, three = (list(SmallSampleSplit(0.1, n_splits=n, random_state=3).split(y, y)) for n in (10, 3))
    for (train, test), (again, again_test) in zip(ten[:3], three, strict=True):
        np.testing.assert_array_equal(train, again)
        np.testing.assert_array_equal(test, again_test)
    assert len({tuple(train) for train, _ in ten}) == 10
    other = next(SmallSampleSplit(0.1, random_state=4).split(y, y))
    assert tuple(other[0]) != tuple(ten[0][0])


def test_more_documents_only_add_to_the_training_part():
    y = np.random.default_rng(0).integers(4, size=200)
    small, large = (SmallSampleSplit(f, random_state=1).split(y, y) for f in (0.05, 0.3))
    for (few, _), (many, _) in zip(small, large, strict=True):
        assert set(few) < set(many)


def test_a_category_that_is_used_up_is_said():
    y = ["a"] * 20 + ["b"] * 2 + ["c"]
    with pytest.warns(UserWarning, match="2 categories have no document left to test .* b with 2"):
        train, test = next(SmallSampleSplit(0.1, random_state=0).split(y, y))
    assert sizes_of(y, train) == {"a": 2, "b": 2, "c": 1}
    assert sizes_of(y, test) == {"a": 18, "b": 0, "c": 0}


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("fraction", (1.0,)),
        ("fraction", (-0.1,)),
        ("fraction", (float("nan"),)),
        ("at_least", (0.1, 0)),
        ("at_least", (0.1, 2.5)),
        ("n_splits", (0.1, 2, 0)),
    ],
)
def test_parameters_out_of_range(message, arguments):
    with pytest.raises(ValueError, match=message):
        SmallSampleSplit(*arguments)


def test_small_samples_need_one_label_per_document():
    with pytest.raises(ValueError, match="y has 2 dimensions: give one label"):
        next(SmallSampleSplit(0.1).split(None, np.eye(5)))


def test_small_samples_in_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    X = rng.normal(size=(120, 4)) + 3 * np.eye(4)[y]
    cv = SmallSampleSplit(0.1, n_splits=4, random_state=0)
    assert len(cross_val_score(LogisticRegression(), X, y, cv=cv)) == cv.get_n_splits() == 4
    assert isinstance(cv, SmallSampleSplit)
    assert GridSearchCV(LogisticRegression(), {"C": [1, 10]}, cv=cv).fit(X, y).n_splits_ == 4


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-1, 4), min_size=1, max_size=60), st.integers(0, 99), st.integers(1, 4))
def test_small_samples_always_part_the_documents(y, percent, at_least):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # used-up categories
        splits = list(SmallSampleSplit(percent / 100, at_least, 2, random_state=0).split(y, y))
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(len(y)))
        for name, size in zip(*np.unique(y, return_counts=True), strict=True):
            expected = min(size, max(at_least, (percent * int(size) * 2 + 100) // 200))
            assert (np.asarray(y)[train] == name).sum() == expected


def check_labeled_split(splitter, y, unlabeled, groups=None):
    splits = list(splitter.split(np.zeros(len(unlabeled)), y, groups))
    assert len(splits) == splitter.get_n_splits(np.zeros(len(unlabeled)), y, groups)
    for train, test in splits:
        assert set(unlabeled) <= set(train)
        assert not set(unlabeled) & set(test)
        assert not set(train) & set(test)
        assert len(test)
    return splits


Y = np.array([0, 1, -1, 0, 1, -1, 0, 1, -1, 0, 1, -1])


@pytest.mark.parametrize(
    "cv", [2, KFold(3, shuffle=True, random_state=0), ShuffleSplit(3, random_state=0), LeaveOneOut()]
)
def test_unlabelled_rows_train_and_are_never_tested(cv):
    splits = check_labeled_split(LabeledSplit(cv), Y, np.flatnonzero(Y == -1))
    if not isinstance(cv, ShuffleSplit):
        tested = np.concatenate([test for _, test in splits])
        np.testing.assert_array_equal(np.sort(tested), np.flatnonzero(Y != -1))


def test_folds_of_labelled_rows_are_stratified():
    for _, test in LabeledSplit(4).split(Y, Y):
        assert sorted(Y[test]) == [0, 1]


def test_groups_go_along():
    groups = np.arange(12) // 4
    for cv in (GroupKFold(3), LeaveOneGroupOut()):
        for train, test in check_labeled_split(LabeledSplit(cv), Y, np.flatnonzero(Y == -1), groups):
            labelled = train[Y[train] != -1]
            assert not set(groups[labelled]) & set(groups[test])


@pytest.mark.parametrize("dtype", [str, object])
def test_strings(dtype):
    y = np.array(["a", "", "b", "a", "b", ""], dtype=dtype)
    check_labeled_split(LabeledSplit(2, unlabeled_value=""), y, [1, 5])
    with pytest.raises(ValueError, match="use '' for strings"):
        next(LabeledSplit(2).split(y, y))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_a_whole_row_of_marks_in_an_indicator(container):
    y = np.array([[1, 0], [-1, -1], [0, 0], [1, 1], [0, 1], [-1, -1]])  # all zeros means: no label applies
    check_labeled_split(LabeledSplit(2), container(y), [1, 5])


def test_collections_of_labels():
    check_labeled_split(LabeledSplit(2), [("a", "b"), -1, (), ("a",)], [1])


def test_sparse_marks_are_read_right_and_left_alone():
    # -1 stored as 1 - 2 in one cell of row 1
    y = sparse.csr_array(
        (np.array([1, 1, -2, -1, 1]), np.array([0, 0, 0, 1, 1]), np.array([0, 1, 4, 5])), shape=(3, 2)
    )
    check_labeled_split(LabeledSplit(2), y, [1])
    assert y.nnz == 5


def test_no_mark_and_nothing_but_marks():
    y = np.array([0, 1, 0, 1])
    check_labeled_split(LabeledSplit(2), y, [])
    with pytest.raises(ValueError, match="all 2 are marked -1"):
        next(LabeledSplit(2).split(None, [-1, -1]))


def test_splitters_that_name_rows_of_their_own():
    with pytest.raises(ValueError, match="number of folds or a splitter"):
        LabeledSplit([([0], [1])])
    with pytest.raises(ValueError, match="beyond the 8 labelled"):
        list(LabeledSplit(PredefinedSplit(np.arange(12) % 2)).split(Y, Y))


def test_small_samples_of_the_labelled_rows():
    y = np.r_[np.zeros(20), np.ones(20), np.full(60, -1)].astype(int)
    splitter = LabeledSplit(SmallSampleSplit(0.1, n_splits=3, random_state=0))
    for train, test in check_labeled_split(splitter, y, np.arange(40, 100)):
        assert (len(train), len(test)) == (4 + 60, 36)


class SeesUnlabelled(ClassifierMixin, BaseEstimator):
    """Fails unless it is fitted with all unlabelled rows and asked about labelled ones alone."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        assert (y == -1).sum() == 30
        self.classes_ = np.unique(y[y != -1])
        self.model_ = LogisticRegression(C=self.C).fit(X[y != -1], y[y != -1])
        return self

    def predict(self, X):
        assert (X[:, -1] == 0).all()  # the last column marks unlabelled rows
        return self.model_.predict(X)


def test_labelled_split_in_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    X = np.c_[rng.normal(size=(90, 3)) + 3 * np.eye(3)[y], np.zeros(90)]
    y[:30], X[:30, -1] = -1, 1
    cv = LabeledSplit(3)
    assert cross_val_score(SeesUnlabelled(), X, y, cv=cv, error_score="raise").mean() > 0.8
    search = GridSearchCV(SeesUnlabelled(), {"C": [0.1, 1]}, cv=cv, error_score="raise", refit=False)
    assert search.fit(X, y).n_splits_ == 3
    assert (
        len(cross_val_score(SelfTrainingClassifier(LogisticRegression()), X, y, cv=clone(cv, safe=False)))
        == 3
    )
    with pytest.raises(ValueError, match="partitions"):
        cross_val_predict(SelfTrainingClassifier(LogisticRegression()), X, y, cv=cv)


def test_multilabel_folds_in_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = (X[:, :2] > 0).astype(int)
    assert len(cross_val_score(OneVsRestClassifier(LogisticRegression()), X, Y, cv=LabeledSplit(3))) == 3


def test_what_they_are_called():
    assert repr(LabeledSplit(3)) == "LabeledSplit(cv=3, unlabeled_value=-1)"
