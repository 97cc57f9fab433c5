"""What a search tries: candidates, the documents as each of them wants them, and scores on held-out folds."""

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats, Rows, by_column
from textensor.base.labels import Labels
from textensor.base.late.parts import clone
from textensor.base.store import Store, digest
from textensor.classify.thresholds import folds, score_fold, score_folds, tune_threshold
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment
from textensor.reduce.projection import FewerAxesWarning
from textensor.space import CountedTexts, TermVectorizer
from textensor.workbench.answers.calibrate import level_thresholds
from textensor.workbench.answers.scores import scorer
from textensor.workbench.choice.embedded import EmbeddedTexts
from textensor.workbench.choice.features import word_columns
from textensor.workbench.embedding import Embedding
from textensor.workbench.methods import Method

#: Held-out documents x labels of a fold are at most so many: more documents than that are not scored.
MOST_SCORES = 20_000_000
#: With so many unlabelled documents for each labelled one, terms and the latent space are learnt once, from
#: all text, instead of once for each fold: the text of the held-out documents then hardly matters.
PLENTY = 4
#: What an embedding adds to the size of a candidate: a model that needs nothing beside it is preferred.
EMBEDDING = 1_000_000_000_000


class Vectors:
    """The documents as candidates want them: counted once for each kind of features, weighed for each fold.

    Parameters
    ----------
    vectorizers : mapping of str to TermVectorizer
        The vectorizer of each kind of features, not fitted.
    texts : sequence of str
        The documents.
    labels : Labels
        Their labels.
    unlabelled : bool
        Whether some candidate reads documents without a label; otherwise they are left out.
    n_jobs : int or None
        Number of threads.
    embedding : Embedding or None
        What candidates with an embedding read beside terms.
    """

    def __init__(
        self,
        vectorizers: Mapping[str, TermVectorizer],
        texts: Sequence[str],
        labels: Labels,
        unlabelled: bool,
        n_jobs: int | None,
        embedding: Embedding | None = None,
    ) -> None:
        self._vectorizers, self._n_jobs = vectorizers, n_jobs
        known = labels.labelled
        if not unlabelled and not known.all():
            texts = [text for text, has_label in zip(texts, known, strict=True) if has_label]
            labels = labels.rows(known)
        self._texts, self.labels = texts, labels
        n_labelled = int(labels.labelled.sum())
        self._plenty = len(texts) - n_labelled >= PLENTY * n_labelled
        self._spaces: dict[str, Any] = {}
        self._counted: dict[str, CountedTexts[TermVectorizer]] = {}
        self._weighed: tuple[Any, Any] = None, None
        self.embedded = None if embedding is None else EmbeddedTexts(embedding, texts)

    def fitted(self, candidate: "Candidate", rows: Rows | None = None) -> tuple[TermVectorizer, Any]:
        """Return the candidate's vectorizer, fitted to some documents, and the matrix of all of them.

        None fits it to all documents, or to those with a label if the method learns from no others. If
        unlabelled documents are plenty, it is fitted to all of them in any case.
        """
        features, counts = candidate.features, candidate.method.counts
        if self._plenty and candidate.method.unlabelled:
            rows = None
        if rows is None and not candidate.method.unlabelled:
            rows = np.flatnonzero(self.labels.labelled)
        key = features, counts, None if rows is None else rows.tobytes()
        if self._weighed[0] != key:  # the last one is kept: candidates of the same features follow each other
            options = {"weighting": "tf", "norm": None, "sublinear_tf": False} if counts else {}
            self._weighed = None, None  # free it before the next is made
            self._weighed = key, self.counted(features).weigh(rows, **options)
        vectorizer, X = self._weighed[1]
        if candidate.embedding and self.embedded is not None:
            X = self.embedded.beside(X)
        return vectorizer, X

    def fit(self, candidate: "Candidate", rows: Rows | None = None, **common: Any) -> "Fitted":
        """Return the candidate's vectorizer and estimator, fitted to some documents or, for None, to all."""
        self.counted(candidate.features)  # this is done once, and no part of the time of a fit
        start = time.perf_counter()
        vectorizer, X = self.fitted(candidate, rows)
        own = np.arange(X.shape[0]) if rows is None else rows
        if not candidate.method.unlabelled:
            own = own[self.labels.labelled[own]]
        columns, n_embedding = word_columns(vectorizer), X.shape[1] - len(vectorizer.vocabulary_)
        model = candidate.method.make(candidate.settings, columns=columns, n_embedding=n_embedding, **common)
        with warnings.catch_warnings():
            # Small data sets have fewer axes than requested; the user cannot change that.
            warnings.simplefilter("ignore", FewerAxesWarning)
            before = time.perf_counter()
            space = self._space(candidate, model, X)
            start += time.perf_counter() - before  # this is done once, too
            y = self.labels.rows(own).y_for(model)
            model.fit(X if len(own) == X.shape[0] else X[own], y, **space)
        return Fitted(vectorizer, model, X, time.perf_counter() - start)

    def _space(self, candidate: "Candidate", model: Any, X: Any) -> dict[str, Any]:
        """Return the latent space of all text for ``fit``, learnt once, if unlabelled text is plenty."""
        shared = self._plenty and hasattr(model, "learn_space") and model.reducer is None and model.weight > 0
        if shared and candidate.features not in self._spaces:
            self._spaces[candidate.features] = model.learn_space(X)
        return {"space": self._spaces[candidate.features]} if shared else {}

    def counted(self, features: str) -> CountedTexts[TermVectorizer]:
        """Return the counts of the documents' terms."""
        if features not in self._counted:
            vectorizer = clone(self._vectorizers[features]).set_params(n_jobs=self._n_jobs)
            self._counted[features] = vectorizer.count(self._texts)
        return self._counted[features]


class Fitted(NamedTuple):
    """A fitted vectorizer and estimator, the matrix of all documents, and the seconds of the fit."""

    vectorizer: TermVectorizer
    model: Any
    X: Any
    seconds: float


class FoldScores(NamedTuple):
    """The scores of a fold: numbers of the labelled documents, and documents x labels."""

    rows: Rows
    scores: Floats


class Levels(NamedTuple):
    """Thresholds that bring the scores of competing labels to one level.

    Attributes
    ----------
    thresholds : ndarray of shape (n_labels,)
        Those of all documents.
    of_folds : ndarray of shape (n_folds + 1, n_labels)
        Those that were found without the documents of each fold; the last are 0.
    fold : ndarray of shape (n_documents,)
        The fold of each document; -1 if there is one document only.
    """

    thresholds: Floats
    of_folds: Floats
    fold: Rows

    def level(self, scores: Floats) -> Floats:
        """Return the scores of each document less thresholds that were found without it."""
        return scores - self.of_folds[self.fold]


@dataclass
class Candidate:
    """A method with the settings of its estimator and the features it reads, and its held-out scores.

    ``embedding`` says whether it reads the user's embedding, too. ``seconds`` is how long fitting and scoring
    took in the last fold, with thresholds and F1; ``size`` is how many numbers the fitted estimator has, with
    an embedding ``EMBEDDING`` more. ``levels`` has thresholds unless documents have several labels. A
    ``problem`` says why it is out of the race.
    """

    method: Method
    settings: dict[str, Any]
    features: str = "words"
    embedding: bool = False
    tested: list[FoldScores] = field(default_factory=list)
    f1: F1Scores | None = None
    levels: Levels | None = None
    seconds: float = 0.0
    size: int = 0
    problem: str = ""

    @property
    def scored(self) -> FoldScores | None:
        """The scores of all folds so far, in order of the documents; None before the first."""
        if not self.tested:
            return None
        rows, scores = (np.concatenate(parts) for parts in zip(*self.tested, strict=True))
        order = np.argsort(rows)
        return FoldScores(rows[order], scores[order])

    @property
    def figure(self) -> float:
        """The mean of micro-F1 and macro-F1, which the search maximizes; -1 without a result."""
        return -1.0 if self.f1 is None else (self.f1.micro + self.f1.macro) / 2

    @property
    def figures(self) -> dict[str, float]:
        """Micro-F1 and macro-F1, rounded; empty without a result."""
        return {} if self.f1 is None else {"micro": round(self.f1.micro, 6), "macro": round(self.f1.macro, 6)}

    def title(self) -> str:
        """Return the name, the features and the settings."""
        settings = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        features = f"{self.features} and embedding" if self.embedding else self.features
        return f"{self.method.name} on {features}" + (f" ({settings})" if settings else "")

    def as_data(self) -> dict[str, Any]:
        """Return what is kept in the model."""
        about = {"method": self.method.name, "features": self.features, "settings": self.settings}
        embedding = {"embedding": True} if self.embedding else {}
        problem = {"problem": self.problem} if self.problem else {}
        return {**about, **embedding, "folds": len(self.tested), **self.figures, **problem}


def kept_scores(shape: tuple[int, int], arrays: dict[str, Any]) -> Floats:
    """Return the scores in a checkpoint."""
    scores: Floats = arrays["scores"]
    if scores.dtype != np.float64 or scores.shape != shape:
        raise ValueError(f"it does not hold the scores of {shape[0]} documents and {shape[1]} labels")
    if np.isinf(scores).any():
        raise ValueError("it holds infinite scores")
    return scores


@dataclass
class HeldOut:
    """Tries candidates on held-out folds; scores that a checkpoint holds are not computed again.

    Scores depend on the candidate, on ``made_of`` and on ``common``, the parameters of all estimators.
    """

    vectors: Vectors
    store: Store
    made_of: dict[str, Any]
    common: dict[str, Any]

    @cached_property
    def known(self) -> Labels:
        """The labels of the documents that have some."""
        return self.vectors.labels.rows(self.vectors.labels.labelled)

    @cached_property
    def folds(self) -> list[tuple[Rows, Rows]]:
        """The folds of the labelled documents; a large one is scored in part."""
        most = max(1, MOST_SCORES // len(self.known.names))
        random = np.random.default_rng(0)
        return [
            (train, test if len(test) <= most else np.sort(random.choice(test, most, replace=False)))
            for train, test in folds(sp.csc_array(self.known.indicator), seed=0)
        ]

    def __call__(self, candidate: Candidate, number: int) -> None:
        """Score the documents of one fold; set the candidate's F1 on all folds so far."""
        train, test = self.folds[number]
        about = (candidate.method, candidate.settings, candidate.features, candidate.embedding)
        made_of = {"candidate": repr(about), "fold": number, "seed": self.common["random_state"]}
        name = f"scores-{digest({**self.made_of, **made_of})}"
        shape = len(test), len(self.known.names)
        found = self.store.find(name, partial(_kept_fold, shape))
        if found is None:
            found = self._score(candidate, train, test)
            scores, seconds, size = found
            self.store.keep(name, scores=scores, seconds=np.array(seconds), size=np.array(size))
        scores, seconds, candidate.size = found
        candidate.tested.append(FoldScores(test, scores))
        scored = candidate.scored
        assert scored is not None  # noqa: S101
        start = time.perf_counter()
        known = self.known.rows(scored.rows)
        candidate.levels = None if known.several else compete(scored.scores, known)
        candidate.f1 = held_out_f1(scored.scores, known, candidate.levels)
        candidate.seconds = seconds + time.perf_counter() - start

    def _score(self, candidate: Candidate, train: Rows, test: Rows) -> tuple[Floats, float, int]:
        """Return the scores of a fold, the seconds that they took, and the size of the estimator."""
        spent, size = 0.0, 0

        def score(rows: Rows, tested: Rows) -> Floats:
            nonlocal spent, size
            found = self.vectors.fit(candidate, rows, **self.common)
            size = numbers_in(found.model) + (EMBEDDING if candidate.embedding else 0)
            start = time.perf_counter()
            scores = scorer(found.model, len(self.known.names))(found.X[tested])
            spent = found.seconds + time.perf_counter() - start
            return scores

        answers = sp.csc_array(self.known.indicator)
        scores = score_fold(score, answers, self.vectors.labels.labelled, train, test, at_least=2)
        return scores, spent, size


def numbers_in(part: Any) -> int:
    """Return how many numbers the arrays of an estimator hold, those of its parts included."""
    if isinstance(part, np.ndarray):
        return part.size
    if sp.issparse(part):
        return int(part.nnz)
    if isinstance(part, list | tuple):
        return sum(map(numbers_in, part))
    return sum(map(numbers_in, vars(part).values())) if hasattr(part, "get_params") else 0


def _kept_fold(shape: tuple[int, int], arrays: dict[str, Any]) -> tuple[Floats, float, int]:
    """Return what a checkpoint holds of a fold."""
    return kept_scores(shape, arrays), float(arrays["seconds"]), int(arrays["size"])


def thresholds(scores: Floats, truth: npt.NDArray[np.bool_]) -> Floats:
    """Return for each label the threshold of the best F1 on held-out scores (SCutFBR)."""
    return np.array([tune_threshold(values, yes) for values, yes in by_column(scores, truth)])


def compete(scores: Floats, labels: Labels) -> Levels:
    """Return the thresholds of competing labels, of all documents and without each fold."""
    found, fold = [], np.full(len(scores), -1)
    for number, (others, some) in enumerate(folds(sp.csc_array(labels.indicator), seed=1)):
        found.append(level_thresholds(scores[others], labels.codes[others]))
        fold[some] = number
    of_folds = np.vstack([*found, np.zeros(scores.shape[1])])
    return Levels(level_thresholds(scores, labels.codes), of_folds, fold)


def held_out_f1(scores: Floats, labels: Labels, levels: Levels | None) -> F1Scores:
    """Return F1 on held-out scores, of the labels that have two documents or more.

    The thresholds of each fold come from the other folds: a threshold is never judged on the documents that
    it was tuned on.
    """
    names = labels.names
    measurable = names[labels.counts > 1] if (labels.counts > 1).any() else names
    if levels is not None:
        level = levels.level(scores)
        known = np.where(np.isnan(level), np.nanmin(level, initial=0.0) - 1, level)
        return f1_by_argmax(labels, known, labels=measurable)
    truth = labels.truth()

    def decide(train: Rows, test: Rows) -> Floats:
        return scores[test] - thresholds(scores[train], truth[train])

    decisions = score_folds(decide, sp.csc_array(labels.indicator), scores.shape[1], seed=1)[0]
    decisions = np.nan_to_num(decisions, nan=-1.0)
    return f1_by_assignment(labels, decisions, labels=measurable)
