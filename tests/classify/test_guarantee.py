from dataclasses import dataclass

import numpy as np
import pytest
import scipy.linalg
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from textensor.classify import TensorClassifier
from textensor.classify.tensor.guarantee import (
    column_error_bound,
    excess_bounds,
    weight_arrangement_error_bound,
)
from textensor.learn import Hinge, rows_of
from textensor.space import Arrangement, TermTensors

LAWS = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "heavy": lambda rng, n: rng.standard_cauchy(n),
    "sparse": lambda rng, n: rng.standard_normal(n) * (rng.random(n) < 0.2),
    "ties": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "one sign": lambda rng, n: rng.random(n) + 0.1,
    "negative": lambda rng, n: -rng.random(n),
    "mostly negative": lambda rng, n: rng.random(n) - 0.9,
    "zero": lambda rng, n: np.zeros(n),
}
SEEDS = st.integers(0, 2**32 - 1)


def tail(W, rank):
    return float((np.linalg.svd(W, compute_uv=False)[rank:] ** 2).sum())


def grid_of(w, arrangement):
    W = np.zeros(arrangement.shape_)
    W[arrangement.indices()] = w
    return W


def arranged_by_weight(w, n_rows, spare_columns=0):
    shape = (n_rows, -(-len(w) // n_rows) + spare_columns)
    return Arrangement("weight", shape=shape, weights=w).fit(np.zeros((1, len(w))))


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.sampled_from(sorted(LAWS)), st.integers(1, 80), st.integers(1, 12), st.integers(0, 2))
def test_arranged_by_weight_any_weights_are_within_the_bounds(seed, law, n_terms, n_rows, spare_columns):
    w = LAWS[law](np.random.default_rng(seed), n_terms)
    W = grid_of(w, arranged_by_weight(w, n_rows, spare_columns))
    rounding = 1e-12 * (w @ w)
    by_means = ((W - W.mean(axis=0)) ** 2).sum()
    assert tail(W, 1) <= by_means + rounding
    assert by_means <= column_error_bound(W) + rounding
    for rank in range(1, min(W.shape) + 2):
        assert tail(W, rank) <= column_error_bound(W, rank) + rounding
        assert tail(W, rank) <= weight_arrangement_error_bound(w, n_rows, rank) + rounding


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.sampled_from(sorted(LAWS)), st.integers(1, 80), st.integers(1, 12), st.integers(1, 5))
def test_the_ranges_of_the_columns_bear_out_the_bound_by_the_largest(seed, law, n_terms, n_rows, rank):
    w = LAWS[law](np.random.default_rng(seed), n_terms)
    W = grid_of(w, arranged_by_weight(w, n_rows))
    capped = min(column_error_bound(W, rank), w @ w)
    assert capped <= weight_arrangement_error_bound(w, n_rows, rank) * (1 + 1e-12)


def test_negative_weights_in_the_pool_can_count_twice():
    w = np.array([1.0, 1.0, -1.0, -1.0])
    W = grid_of(w, arranged_by_weight(w, 3))
    np.testing.assert_array_equal(W, [[1, -1], [1, 0], [-1, 0]])
    assert np.ptp(W, axis=0).sum() == 3  # more than max(w) + max(-w)
    assert column_error_bound(W) == 3.75
    assert 3.75 <= weight_arrangement_error_bound(w, 3) <= w @ w


def test_the_bound_by_the_largest_falls_with_the_number_of_columns_and_the_rank():
    w = np.random.default_rng(0).standard_normal(10_000)
    bounds = [weight_arrangement_error_bound(w, 10_000 // n2) for n2 in (100, 200, 400)]
    np.testing.assert_allclose(np.divide(bounds[1:], bounds[:-1]), 0.5, rtol=0.01)
    ranks = [weight_arrangement_error_bound(w, 100, rank) for rank in (1, 2, 3, 5)]
    np.testing.assert_allclose(np.divide(ranks, ranks[0]), [1, 1 / 4, 1 / 8, 1 / 16])


def test_half_of_each_column_at_either_end_meets_the_bound_by_ranges():
    W = np.repeat([[1.0, -2.0], [3.0, -8.0]], 3, axis=0)
    assert ((W - W.mean(axis=0)) ** 2).sum() == pytest.approx(column_error_bound(W))


def test_without_the_arrangement_there_is_no_such_bound():
    W = scipy.linalg.hadamard(16).astype(float)
    assert tail(W, 3) == pytest.approx((1 - 3 / 16) * 256)
    by_weight = grid_of(W.ravel(), arranged_by_weight(W.ravel(), 16))
    assert tail(by_weight, 1) <= 16
    assert tail(by_weight, 2) == pytest.approx(0)


def test_a_single_weight_leaves_nothing_to_promise():
    w = np.eye(1, 100)[0]
    assert weight_arrangement_error_bound(w, 10, 2) == 10 / 16
    assert weight_arrangement_error_bound(w, 50) == 1.0
    assert column_error_bound(grid_of(w, arranged_by_weight(w, 10)), 2) == 0.0


@dataclass
class Fine(Hinge):
    """The hinge learner, every half-step solved as finely as its epochs allow."""

    max_epochs: int = 20_000

    def solve(self, rows, y, weight, **options):
        return super().solve(rows, y, weight, **{**options, "tol": 1e-9})


def objective(X, y, w, b, C, weight):
    return (w @ w + b * b) / 2 + C * (weight @ np.maximum(1 - y * (X @ w + b), 0))


def question(seed, n=30, p=24):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.5, size=(n, p)) * rng.random((n, p))
    y = np.where(X @ rng.standard_normal(p) + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return X, y, rng.random(n) * 2


def vector_solution(X, y, C, weight):
    """Return weights, intercept, objective and duality gap: a degenerate dual is slow to close it."""
    found = Fine(C).solve(rows_of(X), y, weight)
    w, b = found.weights, found.intercept
    primal = objective(X, y, w, b, C, weight)
    return w, b, primal, max(primal - found.state.sum() + (w @ w + b * b) / 2, 0.0)


def alternation(X, y, W, rank, C, weight, arrangement, sweeps=5):
    """Alternate over dense grids from the leading right vectors of W; return objectives and gaps."""
    cells = arrangement.indices()
    grids = np.zeros((len(X), *W.shape))
    grids[:, cells[0], cells[1]] = X
    held = np.linalg.svd(W, full_matrices=False)[2][:rank].T
    values, gaps = [], []
    for _ in range(2 * sweeps):
        weights, _, value, gap = vector_solution((grids @ held).reshape(len(X), -1), y, C, weight)
        values.append(value)
        gaps.append(gap)
        held = np.linalg.qr(weights.reshape(grids.shape[1], -1))[0]
        grids = grids.transpose(0, 2, 1)
    return np.array(values), np.array(gaps)


ARRANGEMENTS = {
    "given": lambda w: Arrangement("given", shape=(6, 4)).fit(np.zeros((1, len(w)))),
    "padded": lambda w: Arrangement("given", shape=(5, 7)).fit(np.zeros((1, len(w)))),
    "weight": lambda w: arranged_by_weight(w, 6),
}


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from(sorted(ARRANGEMENTS)), st.integers(1, 3), st.sampled_from([0.05, 1.0, 20.0]))
def test_the_best_of_a_rank_lies_between_the_bounds(seed, kind, rank, C):
    X, y, weight = question(seed)
    w, b, best, gap = vector_solution(X, y, C, weight)
    arrangement = ARRANGEMENTS[kind](w)
    bounds = excess_bounds(X, y, w, b, arrangement, rank=rank, C=C, sample_weight=weight, gap=gap)
    W = grid_of(w, arrangement)
    assert bounds.tail == pytest.approx(tail(W, rank), abs=1e-9)
    found, gaps = alternation(X, y, W, rank, C, weight, arrangement)
    rounding = 1e-9 * (1 + best)
    assume(gaps[0] <= 1e-3 * best)  # or there is little to see
    assert found[0] - best <= bounds.truncated + gaps[0] + rounding
    assert (np.diff(found) <= gaps[1:] + rounding).all()
    assert (bounds.lower <= found - best + rounding).all()
    assert bounds.truncated <= bounds.upper + rounding
    assert bounds.upper <= bounds.upper_by_norm + rounding


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from([0.05, 1.0, 20.0]))
def test_the_bound_on_the_error_is_one_on_the_excess(seed, C):
    X, y, _ = question(seed)
    w, b, best, gap = vector_solution(X, y, C, np.ones(len(y)))
    assume(gap <= 1e-7 * best)  # only the best weights are sure to be shorter than the sum of the documents
    arrangement = arranged_by_weight(w, 6)
    error = min(column_error_bound(grid_of(w, arrangement)), w @ w) ** 0.5
    spare = np.maximum(y * (X @ w + b) - 1, 0)
    promised = C * np.maximum(error * np.linalg.norm(X, axis=1) - spare, 0).sum() - error**2 / 2
    assert excess_bounds(X, y, w, b, arrangement, C=C).upper_by_norm <= promised + 1e-6 * best


@pytest.mark.filterwarnings("ignore:.*did not settle")  # the promise holds after every half-step
@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from([0.05, 1.0, 20.0]))
def test_the_usual_start_keeps_the_promise_for_terms_arranged_by_weight(seed, C):
    X, y, _ = question(seed)
    assume(len(set(y)) == 2)
    ones = np.ones(len(y))
    w, b, best, gap = vector_solution(X, y, C, ones)
    arrangement = arranged_by_weight(w, 6)
    W = grid_of(w, arrangement)
    E = W - W.mean(axis=0)
    felt = np.abs(X @ E[arrangement.indices()])
    spare = np.maximum(y * (X @ w + b) - 1, 0)
    promised = C * np.maximum(felt - spare, 0).sum() - (E**2).sum() / 2
    first = vector_solution(TermTensors(X, arrangement).contract(1, np.full(6, 6**-0.5)), y, C, ones)
    assume(first[3] <= 1e-3 * best)
    assert first[2] - best <= promised + first[3] + 1e-9 * (1 + best)
    model = TensorClassifier(
        Fine(C), shape=arrangement.shape_, arrangement=arrangement.permutation_, max_iter=100
    ).fit(X, y)
    history = np.array(model.objective_history_[0])
    assert history[0] == pytest.approx(first[2], rel=1e-3)
    assert (history - best <= promised + (history[0] - first[2]) + first[3] + 1e-9 * (1 + best)).all()
    # What is close in the objective is close in every decision, for the objective is strongly convex.
    away = np.sqrt(2 * (history[-1] - best + gap)) + np.sqrt(2 * gap)
    reach = (away + 1e-9) * np.sqrt((X**2).sum(axis=1) + 1)
    assert (np.abs(model.decision_function(X) - X @ w - b) <= reach).all()


def test_where_no_margin_is_crossed_the_lower_bound_is_met():
    X, y, _ = question(0)
    C = 1e-3  # so little that every document stays within the margin
    w, b, _, gap = vector_solution(X, y, C, np.ones(len(y)))
    bounds = excess_bounds(X, y, w, b, ARRANGEMENTS["given"](w), C=C)
    assert gap < 1e-12
    assert bounds.tail > 0
    assert bounds.truncated == pytest.approx(bounds.lower, rel=1e-6)


def test_weights_that_are_not_the_best_lower_the_lower_bound_only():
    X, y, _ = question(1)
    w, b, *_ = vector_solution(X, y, 1.0, np.ones(len(y)))
    arrangement = ARRANGEMENTS["given"](w)
    exact = excess_bounds(X, y, w, b, arrangement)
    loose = excess_bounds(X, y, w, b, arrangement, gap=0.01)
    assert exact._replace(lower=0) == loose._replace(lower=0)
    assert loose.lower == pytest.approx((exact.tail**0.5 - 0.02**0.5) ** 2 / 2 - 0.01)
    assert excess_bounds(X, y, w, b, arrangement, gap=1e9).lower == -1e9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [0.0, 1.0]}, "y must be 1 for yes and -1 for no"),
        ({"weights": np.ones(5)}, r"weights of shape \(5,\) for the arrangement of 6 terms"),
        ({"arrangement": Arrangement("given", shape=(3, 2, 1))}, "not order 3"),
        ({"rank": 0}, "rank must be a whole number of 1 or more, not 0"),
    ],
)
def test_wrong_input_is_said_in_a_sentence(change, message):
    X = np.ones((2, 6))
    values = {
        "weights": np.ones(6),
        "arrangement": Arrangement("given"),
        "y": [1.0, -1.0],
        "rank": 1,
    } | change
    arrangement = values["arrangement"].fit(X)
    with pytest.raises(ValueError, match=message):
        excess_bounds(X, values["y"], values["weights"], 0.0, arrangement, rank=values["rank"])


def test_ranks_and_rows_below_1_are_refused():
    with pytest.raises(ValueError, match="rank must be a whole number of 1 or more, not 0"):
        weight_arrangement_error_bound([1.0], 3, rank=0)
    with pytest.raises(ValueError, match="n_rows must be a whole number of 1 or more, not 0"):
        weight_arrangement_error_bound([1.0], 0)
    with pytest.raises(ValueError, match="order 1"):
        column_error_bound([1.0])
    assert weight_arrangement_error_bound([], 3) == 0.0
