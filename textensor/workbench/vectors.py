"""Documents as each method wants them, made once for all methods that want them so."""

from typing import Any

from sklearn.base import clone

from textensor.space import TermVectorizer
from textensor.workbench.categories import Categories
from textensor.workbench.methods import Method

__all__ = ["Vectors"]


class Vectors:
    """The documents as a method wants them: tf-idf or counts, of all documents or the labelled ones."""

    def __init__(
        self, given: TermVectorizer, texts: list[str], categories: Categories, n_jobs: int | None
    ) -> None:
        self._given, self._n_jobs, self._texts, self._categories = given, n_jobs, texts, categories
        self._made: dict[tuple[bool, bool], tuple[Any, Any]] = {}

    def of(self, method: Method) -> tuple[Any, Categories]:
        """Return documents x terms, and their labels; all documents, or those that the method can use."""
        whole = method.unlabelled or self._all_labelled()
        known = self._categories if whole else self._categories.rows(self._categories.labelled)
        return self._both(method)[1], known

    def vectorizer(self, method: Method) -> TermVectorizer:
        """Return the fitted vectorizer."""
        return self._both(method)[0]

    def _all_labelled(self) -> bool:
        return len(self._categories.labelled) == len(self._texts)

    def _both(self, method: Method) -> tuple[Any, Any]:
        key = method.counts, method.unlabelled or self._all_labelled()
        if key not in self._made:
            vectorizer = clone(self._given).set_params(n_jobs=self._n_jobs)
            if method.counts:
                vectorizer.set_params(weighting="tf", norm=None, sublinear_tf=False)
            texts = self._texts if key[1] else [self._texts[d] for d in self._categories.labelled]
            self._made[key] = vectorizer, vectorizer.fit_transform(texts)
        return self._made[key]
