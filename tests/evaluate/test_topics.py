"""Average precision of pairs and clustering accuracy: by hand, and against literal definitions."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import average_precision_score
from sklearn.metrics.pairwise import cosine_similarity

from textensor.evaluate import clustering_accuracy, pair_average_precision, topics


def at_angles(*degrees):
    return np.column_stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def test_pair_average_precision_by_hand():
    # Angles 0, 10, 30, 70 with topics a, b, a, b. Pairs by distance of angles, nearest first:
    # 10 (0,1) cross, 20 (1,2) cross, 30 (0,2) a-a, 40 (2,3) cross, 60 (1,3) b-b, 70 (0,3) cross
    # precision 1/3 at the third pair, 2/5 at the fifth: mean 11/30
    assert pair_average_precision(at_angles(0, 10, 30, 70), list("abab")) == pytest.approx(11 / 30)
    # Length does not matter
    lengths = np.array([[1.0], [5.0], [0.1], [2.0]])
    assert pair_average_precision(lengths * at_angles(0, 10, 30, 70), list("abab")) == pytest.approx(11 / 30)


def test_ties_share_the_last_rank():
    # All pairs at cosine 1: one pair of one topic among three, wherever it stands
    assert pair_average_precision(np.ones((3, 2)), ["a", "a", "b"]) == pytest.approx(1 / 3)
    assert pair_average_precision(np.ones((3, 2)), ["a", "b", "a"]) == pytest.approx(1 / 3)
    # The same direction at lengths that do not round alike is a tie as well
    Z = np.array([[0.1, 0.3], [0.7, 2.1], [1e-9, 3e-9], [1.1, 3.3]])
    assert pair_average_precision(Z, list("aabb")) == pytest.approx(1 / 3)


def test_one_topic_and_zero_rows():
    assert pair_average_precision(np.zeros((4, 3)), [1, 1, 1, 1]) == 1
    assert pair_average_precision(np.zeros((4, 3)), [1, 1, 2, 2]) == pytest.approx(2 / 6)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix, np.float32])
def test_containers(container):
    rng = np.random.default_rng(0)
    Z, y = rng.poisson(0.5, size=(60, 8)).astype(float), rng.integers(4, size=60)
    assert pair_average_precision(container(Z), y) == pytest.approx(pair_average_precision(Z, y), abs=1e-6)


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(1)
    Z, y = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    whole = pair_average_precision(Z, y)
    monkeypatch.setattr(topics, "BLOCK_ENTRIES", 100)
    assert pair_average_precision(Z, y) == pytest.approx(whole, abs=1e-12)


def test_refusals(monkeypatch):
    with pytest.raises(ValueError, match="No two documents share a topic"):
        pair_average_precision(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="inconsistent"):
        pair_average_precision(np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="NaN"):
        pair_average_precision([[np.nan], [1.0]], [0, 0])
    monkeypatch.setattr(topics, "MAX_TOPIC_PAIRS", 5)
    with pytest.raises(ValueError, match="6 pairs share a topic, 5 are the limit"):
        pair_average_precision(np.eye(4), [0, 0, 0, 0])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 25), st.integers(1, 4))
def test_it_is_scikit_learns_average_precision_over_all_pairs(seed, n, n_topics):
    rng = np.random.default_rng(seed)
    Z = rng.integers(-1, 3, size=(n, 3)).astype(float)  # many ties
    y = np.r_[0, 0, rng.integers(n_topics, size=n - 2)]
    cosines = cosine_similarity(Z).round(10)
    pairs = list(combinations(range(n), 2))
    expected = average_precision_score([y[i] == y[j] for i, j in pairs], [cosines[i, j] for i, j in pairs])
    assert pair_average_precision(Z, y) == pytest.approx(expected)
    shuffled = rng.permutation(n)
    assert pair_average_precision(Z[shuffled], y[shuffled]) == pytest.approx(expected)


def test_clustering_accuracy_by_hand():
    truth = ["a"] * 4 + ["b"] * 3 + ["c"] * 3
    #            cluster:  1  2  3
    # a (4 documents)      3  1  0
    # b (3)                2  1  0
    # c (3)                0  1  2
    clusters = [1, 1, 1, 2, 1, 1, 2, 3, 3, 2]
    # a-1, b-2, c-3 gives 3 + 1 + 2 = 6; b-1, a-2, c-3 gives 2 + 1 + 2 = 5; the majority of each cluster
    # (a, any, c) cannot do better one to one
    assert clustering_accuracy(truth, clusters) == pytest.approx(6 / 10)


def test_greedy_matching_would_lose():
    # rows a, b against clusters 1, 2: [[5, 4], [4, 0]]; taking the 5 first gives 5, the best is 4 + 4
    truth = ["a"] * 9 + ["b"] * 4
    clusters = [1] * 5 + [2] * 4 + [1] * 4
    assert clustering_accuracy(truth, clusters) == pytest.approx(8 / 13)


def test_unequal_numbers():
    # three clusters for two topics: 2 + 2 of 6, one cluster is left over
    assert clustering_accuracy(list("aaabbb"), [0, 0, 2, 1, 1, 2]) == pytest.approx(4 / 6)
    # one cluster for three topics: the largest topic
    assert clustering_accuracy(list("aabc"), [0, 0, 0, 0]) == pytest.approx(2 / 4)
    assert clustering_accuracy([1], ["x"]) == 1
    with pytest.raises(ValueError, match="no documents"):
        clustering_accuracy([], [])
    with pytest.raises(ValueError, match="inconsistent"):
        clustering_accuracy([1, 2], [1])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_clustering_accuracy_is_the_best_of_all_permutations(pairs):
    truth, clusters = np.array(pairs).T
    best = max((np.array(mapping)[clusters] == truth).mean() for mapping in permutations(range(4)))
    assert clustering_accuracy(truth, clusters) == pytest.approx(best)
