"""A race of candidates within a budget of time: those that fall behind beyond the noise drop out.

Each candidate is scored on one held-out fold. One that is behind the leader by more than the noise is
dropped, and the others go on to the next fold. Among those within one standard error of the best at the end,
and at most half a point behind it, the smallest model wins.
"""

import time
import warnings
from collections.abc import Sequence

import numpy as np

from textensor.base.arrays import Floats
from textensor.base.plain import counted
from textensor.base.progress import Progress, TimeUpError, time_limit
from textensor.evaluate import F1Scores
from textensor.evaluate.f1 import mean_f1, micro_f1
from textensor.workbench.choice.selection import Candidate, HeldOut

#: Standard errors behind the leader at which a candidate is dropped after a fold.
BEHIND = 2.0
#: How far behind the best the chosen candidate may be for the sake of a smaller model.
NEAR = 0.005
#: Draws that standard errors come from.
N_DRAWS = 200
#: Fitting all documents takes so many times as long as fitting those of a fold, two thirds of them.
WHOLE = 1.5

TOO_SLOW = "too slow for the time that is left"


class Race:
    """A search over candidates, in order: the quick and strong ones come first.

    Parameters
    ----------
    candidates : sequence of Candidate
        The candidates.
    try_out : HeldOut
        Scores a candidate on a fold.
    time_budget : float
        Seconds from ``start`` until the chosen candidate is fitted to all documents.
    start : float
        When the time began, by ``time.monotonic()``.
    progress : callable
        Told of each step.

    Attributes
    ----------
    tried : list of Candidate
        Those that were tried, in order.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        try_out: HeldOut,
        *,
        time_budget: float,
        start: float,
        progress: Progress,
    ) -> None:
        self.candidates, self.try_out, self.progress = candidates, try_out, progress
        self.budget, self.end = time_budget, start + time_budget
        self.tried: list[Candidate] = []
        self._standings: dict[int, list[tuple[float, Floats]]] = {}

    def run(self, last_resort: Candidate) -> Candidate:
        """Return the chosen candidate: ``last_resort`` if there is no time for any other."""
        self._first_fold()
        for number in range(1, len(self.try_out.folds)):
            for candidate in sorted(self._racing(), key=lambda one: -one.figure):
                if not candidate.problem:
                    self._try(candidate, number)
        racing = self._racing()
        if racing:
            return self._smallest(racing)
        if not any(candidate.problem == TOO_SLOW for candidate in self.tried):
            raise ValueError(f"No method could be tried: {self.tried[0].problem}")
        self.progress(
            f"The time budget of {self.budget:g} s is too short for a search: {last_resort.method.name}, the "
            "quickest method, is taken."
        )
        if all(candidate is not last_resort for candidate in self.tried):
            self._try(last_resort, 0)
        return last_resort

    def _first_fold(self) -> None:
        """Try all candidates on one fold, as far as the time goes."""
        for number, candidate in enumerate(self.candidates):
            if self._is_out(candidate):
                continue
            if self.tried and (self.tried[0].problem == TOO_SLOW or self._spare(candidate) <= 0):
                # The quickest candidate comes first, so no other would be done in time.
                others = [one for one in self.candidates[number:] if not self._is_out(one)]
                if self._racing():
                    self.progress(f"The time budget leaves no time for {counted(len(others), 'candidate')}.")
                return
            self._try(candidate, 0)

    def _racing(self) -> list[Candidate]:
        """Return the candidates that have a result and were not dropped."""
        return [candidate for candidate in self.tried if candidate.tested and not candidate.problem]

    def _is_out(self, candidate: Candidate) -> bool:
        """Say whether the method, or the method with these settings, is out on the features tried so far."""
        same = [other for other in self.tried if other.method.name == candidate.method.name]
        mine = candidate.settings, candidate.embedding
        alike = [other for other in same if (other.settings, other.embedding) == mine]
        return any(group and all(map(_is_behind, group)) for group in (same, alike))

    def _try(self, candidate: Candidate, number: int) -> None:
        """Score a candidate on one more fold, if there is time for it and for what comes after."""
        spare = self._spare(candidate)
        if number == 0:
            self.tried.append(candidate)
        elif candidate.seconds > spare:
            return
        began = time.perf_counter()
        try:
            with warnings.catch_warnings(), time_limit(max(spare, 0.0)):
                warnings.simplefilter("ignore")  # the chosen one is fitted once more, and may warn then
                self.try_out(candidate, number)
        except (TimeUpError, ValueError) as error:
            if number == 0:
                candidate.problem = TOO_SLOW if isinstance(error, TimeUpError) else str(error)
                self.progress(f"{candidate.title()}: {candidate.problem}")
            return
        f1 = candidate.f1
        assert f1 is not None  # noqa: S101
        self._standings.setdefault(id(candidate), []).append((candidate.figure, drawn_figures(f1)))
        folds = f"{number + 1} of {len(self.try_out.folds)} folds, {time.perf_counter() - began:.1f} s"
        self.progress(f"{candidate.title()}: micro-F1 {f1.micro:.3f}, macro-F1 {f1.macro:.3f} ({folds})")
        best = self._best()
        for other in self._racing():
            behind, error_of_it = self._difference(best, other)
            if behind > BEHIND * error_of_it:
                other.problem = f"{behind:.3f} behind {best.title()}"

    def _spare(self, candidate: Candidate) -> float:
        """Return how many seconds a candidate may take on a fold."""
        left = self.end - time.monotonic()
        # A candidate that takes more than this could not be fitted to all documents afterwards.
        most = left / (1 + WHOLE)
        if not self._racing():
            return most
        leader = self._best()
        folds = len(self.try_out.folds) - len(leader.tested) if leader is not candidate else 0
        return min(most, left - (folds + WHOLE) * leader.seconds)

    def _best(self) -> Candidate:
        """Return the leader, on the folds that all who race have."""
        racing = self._racing()
        common = min(len(candidate.tested) for candidate in racing)
        return max(racing, key=lambda one: self._standings[id(one)][common - 1][0])

    def _difference(self, first: Candidate, second: Candidate) -> tuple[float, float]:
        """Return how far the first is ahead on the folds that both have, and the standard error of that."""
        both = [self._standings[id(candidate)] for candidate in (first, second)]
        common = min(map(len, both))
        (figure, draws), (other, others) = (standings[common - 1] for standings in both)
        return figure - other, float(np.std(draws - others))

    def _is_near(self, best: Candidate, other: Candidate) -> bool:
        """Return whether a candidate is as good as the best one, as far as can be told."""
        behind, error = self._difference(best, other)
        return behind <= min(error, NEAR)

    def _smallest(self, racing: list[Candidate]) -> Candidate:
        """Return the smallest of those within one standard error and half a point of the best, and say so."""
        best = self._best()
        near = [one for one in racing if self._is_near(best, one)]
        chosen = min(near, key=lambda one: (one.size, -one.figure))
        why = f"the best of {len(self.tried)} tried"
        if chosen is not best:
            behind, error = self._difference(best, chosen)
            smaller = f"{best.size / max(chosen.size, 1):.1f} times smaller"
            if best.embedding and not chosen.embedding:
                smaller = "without the embedding"
            why = (
                f"{behind:.3f} behind {best.title()}, within one standard error ({error:.3f}), and {smaller}"
            )
        self.progress(f"Chosen: {chosen.title()}, {why}.")
        return chosen


def _is_behind(candidate: Candidate) -> bool:
    """Say whether a candidate was dropped for its figure or its time, and not for an error."""
    return candidate.problem == TOO_SLOW or bool(candidate.problem and candidate.tested)


def drawn_figures(f1: F1Scores) -> Floats:
    """Return the mean of micro-F1 and macro-F1 in draws of a Bayesian bootstrap, always the same draws.

    Each document gets a random weight above 0, so no label is ever lost in a draw.
    """
    weights = np.random.default_rng(0).exponential(size=(N_DRAWS, f1.n_documents))
    counts = [weights @ matrix.astype(np.float64) for matrix in (f1.hits, f1.assigned, f1.truth)]
    return (micro_f1(*counts) + mean_f1(*counts)) / 2
