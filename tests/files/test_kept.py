"""The declaration language: names of sizes, parents, parts."""

import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.svm import LinearSVC

from textensor.base.checks import whole
from textensor.base.disk import DamageError
from textensor.base.kept import (
    Sizes,
    absent_or,
    columns,
    derived,
    dropped,
    each,
    either,
    floats,
    integers,
    keeps,
    none_or,
    part,
    permutation,
    size,
    tuple_of,
)
from textensor.files.known import COMMON, declared


@keeps(rows=floats("n_rows"), width=derived(size("n_columns")))
class Grid(NamedTuple):
    rows: np.ndarray
    width: int = 3


@keeps(n_features_in_=size("n_terms"), weights_=floats("n_terms"), order_=permutation("n_terms"))
class Parent(BaseEstimator):
    def __init__(self, tol=1.0, progress=None, n_jobs=None):
        self.tol = tol
        self.progress = progress
        self.n_jobs = n_jobs


@keeps(
    weights_=None,
    more_=floats("n_more"),
    order_=permutation("n_terms + n_more"),
    seen_=absent_or(whole(0)),
    tol=whole(0),
    progress=dropped,
)
class Child(Parent):
    pass


def test_a_subclass_adds_replaces_and_removes():
    assert declared(Grid).record
    assert list(declared(Parent).attributes)[:3] == ["n_features_in_", "weights_", "order_"]
    known = declared(Child)
    assert [name for name in known.attributes if name not in COMMON] == [
        "n_features_in_",
        "more_",
        "order_",
        "seen_",
    ]
    assert list(known.parameters) == ["tol", "n_jobs"]
    assert known.dropped == {"progress"}
    assert list(declared(Grid).derived) == ["width"]
    assert declared(BaseEstimator) is None


@pytest.mark.parametrize(
    ("rule", "value", "message"),
    [
        (floats("n_terms", 3), np.zeros((2, 4)), "it has a length of 4, not 3"),
        (floats("n_terms"), np.zeros(3), "it has 3 terms where there are 2"),
        (floats("n_terms + n_axes"), np.zeros(6), "it has 6 terms . axes where there are 7"),
        (integers("*", below="n_terms"), np.array([2]), "out of range"),
        (
            each(floats("length_#"), list, "n_modes"),
            [np.zeros(3), np.zeros(5)],
            "5 length 1 where there are 4",
        ),
        (each(whole(), list, "n_modes"), [1], "it has 1 modes where there are 2"),
        (tuple_of(whole(), whole()), (1, 0), "0 is not a whole number of 1 or more"),
        (tuple_of(whole(), whole()), [1, 2], "it is not a tuple of 2"),
        (none_or(floats("n_axes")), np.zeros(4), "it has 4 axes where there are 5"),
        (part(Parent), Child(), "it is not of the right class"),
        (part(), LinearSVC(), "the LinearSVC in it is not fitted"),
        (part(Grid, shares=("n_rows",)), Grid(np.zeros(2)), "does not say n_rows"),
    ],
)
def test_a_rule_compares_sizes_by_name(rule, value, message):
    sizes = Sizes()
    sizes.update(n_terms=2, n_axes=5, n_modes=2, length_0=3, length_1=4)
    with pytest.raises(DamageError, match=message):
        rule.check(value, sizes)


def test_sizes_of_a_part_are_compared_with_those_of_the_whole():
    grid = Grid(np.zeros(4))
    sizes = Sizes()
    sizes.of_parts[id(grid)] = Sizes()
    sizes.of_parts[id(grid)].update(n_rows=4, length_0=2, length_1=3)
    part(Grid, shares=("length_#",), n_rows="n_documents").check(grid, sizes)
    assert sizes == {"length_0": 2, "length_1": 3, "n_documents": 4}
    with pytest.raises(DamageError, match="it has 2 length 0 where there are 9"):
        sizes["length_0"] = 9
        part(Grid, shares=("length_#",)).check(grid, sizes)


def test_a_rule_that_fails_leaves_no_size_behind():
    sizes = Sizes()
    either(floats("n_wrong", "n_worse"), floats("n_right")).check(np.zeros(3), sizes)
    assert sizes == {"n_right": 3}


def test_looking_at_a_vocabulary_takes_less_than_the_vocabulary():
    value = {f"{k:05x}": k for k in range(100_000)}
    tracemalloc.start()
    try:
        columns("n_terms").check(value, Sizes())
        assert tracemalloc.get_traced_memory()[1] < 10 * len(value)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("column", [2, -1, True, 1.0, 2**64 - 1, "1", None])
def test_the_columns_of_a_vocabulary_are_whole_numbers_in_range(column):
    with pytest.raises(DamageError, match="out of range"):
        columns("n_terms").check({"a": 0, "b": column}, Sizes())
