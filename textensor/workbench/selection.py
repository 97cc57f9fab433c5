"""Which method for these documents: scores on held-out folds, and a search within a budget of time."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.store import Store, digest
from textensor.classify.thresholds import N_FOLDS, folds, tune_threshold
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment
from textensor.workbench.categories import Categories
from textensor.workbench.methods import Method

__all__ = ["Candidate", "HeldOut", "fit_estimator", "held_out_f1", "scorer", "search", "thresholds"]

Floats = npt.NDArray[np.float64]


@dataclass
class Candidate:
    """A method with its settings, and how it did on held-out folds.

    Attributes
    ----------
    method, settings
        What was tried.
    scores : ndarray of shape (n_labelled, n_labels) or None
        Held-out scores.
    micro, macro : float
        F1 on them; NaN where it could not be tried.
    seconds : float
        How long it took.
    problem : str
        Why it could not be tried.
    """

    method: Method
    settings: dict[str, Any]
    scores: Floats | None = None
    micro: float = float("nan")
    macro: float = float("nan")
    seconds: float = 0.0
    problem: str = ""

    @property
    def figure(self) -> float:
        """What the search looks at: the mean of micro-F1 and macro-F1."""
        return -1.0 if self.problem else (self.micro + self.macro) / 2

    def title(self) -> str:
        """Return the name and the settings."""
        settings = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.method.name} ({settings})" if settings else self.method.name

    def as_data(self) -> dict[str, Any]:
        """Return what is kept in the model."""
        figures = {} if self.problem else {"micro": round(self.micro, 6), "macro": round(self.macro, 6)}
        told = {"problem": self.problem} if self.problem else {}
        return {"method": self.method.name, "settings": self.settings, **figures, **told}


def fit_estimator(
    method: Method, settings: dict[str, Any], X: Any, categories: Categories, **common: Any
) -> Any:
    """Return a fitted estimator."""
    model = method.make(settings, **common)
    with warnings.catch_warnings():
        # Fewer axes than asked for is what small data gives, and nothing that its owner could mend.
        warnings.filterwarnings("ignore", message="Only .*(kept|axes|importance)")
        # Labels are numbers here, and many labels of few documents look like a regression's.
        warnings.filterwarnings("ignore", message=".*could represent a regression problem")
        return model.fit(X, categories.targets())


def scorer(model: Any, n_labels: int) -> Callable[[Any], Floats]:
    """Return a function that scores blocks of documents: what all blocks need is made once.

    Its result has a score for each document and label, above 0 for yes; NaN for labels that the model does
    not know.
    """
    if hasattr(model, "decider"):
        decide = model.decider()
    elif hasattr(model, "decision_function"):
        decide = model.decision_function
    else:

        def decide(X: Any) -> Floats:
            return model.predict_proba(X) - 0.5

    def score(X: Any) -> Floats:
        found = decide(X)
        if found.ndim == 1:
            found = np.column_stack([-found, found])
        scores = np.full((len(found), n_labels), np.nan)
        scores[:, model.classes_] = found
        return scores

    return score


def held_out(candidate: Candidate, X: Any, categories: Categories, **common: Any) -> Floats:
    """Return scores of the labelled documents, each from a model that has not seen its labels."""
    labelled = categories.labelled
    without = np.setdiff1d(np.arange(X.shape[0]), labelled, assume_unique=True)
    known = categories.rows(labelled)
    scores = np.full((len(labelled), len(categories.names)), np.nan)
    for train, test in folds(sp.csc_array(known.indicator), seed=0):
        n_yes = np.bincount(known.indicator[train].indices, minlength=len(categories.names))
        learnt = (n_yes > 0) & (n_yes < len(train))
        if np.count_nonzero(n_yes) < 2:
            continue
        rows = np.sort(np.concatenate([labelled[train], without]))
        part = categories.rows(rows)
        model = fit_estimator(candidate.method, candidate.settings, X[rows], part, **common)
        found = scorer(model, len(categories.names))(X[labelled[test]])
        scores[np.ix_(test, learnt)] = found[:, learnt]
    return scores


def scores_in(shape: tuple[int, int], arrays: dict[str, Any]) -> Floats:
    """Return the scores in a checkpoint."""
    scores: Floats = arrays["scores"]
    if scores.dtype != np.float64 or scores.shape != shape:
        raise ValueError(f"it does not hold the scores of {shape[0]} documents and {shape[1]} labels")
    return scores


@dataclass(frozen=True)
class HeldOut:
    """Held-out scores of candidates; those in a folder, which the same documents gave before, are taken.

    Attributes
    ----------
    given : callable
        Gives the documents x terms of a method, and their labels.
    store : Store
        Checkpoints.
    made_of : dict
        What scores depend on apart from the candidate.
    common : dict
        What all estimators are given.
    """

    given: Callable[[Method], tuple[Any, Categories]]
    store: Store
    made_of: dict[str, Any]
    common: dict[str, Any]

    def __call__(self, candidate: Candidate) -> Floats:
        """Return the scores of the labelled documents."""
        method = candidate.method
        X, categories = self.given(method)
        made_of = {**self.made_of, "method": repr(method), "settings": repr(candidate.settings)}
        made_of |= {"seed": self.common["random_state"], "folds": N_FOLDS}
        name = f"scores-{digest(made_of)}"
        shape = len(categories.labelled), len(categories.names)
        scores = self.store.find(name, partial(scores_in, shape))
        if scores is None:
            scores = held_out(candidate, X, categories, **self.common)
            self.store.keep(name, scores=scores)
        return scores


def thresholds(scores: Floats, truth: npt.NDArray[np.bool_]) -> Floats:
    """Return for each label the threshold of the best F1 on held-out scores (SCutFBR)."""
    return np.array([tune_threshold(scores[:, k], truth[:, k]) for k in range(scores.shape[1])])


def held_out_f1(scores: Floats, categories: Categories) -> F1Scores:
    """Return F1 on held-out scores, of the labels that have two documents or more.

    With several labels to a document, the thresholds of each fold come from the other folds: a threshold is
    never judged on the documents that it was tuned on.
    """
    measurable = categories.names[categories.counts > 1]
    if not len(measurable):
        measurable = categories.names
    if not categories.several:
        known = np.where(np.isnan(scores), np.nanmin(scores, initial=0.0) - 1, scores)
        truth = categories.names[categories.targets()]
        return f1_by_argmax(truth, known, classes=categories.names, labels=measurable)
    truth = categories.truth()
    decisions = np.full(scores.shape, -1.0)
    for train, test in folds(sp.csc_array(categories.indicator), seed=1):
        decisions[test] = scores[test] - thresholds(scores[train], truth[train])
    decisions = np.nan_to_num(decisions, nan=-1.0)
    return f1_by_assignment(truth.astype(int), decisions, classes=categories.names, labels=measurable)


def search(
    tried: Sequence[Candidate],
    score: HeldOut,
    categories: Categories,
    *,
    time_budget: float,
    tell: Callable[[str], None],
) -> tuple[Candidate, list[Candidate]]:
    """Try candidates on held-out folds, in their order; return the best, of equals the first, and all tried.

    The budget ends the search only between two candidates, and never before the first was tried.
    """
    start = time.perf_counter()
    known = categories.rows(categories.labelled)
    n_tried = 0
    for candidate in tried:
        if n_tried and time.perf_counter() - start > time_budget:
            tell(
                f"The time budget of {time_budget:g} s is used up after {n_tried} of {len(tried)} candidates."
            )
            break
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what is chosen is fitted once more, and may say it then
                candidate.scores = score(candidate)
            found = held_out_f1(candidate.scores, known)
            candidate.micro, candidate.macro = found.micro, found.macro
        except ValueError as error:
            candidate.problem = str(error)
        n_tried += 1
        candidate.seconds = time.perf_counter() - began
        result = candidate.problem or f"micro-F1 {candidate.micro:.3f}, macro-F1 {candidate.macro:.3f}"
        tell(f"{candidate.title()}: {result} ({N_FOLDS} folds, {candidate.seconds:.1f} s)")
    best = max(tried[:n_tried], key=lambda candidate: candidate.figure)
    if best.problem:
        raise ValueError(f"No method could be tried: {best.problem}")
    tell(f"Chosen: {best.title()}, the highest mean of micro-F1 and macro-F1 of {n_tried} tried.")
    return best, list(tried[:n_tried])
