"""Documents as 27 x 27 x 27 tensors of character trigrams (LRWMMC §5)."""

from collections.abc import Iterable
from functools import cache
from itertools import product
from string import ascii_lowercase
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import normalize
from textensor.base.checks import Rule, check_parameters, jobs, one_of
from textensor.base.kept import absent_or, dtype, keeps
from textensor.base.late.parts import BaseEstimator, TransformerMixin
from textensor.parallel import in_order
from textensor.space.csr_files import stack_rows
from textensor.space.text.counts import blocks_of, count, texts_of
from textensor.space.text.table import Terms
from textensor.space.text.weights import NORM, into_columns
from textensor.space.text.words import Tokens

#: a to z, then one symbol for everything else.
SYMBOLS = ascii_lowercase + "_"
_SYMBOL_OF_BYTE = np.full(256, 26, dtype=np.int32)
_SYMBOL_OF_BYTE[[ord(letter) for letter in ascii_lowercase]] = np.arange(26)


@keeps(
    norm=NORM,
    dtype=dtype,
    _sklearn_output_config=absent_or(one_of({"transform": "default"}, {})),  # its rows are sparse
)
class CharTrigramVectorizer(TransformerMixin, BaseEstimator):
    """Count the overlapping character trigrams of raw documents.

    Case is folded; a character that is not one of a to z then is the 27th symbol. The trigram of
    symbols i, j, k stands in column i + 27 j + 729 k, so
    ``TermTensors(X, Arrangement("given", shape=(27, 27, 27)))`` has it in cell (i, j, k).
    A document of fewer than three characters has no trigram.

    Parameters
    ----------
    norm : {"l2", "l1"} or None, default="l2"
        The length of a row.
    dtype : dtype, default=float64
        float32 or float64.
    n_jobs : int or None, default=None
        How many threads; the result does not depend on it.

    Examples
    --------
    >>> from textensor.space import CharTrigramVectorizer
    >>> vectorizer = CharTrigramVectorizer(norm=None)
    >>> X = vectorizer.fit_transform(["Go on!"])
    >>> [str(vectorizer.get_feature_names_out()[j]) for j in X.indices]
    ['_on', 'o_o', 'on_', 'go_']
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "norm": NORM,
        "dtype": Rule("float32 or float64", lambda value: np.dtype(value) in (np.float32, np.float64)),
        "n_jobs": jobs,
    }

    def __init__(
        self, *, norm: str | None = "l2", dtype: Any = np.float64, n_jobs: int | None = None
    ) -> None:
        self.norm = norm
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Iterable[str], y: Any = None) -> Self:  # noqa: ARG002
        """Do nothing: the columns are known."""
        return self

    def transform(self, raw_documents: Iterable[str]) -> Any:
        """Return the documents as rows of 19683 counts, scaled."""
        check_parameters(self)
        blocks = in_order(self._block, blocks_of(texts_of(raw_documents)), self.n_jobs)
        return stack_rows(blocks, n_columns=self._n_features_out, dtype=self.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:  # noqa: ARG002
        """Return the trigrams, with ``_`` for the 27th symbol."""
        return np.array(_trigrams(), dtype=object)

    @property
    def _n_features_out(self) -> int:
        return len(SYMBOLS) ** 3

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _block(self, documents: list[str]) -> sp.csr_matrix:
        folded = [document.casefold() for document in documents]
        # What ASCII lacks becomes "?", one byte for one character.
        symbols = _SYMBOL_OF_BYTE[np.frombuffer("".join(folded).encode("ascii", "replace"), dtype=np.uint8)]
        n = len(SYMBOLS)
        trigrams = symbols[:-2] + n * symbols[1:-1] + n * n * symbols[2:]
        ends = np.cumsum([0, *map(len, folded)])
        # A trigram belongs to a document when its last character does too.
        lengths = np.maximum(np.diff(ends) - 2, 0)
        inside = np.ones(len(trigrams) + 2, dtype=bool)
        inside[ends[1:] - 1] = inside[ends[1:] - 2] = False
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        counted = count(Tokens(trigrams[inside[: len(trigrams)]], indptr, _terms()))
        rows, columns, counts = into_columns(counted[:3], np.arange(n**3, dtype=np.int32))
        X = sp.csr_matrix((counts.astype(self.dtype), columns, rows), shape=(len(documents), n**3))
        return X if self.norm is None else normalize(X, self.norm)


@cache
def _trigrams() -> list[str]:
    """All trigrams in the order of their columns, the first symbol running fastest."""
    return [a + b + c for c, b, a in product(SYMBOLS, repeat=3)]


@cache
def _terms() -> Terms:
    return Terms.of(_trigrams())
