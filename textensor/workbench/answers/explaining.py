"""The part of a categorizer that gives reasons."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.arrays import Floats
from textensor.base.checks import check, whole
from textensor.base.late.parts import check_is_fitted
from textensor.classify import Explanation
from textensor.workbench.answers.reasons import leave_out, telling_terms
from textensor.workbench.answers.scores import scorer
from textensor.workbench.embedding import reasons_by_word
from textensor.workbench.texts import check_texts
from textensor.workbench.with_embedding import WithEmbedding


class Explaining(WithEmbedding):
    """What explains the scores of texts by their terms, and by the words of their embedding."""

    classes_: npt.NDArray[Any]
    several_: bool
    thresholds_: Floats

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
        asked = None if labels is None else self._numbers_of(labels)
        names = [*self.vectorizer_.get_feature_names_out(), *["(embedding)"] * self._n_embedding]
        texts = list(check_texts(texts))
        blocks = ((X, self._scores(X)) for X in self._blocks(texts))
        rows = (row for X, scores in blocks for row in zip(X, scores, strict=True))
        return [
            [
                self._reason(text, x, k, top, names)
                for k in (self._predicted(scores) if asked is None else asked)
            ]
            for text, (x, scores) in zip(texts, rows, strict=True)
        ]

    def telling_terms(
        self, top: int = 10, *, labels: Sequence[Any] | None = None
    ) -> dict[Any, list[tuple[str, float]]]:
        """Return the terms that raise the score of each label most, with the amounts.

        For linear methods the amounts are weights. Empty if the nearest document decides: such a method knows
        documents, not terms.

        Parameters
        ----------
        top : int, default=10
            How many terms to name.
        labels : sequence or None
            The labels in question; None is all of them.
        """
        check_is_fitted(self)
        check("top", top, whole(0))
        asked = self._numbers_of(self.classes_.tolist() if labels is None else labels)
        if hasattr(self.model_, "steps"):
            return {}
        score, names = scorer(self.model_, len(self.classes_)), self.vectorizer_.get_feature_names_out()
        found = telling_terms(lambda X: score(self._wide(X)), len(self.classes_), names, top, asked)
        return dict(zip(self.classes_[asked].tolist(), found, strict=True))

    def _numbers_of(self, labels: Sequence[Any]) -> list[int]:
        """Return the numbers of labels, or name one that there is not."""
        known = {label: k for k, label in enumerate(self.classes_.tolist())}
        for label in labels:
            if label not in known:
                raise ValueError(f"There is no label {label!r:.80}, only {', '.join(map(str, known))[:200]}.")
        return [known[label] for label in labels]

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

    def _linear_reason(
        self, text: str, x: Any, k: int, top: int, names: Sequence[str]
    ) -> list[tuple[str, float]]:
        """Return the parts of a label's score, as a linear model explains it."""
        embedding = self._source()
        n_named = top if embedding is None else x.nnz
        parts = self.model_.explain(x, n_named, names=names, labels=[k])[0][0].parts
        if embedding is None:
            return list(parts)
        amounts = partial(self.model_.embedding_amounts, label=k)
        return reasons_by_word(parts, text, embedding, amounts, top, self.vectorizer_.lowercase)
