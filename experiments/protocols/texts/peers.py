"""Peers of TextCategorizer("auto"): scikit-learn's linear models over TF-IDF, tuned on labelled documents.

Terms are counted once for each corpus. Their weights, and which of them there are, come from the documents
that a model is fitted to: exactly what ``TfidfVectorizer`` fitted to these documents gives.

The dual solvers of liblinear see documents through their inner products alone. Few documents of many terms
are therefore given to them as coordinates in their own span, which takes less time: decisions are
the same, up to the tolerance of the solver.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import normalize
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.engine.declare import SEED
from experiments.protocols.choice import held_out, in_columns, thresholds
from experiments.protocols.split import Task
from textensor.base.arrays import Floats, Rows
from textensor.classify.thresholds import score_folds
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment

Settings = Mapping[str, Any]
Bools = npt.NDArray[np.bool_]
#: An analyzer of scikit-learn and the n of its n-grams, from and to.
Block = tuple[str, int, int]
#: What a text is made of, in blocks of unit length each.
FEATURES: dict[str, tuple[Block, ...]] = {
    "words": (("word", 1, 1),),
    "words 1-2": (("word", 1, 2),),
    "words 1-2, characters 3-5": (("word", 1, 2), ("char_wb", 3, 5)),
}
#: Methods whose solver needs inner products only.
DUAL = ("LinearSVC", "LogisticRegression")
#: The decision for a label that is not in the training documents, in multilabel mode.
NEVER = -1.0


@dataclass(frozen=True, eq=False)
class Labelled(Task):
    """A split of a corpus, and which labels each document has (documents x labels)."""

    name: str
    Y: Bools
    several: bool

    @property
    def labels(self) -> Rows:
        """The numbers of all labels of the corpus."""
        return np.arange(self.Y.shape[1])


@lru_cache(maxsize=3)  # all blocks of one corpus
def counted(name: str, block: Block) -> Any:
    """Return the counts of all terms of a corpus, documents x terms."""
    analyzer, *ngram_range = block
    vectorizer = CountVectorizer(analyzer=analyzer, ngram_range=tuple(ngram_range), dtype=np.int32)
    return vectorizer.fit_transform(data(name).texts or [])


def weighed(counts: Any, some: Rows, others: Rows, sublinear: bool) -> tuple[Any, Any]:
    """Return the TF-IDF of some documents, and of others by the terms and the idf of the former."""
    own = counts[some]
    df = np.bincount(own.indices, minlength=own.shape[1])
    known = np.flatnonzero(df)
    idf = np.log((1 + len(some)) / (1 + df[known])) + 1

    def weigh(part: Any) -> Any:
        X = part[:, known].astype(np.float64)
        if sublinear:
            X.data = np.log(X.data) + 1
        X.data *= idf[X.indices]
        return normalize(X, copy=False)

    return weigh(own), weigh(counts[others])


class Span(NamedTuple):
    """Documents to fit and others, as coordinates in the span of the former."""

    rows: Any
    queries: Any


def in_span(X: Any, queries: Any) -> Span:
    """Return documents with the same inner products, or as they are if their terms are fewer than they."""
    if X.shape[0] >= X.nnz / max(X.shape[0], 1):
        return Span(X, queries)
    values, axes = np.linalg.eigh((X @ X.T).toarray())
    real = values > 1e-12 * values[-1]  # documents that are there twice span nothing new
    lengths = np.sqrt(values[real])
    return Span(axes[:, real] * lengths, (queries @ X.T) @ (axes[:, real] / lengths))


def vectors(name: str, settings: Settings, some: Rows, others: Rows) -> tuple[Any, Any]:
    """Return documents as the peers read them: those to fit, and others."""
    rows = (np.ascontiguousarray(part, dtype=int).tobytes() for part in (some, others))
    make = _spans if settings.get("method") in DUAL else _vectors
    return make(name, settings["features"], settings["sublinear"], *rows)


@lru_cache(maxsize=4)  # the folds of one split, for all methods that read the same features
def _vectors(name: str, features: str, sublinear: bool, some: bytes, others: bytes) -> tuple[Any, Any]:
    pairs = [
        weighed(counted(name, block), np.frombuffer(some, int), np.frombuffer(others, int), sublinear)
        for block in FEATURES[features]
    ]
    X, queries = (parts[0] if len(parts) == 1 else sp.hstack(parts) for parts in zip(*pairs, strict=True))
    return sp.csr_matrix(X), sp.csr_matrix(queries)


@lru_cache(maxsize=4)
def _spans(*made_of: Any) -> Span:
    return in_span(*_vectors(*made_of))


def classify(of: Labelled, settings: Settings) -> dict[str, Any]:
    """Choose a setting of ``grid`` on held-out folds of the labelled documents, and score the test documents.

    The result has the figures of each way to decide: by arg max, or in multilabel mode by assignment at 0 and
    with tuned thresholds. Each way chooses its own setting by the mean of micro- and macro-F1.
    """
    for block in FEATURES[settings["features"]]:
        counted(of.name, block)  # once for all peers, so it is not in the seconds
    start = time.perf_counter()
    grid, truth = settings["grid"], of.Y[of.labelled]

    def decide(some: Rows, others: Rows) -> Iterator[Floats]:
        """Return the decisions of each setting, learnt from some of the labelled documents."""
        X, queries = vectors(of.name, settings, np.append(of.labelled[some], of.pool), of.labelled[others])
        yield from _decisions(settings["method"], grid, X, queries, truth[some], of.several)

    @cache
    def decided(best: int) -> Floats:
        """Return the decisions of a setting for the test documents."""
        X, queries = vectors(of.name, settings, of.text, of.test)
        (found,) = _decisions(settings["method"], grid[best : best + 1], X, queries, truth, of.several)
        return found

    judged = held_out(decide, sp.csc_array(truth), len(grid), truth.shape[1])
    result: dict[str, Any] = {}
    for way in ("assignment", "thresholds") if of.several else ("argmax",):
        validated = [_cross_validated(way, scores, truth) for scores in judged]
        best = int(np.argmax([(scores.micro + scores.macro) / 2 for scores in validated]))
        moved = thresholds(judged[best], truth) if way == "thresholds" else 0.0
        scores = scored(way, decided(best) - moved, of.Y[of.test], of.labels)
        chosen = ", ".join(f"{name} = {value:g}" for name, value in grid[best].items())
        result[way] = figures(scores, chosen, validated[best].micro, validated[best].macro)
    return result | {"seconds": time.perf_counter() - start}


def figures(scores: F1Scores, chosen: str, micro: float, macro: float) -> dict[str, Any]:
    """Return what is kept of a way to decide; ``micro`` and ``macro`` were found on held-out folds."""
    return {
        "micro": scores.micro,
        "macro": scores.macro,
        "per category": np.round(scores.per_category, 5).tolist(),
        "chosen": chosen,
        "cross-validated": {"micro": micro, "macro": macro},
    }


def scored(way: str, decisions: Floats, truth: Bools, labels: Rows) -> F1Scores:
    """Return F1 of some labels; decisions of NaN are for labels that were not learnt."""
    numbers = np.arange(truth.shape[1])
    if way == "argmax":
        lowest = np.nanmin(decisions, initial=0.0) - 1
        known = np.where(np.isnan(decisions), lowest, decisions)
        return f1_by_argmax(truth.argmax(axis=1), known, classes=numbers, labels=labels)
    return f1_by_assignment(
        truth.astype(int), np.nan_to_num(decisions, nan=NEVER), classes=numbers, labels=labels
    )


def _cross_validated(way: str, judged: Floats, truth: Bools) -> F1Scores:
    """Return F1 on held-out folds, of the labels that have two documents or more.

    Thresholds of a fold come from the other folds: they are never judged on what they were tuned on.
    """
    sizes = truth.sum(axis=0)
    labels = np.flatnonzero(sizes > 1) if (sizes > 1).any() else np.flatnonzero(sizes)
    decisions = judged
    if way == "thresholds":

        def decide(some: Rows, others: Rows) -> Floats:
            return judged[others] - thresholds(judged[some], truth[some])

        decisions, _ = score_folds(decide, sp.csc_array(truth), truth.shape[1], seed=SEED + 1)
    return scored(way, decisions, truth, labels)


def _decisions(
    method: str, grid: Sequence[Settings], X: Any, queries: Any, truth: Bools, several: bool
) -> Iterator[Floats]:
    """Fit models; yield their decisions for other documents and all labels, NaN for those they do not know.

    The last rows of X may be documents without labels. One model answers for all labels of single-label
    LinearSVC and self-training, otherwise each label has its own: the fast solver of LogisticRegression asks
    one yes-or-no question.
    """
    unlabelled = np.full(X.shape[0] - len(truth), -1)
    y = truth.argmax(axis=1)
    asked = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
    for setting in grid:
        if not several and method != "LogisticRegression":
            model = _made(method, setting).fit(X, np.append(y, unlabelled))
            yield in_columns(model.decision_function(queries), np.unique(y), truth.shape[1])
            continue
        found = np.full((queries.shape[0], truth.shape[1]), np.nan)
        for k in asked:
            model = _made(method, setting).fit(X, np.append(truth[:, k], unlabelled))
            found[:, k] = model.decision_function(queries)
        yield found


def _made(method: str, setting: Settings) -> Any:
    """Return a model of scikit-learn with its defaults, except the solver and the setting."""
    if method == "LinearSVC":
        return LinearSVC(**setting, random_state=0)
    if method == "LogisticRegression":
        return LogisticRegression(**setting, solver="liblinear", dual=True, random_state=0)
    return SelfTrainingClassifier(SGDClassifier(**setting, loss="log_loss", random_state=0))
