"""From raw text to unit-length term vectors (LRWMMC, Eq. 2.1), fast and beyond memory."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from textensor.base.checks import Rule, flag, one_of
from textensor.base.compiled import interpreted
from textensor.base.kept import columns, dropped, floats, keeps, require
from textensor.base.late.parts import CountVectorizer, NotFittedError, check_array, check_is_fitted
from textensor.base.plain import few_marks
from textensor.parallel import in_order
from textensor.space.columns import TermColumns
from textensor.space.csr_files import stack_rows, write_csr
from textensor.space.text.analysis import counter, misfit
from textensor.space.text.counted import CountedTexts
from textensor.space.text.counts import TermCounts, blocks_of, texts_of
from textensor.space.text.languages import stop_words_of
from textensor.space.text.settings import KEPT, PARAMETERS, check_words
from textensor.space.text.weights import (
    Rows,
    into_columns,
)

#: Characters of a block that is read without compiled code.
SMALL = 1 << 15


@keeps(
    **KEPT,
    _vocabulary=columns("n_terms"),
    _idf=floats("n_terms"),
    _stale=one_of(False),
    fixed_vocabulary_=flag,
    counts_=dropped,
    _terms=dropped,
    _table=dropped,
)
class TermVectorizer(TermColumns):
    r"""Turn raw documents into unit-length rows of term weights.

    Options and attributes are those of scikit-learn's ``TfidfVectorizer``, and the same settings give
    the same vocabulary; ``weighting`` stands in place of ``use_idf`` and ``smooth_idf``. Words and
    character n-grams are found by compiled passes over the text, in blocks, by ``n_jobs`` threads. A
    ``tokenizer`` or ``analyzer`` of one's own and an unusual ``token_pattern`` take a slower path
    through Python with the same result.

    A corpus larger than memory is counted in batches by :meth:`partial_fit` (counts of several
    vectorizers add up by :meth:`merge`) and written to disk by :meth:`transform_to_disk`.

    Parameters
    ----------
    weighting : {"tfidf", "tf", "smooth"}, default="tfidf"
        ``"tfidf"`` is tf * log(n / df), with n documents of which df hold the term: exactly that, no
        smoothing, so a term in every document weighs nothing. ``"smooth"`` is scikit-learn's
        tf * (log((1 + n) / (1 + df)) + 1), and ``"tf"`` is the count.
    char_ngram_range : (int, int) or None, default=None
        Shortest and longest character n-grams that are terms beside the words: those within words, as of
        ``analyzer="char_wb"``. Their columns follow those of the words. ``min_df``, ``max_df`` and
        ``max_features`` hold for each kind by itself. Each kind of a row is given unit length by itself and
        then the whole row, so that both kinds weigh the same; a document with terms of only one kind has
        these at unit length. ``stop_words`` and ``stemmer`` concern words only.
    scripts : bool, default=False
        Whether to find words in all scripts and not as ``\w`` of a regular expression does. Combining marks
        belong to their word (Hindi, Tamil, Arabic, Hebrew), text of scripts without spaces between words
        (Chinese, Japanese, Thai, Lao, Khmer, Burmese) gives pairs of neighbouring characters, and text is
        put into Unicode's normal form C, for character n-grams, too. The words of ASCII text are the same.
    stemmer : str or None, default=None
        A Snowball algorithm, such as ``"english"`` or ``"porter"``, applied to what the stop words left.
        Words only.
    stop_words : str, list of str or None, default=None
        Words to leave out: a list, or those of a language in :data:`textensor.space.LANGUAGES`.
    norm : {"l2", "l1"} or None, default="l2"
        The length of a row; a document without terms stays zero.
    sublinear_tf : bool, default=False
        Use 1 + log(tf) for tf.
    n_jobs : int or None, default=None
        How many threads; the result does not depend on it.
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, analyzer, \
token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary, dtype
        As in scikit-learn's ``TfidfVectorizer``.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term; columns are in alphabetical order. A character n-gram beside words is
        quoted, ``"' whe'"``; a word that begins with a quote or a backslash has a backslash before it then.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.
    idf_ : ndarray of shape (n_terms,)
        The inverse document frequency of each column, unless ``weighting="tf"``. With ``"tfidf"`` a term of
        a given vocabulary that no document holds has 0: nothing is known of it.
    counts_ : TermCounts
        What ``partial_fit`` and ``merge`` have counted; ``fit`` keeps only the vocabulary.

    Examples
    --------
    >>> from textensor.space import TermVectorizer
    >>> vectorizer = TermVectorizer(stop_words="english", stemmer="english")
    >>> X = vectorizer.fit_transform(["the cat sat", "cats and dogs", "a dog sat, sat, sat"])
    >>> vectorizer.get_feature_names_out()
    array(['cat', 'dog', 'sat'], dtype=object)
    >>> X.toarray().round(3)
    array([[0.707, 0.   , 0.707],
           [0.707, 0.707, 0.   ],
           [0.   , 0.316, 0.949]])
    """

    _parameters: ClassVar[dict[str, Rule]] = PARAMETERS
    # scikit-learn's rules for the others: that stop words are a list, or a word.
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CountVectorizer._parameter_constraints,
        "stop_words": [str, list, None],
    }

    def __init__(
        self,
        *,
        weighting: str = "tfidf",
        char_ngram_range: tuple[int, int] | None = None,
        scripts: bool = False,
        stemmer: str | None = None,
        input: str = "content",  # noqa: A002
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        analyzer: Any = "word",
        stop_words: Any = None,
        token_pattern: str | None = r"(?u)\b\w\w+\b",  # noqa: S107
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.float64,
        norm: str | None = "l2",
        sublinear_tf: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            analyzer=analyzer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
        )
        self.weighting = weighting
        self.char_ngram_range = char_ngram_range
        self.scripts = scripts
        self.stemmer = stemmer
        self.norm = norm
        self.sublinear_tf = sublinear_tf
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Iterable[Any], y: Any = None) -> Self:  # noqa: ARG002
        """Choose the vocabulary. Memory is bounded by the terms there are, not by the documents."""
        self._start()
        counts = TermCounts()
        for block in self._counted(raw_documents):
            counts.add(block, self.binary)
        self._choose(counts)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> Any:  # noqa: ARG002
        """Choose the vocabulary and return the documents, in one pass over the text."""
        self._start()
        counts, blocks = self._count(raw_documents)
        columns = self._choose(counts)
        sizes = [(len(indptr) - 1, len(indices)) for (indptr, indices, _), _ in blocks]

        def block(k: int) -> tuple[Rows, None]:
            (rows, numbers), blocks[k] = blocks[k], ((), ())  # what is done takes no memory
            return into_columns(rows, columns[numbers]), None

        return self._weights().of_blocks(sizes, block, self.n_jobs)

    def count(self, raw_documents: Iterable[Any]) -> CountedTexts[Self]:
        """Return the counts of all terms, which can be weighed for each fold of a cross-validation.

        The vectorizer itself is left as it is.
        """
        return CountedTexts.of(self, raw_documents)

    def partial_fit(self, raw_documents: Iterable[Any], y: Any = None) -> Self:  # noqa: ARG002
        """Count one more batch of documents; the vocabulary is chosen when it is next asked for."""
        self._start_counting()
        for block in self._counted(raw_documents):
            self.counts_.add(block, self.binary)
        self._stale = True
        return self

    def merge(self, other: "TermVectorizer") -> Self:
        """Add what another vectorizer of the same settings counted by ``partial_fit`` on other documents."""
        if not hasattr(other, "counts_"):
            raise NotFittedError("The vectorizer to merge has counted nothing: use its partial_fit first.")
        if other is self:
            raise ValueError("A vectorizer cannot be merged with itself: its documents would count twice.")
        mine, theirs = ({**v.get_params(), "n_jobs": None} for v in (self, other))
        different = [name for name in mine if not np.array_equal(mine[name], theirs[name])]
        if different:
            raise ValueError(f"The vectorizers to merge differ in {', '.join(different)}.")
        self._start_counting()
        self.counts_.merge(other.counts_)
        self._stale = True
        return self

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """Return the documents as rows of term weights."""
        blocks = self.transform_blocks(raw_documents)
        return stack_rows(blocks, n_columns=len(self._given_terms()), dtype=self._dtype)

    def transform_blocks(self, raw_documents: Iterable[Any]) -> Iterator[Any]:
        """Return an iterator over the documents in blocks of rows, read as they are needed."""
        self._check_vocabulary()
        if self.weighting != "tf":
            check_is_fitted(self)
        self._catch_up()
        counted = counter(self)

        def weighed(documents: list[str]) -> Any:
            with interpreted(sum(map(len, documents)) <= SMALL):
                block = counted(documents)
                table, columns, weights = self._lookup()
                rows = into_columns(block[:3], columns[table.find(block.terms)])
                return weights.matrix(weights.of(rows))

        return in_order(weighed, blocks_of(texts_of(raw_documents, self.decode)), self.n_jobs)

    def transform_to_disk(self, raw_documents: Iterable[Any], folder: str | Path) -> Any:
        """Write the documents to a new folder block by block, and return them memory-mapped.

        The matrix equals that of :meth:`transform`; only a few blocks of it are ever in memory.
        :func:`textensor.space.read_csr` opens it again.
        """
        blocks = self.transform_blocks(raw_documents)
        return write_csr(folder, blocks, n_columns=len(self._given_terms()), dtype=self._dtype)

    def inverse_transform(self, X: Any) -> list[npt.NDArray[Any]]:
        """Return the terms of each document; scikit-learn's takes the room of the longest for each term."""
        X = check_array(X, accept_sparse="csr")
        names = self.get_feature_names_out()
        return [names[X[[row], :].nonzero()[1]] for row in range(X.shape[0])]

    def get_stop_words(self) -> Any:
        """Return the stop words, None if there are none."""
        return (
            stop_words_of(self.stop_words) if isinstance(self.stop_words, str) else super().get_stop_words()
        )

    def _check_kept(self) -> None:
        check_words(self)
        require(not misfit(self), misfit(self))

    def _start_counting(self) -> None:
        """Make ready to count a batch."""
        if hasattr(self, "counts_"):
            return
        if hasattr(self, "_idf"):
            raise ValueError("fit keeps no counts to go on from: count every batch with partial_fit.")
        self._start()
        self.counts_ = TermCounts()

    def build_preprocessor(self) -> Callable[[str], str]:
        """Return scikit-learn's preprocessor, which takes no longer if a text has many combining marks."""
        preprocess: Callable[[str], str] = super().build_preprocessor()
        own = self.preprocessor is not None or not isinstance(self.strip_accents, str)
        return preprocess if own else lambda document: preprocess(few_marks(document))
