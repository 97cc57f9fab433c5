import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import minmax as oracle
from textensor.base.reading.y import read_labels
from textensor.classify import MinMaxSVM
from textensor.classify.minmax.decompose import DECOMPOSITIONS, Coordinates, decompose, n_extra, place
from textensor.classify.minmax.plan import MODULES, PART_SIZE, numbers_of_parts
from textensor.datasets import make_documents

# Few values, so that there are ties.
KEYS = st.lists(st.sampled_from([-1.5, 0.0, 0.25, 0.25000001, 3.0, 7.5]), min_size=1, max_size=60)


@given(KEYS, st.integers(1, 80), st.integers(0, 100))
def test_parts_are_equal_and_overlap_to_the_row(keys, n_parts, percent):
    keys = np.array(keys)
    rows = np.arange(len(keys)) * 3 + 5
    found, _ = decompose(rows, keys, n_parts, percent / 100)
    ranked = sorted(range(len(keys)), key=lambda k: (keys[k], k))
    expected = [
        sorted(rows[ranked[p]] for p in part) for part in oracle.parts(len(keys), n_parts, percent, 100)
    ]
    assert [part.tolist() for part in found] == expected
    assert set(np.concatenate(found)) == set(rows)
    if percent == 0:
        assert sum(map(len, found)) == len(rows)


@pytest.mark.parametrize(
    ("size", "overlap", "extra"), [(100, 0.58, 29), (20, 0.3, 3), (7, 0.15, 0), (9, 1, 4)]
)
def test_the_overlap_is_that_of_the_number_as_it_is_written(size, overlap, extra):
    # 0.58 * 100 / 2 is 28.999999999999996 in floating point.
    assert n_extra(size, overlap) == extra


@given(KEYS, st.integers(1, 10), st.integers(0, 100), KEYS)
def test_rows_find_their_parts_again_and_new_ones_find_some(keys, n_parts, percent, new):
    keys, new = np.array(keys), np.array(new)
    rows = np.arange(len(keys))
    parts, bounds = decompose(rows, keys, n_parts, percent / 100)
    for part, again in zip(parts, place(rows, keys, bounds), strict=True):
        np.testing.assert_array_equal(part, again)
    together = place(np.arange(len(keys) + len(new)), np.append(keys, new), bounds)
    assert set(np.concatenate(together)) == set(range(len(keys) + len(new)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 50), st.integers(0, 100))
def test_cells_hold_every_row_and_as_much_of_their_neighbours_as_asked(seed, n, n_parts, percent):
    Z = np.random.default_rng(seed).standard_normal((n, 4))
    rows = np.arange(n) + 7
    plain, _ = decompose(rows, Z, n_parts, 0.0, seed)
    parts, bounds = decompose(rows, Z, n_parts, percent / 100, seed)
    assert sorted(np.concatenate(plain)) == rows.tolist()
    for inside, part in zip(plain, parts, strict=True):
        extra = min(2 * n_extra(len(inside), percent / 100), n - len(inside))
        assert set(inside) <= set(part)
        assert len(part) == len(inside) + extra
    for part, again in zip(parts, place(rows, Z, bounds), strict=True):
        np.testing.assert_array_equal(part, again)


def test_cells_follow_the_structure():
    rng = np.random.default_rng(0)
    centres = 10 * rng.standard_normal((3, 5))
    which = np.repeat([0, 1, 2], 50)
    Z = centres[which] + 0.1 * rng.standard_normal((150, 5))
    parts, _ = decompose(np.arange(150), Z, 3, seed=1)
    assert all(len(set(which[part])) == 1 for part in parts)


@pytest.mark.parametrize("kind", DECOMPOSITIONS)
def test_coordinates_stay_when_documents_are_added(kind):
    corpus = make_documents(60, 40, 5, random_state=0)
    X = sp.csr_matrix(corpus.X, dtype=np.float64)
    rows = np.arange(0, 30, 2)
    first = Coordinates(kind, X[:30], read_labels(corpus.y[:30]), 3)
    later = Coordinates(kind, X, read_labels(corpus.y), 3, first.counts)
    keys = [coordinates.of(rows, 1, 0) for coordinates in (first, later)]
    np.testing.assert_allclose(keys[0], keys[1], atol=1e-12)


def test_the_distance_is_that_of_the_paper():
    X = np.random.default_rng(0).standard_normal((6, 4))
    labels = read_labels(np.array([0, 1] * 3))
    found = Coordinates("hyperplane", sp.csr_matrix(X), labels, 0).of(np.arange(6), 0, 0)
    np.testing.assert_allclose(found, [oracle.distance(x) for x in X])


def test_classes_go_by_the_rarest_other_label():
    Y = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 0]])
    coordinates = Coordinates("classes", sp.csr_matrix(np.eye(5)), read_labels(Y), 0)
    rows = np.arange(5)
    assert np.floor(coordinates.of(rows, 0, 0)).tolist() == [1, 2, -1, -1, 1]
    assert np.floor(coordinates.of(rows, 2, 0)).tolist() == [1, 0, 0, -1, 1]
    named = Coordinates("classes", sp.csr_matrix(np.eye(5)), read_labels(np.array([*"abcca"])), 0)
    assert np.floor(named.of(rows, 0, 1)).tolist() == [-1, 1, 2, 2, -1]


@pytest.mark.parametrize(
    ("n_yes", "n_no", "modules", "expected"),
    [
        # The numbers of modules of Tables 2 and 3, for the labels of RCV1.
        (3449, 19700, 3, (1, 3)),
        (3449, 19700, 7, (1, 7)),
        (3449, 19700, 20, (2, 10)),
        (3449, 19700, 26, (2, 13)),
        (10786, 12363, 30, (5, 6)),
        (5440, 17709, 24, (3, 8)),
        (19700, 3449, 7, (7, 1)),
        (10, 10, (3, 4), (3, 4)),
        (10, 10, 1_000_000, (1000, 1000)),
        (10, 90, 999_983, (1, 999_983)),  # a prime
    ],
)
def test_numbers_of_modules_follow_the_balance_of_a_label(n_yes, n_no, modules, expected):
    assert numbers_of_parts(n_yes, n_no, n_yes + n_no, modules, (None, None)) == expected


def test_sizes_are_the_largest_allowed():
    assert numbers_of_parts(2001, 9000, 11001, None, (2000, 3000)) == (2, 3)
    assert numbers_of_parts(2001, 9000, 11001, None, (None, 0.1)) == (1, 9)
    assert numbers_of_parts(20, 90, 110, None, (0.1, 0.1)) == (1, 1)
    assert not any(map(PART_SIZE.holds, (0, 1.5, -3, 0.0)))
    assert not any(map(MODULES.holds, (0, (1, 2, 3), (0, 1), (1.5, 2))))


def test_numbers_of_modules_have_a_bound():
    assert all(map(MODULES.holds, (1_000_000, (1000, 1000), [1_000_000], np.array([4, 5], dtype=np.int8))))
    # The product does not wrap around in 64 bits, nor in those of the array.
    huge = (1_000_001, 10**400, (1001, 1000), (2**40, 2**40), np.array([2**32, 2**32]), [10**400])
    assert not any(map(MODULES.holds, huge))
    with pytest.raises(ValueError, match="modules must be a whole number from 1 to 1000000, a pair with"):
        MinMaxSVM(modules=2**61 - 1).fit([[1.0], [2.0]], [0, 1])
