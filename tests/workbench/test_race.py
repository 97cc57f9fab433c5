"""The race of candidates: who drops out, who wins, and what happens when time is short."""

from itertools import count

import numpy as np
import pytest

from textensor.base.progress import TimeUpError
from textensor.evaluate import f1_by_argmax
from textensor.workbench.choice import race as module
from textensor.workbench.choice.race import TOO_SLOW, Race, drawn_figures
from textensor.workbench.choice.selection import EMBEDDING, Candidate, FoldScores
from textensor.workbench.methods import METHODS

N = 300
TRUTH = np.arange(N) % 3
FOLDS = [(np.flatnonzero(np.arange(N) % 5 != k), np.flatnonzero(np.arange(N) % 5 == k)) for k in range(3)]


def scores(accuracy, seed):
    """Return scores that are right on a share of the documents."""
    random = np.random.default_rng(seed)
    wrong = random.permutation(N) >= round(accuracy * N)
    said = np.where(wrong, (TRUTH + 1) % 3, TRUTH)
    return np.eye(3)[said]


class Fake:
    """Stands in for HeldOut: candidates have scores, a size, and seconds by a clock that is set by hand."""

    folds = FOLDS

    def __init__(self, clock, **about):
        self.clock, self.about, self.calls = clock, about, []

    def __call__(self, candidate, number):
        name = candidate.features
        self.calls.append((name, number))
        found = self.about[name]
        if isinstance(found, Exception):
            raise found
        accuracy, size, seconds = found
        self.clock.now += seconds
        if self.clock.now > self.clock.limit:
            raise TimeUpError("The time limit is reached.")
        test = self.folds[number][1]
        candidate.tested.append(FoldScores(test, scores(accuracy, seed=len(name))[test]))
        rows = candidate.scored.rows
        candidate.f1 = f1_by_argmax(TRUTH[rows], candidate.scored.scores)
        candidate.seconds, candidate.size = seconds, size


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.now, self.limit = 0.0, float("inf")

    def monotonic(self):
        return self.now

    perf_counter = monotonic


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)

    class Limit:
        def __init__(self, seconds):
            self.end = clock.now + seconds

        def __enter__(self):
            clock.limit = self.end

        def __exit__(self, *error):
            clock.limit = float("inf")

    monkeypatch.setattr(module, "time_limit", Limit)
    return clock


def candidates(*names, method="svm"):
    return [
        Candidate(METHODS[method], {"C": float(k)}, name) for k, name in zip(count(1), names, strict=False)
    ]


def run(clock, about, *, budget=1000.0, plan=None):
    said, fake = [], Fake(clock, **about)
    race = Race(
        plan or candidates(*(name for name in about if name != "last")),
        fake,
        time_budget=budget,
        start=0.0,
        progress=lambda message, *_: said.append(message),
    )
    chosen = race.run(Candidate(METHODS["centroid"], {}, "last"))
    return chosen.features, race, fake, said


def test_the_best_wins_and_the_others_drop_out_after_one_fold(clock):
    chosen, race, fake, said = run(clock, {"a": (0.5, 10, 1), "bb": (0.9, 100, 1), "ccc": (0.6, 1, 1)})
    assert chosen == "bb"
    assert fake.calls == [("a", 0), ("bb", 0), ("ccc", 0), ("bb", 1), ("bb", 2)]
    assert race.tried[0].problem.startswith("0.") and "behind svm on bb (C=2.0)" in race.tried[0].problem
    assert said[-1] == "Chosen: svm on bb (C=2.0), the best of 3 tried."


def test_the_smallest_wins_among_those_within_one_standard_error(clock, monkeypatch):
    monkeypatch.setattr(module, "NEAR", 0.05)  # documents are few, so differences are large
    chosen, _, fake, said = run(clock, {"a": (0.80, 1000, 1), "bb": (0.79, 10, 1), "ccc": (0.78, 500, 1)})
    assert chosen == "bb"
    assert fake.calls[-1][1] == 2
    assert "within one standard error" in said[-1] and "100.0 times smaller" in said[-1]


def test_half_a_point_is_the_most_that_a_smaller_model_may_cost(clock):
    chosen, race, *_ = run(clock, {"a": (0.80, 10, 1), "bb": (0.83, 1000, 1)})
    small, large = race.tried
    behind, error = race._difference(large, small)
    assert module.NEAR < behind < error  # within the noise, and still the better one is taken
    assert chosen == "bb"


def test_a_model_that_needs_no_embedding_is_smaller_than_any_that_does(clock, monkeypatch):
    monkeypatch.setattr(module, "NEAR", 0.05)  # documents are few, so differences are large
    plan = [
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "a", embedding=True),
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "bb"),
    ]
    chosen, _, _, said = run(clock, {"a": (0.80, EMBEDDING + 10, 1), "bb": (0.79, 500, 1)}, plan=plan)
    assert chosen == "bb"
    assert said[-1].endswith("), and without the embedding.")


def test_an_embedding_that_dropped_out_is_not_tried_on_other_features(clock):
    plan = [
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "a"),
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "bb", embedding=True),
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "ccc"),
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "dddd", embedding=True),
    ]
    about = {"a": (0.9, 1, 1), "bb": (0.4, 1, 1), "ccc": (0.9, 1, 1), "dddd": (0.99, 1, 1)}
    _, race, *_ = run(clock, about, plan=plan)
    assert [one.features for one in race.tried] == ["a", "bb", "ccc"]


def test_equal_ones_of_one_size_fall_to_the_better(clock):
    chosen, race, *_ = run(clock, {"a": (0.80, 10, 1), "bb": (0.82, 10, 1)})
    assert not any(one.problem for one in race.tried)
    assert chosen == max(race.tried, key=lambda one: one.figure).features


def test_a_method_that_dropped_out_is_not_tried_on_other_features(clock):
    plan = [
        Candidate(METHODS["svm"], {"C": 1.0}, "a"),
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "bb"),
        Candidate(METHODS["semantic-svm"], {"C": 10.0}, "ccc"),
        Candidate(METHODS["svm"], {"C": 1.0}, "dddd"),
        Candidate(METHODS["semantic-svm"], {"C": 1.0}, "eeeee"),
        Candidate(METHODS["semantic-svm"], {"C": 10.0}, "ffffff"),
    ]
    about = {
        "a": (0.4, 1, 1),  # svm drops out
        "bb": (0.9, 1, 1),
        "ccc": (0.5, 1, 1),  # C=10 drops out
        "dddd": (0.99, 1, 1),
        "eeeee": (0.91, 1, 1),
        "ffffff": (0.99, 1, 1),
    }
    _, race, *_ = run(clock, about, plan=plan)
    assert [one.features for one in race.tried] == ["a", "bb", "ccc", "eeeee"]


def test_a_candidate_that_cannot_be_tried_says_why(clock):
    chosen, race, *_ = run(clock, {"a": ValueError("no axes"), "bb": (0.9, 1, 1)})
    assert chosen == "bb"
    assert race.tried[0].problem == "no axes"
    with pytest.raises(ValueError, match="No method could be tried: no axes"):
        run(clock, {"a": ValueError("no axes")})


def test_a_slow_candidate_is_cut_off_in_time_to_fit_the_leader(clock):
    chosen, race, _, said = run(clock, {"a": (0.8, 1, 5), "bb": (0.99, 1, 50)}, budget=60.0)
    assert chosen == "a"
    assert race.tried[1].problem == TOO_SLOW
    # Three folds of 5 s, fitting 7.5 s more, and the slow one had what was left of 60 s.
    assert len(race.tried[0].tested) >= 1
    assert clock.now <= 60.0 + 50.0
    assert any("too slow" in one for one in said)


def test_if_the_quickest_candidate_is_too_slow_the_last_resort_is_taken(clock):
    chosen, _, fake, said = run(
        clock, {"a": (0.8, 1, 30), "bb": (0.9, 1, 40), "last": (0.6, 1, 1)}, budget=60.0
    )
    assert chosen == "last"
    assert fake.calls == [("a", 0), ("last", 0)]
    assert any("too short for a search: centroid, the quickest method, is taken" in one for one in said)


def test_no_time_at_all_leaves_the_last_resort_without_figures(clock):
    chosen, race, *_ = run(clock, {"a": (0.8, 1, 1), "last": (0.6, 1, 1)}, budget=0.0)
    assert chosen == "last"
    assert race.tried[-1].tested == []


def test_folds_are_left_out_if_time_is_short(clock):
    chosen, _, fake, _ = run(clock, {"a": (0.8, 1, 20)}, budget=60.0)
    assert chosen == "a"
    assert fake.calls == [("a", 0)]  # a second fold would leave no time to fit all documents


def test_draws_have_the_spread_of_a_bootstrap():
    f1 = f1_by_argmax(TRUTH, scores(0.8, 0))
    draws = drawn_figures(f1)
    assert abs(draws.mean() - 0.8) < 0.01
    assert draws.std() == pytest.approx(np.sqrt(0.8 * 0.2 / N), rel=0.25)
    np.testing.assert_array_equal(draws, drawn_figures(f1))
