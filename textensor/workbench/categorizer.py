"""TextCategorizer: raw text in, labels out."""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.base.checks import Rule, check_parameters, flag, number, whole
from textensor.base.compiled import interpreted
from textensor.base.kept import (
    dropped,
    each,
    either,
    floats,
    integers,
    keeps,
    labels,
    mapping,
    none_or,
    part,
    require,
    steps_of,
    text,
)
from textensor.base.labels import Labels
from textensor.base.late.parts import BaseEstimator, ClassifierMixin, check_is_fitted
from textensor.base.plain import counted
from textensor.base.progress import Progress, silent
from textensor.files import Description, ModelFileError, open_model, save
from textensor.space import TermVectorizer, scripts_of
from textensor.workbench.answers.deciding import Deciding
from textensor.workbench.answers.explaining import Explaining
from textensor.workbench.answers.scores import scorer
from textensor.workbench.choice.features import TERM_RULES, described
from textensor.workbench.methods import is_made
from textensor.workbench.texts import check_learnable, check_texts, fingerprint, text_keys, texts_with_labels

#: Characters x labels of what is learnt without compiled code.
SMALL = 1 << 11
#: Seconds; without end, too.
_BUDGET = Rule("a number of 0 or more", lambda value: value == float("inf") or number(least=0).holds(value))


@keeps(
    classes_=labels("n_classes", least=2, kinds="iU"),
    several_=flag,
    method_=text,
    features_=text,
    settings_=mapping,
    tried_=each(mapping),
    figures_=mapping,
    data_=mapping,
    seen_=integers("n_seen?"),
    vectorizer_=part(TermVectorizer, shares=("n_terms",)),
    model_=part(),
    thresholds_=floats("n_classes"),
    sigmoids_=either(floats(3), none_or(floats("n_classes", 2))),
    progress=dropped,
    checkpoint=dropped,
)
class TextCategorizer(Deciding, Explaining, ClassifierMixin, BaseEstimator):
    """Learn labels from raw text, with one of the methods here or with the best of some.

    Parameters
    ----------
    method : str or list of str, default="auto"
        A name that ``textensor methods`` lists: that method with its first setting. ``"auto"`` searches over
        a few methods and settings, a list of names over those methods and their settings.
    settings : dict or None, default=None
        Parameters of the method's estimator instead of its first setting; not for a search.
    features : {"auto", "words", "bigrams", "characters", "both"}, default="auto"
        What a text is made of: words, words and pairs of words, character n-grams within words, or all
        three together. ``"auto"`` searches over words and all three together with the methods; a method
        without a search reads words.
    language : str or None, default=None
        Language of stop words and stems, one of :data:`textensor.space.LANGUAGES`.
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
        fewer than 5 documents). Unless in multilabel mode ``"coverage"``: how many documents have a label of
        at least some probability, and how many of these are right. Empty without cross-validation.
    data_ : dict
        Counts and SHA-256 of the training data, and in words what terms are made of them.
    seen_ : ndarray of int64
        A short hash of each labelled training text, sorted: :meth:`trained_on` knows them again.
    vectorizer_, model_ : fitted estimators
        The parts.
    thresholds_ : ndarray of shape (n_labels,)
        Thresholds, subtracted from the scores; 0 without cross-validation.
    sigmoids_ : ndarray of shape (3,) or (n_labels, 2), or None
        From scores to probabilities: slope, intercept and power for all labels; in multilabel mode slope and
        intercept of each label. None without cross-validation.
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
        **TERM_RULES,
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

    def fit(self, texts: Iterable[str], labels: Any, *, check: bool = True) -> Self:
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
        check : bool, default=True
            Whether to warn of odd documents and labels, see :func:`~textensor.workbench.check_documents`.
        """
        from textensor.workbench.check.documents import warn_of_oddities  # here: what scores needs none of it

        start = time.monotonic()
        check_parameters(self)
        texts, known = texts_with_labels(texts, labels)
        check_learnable(known)
        keys = text_keys(texts)
        if check:
            checked = warn_of_oddities(texts, known, keys)
            self._progress(checked.summary)
            if checked.hint and self.language is None and self.vectorizer is None:
                self._progress(checked.hint)
        with interpreted(sum(map(len, texts)) * len(known.names) <= SMALL, always=True):
            self._fit(texts, known, keys, start)
        self.data_["features"] = described(self.vectorizer_, checked.scripts if check else scripts_of(texts))
        return self

    def _fit(self, texts: list[str], known: Labels, keys: npt.NDArray[np.int64], start: float) -> None:
        """Learn from documents that were checked."""
        from textensor.workbench.answers.held_out import from_held_out  # here: what scores needs none of it
        from textensor.workbench.choice.choose import choose

        sha256 = fingerprint(texts, known.as_written())
        vectors, chosen, tried = choose(self, texts, known, sha256, start)
        self.tried_ = [one.as_data() for one in tried]
        self.classes_, self.several_ = known.names, known.several
        self.method_, self.settings_, self.features_ = chosen.method.name, chosen.settings, chosen.features
        n_labelled = int(np.count_nonzero(known.labelled))
        n_read = len(texts) if chosen.method.unlabelled else n_labelled
        self._progress(f"Fitting {chosen.title()} to {counted(n_read, 'document')}.")
        self.vectorizer_, self.model_, *_ = vectors.fit(chosen, **self._common())
        n_terms = len(self.vectorizer_.vocabulary_)
        found = from_held_out(chosen, known.rows(known.labelled))
        self.thresholds_, self.sigmoids_ = found.thresholds, found.sigmoids
        self.figures_: dict[str, Any] = {}
        if found.figures:
            self.figures_ = {**chosen.figures, "folds": len(chosen.tested), **found.figures}
        self._keep_embedding(vectors.embedded.embedding if chosen.embedding and vectors.embedded else None)
        counts = {"documents": len(texts), "unlabelled": len(texts) - n_labelled, "terms": n_terms}
        sizes = dict(zip(map(str, self.classes_), known.counts.tolist(), strict=True))
        self.data_: dict[str, Any] = {**counts, "labels": sizes, "sha256": sha256}
        self.seen_ = np.unique(keys[known.labelled & (keys >= 0)])

    def predict(self, texts: Iterable[str], *, unknown: Any = None) -> Any:
        """Return the label of each text as an array, or a list with a tuple of labels for each.

        Parameters
        ----------
        texts : iterable of str
            The documents.
        unknown : str, int or None
            A label to return in place of labels that are :meth:`unsure`; of the labels' own type.
        """
        found = [self.decide(scores, unknown=unknown) for scores in self.score_blocks(texts)]
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

        A row sums to 1, and the most probable label is the predicted one. In multilabel mode each label has a
        probability of its own. It is predicted above the probability that has the best F1 on held-out
        documents, which differs between labels and is often below one half.
        """
        return self.probabilities(self.predict_scores(texts))

    def trained_on(self, texts: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Return which texts were in the training data with a label, whatever their case and their spaces."""
        check_is_fitted(self)
        return np.isin(text_keys(check_texts(texts)), self.seen_)

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
        return cls.checked(path, *open_model(path))

    @classmethod
    def checked(
        cls, path: str | Path, model: Any, about: Description
    ) -> tuple["TextCategorizer", Description]:
        """Return what was in a file if it is a categorizer."""
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

    def _check_kept(self) -> None:
        require(is_made(self.model_), "its model is not one that a method makes")
        steps = steps_of(self.model_)
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
        require((np.diff(self.seen_) > 0).all(), "its training texts are not in order")
        self._check_probabilities()
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
