"""Texts counted once and weighed often: what cross-validation needs of a vectorizer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import clone

from textensor.parallel import in_order
from textensor.space.text.characters import are_quoted

if TYPE_CHECKING:
    from textensor.space.terms import TermVectorizer

#: Rows that are weighed at a time.
_ROWS = 1 << 12
#: Parameters that say what to make of counts, and not what is counted.
_WEIGHING = {
    "weighting",
    "norm",
    "sublinear_tf",
    "binary",
    "min_df",
    "max_df",
    "max_features",
    "n_jobs",
    "dtype",
}


@dataclass(frozen=True)
class CountedTexts:
    """The counts of all terms of some texts, as :meth:`textensor.space.TermVectorizer.count` returns them.

    Attributes
    ----------
    X : csr_matrix of shape (n_texts, n_terms)
        How often each term occurs in each text, before ``max_df`` and ``max_features`` leave any out.
    names : list of str
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
    names: list[str]
    vectorizer: "TermVectorizer"

    def weigh(self, rows: npt.ArrayLike | None = None, **options: Any) -> "tuple[TermVectorizer, Any]":
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
        n, df, tf = self._frequencies(rows)
        names = self.names
        if vectorizer.char_ngram_range is None and self.vectorizer.char_ngram_range is not None:
            second = are_quoted(names, len(names))
            df[second] = 0
            names = [name.removeprefix("\\") for name in names]
        columns = vectorizer._select(names, df, df if vectorizer.binary else tf, n)
        final = np.full(len(self.names), -1, dtype=np.int32)
        final[columns] = np.arange(len(columns))
        indptr, indices, data = self.X.indptr, self.X.indices, self.X.data
        write = vectorizer._writer()

        def block(start: int) -> Any:
            rows = indptr[start : start + _ROWS + 1]
            part = slice(rows[0], rows[-1])
            return write(rows - rows[0], indices[part], data[part], final)

        starts = range(0, self.X.shape[0], _ROWS)
        return vectorizer, vectorizer._stack(in_order(block, starts, vectorizer.n_jobs))

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
        if isinstance(least, int) and (not isinstance(lower, int) or lower < least) and least > 1:
            raise ValueError(f"min_df must be {least} or more, because rarer terms were not counted.")

    def _frequencies(self, rows: npt.ArrayLike | None) -> tuple[int, Any, Any]:
        """Return the number of texts, and in how many of them each term occurs and how often."""
        X = self.X
        if rows is not None:
            number = np.asarray(rows)
            if number.dtype == bool and len(number) != X.shape[0]:
                raise ValueError(f"The mask has {len(number)} entries for {X.shape[0]} texts.")
            number = np.flatnonzero(number) if number.dtype == bool else number.astype(np.intp)
            if len(np.unique(number)) < len(number):
                raise ValueError("A text is among the rows twice.")
            X = X[number]
        df = np.bincount(X.indices, minlength=X.shape[1])
        tf = np.bincount(X.indices, weights=X.data, minlength=X.shape[1]).astype(np.int64)
        return X.shape[0], df, tf
