"""The one result type of :mod:`textensor.datasets`."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textensor.datasets.readers.documents import TextsAndLabels


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents with their labels: as texts, as a term matrix, or both.

    Attributes
    ----------
    texts : list of str or None
        The documents, where the set has text.
    X : scipy.sparse.csr_array or None
        Documents by terms, where the set is a matrix: counts, unless the description says otherwise.
    y : ndarray of int, or scipy.sparse.csr_array
        The label of document ``i`` is ``label_names[y[i]]``. A multilabel set has an indicator matrix
        instead, documents by labels.
    train : ndarray of bool or None
        True for the training part of the official split, None where there is no official split.
    label_names : list of str
        What the labels are called, in the order of ``y``.
    description : str
        What the set is, whom to cite, and the terms of use.

    Examples
    --------
    >>> corpus = Corpus(
    ...     texts=["wheat rose", "rates fell", "maize rose"], X=None, y=np.array([0, 1, 0]),
    ...     train=np.array([True, True, False]), label_names=["grain", "interest"], description="Made up."
    ... )
    >>> corpus
    Corpus(3 documents, 2 labels, 2 train / 1 test)
    >>> corpus.label_names[corpus.y[2]]
    'grain'
    """

    texts: list[str] | None
    X: Any
    y: Any
    train: NDArray[np.bool_] | None
    label_names: list[str]
    description: str

    def __post_init__(self) -> None:
        sizes = {
            name: len(part) if isinstance(part, list) else part.shape[0]
            for name, part in (("texts", self.texts), ("X", self.X), ("y", self.y), ("train", self.train))
            if part is not None
        }
        if len(set(sizes.values())) > 1:
            raise ValueError(f"The parts of a corpus differ in their number of documents: {sizes}.")

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return int(self.y.shape[0])

    @property
    def multilabel(self) -> bool:
        """Whether ``y`` is an indicator matrix, so that a document may have several labels or none."""
        return sparse.issparse(self.y) or self.y.ndim == 2

    def texts_and_labels(self) -> TextsAndLabels:
        """Return the documents and the names of their labels, as `read_documents` gives those of a user.

        Examples
        --------
        >>> y = np.array([[1, 1], [0, 1]])
        >>> names = ["grain", "trade"]
        >>> Corpus(["wheat sold", "a deal"], None, y, None, names, "Made up.").texts_and_labels().labels
        [('grain', 'trade'), ('trade',)]
        """
        if self.texts is None:
            raise ValueError("The corpus has no texts, only counts of terms: take another.")
        names = self.label_names
        if not self.multilabel:
            return TextsAndLabels(self.texts, [names[k] for k in self.y])
        rows = sparse.csr_array(self.y)
        starts = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return TextsAndLabels(self.texts, [tuple(names[k] for k in rows.indices[a:b]) for a, b in starts])

    def __repr__(self) -> str:
        parts = [f"{self.n_documents} documents"]
        if self.X is not None:
            parts.append(f"{self.X.shape[1]} terms")
        parts.append(f"{len(self.label_names)} labels")
        if self.train is not None:
            n_train = int(np.count_nonzero(self.train))
            parts.append(f"{n_train} train / {self.n_documents - n_train} test")
        return f"Corpus({', '.join(parts)})"


def describe(what: str, cite: str, terms: str) -> str:
    """Compose a description: what a set is, whom to cite, and the terms of use."""
    return f"{what}\nCite: {cite}\nTerms of use: {terms}"
