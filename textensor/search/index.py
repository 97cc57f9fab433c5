"""DocumentIndex: projected documents in unit-length rows, and the ones most like a text."""

import itertools
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.checks import check, whole
from textensor.base.late.parts import check_array
from textensor.base.plain import counted
from textensor.search.folder import MAX_DIMENSIONS, MAX_ID, read_index, write_index
from textensor.search.nearest import Floats, nearest, padded_length, unit_rows
from textensor.space.matrix import as_csr


class DocumentIndex:
    """Documents by id, searched exactly by the cosine of their projections.

    Rows are kept as float32 of unit length. A document without any known term is a row of zeros; its
    similarity with everything is 0. An index is not a scikit-learn estimator: it learns nothing.

    Parameters
    ----------
    transformer : object with ``transform``, optional
        Already fitted: what turns documents into vectors, such as a pipeline of ``TermVectorizer`` and
        ``TruncatedSVD`` for texts, or a reducer for a matrix. Without it, vectors are given. It is not
        saved with the index.
    n_jobs : int, optional
        Threads of ``search``, as joblib counts them. What is found is bit-equal for any number.
    block : int, default=2048
        Documents that are compared at once, rounded up to a multiple of 64. It decides how much memory a
        thread takes (512 bytes for each), not what is found.

    Attributes
    ----------
    ids : list of str
        Of the documents that are there, in the order they were added.
    n_dimensions : int
        Length of a projected document; 0 as long as nothing was added.

    Notes
    -----
    Ids are strings, because what is found is shown to people, or looked up elsewhere, by name. The ids
    given by default are running numbers, so ``ids.astype(int)`` are row numbers.

    Examples
    --------
    >>> from sklearn.decomposition import TruncatedSVD
    >>> from sklearn.pipeline import make_pipeline
    >>> from textensor.space import TermVectorizer
    >>> texts = ["wheat and maize rose", "maize fell", "the bank cut its rates", "rates of the bank rose"]
    >>> projection = make_pipeline(TermVectorizer(), TruncatedSVD(2, random_state=0)).fit(texts)
    >>> index = DocumentIndex(projection)
    >>> index.add(texts, ids=["grain-1", "grain-2", "money-1", "money-2"])
    ['grain-1', 'grain-2', 'money-1', 'money-2']
    >>> ids, similarities = index.search(["wheat", "a bank"], k=2)
    >>> ids
    array([['grain-1', 'grain-2'],
           ['money-1', 'money-2']], dtype=object)
    >>> index.remove(["grain-2"])
    >>> index
    DocumentIndex(3 documents x 2 dimensions, transformer=Pipeline)
    """

    def __init__(self, transformer: Any = None, *, n_jobs: int | None = None, block: int = 2048) -> None:
        if transformer is not None and not hasattr(transformer, "transform"):
            raise TypeError(f"The transformer must have a method transform; {transformer!r:.80} has none.")
        check("block", block, whole(1))
        self.transformer = transformer
        self.n_jobs = n_jobs
        self.n_dimensions = 0
        self._length = padded_length(block)
        self._blocks: list[Floats] = []  # all of one length, the last one filled up with zeros
        self._alive: list[npt.NDArray[np.bool_]] = []
        self._names: list[str] = []  # of every row, removed ones too
        self._rows: dict[str, int] = {}  # of the documents that are there, in their order
        self._n_added = 0  # in the whole life of the index, or more: the next running number

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        name = None if self.transformer is None else type(self.transformer).__name__
        return f"DocumentIndex({len(self)} documents x {self.n_dimensions} dimensions, transformer={name})"

    @property
    def ids(self) -> list[str]:
        """The ids of the documents that are there, in the order they were added."""
        return list(self._rows)

    def add(self, documents: Any, ids: Iterable[str] | None = None) -> list[str]:
        """Add documents and return their ids; if anything is wrong, nothing is added.

        Parameters
        ----------
        documents : list of str, or array or sparse matrix of shape (n_documents, n_features)
            What the transformer takes, or vectors if there is none.
        ids : iterable of str, optional
            One for each, none of them in the index yet. By default running numbers, counted over all
            documents that were ever added; a number that is an id already is left out.
        """
        X = self._project(documents)
        names = self._new_names(ids, X.shape[0])
        if not names:
            return names
        start, n_dimensions = len(self._names), X.shape[1]
        for parts in (self._blocks, self._alive):  # what an interrupted call may have left
            del parts[-(-start // self._length) :]
        room = min(-start % self._length, len(names))  # in the last block, where rows do not count yet
        if room:
            at = start % self._length
            self._blocks[-1][at : at + room] = unit_rows(X, 0, room)
        blocks = []
        for first in range(room, len(names), self._length):
            rows = unit_rows(X, first, first + self._length)
            blocks.append(np.zeros((self._length, n_dimensions), dtype=np.float32))
            blocks[-1][: len(rows)] = rows
        self._blocks += blocks
        self._alive += [np.zeros(self._length, dtype=np.bool_) for _ in blocks]
        self._n_added += len(names)
        if ids is None:  # numbers that were given before may have been left out
            self._n_added = max(self._n_added, int(names[-1]) + 1)
        self._enter(names, n_dimensions)
        return names

    def remove(self, ids: Iterable[str]) -> None:
        """Remove documents by id; if one of them is not there, nothing is removed.

        Their memory is given back when the index is saved and loaded. Their ids can be used again.
        """
        names = dict.fromkeys(_as_names(ids))
        for name in names:
            if name not in self._rows:
                raise ValueError(f"Nothing was removed: there is no document {name!r:.80} in the index.")
        for name in names:
            b, at = divmod(self._rows.pop(name), self._length)
            self._alive[b][at] = False

    def search(self, documents: Any, k: int = 10) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.float32]]:
        """Find the k documents most like each of the given ones.

        Parameters
        ----------
        documents : list of str, or array or sparse matrix of shape (n_queries, n_features)
            As for ``add``.
        k : int, default=10
            Cut down to the number of documents in the index.

        Returns
        -------
        ids : array of str (dtype object) of shape (n_queries, k)
            The most similar first, of equals the one added first.
        similarities : float32 array of shape (n_queries, k)
            Their cosines, never over 1.
        """
        check("k", k, whole(1))
        X = self._project(documents)
        k = min(int(k), len(self))
        if k == 0 or X.shape[0] == 0:
            return np.empty((X.shape[0], k), dtype=object), np.empty((X.shape[0], k), dtype=np.float32)
        place, best = nearest(X, self._blocks, self._alive, k, self.n_jobs)
        ids = np.array([self._names[row] for row in place.ravel().tolist()], dtype=object)
        return ids.reshape(place.shape), best

    def save(self, folder: str | Path) -> None:
        """Write the index to a folder, all of it or nothing; an index that is there is replaced.

        The transformer is not saved: keep it yourself and give it to ``load``.
        """
        blocks = zip(self._blocks, self._alive, strict=True)
        living = (rows if alive.all() else rows[alive] for rows, alive in blocks)
        write_index(folder, living, self.n_dimensions, self.ids, self._n_added)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        transformer: Any = None,
        *,
        verify: bool = False,
        n_jobs: int | None = None,
        block: int = 2048,
    ) -> "DocumentIndex":
        """Open a saved index: the vectors stay on disk and are read as they are needed.

        Format, names, sizes, shapes, bounds, lengths of rows and ids are always checked. Nothing in the
        folder is ever run.

        Parameters
        ----------
        folder : path
            What ``save`` wrote.
        transformer : object with ``transform``, optional
            The one the documents were added with.
        verify : bool, default=False
            Also compare the SHA-256 of each file with the one noted when it was written.
        n_jobs, block : int
            As in the constructor.

        Examples
        --------
        >>> import tempfile
        >>> index = DocumentIndex()
        >>> _ = index.add([[1.0, 0.0], [1.0, 1.0]])
        >>> with tempfile.TemporaryDirectory() as place:
        ...     index.save(place + "/index")
        ...     DocumentIndex.load(place + "/index", verify=True).search([[2.0, 0.0]])
        (array([['0', '1']], dtype=object), array([[1.        , 0.70710677]], dtype=float32))
        """
        index = cls(transformer, n_jobs=n_jobs, block=block)
        stored = read_index(folder, verify=verify)
        n_rows, n_dimensions = stored.vectors.shape
        length = index._length
        whole = n_rows - n_rows % length
        index._blocks = [stored.vectors[start : start + length] for start in range(0, whole, length)]
        if whole < n_rows:  # the rest moves to memory, to be filled up
            index._blocks.append(np.zeros((length, n_dimensions), dtype=np.float32))
            index._blocks[-1][: n_rows - whole] = stored.vectors[whole:]
        index._alive = [np.zeros(length, dtype=np.bool_) for _ in index._blocks]
        index._enter(stored.ids, n_dimensions)
        index._n_added = stored.n_added
        return index

    def _project(self, documents: Any) -> Any:
        """Return documents as a checked matrix, dense or CSR, of the index's dimensions."""
        if isinstance(documents, str):
            raise TypeError("The documents are a single string: give a list of texts.")
        if isinstance(documents, list | tuple) and not documents:
            return np.empty((0, self.n_dimensions))
        if self.transformer is not None:
            if getattr(documents, "shape", (1,))[:1] == (0,):  # transformers refuse to transform nothing
                return np.empty((0, self.n_dimensions))
            documents = self.transformer.transform(documents)
        elif isinstance(documents, list | tuple) and isinstance(documents[0], str):
            raise TypeError("This index has no transformer, so it takes vectors, not texts: give it one.")
        if sp.issparse(documents):
            X = as_csr(documents)
        else:
            X = check_array(documents, dtype=[np.float64, np.float32], ensure_min_samples=0)
        if not 0 < X.shape[1] <= MAX_DIMENSIONS:
            raise ValueError(
                f"An index keeps dense vectors of at most {MAX_DIMENSIONS} numbers, not {X.shape[1]}: "
                "reduce them first, by TruncatedSVD for example."
            )
        if self.n_dimensions and X.shape[1] != self.n_dimensions:
            source = "The documents have" if self.transformer is None else "The transformer gives"
            raise ValueError(
                f"{source} {X.shape[1]} numbers each, this index holds {self.n_dimensions}: "
                "use the transformer that the index was made with."
            )
        return X

    def _new_names(self, ids: Iterable[str] | None, n: int) -> list[str]:
        """Return the ids of n new documents, or say why they cannot be."""
        if ids is None:
            numbers = map(str, itertools.count(self._n_added))
            return list(itertools.islice((name for name in numbers if name not in self._rows), n))
        names = _as_names(ids)
        if len(names) != n:
            raise ValueError(
                f"Nothing was added: {counted(n, 'document')} and {counted(len(names), 'id')} were given."
            )
        taken = next((name for name in names if name in self._rows), None)
        if taken is not None:
            raise ValueError(f"Nothing was added: the id {taken!r:.80} is in the index already: give others.")
        if len(set(names)) < n:
            twice = Counter(names).most_common(1)[0][0]
            raise ValueError(f"Nothing was added: the id {twice!r:.80} is given twice.")
        return names

    def _enter(self, names: list[str], n_dimensions: int) -> None:
        """Count rows that are in the blocks already as documents."""
        start = len(self._names)
        self.n_dimensions = n_dimensions
        self._names.extend(names)
        self._rows.update(zip(names, range(start, len(self._names)), strict=True))
        for b in range(start // self._length, len(self._blocks)):
            first = b * self._length
            self._alive[b][max(start - first, 0) : len(self._names) - first] = True


def _as_names(ids: Iterable[str]) -> list[str]:
    """Return ids as a list of plain strings that can be written as UTF-8."""
    if isinstance(ids, str):
        raise TypeError("The ids are a single string: give a list of strings.")
    names = list(ids)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"Ids are strings; {name!r:.80} is not: turn numbers into text by str().")
        if len(name) > MAX_ID:
            raise ValueError(f"The id {name!r:.80} has {len(name):,} characters: give at most {MAX_ID:,}.")
        if not name.isascii() and any("\ud800" <= sign <= "\udfff" for sign in name):
            raise ValueError(f"The id {name!r:.80} holds half a character (a surrogate) and cannot be saved.")
    return [str(name) for name in names]
