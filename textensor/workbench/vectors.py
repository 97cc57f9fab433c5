"""Documents as each method wants them, made once for all methods that want them so."""

from typing import Any

from sklearn.base import clone

from textensor.base.labels import Labels
from textensor.space import TermVectorizer
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
