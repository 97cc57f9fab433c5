"""The columns of a vectorizer: terms that were chosen from counts, and what they weigh."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from textensor.base.checks import check_parameters
from textensor.base.compiled import is_interpreted
from textensor.base.late.parts import CountVectorizer, check_is_fitted
from textensor.parallel import in_order
from textensor.space.text.analysis import counter, misfit
from textensor.space.text.characters import names_of, terms_named
from textensor.space.text.counts import CountedBlock, TermCounts, blocks_of, texts_of
from textensor.space.text.table import Terms, TermTable
from textensor.space.text.vocabulary import choose, places
from textensor.space.text.weights import Weights, inverse_document_frequency


class TermColumns(CountVectorizer):
    """Settings, and the columns that were chosen by them: what stands below a vectorizer's public methods.

    Attributes
    ----------
    counts_ : TermCounts
        What batches were counted, if there were any: columns are chosen from them when they are asked for.
    """

    weighting: str
    char_ngram_range: tuple[int, int] | None
    n_jobs: int | None
    counts_: TermCounts

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each term."""
        self._catch_up()
        if "_vocabulary" not in vars(self) and "_terms" in vars(self):
            names = names_of(self._terms, beside_words=self.char_ngram_range is not None)
            self._vocabulary = dict(zip(names, range(len(names)), strict=True))
        return self._vocabulary

    @vocabulary_.setter
    def vocabulary_(self, value: dict[str, int]) -> None:
        self._forget("_terms", "_table")
        self._vocabulary = value

    @property
    def idf_(self) -> npt.NDArray[np.float64]:
        """The inverse document frequency of each column, unless weighting is "tf"."""
        if self.weighting == "tf":
            raise AttributeError('There is no idf_ with weighting="tf".')
        check_is_fitted(self)
        self._catch_up()
        return self._idf

    @idf_.setter
    def idf_(self, value: npt.ArrayLike) -> None:
        self._check_vocabulary()
        idf = np.array(value, dtype=np.float64)
        if idf.shape != (len(self.vocabulary_),):
            raise ValueError(f"idf_ needs {len(self.vocabulary_)} numbers, one for each term.")
        self._idf, self._stale = idf, False

    def _catch_up(self) -> None:
        """Choose the vocabulary if batches were counted since it was last asked for."""
        if getattr(self, "_stale", False):
            self._choose(self.counts_)

    def _settle(self) -> None:
        _ = self.vocabulary_

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_table"}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_idf") or getattr(self, "_stale", False)

    def _start(self) -> None:
        """Check the settings and forget what was learnt."""
        check_parameters(self)
        self._validate_params()  # scikit-learn's rules for the options that are inherited
        self._validate_ngram_range()
        if problem := misfit(self):
            raise ValueError(f"{problem}.")
        self._warn_for_unused_params()
        self._forget("counts_", "_idf", "_vocabulary", "_terms", "_table")
        self._stale = False
        self._validate_vocabulary()

    def _forget(self, *names: str) -> None:
        for name in names:
            self.__dict__.pop(name, None)

    def _count(self, raw_documents: Iterable[Any]) -> tuple[TermCounts, list[Any]]:
        """Count documents; return the counts, and rows with the number in them of each of their terms."""
        counts = TermCounts()
        return counts, [(block[:3], counts.add(block, self.binary)) for block in self._counted(raw_documents)]

    def _counted(self, raw_documents: Iterable[Any]) -> Iterator[CountedBlock]:
        """Count documents in blocks, in parallel."""
        return in_order(counter(self), blocks_of(texts_of(raw_documents, self.decode)), self.n_jobs)

    def _choose(self, counts: TermCounts) -> npt.NDArray[np.int32]:
        """Choose the vocabulary and weigh it; return the column of each term of the counts, or -1."""
        df, tf = counts.document_frequency, counts.term_frequency
        if not self.fixed_vocabulary_:
            return self._select(counts.table.terms, df, tf, counts.n_documents)
        where = counts.table.find(self._given_terms())
        self._weigh_terms(np.append(df, 0)[where], counts.n_documents)
        return places(where, len(counts.table))

    def _select(
        self, terms: Terms, df: Any, tf: Any, n_documents: int, *, in_order: bool = False
    ) -> npt.NDArray[np.int32]:
        """Choose the vocabulary from terms and weigh it.

        Returns the column of each term, -1 if it has none. ``in_order`` says that terms are in alphabetical
        order already.
        """
        kept = choose(terms, df, tf, n_documents, self, in_order=in_order)
        self._terms = terms.take(kept).compact()
        self._forget("_vocabulary", "_table")
        self._weigh_terms(df[kept], n_documents)
        return places(kept, len(terms))

    def _weigh_terms(self, df: npt.NDArray[np.int64], n_documents: int) -> None:
        self._idf = inverse_document_frequency(self.weighting, n_documents, df)
        self._stale = False

    def _given_terms(self) -> Terms:
        """Return the terms in the order of columns."""
        if "_terms" not in vars(self):
            names = sorted(self._vocabulary, key=self._vocabulary.__getitem__)
            self._terms = terms_named(names, beside_words=self.char_ngram_range is not None)
        return self._terms

    def _lookup(self) -> tuple[TermTable, npt.NDArray[np.int32], Weights]:
        """Return a table of the terms, the column of each of its numbers, and weights, all made once.

        The last column is -1, so that the number -1 has it.
        """
        of = self.weighting, self._dtype, getattr(self, "_idf", None), is_interpreted()
        made: Any = vars(self).get("_table", ((), ()))
        if len(made[0]) != len(of) or any(a is not b for a, b in zip(of, made[0], strict=True)):
            table = TermTable()
            numbers = table.add(self._given_terms())
            made = self._table = of, (table, places(numbers, len(table) + 1), self._weights())
        return made[1]

    def _weights(self) -> Weights:
        idf = None if self.weighting == "tf" else self._idf
        return Weights.made(self._given_terms(), idf, self._dtype, self)

    @property
    def _dtype(self) -> np.dtype[Any]:
        """The dtype of the weights: float64 unless float32 is asked for, as scikit-learn has it."""
        dtype = np.dtype(self.dtype)
        return dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)
