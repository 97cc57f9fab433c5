"""TextCategorizer: raw text in, labels out."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, flag, number, whole
from textensor.base.kept import (
    dropped,
    each,
    floats,
    integers,
    keeps,
    labels,
    mapping,
    none_or,
    part,
    require,
    text,
)
from textensor.base.labels import Labels
from textensor.base.plain import counted
from textensor.base.progress import Progress, silent
from textensor.base.store import Store
from textensor.classify import Explanation
from textensor.evaluate.f1 import MEASURABLE
from textensor.files import Description, ModelFileError, open_model, save
from textensor.space import TermVectorizer
from textensor.workbench.calibrate import calibrate, probabilities
from textensor.workbench.check.documents import warn_of_oddities
from textensor.workbench.methods import candidates, is_made
from textensor.workbench.reasons import leave_out, telling_terms
from textensor.workbench.selection import (
    Candidate,
    HeldOut,
    Vectors,
    fit_estimator,
    n_folds,
    scorer,
    search,
    thresholds,
)
from textensor.workbench.texts import check_texts, fingerprint, text_keys, texts_with_labels

#: Seconds; without end, too.
_BUDGET = Rule("a number of 0 or more", lambda value: value == float("inf") or number(least=0).holds(value))


@keeps(
    classes_=labels("n_classes", least=2, kinds="iU"),
    several_=flag,
    method_=text,
    settings_=mapping,
    tried_=each(mapping),
    figures_=mapping,
    data_=mapping,
    seen_=integers("n_seen?"),
    vectorizer_=part(TermVectorizer, shares=("n_terms",)),
    model_=part(),
    thresholds_=floats("n_classes"),
    sigmoids_=none_or(floats("n_classes", 2)),
    progress=dropped,
    checkpoint=dropped,
)
class TextCategorizer(ClassifierMixin, BaseEstimator):
    """Learn labels from raw text, with one of the methods here or with the best of some.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A name that ``textensor methods`` lists: that method with its first setting. ``"auto"`` searches over
        a few methods and settings, a list of names over those methods and their settings.
    settings : dict or None, default=None
        Parameters of the method's estimator instead of its first setting; not for a search.
    vectorizer : TermVectorizer or None, default=None
        Turns text into terms; None is ``TermVectorizer()``.
    cross_validate : bool, default=True
        Whether to score the labelled documents on held-out folds. This gives figures, probabilities and, in
        multilabel mode, thresholds, and takes about twice the time of fitting. A search always does it.
    time_budget : float, default=60.0
        Seconds after which a search starts no other candidate; a candidate is always finished.
    checkpoint : path or None, default=None
        Folder for held-out scores, and for the modules of ``minmax``: an interrupted fit resumes from it.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    random_state : int, default=0
        Random seed.
    progress : callable or None, default=None
        Called with a message after each step, see :class:`~textensor.base.progress.Progress`; it is not
        saved. None shows nothing.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    several_ : bool
        Whether a document may have several labels.
    method_ : str
        The method in use.
    settings_ : dict
        Its settings.
    tried_ : list of dict
        What was tried on held-out folds, in order: method, settings, micro- and macro-F1.
    figures_ : dict
        F1 on held-out folds: ``"micro"``, ``"macro"`` and ``"labels"``, the F1 of each label (None if it has
        fewer than 5 documents); empty without cross-validation.
    data_ : dict
        Counts and SHA-256 of the training data.
    seen_ : ndarray of int64
        A short hash of each labelled training text, sorted: :meth:`trained_on` knows them again.
    vectorizer_, model_ : fitted estimators
        The parts.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds, subtracted from the scores; 0 unless in multilabel mode.
    sigmoids_ : ndarray of shape (n_labels, 2) or None
        Slope and intercept from scores to probabilities.

    Notes
    -----
    Terms are counted and weighed once, over all documents that the method learns from: on held-out folds
    the weights log(n / df), which know no labels, have seen the held-out texts.

    Examples
    --------
    >>> from textensor import TextCategorizer
    >>> texts = ["wheat rose", "maize and wheat", "maize fell", "bank rates", "the bank lent", "rates rose"]
    >>> model = TextCategorizer("svm").fit(texts, ["grain"] * 3 + ["money"] * 3)
    >>> model.predict(["wheat and maize", "a bank"])
    array(['grain', 'money'], dtype='<U5')
    """

    _parameters: ClassVar[dict[str, Rule]] = {"cross_validate": flag, "time_budget": _BUDGET}

    def __init__(
        self,
        method: str | Sequence[str] = "auto",
        *,
        settings: dict[str, Any] | None = None,
        vectorizer: TermVectorizer | None = None,
        cross_validate: bool = True,
        time_budget: float = 60.0,
        checkpoint: str | Path | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.method = method
        self.settings = settings
        self.vectorizer = vectorizer
        self.cross_validate = cross_validate
        self.time_budget = time_budget
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def fit(self, texts: Iterable[str], labels: Any) -> Self:
        """Learn from documents and their labels.

        Parameters
        ----------
        texts : iterable of str
            The documents: a list, an array, a column of a data frame. A missing text is refused.
        labels : iterable or indicator
            A label for each, a string or a whole number, or a tuple or list of them. A document without a
            label has ``""``, a missing value (None, NaN, pandas.NA) or ``()``; semi-supervised methods learn
            from its text. Or documents x labels of 0 and 1, dense, sparse or a data frame whose columns are
            the labels; there a row of zeros means that no label applies, and a row of -1 or of missing values
            that the document has no label yet.
        """
        check_parameters(self)
        texts, known = texts_with_labels(texts, labels)
        _check_learnable(known)
        keys = text_keys(texts)
        if known is not labels:  # whoever read the labels has looked at the documents, too
            warn_of_oddities(texts, known, keys)
        sha256 = fingerprint(texts, known.as_written())
        given = TermVectorizer() if self.vectorizer is None else self.vectorizer
        vectors = Vectors(given, texts, known, self.n_jobs)
        chosen = self._choose(vectors, known, {"data": sha256, "vectorizer": repr(given.get_params())})
        self.vectorizer_, X, fitted = vectors.of(chosen.method)
        self.classes_, self.several_ = known.names, known.several
        self.method_, self.settings_ = chosen.method.name, chosen.settings
        size = f"{counted(X.shape[0], 'document')} and {counted(X.shape[1], 'term')}"
        self._progress(f"Fitting {chosen.title()} to {size}.")
        self.model_ = fit_estimator(chosen, X, fitted, **self._common())
        self._take(chosen, known.rows(known.labelled))
        n_labelled = int(np.count_nonzero(known.labelled))
        counts = {"documents": len(texts), "unlabelled": len(texts) - n_labelled, "terms": X.shape[1]}
        sizes = dict(zip(map(str, self.classes_), known.counts.tolist(), strict=True))
        self.data_ = {**counts, "labels": sizes, "sha256": sha256}
        self.seen_ = np.unique(keys[known.labelled & (keys >= 0)])
        return self

    def predict(self, texts: Iterable[str]) -> Any:
        """Return the label of each text as an array, or a list with a tuple of labels for each."""
        found = [self.decide(scores) for scores in self.score_blocks(texts)]
        if self.several_:
            return [labels for block in found for labels in block]
        return np.concatenate(found) if found else self.classes_[:0]

    def predict_scores(self, texts: Iterable[str]) -> Floats:
        """Return a score for each text and label.

        In multilabel mode every label with a score above 0 is predicted; otherwise the label with the highest
        score. Scores of different methods have different scales.
        """
        return np.vstack([*self.score_blocks(texts), np.empty((0, len(self.classes_)))])

    def score_blocks(self, texts: Iterable[str]) -> Iterator[Floats]:
        """Yield the scores of texts in blocks, as they are read: memory does not grow with their number."""
        check_is_fitted(self)
        score = scorer(self.model_, len(self.classes_))
        blocks = self.vectorizer_.transform_blocks(check_texts(texts))
        return (score(X) - self.thresholds_ for X in blocks)

    def predict_proba(self, texts: Iterable[str]) -> Floats:
        """Return the probability of each label, calibrated on held-out documents: texts x labels.

        Unless in multilabel mode, a row sums to 1. In rare cases the most probable label is not the one with
        the highest score, which :meth:`predict` returns.
        """
        return self.probabilities(self.predict_scores(texts))

    def trained_on(self, texts: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Return which texts were in the training data with a label, whatever their case and their spaces."""
        check_is_fitted(self)
        return np.isin(text_keys(check_texts(texts)), self.seen_)

    def decide(self, scores: Floats) -> Any:
        """Return the labels that scores lead to."""
        if not self.several_:
            return self.classes_[scores.argmax(axis=1)]
        names = self.classes_.tolist()
        return [tuple(names[k] for k in np.flatnonzero(row > 0)) for row in scores]

    def certainty(self, scores: Floats) -> Floats:
        """Return the probability that the labels that scores lead to are right, one for each document.

        With several labels to a document it is the probability of the least likely one, and with no label the
        probability that none applies. Without probabilities it is the score, on the method's own scale.
        """
        values = scores if self.sigmoids_ is None else self.probabilities(scores)
        if not self.several_:
            return np.asarray(values[np.arange(len(scores)), scores.argmax(axis=1)])
        least = np.where(scores > 0, values, np.inf).min(axis=1)
        highest = values.max(axis=1)
        none = -highest if self.sigmoids_ is None else 1 - highest
        return np.where(np.isinf(least), none, least)

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probabilities that scores lead to."""
        check_is_fitted(self)
        if self.sigmoids_ is None:
            raise ValueError("There are no probabilities: fit with cross_validate=True.")
        found = probabilities(scores, self.sigmoids_)
        return found if self.several_ else found / np.maximum(found.sum(axis=1, keepdims=True), 1e-300)

    def explain(
        self, texts: Iterable[str], top: int = 10, *, labels: Sequence[Any] | None = None
    ) -> list[list[Explanation]]:
        """Return for each text why it got its labels: the terms that moved the score, and by how much.

        For linear methods the parts sum to the score exactly. For others a part is how much the score falls
        without the term, and the rest is one more part.

        Parameters
        ----------
        texts : iterable of str
            The documents.
        top : int, default=10
            How many terms to name.
        labels : sequence or None
            The labels to explain; by default those that are predicted, or the likeliest if there is none.
        """
        check_is_fitted(self)
        known = self.classes_.tolist()
        for label in labels or ():
            if label not in known:
                raise ValueError(f"There is no label {label!r:.80}, only {', '.join(map(str, known))[:200]}.")
        names = self.vectorizer_.get_feature_names_out()
        return [
            [
                self._reason(x, k, top, names)
                for k in (self._predicted(scores) if labels is None else map(known.index, labels))
            ]
            for X in self.vectorizer_.transform_blocks(check_texts(texts))
            for x, scores in zip(X, self._scores(X), strict=True)
        ]

    def telling_terms(self, top: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """Return the terms that raise the score of each label most, with the amounts.

        For linear methods the amounts are weights. Empty if the nearest document decides: such a method knows
        documents, not terms.
        """
        check_is_fitted(self)
        if hasattr(self.model_, "steps"):
            return {}
        names = self.vectorizer_.get_feature_names_out()
        return telling_terms(self._scores, self.classes_, names, top)

    def save(self, path: str | Path, *, metadata: dict[str, Any] | None = None) -> None:
        """Write the model to a file: data only, all of it or nothing.

        Parameters
        ----------
        path : path
            The file; an older model is replaced.
        metadata : dict or None
            Further information to keep, as JSON.
        """
        check_is_fitted(self)
        save(self, path, metadata={**self.card(), **(metadata or {})})

    @classmethod
    def load(cls, path: str | Path) -> "TextCategorizer":
        """Return the categorizer in a file. Nothing in the file is ever run."""
        return cls.open(path)[0]

    @classmethod
    def open(cls, path: str | Path) -> tuple["TextCategorizer", Description]:
        """Return the categorizer in a file, and what the file says of it."""
        model, about = open_model(path)
        if not isinstance(model, cls):
            raise ModelFileError(f"{path} holds a {type(model).__name__}, and not a categorizer of texts.")
        return model, about

    def card(self) -> dict[str, Any]:
        """Return a summary of the model: method, settings, data, and held-out figures."""
        plain = int | float | str | None
        settings = {k: v if isinstance(v, plain) else repr(v) for k, v in self.settings_.items()}
        n_tried = sum("problem" not in one for one in self.tried_)
        n_labelled = self.data_["documents"] - self.data_["unlabelled"]
        folds = {"folds": n_folds(n_labelled), "tried": n_tried}
        held_out = {**folds, **self.figures_} if self.figures_ else None
        return {
            "method": self.method_,
            "settings": settings,
            "several labels": self.several_,
            "data": self.data_,
            "held out": held_out,
        }

    def _choose(self, vectors: Vectors, labels: Labels, made_of: dict[str, Any]) -> Candidate:
        """Return the method and its settings, with held-out scores if there are any."""
        named = isinstance(self.method, str) and self.method != "auto"
        names = [self.method] if isinstance(self.method, str) else list(self.method)
        if self.settings is not None and not named:
            raise ValueError("settings are those of one method: name it, or leave them to the search.")
        unlabelled = not labels.labelled.all()
        tried = [Candidate(*one) for one in candidates(names, several=labels.several, unlabelled=unlabelled)]
        try_out = HeldOut(vectors, Store(self.checkpoint), made_of, self._common())
        if not named:
            chosen, tried = search(tried, try_out, time_budget=self.time_budget, progress=self._progress)
            self.tried_ = [one.as_data() for one in tried]
            return chosen
        chosen = tried[0]
        chosen.settings = dict(self.settings or chosen.settings)
        if self.cross_validate:
            self._progress(f"Scoring {chosen.title()} on {try_out.n_folds} held-out folds.")
            try_out(chosen)
        self.tried_ = [chosen.as_data()] if self.cross_validate else []
        return chosen

    def _take(self, chosen: Candidate, known: Labels) -> None:
        """Set what held-out scores give: figures, probabilities and thresholds."""
        self.thresholds_ = np.zeros(len(self.classes_))
        self.sigmoids_ = None
        self.figures_: dict[str, Any] = {}
        scores, f1 = chosen.scores, chosen.f1
        if scores is None or f1 is None:
            return
        truth = known.truth()
        if self.several_:
            self.thresholds_ = thresholds(scores, truth)
        self.sigmoids_ = calibrate(scores - self.thresholds_, truth)
        each = dict(zip(f1.labels.tolist(), f1.per_category.round(6).tolist(), strict=True))
        labels = {
            str(name): each[name] if count >= MEASURABLE else None
            for name, count in zip(known.names.tolist(), known.counts, strict=True)
        }
        self.figures_ = {**chosen.figures, "labels": labels}

    def _scores(self, X: Any) -> Floats:
        return scorer(self.model_, len(self.classes_))(X) - self.thresholds_

    def _predicted(self, scores: Floats) -> list[int]:
        """Return the numbers of the labels that a document gets, or of the likeliest."""
        given = np.flatnonzero(scores > 0).tolist() if self.several_ else []
        return given or [int(scores.argmax())]

    def _reason(self, x: Any, k: int, top: int, names: Sequence[str]) -> Explanation:
        if hasattr(self.model_, "explain"):
            found = self.model_.explain(x, top, names=names, labels=[k])[0][0]
            parts = found.parts
            if self.thresholds_[k]:
                parts = [*parts[:-1], ("(threshold)", parts[-1][1] - float(self.thresholds_[k]))]
        else:
            parts = leave_out(self._scores, x, k, top, names)
        label = self.classes_[k].item()
        return Explanation(label, float(sum(amount for _, amount in parts)), parts)

    def _check_kept(self) -> None:
        require(is_made(self.model_), "its model is not one that a method makes")
        steps = [step for _, step in self.model_.steps] if hasattr(self.model_, "steps") else [self.model_]
        n_terms, n_labels = len(self.vectorizer_.vocabulary_), len(self.classes_)
        known = getattr(steps[0], "n_features_in_", None)
        require(known == n_terms, "its model is of other terms")
        numbers = np.asarray(steps[-1].classes_)
        same = numbers.dtype.kind == "i" and np.array_equal(numbers, np.arange(n_labels))
        require(same, "its model is of other labels")
        several = getattr(getattr(steps[-1], "_labels", None), "kind", None) == "multilabel"
        require(several == self.several_, "its model predicts a different number of labels")
        require((np.diff(self.seen_) > 0).all(), "its training texts are not in order")
        counts = self.data_.get("labels")
        counted = type(counts) is dict and all(map(whole(0).holds, counts.values()))
        require(counted, "it does not say how many documents each label had")
        self.model_.predict(self.vectorizer_.transform([""]))  # refuses parts that do not fit each other

    def _common(self) -> dict[str, Any]:
        return {"n_jobs": self.n_jobs, "random_state": self.random_state, "checkpoint": self.checkpoint}

    @property
    def _progress(self) -> Progress:
        return self.progress or silent

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _check_learnable(labels: Labels) -> None:
    if len(labels.names) == 0:
        raise ValueError("No document has a label: there is nothing to learn from.")
    if len(labels.names) == 1:
        only = str(labels.names[0])
        raise ValueError(
            f"All documents with a label have one and the same, {only!r:.80}: give two labels or more."
        )
