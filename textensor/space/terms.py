"""From raw text to unit-length term vectors (LRWMMC, Eq. 2.1), fast and beyond memory."""

from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import Stemmer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from textensor.base.checks import Rule, check_parameters, flag, jobs, one_of
from textensor.base.kept import columns, dropped, floats, keeps
from textensor.base.plain import few_marks
from textensor.parallel import in_order
from textensor.space.counts import (
    NORM,
    CountedBlock,
    TermCounts,
    blocks_of,
    columns_in,
    count,
    number_tokens,
    replace_names,
    texts_of,
    with_ngrams,
)
from textensor.space.csr_files import stack_rows, write_csr
from textensor.space.matrix import sparse_result
from textensor.space.word_kernels import sort_rows
from textensor.space.words import VECTORIZER, WORD_PATTERNS, Tokens, check_words, split_words


@keeps(
    **VECTORIZER,
    _vocabulary=columns("n_terms"),
    _idf=floats("n_terms"),
    _stale=one_of(False),
    fixed_vocabulary_=flag,
    counts_=dropped,
)
class TermVectorizer(CountVectorizer):
    """Turn raw documents into unit-length rows of term weights.

    Options and attributes are those of scikit-learn's ``TfidfVectorizer``, and the same settings give
    the same vocabulary; ``weighting`` stands in place of ``use_idf`` and ``smooth_idf``. Words are
    found by a compiled pass over the text, in blocks, by ``n_jobs`` threads. A ``tokenizer`` or
    ``analyzer`` of one's own, an unusual ``token_pattern`` and the character analyzers take a
    slower path through Python with the same result.

    A corpus larger than memory is counted in batches by :meth:`partial_fit` (counts of several
    vectorizers add up by :meth:`merge`) and written to disk by :meth:`transform_to_disk`.

    Parameters
    ----------
    weighting : {"tfidf", "tf"}, default="tfidf"
        ``"tfidf"`` is tf * log(n / df), with n documents of which df hold the term: exactly that, no
        smoothing, so a term in every document weighs nothing. ``"tf"`` is the count.
    stemmer : str or None, default=None
        A Snowball algorithm, such as ``"english"`` or ``"porter"``, applied to what the stop words left.
        Words only.
    norm : {"l2", "l1"} or None, default="l2"
        The length of a row; a document without terms stays zero.
    sublinear_tf : bool, default=False
        Use 1 + log(tf) for tf.
    n_jobs : int or None, default=None
        How many threads; the result does not depend on it.
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, analyzer, \
stop_words, token_pattern, ngram_range, max_df, min_df, max_features, vocabulary, binary, dtype
        As in scikit-learn's ``TfidfVectorizer``.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term; columns are in alphabetical order.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.
    idf_ : ndarray of shape (n_terms,)
        log(n / df) of each column, with ``weighting="tfidf"``. A term of a given vocabulary that no
        document holds has 0: nothing is known of it.
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

    # The others are checked by CountVectorizer.
    _parameters: ClassVar[dict[str, Rule]] = {
        "weighting": one_of("tfidf", "tf"),
        "stemmer": one_of(None, *Stemmer.algorithms()),
        "norm": NORM,
        "sublinear_tf": flag,
        "n_jobs": jobs,
    }

    def __init__(
        self,
        *,
        weighting: str = "tfidf",
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
        counts = TermCounts()
        blocks = [(block, counts.add(block, self.binary)) for block in self._counted(raw_documents)]
        chosen = self._choose(counts)
        final = np.full(len(counts.columns) + 1, -1, dtype=np.int32)
        final[chosen] = np.arange(len(chosen))
        final[-1] = -1
        return self._stack(in_order(lambda task: self._write(task[0], final[task[1]]), blocks, self.n_jobs))

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
        return self._stack(self.transform_blocks(raw_documents))

    def transform_blocks(self, raw_documents: Iterable[Any]) -> Iterator[Any]:
        """Return an iterator over the documents in blocks of rows, read as they are needed."""
        self._check_vocabulary()
        if self.weighting == "tfidf":
            check_is_fitted(self)
        vocabulary = self.vocabulary_
        return self._counted(
            raw_documents, lambda block: self._write(block, columns_in(vocabulary, block.names))
        )

    def transform_to_disk(self, raw_documents: Iterable[Any], folder: str | Path) -> Any:
        """Write the documents to a new folder block by block, and return them memory-mapped.

        The matrix equals that of :meth:`transform`; only a few blocks of it are ever in memory.
        :func:`textensor.space.read_csr` opens it again.
        """
        blocks = self.transform_blocks(raw_documents)
        return write_csr(folder, blocks, n_columns=len(self.vocabulary_), dtype=self._dtype)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each term."""
        if getattr(self, "_stale", False):
            self._choose(self.counts_)
        return self._vocabulary

    @vocabulary_.setter
    def vocabulary_(self, value: dict[str, int]) -> None:
        self._vocabulary = value

    @property
    def idf_(self) -> npt.NDArray[np.float64]:
        """The inverse document frequency log(n / df) of each column."""
        if self.weighting != "tfidf":
            raise AttributeError('There is no idf_ with weighting="tf".')
        check_is_fitted(self)
        if self._stale:
            self._choose(self.counts_)
        return self._idf

    @idf_.setter
    def idf_(self, value: npt.ArrayLike) -> None:
        self._check_vocabulary()
        idf = np.array(value, dtype=np.float64)
        if idf.shape != (len(self.vocabulary_),):
            raise ValueError(f"idf_ needs {len(self.vocabulary_)} numbers, one for each term.")
        self._idf, self._stale = idf, False

    def _settle(self) -> None:
        """Choose the vocabulary if batches were counted since it was last asked for."""
        _ = self.vocabulary_

    def _check_kept(self) -> None:
        check_words(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_idf") or getattr(self, "_stale", False)

    def _start(self) -> None:
        """Check the settings and forget what was learnt."""
        check_parameters(self)
        self._validate_params()  # scikit-learn's rules for the options that are inherited
        self._validate_ngram_range()
        self._warn_for_unused_params()
        for name in ("counts_", "_idf", "_vocabulary"):
            self.__dict__.pop(name, None)
        self._stale = False
        self._validate_vocabulary()

    def _start_counting(self) -> None:
        """Make ready to count a batch."""
        if hasattr(self, "counts_"):
            return
        if hasattr(self, "_idf"):
            raise ValueError("fit keeps no counts to go on from: count every batch with partial_fit.")
        self._start()
        self.counts_ = TermCounts()

    def _choose(self, counts: TermCounts) -> npt.NDArray[np.int32]:
        """Choose the vocabulary, by the rules of scikit-learn, and weigh it.

        Returns where each term stands in the counts: -1, the last place, for one that no document holds.
        """
        if self.fixed_vocabulary_:
            columns = columns_in(counts.columns, sorted(self._vocabulary, key=self._vocabulary.__getitem__))
        else:
            names = sorted(counts.columns)
            columns = columns_in(counts.columns, names)
            kept = self._within_limits(counts, columns)
            columns = columns[kept]
            self._vocabulary = dict(zip(map(names.__getitem__, kept.tolist()), range(len(kept)), strict=True))
        df = np.append(counts.document_frequency, 0)[columns]
        with np.errstate(divide="ignore", invalid="ignore"):
            self._idf = np.where(df > 0, np.log(counts.n_documents / df), 0.0)
        self._stale = False
        return columns

    def _within_limits(self, counts: TermCounts, columns: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
        """Return which terms, in alphabetical order, min_df, max_df and max_features leave."""
        if len(columns) == 0:
            raise ValueError("Empty vocabulary: the documents hold no terms, or only stop words.")
        df, tf = counts.document_frequency[columns], counts.term_frequency[columns]
        n = counts.n_documents
        high = self.max_df * (1 if isinstance(self.max_df, Integral) else n)
        low = self.min_df * (1 if isinstance(self.min_df, Integral) else n)
        if high < low:
            raise ValueError("max_df corresponds to fewer documents than min_df.")
        kept = np.flatnonzero((df <= high) & (df >= low))
        if self.max_features is not None and len(kept) > self.max_features:
            # The same call as scikit-learn's, so that ties fall the same way.
            kept = np.sort(kept[(-tf[kept]).argsort()[: self.max_features]])
        if len(kept) == 0:
            raise ValueError("After pruning, no terms remain: try a lower min_df or a higher max_df.")
        return kept

    def _counted(
        self, raw_documents: Iterable[Any], then: Callable[[CountedBlock], Any] = lambda block: block
    ) -> Iterator[Any]:
        """Count documents in blocks and apply a function to each, in parallel."""
        tokenize = self._tokenizer()
        blocks = blocks_of(texts_of(raw_documents, self.decode))
        return in_order(lambda block: then(count(tokenize(block))), blocks, self.n_jobs)

    def _tokenizer(self) -> Callable[[list[str]], Tokens]:
        """Return the function that turns a block of documents into terms."""
        if self.analyzer != "word":
            analyze = self.analyzer if callable(self.analyzer) else self._content_analyzer()
            return lambda block: number_tokens(map(analyze, block))
        self._content_analyzer()  # warns of stop words that the preprocessing would change
        preprocess = self.build_preprocessor()
        min_length = WORD_PATTERNS.get(self.token_pattern or "") if self.tokenizer is None else None
        split = self.build_tokenizer() if min_length is None else None

        def tokenize(block: list[str]) -> Tokens:
            block = [preprocess(document) for document in block]
            tokens = number_tokens(map(split, block)) if split else split_words(block, min_length or 2)
            if self.stop_words is not None or self.stemmer is not None:
                tokens = replace_names(tokens, self._rename)
            return with_ngrams(tokens, *self.ngram_range)

        return tokenize

    def _content_analyzer(self) -> Callable[[str], list[str]]:
        """Return scikit-learn's analyzer, for text that is decoded already."""
        options = {name: getattr(self, name) for name in CountVectorizer().get_params()}
        options |= {"input": "content", "preprocessor": self.build_preprocessor()}
        return CountVectorizer(**options).build_analyzer()

    def build_preprocessor(self) -> Callable[[str], str]:
        """Return scikit-learn's preprocessor, which takes no longer if a text has many combining marks."""
        preprocess: Callable[[str], str] = super().build_preprocessor()
        own = self.preprocessor is not None or not isinstance(self.strip_accents, str)
        return preprocess if own else lambda document: preprocess(few_marks(document))

    def _rename(self, names: list[str]) -> list[str | None]:
        """Stem what the stop words leave."""
        stop_words = frozenset(self.get_stop_words() or ())
        stems = names if self.stemmer is None else Stemmer.Stemmer(self.stemmer).stemWords(names)
        return [None if name in stop_words else stem for name, stem in zip(names, stems, strict=True)]

    def _write(self, block: CountedBlock, columns: npt.NDArray[np.int32]) -> Any:
        """Weigh a block of counts."""
        indptr, indices, counts = sort_rows(*block[:3], columns)
        data = np.ones(len(counts), self._dtype) if self.binary else counts.astype(self._dtype)
        if self.sublinear_tf:
            data = np.log(data) + 1
        if self.weighting == "tfidf":
            data *= self._idf[indices].astype(self._dtype)
        X = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, len(self._vocabulary)))
        X.eliminate_zeros()
        return sparse_result(X if self.norm is None else normalize(X, norm=self.norm, copy=False))

    @property
    def _dtype(self) -> np.dtype[Any]:
        """The dtype of the weights: float64 unless float32 is asked for, as scikit-learn has it."""
        dtype = np.dtype(self.dtype)
        return dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)

    def _stack(self, blocks: Iterable[Any]) -> Any:
        """Join blocks of rows."""
        return stack_rows(blocks, n_columns=len(self.vocabulary_), dtype=self._dtype)
