"""TextCategorizer: raw text in, labels out."""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import Stemmer
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, flag, number, one_of, optional, whole
from textensor.base.kept import dropped, each, floats, keeps, labels, mapping, none_or, part, require, text
from textensor.base.labels import Labels, read_named
from textensor.base.progress import Progress, silent
from textensor.base.store import Store
from textensor.classify import Explanation
from textensor.classify.thresholds import N_FOLDS
from textensor.evaluate.f1 import MEASURABLE
from textensor.files import Description, ModelFileError, open_model, save
from textensor.space import TermVectorizer
from textensor.workbench.calibrate import calibrate, probabilities
from textensor.workbench.choice.embedded import with_embedding
from textensor.workbench.choice.features import FEATURES, term_vectorizer
from textensor.workbench.choice.race import Race
from textensor.workbench.choice.selection import (
    Candidate,
    HeldOut,
    Vectors,
    fit_estimator,
    scorer,
    thresholds,
)
from textensor.workbench.embedding import Embedding
from textensor.workbench.methods import METHODS, QUICKEST, candidates, is_made
from textensor.workbench.reasons import leave_out, telling_terms
from textensor.workbench.texts import check_texts, fingerprint, warn_of_oddities
from textensor.workbench.with_embedding import WithEmbedding

#: Seconds; without end, too.
_BUDGET = Rule("a number of 0 or more", lambda value: value == float("inf") or number(least=0).holds(value))
#: Languages of stop words and stems.
LANGUAGES = tuple(Stemmer.algorithms())
_STOP_WORDS = Rule(
    "True, False or a list of words",
    lambda value: (
        isinstance(value, bool)
        or (
            isinstance(value, Sequence)
            and not isinstance(value, str)
            and all(isinstance(w, str) for w in value)
        )
    ),
)


@keeps(
    classes_=labels("n_classes", least=2, kinds="iU"),
    several_=flag,
    method_=text,
    features_=text,
    settings_=mapping,
    tried_=each(mapping),
    figures_=mapping,
    data_=mapping,
    vectorizer_=part(TermVectorizer, shares=("n_terms",)),
    model_=part(),
    thresholds_=floats("n_classes"),
    sigmoids_=none_or(floats("n_classes", 2)),
    progress=dropped,
    checkpoint=dropped,
)
class TextCategorizer(WithEmbedding, ClassifierMixin, BaseEstimator):
    """Learn labels from raw text, with one of the methods here or with the best of some.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A name that ``textensor methods`` lists: that method with its first setting. ``"auto"`` searches over
        a few methods and settings, a list of names over those methods and their settings.
    settings : dict or None, default=None
        Parameters of the method's estimator instead of its first setting; not for a search.
    features : {"auto", "words", "bigrams", "characters", "both"}, default="auto"
        What a text is made of: words, words and pairs of words, character n-grams within words, or pairs and
        n-grams together. ``"auto"`` searches over them together with the methods; a method without a search
        reads words.
    language : str or None, default=None
        Language of stop words and stems, one of PyStemmer's.
    stop_words : bool or sequence of str, default=False
        Whether to leave out the language's stop words, or words to leave out.
    min_df : int, float or None, default=None
        Number or share of documents below which a term is left out; None is 1 for words and 2 for other
        features.
    stem : bool, default=False
        Whether to reduce words to their stems.
    vectorizer : TermVectorizer or None, default=None
        Turns text into terms in place of the five parameters above, such as ``TermVectorizer()``, which has
        the papers' weights.
    embedding : path, transformer, callable or None, default=None
        An embedding of texts that ``semantic-svm`` reads beside terms: a folder of a static model in the
        format of model2vec (:class:`~textensor.space.StaticEmbedding`), an object with ``transform(texts)``
        that is fitted or with ``encode(texts)``, or a function of a list of texts; all but the first return
        an array with a row for each text. It is used as it is and not saved: see :meth:`use_embedding`. A
        search takes it only if it is ahead on held-out folds by more than a standard error.
    cross_validate : bool, default=True
        Whether to score the labelled documents on held-out folds. This gives figures, probabilities and, in
        multilabel mode, thresholds, and takes about twice the time of fitting. A search always does it.
    time_budget : float, default=60.0
        Seconds that a search may take, until the chosen candidate is fitted to all documents. If that is too
        short for any candidate, the quickest method is fitted.
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
    features_ : str
        The features that it reads; ``"given"`` are those of ``vectorizer``.
    tried_ : list of dict
        What was tried on held-out folds, in order: method, features, settings, number of folds, micro- and
        macro-F1, and why it was dropped.
    figures_ : dict
        F1 on held-out folds: ``"micro"``, ``"macro"`` and ``"labels"``, the F1 of each label (None if it has
        fewer than 5 documents); empty without cross-validation.
    data_ : dict
        Counts and SHA-256 of the training data.
    vectorizer_, model_ : fitted estimators
        The parts.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds, subtracted from the scores; 0 unless in multilabel mode.
    sigmoids_ : ndarray of shape (n_labels, 2) or None
        Slope and intercept from scores to probabilities.
    embedding_ : EmbeddingMark or None
        What the embedding is known by; None if the model reads none.

    Notes
    -----
    On held-out folds terms are chosen and weighed anew from the documents of the other folds.

    Examples
    --------
    >>> from textensor import TextCategorizer
    >>> texts = ["wheat rose", "maize and wheat", "maize fell", "bank rates", "the bank lent", "rates rose"]
    >>> model = TextCategorizer("svm").fit(texts, ["grain"] * 3 + ["money"] * 3)
    >>> model.predict(["wheat and maize", "a bank"])
    array(['grain', 'money'], dtype='<U5')
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "features": one_of("auto", *FEATURES),
        "language": optional(one_of(*LANGUAGES)),
        "stop_words": _STOP_WORDS,
        "stem": flag,
        "cross_validate": flag,
        "time_budget": _BUDGET,
    }

    def __init__(
        self,
        method: str | Sequence[str] = "auto",
        *,
        settings: dict[str, Any] | None = None,
        features: str = "auto",
        language: str | None = None,
        stop_words: bool | Sequence[str] = False,
        min_df: float | None = None,
        stem: bool = False,
        vectorizer: TermVectorizer | None = None,
        embedding: Any = None,
        cross_validate: bool = True,
        time_budget: float = 60.0,
        checkpoint: str | Path | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.method = method
        self.settings = settings
        self.features = features
        self.language = language
        self.stop_words = stop_words
        self.min_df = min_df
        self.stem = stem
        self.vectorizer = vectorizer
        self.embedding = embedding
        self.cross_validate = cross_validate
        self.time_budget = time_budget
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def fit(self, texts: Iterable[str], labels: Iterable[Any]) -> Self:
        """Learn from documents and their labels.

        Parameters
        ----------
        texts : iterable of str
            The documents.
        labels : iterable
            A label for each, a string or a whole number, or a tuple or list of them. A document without a
            label has ``""``, None or ``()``; semi-supervised methods learn from its text.
        """
        start = time.monotonic()
        check_parameters(self)
        texts, labels = list(check_texts(texts)), list(labels)
        if len(texts) != len(labels):
            raise ValueError(f"There are {len(texts)} texts and {len(labels)} labels: give one for each.")
        known = read_named(labels)
        _check_learnable(known)
        warn_of_oddities(texts, known)
        sha256 = fingerprint(texts, labels)
        vectors, chosen = self._choose(texts, known, sha256, start)
        self.vectorizer_, X = vectors.fitted(chosen)
        fitted = vectors.labels
        if not chosen.method.unlabelled:
            X, fitted = X[fitted.labelled], fitted.rows(fitted.labelled)
        self.classes_, self.several_ = known.names, known.several
        self.method_, self.settings_, self.features_ = chosen.method.name, chosen.settings, chosen.features
        n_labelled, n_terms = int(np.count_nonzero(known.labelled)), len(self.vectorizer_.vocabulary_)
        self._progress(f"Fitting {chosen.title()} to {X.shape[0]} documents and {n_terms} terms.")
        self.model_ = fit_estimator(chosen, self.vectorizer_, X, fitted, **self._common())
        self._take(chosen, known.rows(known.labelled))
        self._keep_embedding(vectors.embedded.embedding if chosen.embedding and vectors.embedded else None)
        counts = {"documents": len(texts), "unlabelled": len(texts) - n_labelled, "terms": n_terms}
        sizes = dict(zip(map(str, self.classes_), known.counts.tolist(), strict=True))
        self.data_: dict[str, Any] = {**counts, "labels": sizes, "sha256": sha256}
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
        return (score(X) - self.thresholds_ for X in self._blocks(texts))

    def predict_proba(self, texts: Iterable[str]) -> Floats:
        """Return the probability of each label, calibrated on held-out documents: texts x labels.

        Unless in multilabel mode, a row sums to 1. In rare cases the most probable label is not the one with
        the highest score, which :meth:`predict` returns.
        """
        return self.probabilities(self.predict_scores(texts))

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
        names = [*self.vectorizer_.get_feature_names_out(), *["(embedding)"] * self._n_embedding]
        texts = list(check_texts(texts))
        blocks = ((X, self._scores(X)) for X in self._blocks(texts))
        rows = (row for X, scores in blocks for row in zip(X, scores, strict=True))
        return [
            [
                self._reason(text, x, k, top, names)
                for k in (self._predicted(scores) if labels is None else map(known.index, labels))
            ]
            for text, (x, scores) in zip(texts, rows, strict=True)
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
        return telling_terms(lambda X: self._scores(self._wide(X)), self.classes_, names, top)

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
    def load(cls, path: str | Path, *, embedding: Any = None) -> "TextCategorizer":
        """Return the categorizer in a file. Nothing in the file is ever run.

        Parameters
        ----------
        path : path
            The file.
        embedding : path, transformer, callable or None
            The embedding at ``fit``, if the model reads one: see :meth:`use_embedding`.
        """
        model = cls.open(path)[0]
        return model if embedding is None else model.use_embedding(embedding)

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
        n_tried = sum("micro" in one for one in self.tried_)
        held_out = {"tried": n_tried, **self.figures_} if self.figures_ else None
        return {
            "method": self.method_,
            "features": self.features_,
            "settings": settings,
            "embedding": None if self.embedding_ is None else self.embedding_.card(),
            "several labels": self.several_,
            "data": self.data_,
            "held out": held_out,
        }

    def _choose(
        self, texts: Sequence[str], labels: Labels, sha256: str, start: float
    ) -> tuple[Vectors, Candidate]:
        """Return a method with its settings and features, with held-out scores if there are any."""
        named = isinstance(self.method, str) and self.method != "auto"
        names = [self.method] if isinstance(self.method, str) else list(self.method)
        if self.settings is not None and not named:
            raise ValueError("settings are those of one method: name it, or leave them to the search.")
        vectorizers = self._vectorizers(named)
        embedding = None if self.embedding is None else Embedding(self.embedding)
        unlabelled = not labels.labelled.all()
        planned = candidates(names, list(vectorizers), several=labels.several, unlabelled=unlabelled)
        plan = [Candidate(*one) for one in (planned[:1] if named else planned)]
        if embedding is not None:
            plan = with_embedding(plan, search=not named)
        reads_all = any(one.method.unlabelled for one in plan)
        vectors = Vectors(vectorizers, texts, labels, reads_all, self.n_jobs, embedding)
        made_of = {"data": sha256, "vectorizers": repr([one.get_params() for one in vectorizers.values()])}
        made_of |= {} if embedding is None else {"embedding": embedding.fingerprint()}
        try_out = HeldOut(vectors, Store(self.checkpoint), made_of, self._common())
        if named:
            chosen = plan[0]
            chosen.settings = dict(self.settings or chosen.settings)
            if self.cross_validate:
                self._progress(f"Scoring {chosen.title()} on {N_FOLDS} held-out folds.")
                for number in range(len(try_out.folds)):
                    try_out(chosen, number)
            self.tried_ = [chosen.as_data()] if self.cross_validate else []
            return vectors, chosen
        race = Race(plan, try_out, time_budget=self.time_budget, start=start, progress=self._progress)
        quickest = Candidate(METHODS[QUICKEST], {}, plan[0].features)
        chosen = race.run(quickest if names == ["auto"] else plan[0])
        self.tried_ = [one.as_data() for one in race.tried]
        return vectors, chosen

    def _vectorizers(self, named: bool) -> dict[str, TermVectorizer]:
        """Return the vectorizers of the features that are to be tried, by name."""
        if self.vectorizer is not None:
            return {"given": self.vectorizer}
        kinds = ["words"] if named else ["words", "bigrams", "both"]
        return {
            kind: term_vectorizer(
                kind,
                language=self.language,
                stop_words=self.stop_words,
                min_df=self.min_df,
                stem=self.stem,
            )
            for kind in (kinds if self.features == "auto" else [self.features])
        }

    def _take(self, chosen: Candidate, known: Labels) -> None:
        """Set what held-out scores give: figures, probabilities and thresholds."""
        self.thresholds_ = np.zeros(len(self.classes_))
        self.sigmoids_ = None
        self.figures_: dict[str, Any] = {}
        scored, f1 = chosen.scored, chosen.f1
        if scored is None or f1 is None:
            return
        scores, truth = scored.scores, known.rows(scored.rows).truth()
        if self.several_:
            self.thresholds_ = thresholds(scores, truth)
        self.sigmoids_ = calibrate(scores - self.thresholds_, truth)
        each = dict(zip(f1.labels.tolist(), f1.per_category.round(6).tolist(), strict=True))
        labels = {
            str(name): each.get(name) if count >= MEASURABLE else None
            for name, count in zip(known.names.tolist(), known.counts, strict=True)
        }
        self.figures_ = {**chosen.figures, "folds": len(chosen.tested), "labels": labels}

    def _scores(self, X: Any) -> Floats:
        return scorer(self.model_, len(self.classes_))(X) - self.thresholds_

    def _predicted(self, scores: Floats) -> list[int]:
        """Return the numbers of the labels that a document gets, or of the likeliest."""
        given = np.flatnonzero(scores > 0).tolist() if self.several_ else []
        return given or [int(scores.argmax())]

    def _reason(self, text: str, x: Any, k: int, top: int, names: Sequence[str]) -> Explanation:
        if hasattr(self.model_, "explain"):
            parts = self._linear_reason(text, x, k, top, names)
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
        require(known == n_terms + self._n_embedding, "its model is of other terms")
        fits = getattr(steps[0], "n_embedding", 0) == self._n_embedding
        require(fits, "its model is of another embedding")
        numbers = np.asarray(steps[-1].classes_)
        same = numbers.dtype.kind == "i" and np.array_equal(numbers, np.arange(n_labels))
        require(same, "its model is of other labels")
        several = getattr(getattr(steps[-1], "_labels", None), "kind", None) == "multilabel"
        require(several == self.several_, "its model predicts a different number of labels")
        counts = self.data_.get("labels")
        counted = type(counts) is dict and all(map(whole(0).holds, counts.values()))
        require(counted, "it does not say how many documents each label had")
        empty = self._wide(self.vectorizer_.transform([""]))
        self.model_.predict(empty)  # refuses parts that do not fit each other

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
