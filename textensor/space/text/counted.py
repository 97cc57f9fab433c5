"""Texts counted once and weighed often: what cross-validation needs of a vectorizer."""

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.late.parts import clone
from textensor.parallel import in_order
from textensor.space.columns import TermColumns
from textensor.space.csr_files import stack_rows
from textensor.space.text.characters import are_marked
from textensor.space.text.counts import drain
from textensor.space.text.table import Terms
from textensor.space.text.term_kernels import sum_rows
from textensor.space.text.vocabulary import places
from textensor.space.text.weights import Columns, Rows, into_columns

#: Rows that are weighed at a time.
_ROWS = 1 << 11
#: Parameters that say what to make of counts, and not what is counted.
_LIMITS = {"min_df", "max_df", "max_features"}
_WEIGHING = {"weighting", "norm", "sublinear_tf", "binary", "dtype", "n_jobs", *_LIMITS}

Vectorizer = TypeVar("Vectorizer", bound=TermColumns)


@dataclass(frozen=True)
class CountedTexts(Generic[Vectorizer]):
    """The counts of all terms of some texts, as :meth:`textensor.space.TermVectorizer.count` returns them.

    Attributes
    ----------
    X : csr_matrix of shape (n_texts, n_terms)
        How often each term occurs in each text, before ``max_df`` and ``max_features`` leave any out.
    terms : Terms
        The term of each column: words first, each kind in alphabetical order.
    vectorizer : TermVectorizer
        The settings, not fitted.

    Examples
    --------
    >>> from textensor.space import TermVectorizer
    >>> counted = TermVectorizer().count(["wheat and maize", "maize fell", "wheat fell, and fell"])
    >>> vectorizer, X = counted.weigh([0, 1])  # learns from two texts, returns all three
    >>> vectorizer.get_feature_names_out()
    array(['and', 'fell', 'maize', 'wheat'], dtype=object)
    >>> X.shape
    (3, 4)
    """

    X: sp.csr_matrix
    terms: Terms
    vectorizer: Vectorizer

    @classmethod
    def of(cls, vectorizer: Vectorizer, raw_documents: Iterable[Any]) -> Self:
        """Count documents by the settings of a vectorizer."""
        vectorizer = clone(vectorizer)
        vectorizer._start()
        counts, blocks = vectorizer._count(raw_documents)
        if vectorizer.fixed_vocabulary_:
            terms = vectorizer._given_terms()
            columns = places(counts.table.find(terms), len(counts.table))
        else:
            # No part of the documents has more of a term than all of them.
            least = vectorizer.min_df if isinstance(vectorizer.min_df, Integral) else 1
            kept = np.flatnonzero(counts.document_frequency >= least)
            terms = counts.table.terms.take(kept)
            order = terms.order(vectorizer.n_jobs)
            terms, columns = terms.take(order).compact(), places(kept[order], len(counts.table))
        width = len(terms)

        def sort(task: Any) -> sp.csr_matrix:
            indptr, indices, data = into_columns(task[0], columns[task[1]])
            return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, width))

        X = stack_rows(in_order(sort, drain(blocks), vectorizer.n_jobs), width, np.int32)
        return cls(sp.csr_matrix(X), terms, clone(vectorizer))

    def weigh(self, rows: npt.ArrayLike | None = None, **options: Any) -> tuple[Vectorizer, Any]:
        """Return a vectorizer fitted to some of the texts, and the weighted matrix of all of them.

        Both equal those of ``fit`` with the chosen texts and ``transform`` with all texts, exactly, but the
        texts are not read again.

        Parameters
        ----------
        rows : array-like of int or bool, or None
            The texts to fit to, by number or as a mask; None is all.
        **options
            Parameters of the vectorizer that replace its own: those that concern weights and limits, and
            ``char_ngram_range=None``, which leaves the character n-grams out.
        """
        options.setdefault("char_ngram_range", self.vectorizer.char_ngram_range)
        self._check(options)
        vectorizer = clone(self.vectorizer).set_params(**options)
        vectorizer._start()
        n_documents, df, tf = self._frequencies(rows)
        if vectorizer.char_ngram_range is None and self.vectorizer.char_ngram_range is not None:
            df[are_marked(self.terms)] = 0
        tf = df if vectorizer.binary else tf
        columns = np.arange(len(self.terms), dtype=np.int32)
        if vectorizer.fixed_vocabulary_:
            vectorizer._weigh_terms(df, n_documents)
        else:
            columns = vectorizer._select(self.terms, df, tf, n_documents, in_order=True)
        starts = np.append(np.arange(0, self.X.shape[0], _ROWS), self.X.shape[0])
        sizes = list(zip(np.diff(starts), np.diff(self.X.indptr[starts]), strict=True))

        def block(k: int) -> tuple[Rows, Columns]:
            indptr = self.X.indptr[starts[k] : starts[k + 1] + 1].astype(np.int64)
            part = slice(indptr[0], indptr[-1])
            return (indptr, self.X.indices[part], self.X.data[part]), columns

        return vectorizer, vectorizer._weights().of_blocks(sizes, block, vectorizer.n_jobs)

    def _check(self, options: dict[str, Any]) -> None:
        """Refuse options that counts cannot follow."""
        counted, least = self.vectorizer.char_ngram_range, self.vectorizer.min_df
        for name in options.keys() - _WEIGHING - {"char_ngram_range"}:
            raise ValueError(f"{name} concerns what is counted: set it on the vectorizer, and count again.")
        if self.vectorizer.vocabulary is not None and options["char_ngram_range"] != counted:
            raise ValueError("char_ngram_range cannot be changed, because the vocabulary was given.")
        if options["char_ngram_range"] not in (None, counted):
            raise ValueError(f"char_ngram_range must be None or {counted}, as the texts were counted with.")
        lower = options.get("min_df", least)
        counted_all = not isinstance(least, Integral) or int(least) <= 1
        if not counted_all and not (isinstance(lower, Integral) and int(lower) >= int(least)):
            raise ValueError(f"min_df must be {least} or more, because rarer terms were not counted.")

    def _frequencies(self, rows: npt.ArrayLike | None) -> tuple[int, Any, Any]:
        """Return the number of texts, and in how many of them each term occurs and how often."""
        number = np.arange(self.X.shape[0]) if rows is None else np.asarray(rows)
        if number.dtype == bool and len(number) != self.X.shape[0]:
            raise ValueError(f"The mask has {len(number)} entries for {self.X.shape[0]} texts.")
        number = np.flatnonzero(number) if number.dtype == bool else number.astype(np.intp)
        if len(np.unique(number)) < len(number):
            raise ValueError("A text is among the rows twice.")
        if len(number) and not (number.min() >= 0 and number.max() < self.X.shape[0]):
            raise ValueError(f"The rows must be numbers from 0 to {self.X.shape[0] - 1}.")
        df, tf = (np.zeros(self.X.shape[1], dtype=np.int64) for _ in range(2))
        sum_rows(self.X.indptr, self.X.indices, self.X.data, number, df, tf)
        return len(number), df, tf
