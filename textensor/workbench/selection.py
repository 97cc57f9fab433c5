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
from sklearn.base import clone

from textensor.base.arrays import Floats
from textensor.base.labels import Labels
from textensor.base.progress import Progress
from textensor.base.store import Store, digest
from textensor.classify.thresholds import N_FOLDS, folds, held_out, tune_threshold
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment
from textensor.reduce.projection import FewerAxesWarning
from textensor.space import TermVectorizer
from textensor.workbench.calibrate import level_thresholds
from textensor.workbench.methods import Method


class Vectors:
    """The documents as a method wants them: tf-idf or counts, of all documents or the labelled ones."""

    def __init__(self, given: TermVectorizer, texts: list[str], labels: Labels, n_jobs: int | None) -> None:
        self._given, self._n_jobs, self._texts, self._labels = given, n_jobs, texts, labels
        self._made: dict[tuple[bool, bool], tuple[TermVectorizer, Any, Labels]] = {}

    def of(self, method: Method) -> tuple[TermVectorizer, Any, Labels]:
        """Return the fitted vectorizer, documents x terms, and their labels.

        They are of all documents, or of the labelled ones if the method learns from no others.
        """
        key = method.counts, method.unlabelled or bool(self._labels.labelled.all())
        if key not in self._made:
            vectorizer = clone(self._given).set_params(n_jobs=self._n_jobs)
            if method.counts:
                vectorizer.set_params(weighting="tf", norm=None, sublinear_tf=False)
            texts, labels = self._texts, self._labels
            if not key[1]:
                texts = [text for text, known in zip(texts, labels.labelled, strict=True) if known]
                labels = labels.rows(labels.labelled)
            self._made[key] = vectorizer, vectorizer.fit_transform(texts), labels
        return self._made[key]


@dataclass
class Candidate:
    """A method with the settings of its estimator, and its result on held-out folds.

    That is the scores, labelled documents x labels, and the F1 on them; None before it was tried. A
    ``problem`` says why it could not be tried.
    """

    method: Method
    settings: dict[str, Any]
    scores: Floats | None = None
    f1: F1Scores | None = None
    problem: str = ""

    @property
    def figure(self) -> float:
        """The mean of micro-F1 and macro-F1, which the search maximizes; -1 without a result."""
        return -1.0 if self.f1 is None else (self.f1.micro + self.f1.macro) / 2

    @property
    def figures(self) -> dict[str, float]:
        """Micro-F1 and macro-F1, rounded; empty without a result."""
        return {} if self.f1 is None else {"micro": round(self.f1.micro, 6), "macro": round(self.f1.macro, 6)}

    def title(self) -> str:
        """Return the name and the settings."""
        settings = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.method.name} ({settings})" if settings else self.method.name

    def as_data(self) -> dict[str, Any]:
        """Return what is kept in the model."""
        problem = {"problem": self.problem} if self.problem else {}
        return {"method": self.method.name, "settings": self.settings, **self.figures, **problem}


def fit_estimator(candidate: Candidate, X: Any, labels: Labels, **common: Any) -> Any:
    """Return a fitted estimator."""
    model = candidate.method.make(candidate.settings, **common)
    with warnings.catch_warnings():
        # Small data sets have fewer axes than requested; the user cannot change that.
        warnings.simplefilter("ignore", FewerAxesWarning)
        # Labels are numbers here, and many labels of few documents look like a regression's to scikit-learn,
        # whose warning has no class of its own.
        warnings.filterwarnings("ignore", message=".*could represent a regression problem")
        return model.fit(X, labels.as_y())


def scorer(model: Any, n_labels: int) -> Callable[[Any], Floats]:
    """Return a function that scores blocks of documents; what all blocks need is prepared once.

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


def kept_scores(shape: tuple[int, int], arrays: dict[str, Any]) -> Floats:
    """Return the scores in a checkpoint."""
    scores: Floats = arrays["scores"]
    if scores.dtype != np.float64 or scores.shape != shape:
        raise ValueError(f"it does not hold the scores of {shape[0]} documents and {shape[1]} labels")
    if np.isinf(scores).any():
        raise ValueError("it holds infinite scores")
    return scores


@dataclass(frozen=True)
class HeldOut:
    """Tries candidates on held-out folds; scores that a checkpoint holds are not computed again.

    Scores depend on the candidate, on ``made_of`` and on ``common``, the parameters of all estimators.
    """

    vectors: Vectors
    store: Store
    made_of: dict[str, Any]
    common: dict[str, Any]

    def __call__(self, candidate: Candidate) -> None:
        """Set the candidate's scores of the labelled documents, and its F1."""
        _, X, labels = self.vectors.of(candidate.method)
        known, n_labels = labels.rows(labels.labelled), len(labels.names)
        made_of = {"method": repr(candidate.method), "settings": repr(candidate.settings), "folds": N_FOLDS}
        name = f"scores-{digest({**self.made_of, **made_of, 'seed': self.common['random_state']})}"
        scores = self.store.find(name, partial(kept_scores, (known.n_documents, n_labels)))
        if scores is None:

            def score(train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> Floats:
                model = fit_estimator(candidate, X[train], labels.rows(train), **self.common)
                return scorer(model, n_labels)(X[test])

            scores, _ = held_out(score, sp.csc_array(known.indicator), labels.labelled, at_least=2)
            self.store.keep(name, scores=scores)
        candidate.scores, candidate.f1 = scores, held_out_f1(scores, known)


def thresholds(scores: Floats, truth: npt.NDArray[np.bool_]) -> Floats:
    """Return for each label the threshold of the best F1 on held-out scores (SCutFBR)."""
    return np.array([tune_threshold(scores[:, k], truth[:, k]) for k in range(scores.shape[1])])


def compete(scores: Floats, labels: Labels) -> tuple[Floats, Floats]:
    """Return thresholds that bring the scores of competing labels to one level, and the scores less these.

    The scores of a document are less thresholds that were found without it.
    """
    level = scores.copy()
    for others, some in folds(sp.csc_array(labels.indicator), seed=1):
        level[some] -= level_thresholds(scores[others], labels.codes[others])
    return level_thresholds(scores, labels.codes), level


def held_out_f1(scores: Floats, labels: Labels) -> F1Scores:
    """Return F1 on held-out scores, of the labels that have two documents or more.

    The thresholds of each fold come from the other folds: a threshold is never judged on the documents that
    it was tuned on.
    """
    names = labels.names
    measurable = names[labels.counts > 1] if (labels.counts > 1).any() else names
    if not labels.several:
        level = compete(scores, labels)[1]
        known = np.where(np.isnan(level), np.nanmin(level, initial=0.0) - 1, level)
        return f1_by_argmax(names[labels.codes], known, classes=names, labels=measurable)
    truth = labels.truth()
    decisions = np.full(scores.shape, -1.0)
    for train, test in folds(sp.csc_array(labels.indicator), seed=1):
        decisions[test] = scores[test] - thresholds(scores[train], truth[train])
    decisions = np.nan_to_num(decisions, nan=-1.0)
    return f1_by_assignment(labels.indicator, decisions, classes=names, labels=measurable)


def search(
    candidates: Sequence[Candidate], try_out: HeldOut, *, time_budget: float, progress: Progress
) -> tuple[Candidate, list[Candidate]]:
    """Try candidates on held-out folds, in order; return the best, the first of a tie, and all tried.

    The budget ends the search only between two candidates, and never before the first was tried.
    """
    start, total = time.perf_counter(), len(candidates)
    tried: list[Candidate] = []
    for candidate in candidates:
        if tried and time.perf_counter() - start > time_budget:
            progress(
                f"The time budget of {time_budget:g} s is used up after {len(tried)} of {total} candidates."
            )
            break
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the chosen one is fitted once more, and may warn then
                try_out(candidate)
        except ValueError as error:
            candidate.problem = str(error)
        tried.append(candidate)
        result = candidate.problem or "micro-F1 {micro:.3f}, macro-F1 {macro:.3f}".format(**candidate.figures)
        seconds = time.perf_counter() - began
        progress(f"{candidate.title()}: {result} ({N_FOLDS} folds, {seconds:.1f} s)", len(tried), total)
    best = max(tried, key=lambda candidate: candidate.figure)
    if best.problem:
        raise ValueError(f"No method could be tried: {best.problem}")
    progress(f"Chosen: {best.title()}, the highest mean of micro-F1 and macro-F1 of {len(tried)} tried.")
    return best, tried
