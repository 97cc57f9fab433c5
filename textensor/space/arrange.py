"""Which cell of the grid each term gets (stm-text §3, stm-tls §2, tensorlsi §3.1).

Positions are counted with the first mode running fastest: in an n1 x n2 grid, position p is row
p mod n1 of column p div n1 (stm-text, Eq. 15). Cells that no term fills are 0 in every document.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.checks import check, whole
from textensor.base.kept import LARGEST, each, keeps, permutation, require, size
from textensor.base.late.parts import BaseEstimator, check_is_fitted
from textensor.space.matrix import as_csr

#: numpy has no more dimensions, and one of them is the documents.
MAX_ORDER = 31
KINDS = ("document-frequency", "weight", "given")
#: Some columns of documents, as the tensors have them.
Columns = slice | npt.NDArray[np.integer[Any]]


@keeps(
    n_features_in_=size("n_terms"),
    permutation_=permutation("n_terms"),
    shape_=each(size("length_#"), tuple, "n_modes"),
)
class Arrangement(BaseEstimator):
    """The shape of the tensor and the order in which terms fill it.

    Parameters
    ----------
    kind : {"document-frequency", "weight", "given"} or array of int
        ``"document-frequency"``: the terms that most documents hold come first. ``"weight"``: by the
        weights of a vector classifier, positive, negative and zero ones in columns of their own.
        ``"given"``: as the columns of X stand. An array is the permutation itself: which term goes
        to position 0, which to position 1, and so on.
    shape : tuple of int or None, default=None
        The lengths of the modes; one of them may be -1 and is made as small as the terms allow.
        None is as square as can be.
    order : int, default=2
        The number of modes when ``shape`` is None.
    weights : array of shape (n_terms,) or None, default=None
        For ``kind="weight"``.

    Attributes
    ----------
    permutation_ : ndarray of shape (n_terms,)
        The term at each position. Terms that compare equal stay in the order of their index.
    shape_ : tuple of int
        The lengths of the modes.

    Examples
    --------
    >>> from textensor.space import Arrangement
    >>> X = [[1, 0, 1, 0, 0], [1, 0, 1, 1, 0], [0, 0, 1, 0, 1]]
    >>> arrangement = Arrangement("document-frequency", shape=(-1, 2)).fit(X)
    >>> arrangement.shape_, arrangement.permutation_
    ((3, 2), array([2, 0, 3, 4, 1]))
    """

    def __init__(
        self,
        kind: Any = "document-frequency",
        *,
        shape: tuple[int, ...] | None = None,
        order: int = 2,
        weights: npt.ArrayLike | None = None,
    ) -> None:
        self.kind = kind
        self.shape = shape
        self.order = order
        self.weights = weights

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Place the terms of X.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        y : ignored
            Labels have no say here.
        sample_weight : array of shape (n_documents,) or None
            How much each document counts for the document frequency.
        """
        return self.place(as_csr(X), sample_weight)

    def place(self, X: sp.csr_matrix, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Place the terms of documents that :func:`~textensor.space.matrix.as_csr` has checked."""
        n_terms = X.shape[1]
        self.shape_ = complete_shape(self.shape, self.order, n_terms)
        if not isinstance(self.kind, str):
            self.permutation_ = _checked_permutation(self.kind, n_terms)
        elif self.kind == "given":
            self.permutation_ = np.arange(n_terms)
        elif self.kind == "document-frequency":
            self.permutation_ = np.argsort(-document_frequency(X, sample_weight), kind="stable")
        elif self.kind == "weight":
            self.permutation_ = grouped_fill(_checked_weights(self.weights, n_terms), self.shape_[0])
        else:
            known = f"choose one of {', '.join(KINDS)}, or a SemanticArrangement (semantic)"
            raise ValueError(f"There is no arrangement {self.kind!r}: {known}.")
        self.n_features_in_ = n_terms
        return self

    @property
    def positions_(self) -> npt.NDArray[np.intp]:
        """The position of each term: the inverse of the permutation."""
        check_is_fitted(self, "permutation_")
        positions = np.empty(len(self.permutation_), dtype=np.intp)
        positions[self.permutation_] = np.arange(len(positions))
        return positions

    def augment(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """Return documents as the tensors have them; some arrangements add columns of their own."""
        self._check_terms(X)
        return X

    def per_term(self, x: sp.csr_matrix, weigh: Callable[[Columns], Any]) -> npt.NDArray[Any]:
        """Return what each term of one document gives to an inner product.

        ``weigh`` returns the weights of some columns of the documents as the tensors have them.
        """
        return np.asarray(x.data * weigh(x.indices))

    @property
    def n_columns(self) -> int:
        """How many columns documents have, as the tensors have them."""
        return len(self.permutation_)

    def _check_terms(self, X: sp.csr_matrix) -> None:
        check_is_fitted(self, "permutation_")
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} terms, the arrangement {self.n_features_in_}.")

    def indices(self, columns: Columns = slice(None)) -> tuple[npt.NDArray[np.intp], ...]:
        """Return the index of each term, or of some, along each mode."""
        return np.unravel_index(self.positions_[columns], self.shape_, order="F")

    def _check_kept(self) -> None:
        require(1 <= len(self.shape_) <= MAX_ORDER, f"its shape does not have 1 to {MAX_ORDER} modes")
        fits = len(self.permutation_) <= prod(self.shape_) < LARGEST
        require(fits, "its shape does not have a cell for each term")


@cache
def square_shape(n_terms: int, order: int) -> tuple[int, ...]:
    """Return the lengths of the most square tensor of an order that holds ``n_terms`` cells.

    Longest mode first; the smallest sum of lengths, then the smallest difference between them.

    Examples
    --------
    >>> square_shape(9, 2), square_shape(7, 2), square_shape(27, 3)
    ((3, 3), (3, 3), (3, 3, 3))
    """
    if order == 1:
        return (max(n_terms, 1),)
    candidates = []
    last = 1
    while last == 1 or (last - 1) ** order < n_terms:
        rest = square_shape(-(-n_terms // last), order - 1)
        if rest[-1] >= last:
            candidates.append((*rest, last))
        last += 1
    return min(candidates, key=lambda shape: (sum(shape), shape[0] - shape[-1], shape))


def grouped_fill(weights: npt.NDArray[np.floating[Any]], n_rows: int) -> npt.NDArray[np.intp]:
    """Order terms by the weights of a vector classifier (stm-tls §2).

    Positive, negative and zero weights form three groups, each sorted by size, largest first. Each
    group fills as many whole columns of ``n_rows`` as it can; what remains of them is pooled, in the
    same order, behind these columns.

    Examples
    --------
    >>> import numpy as np
    >>> grouped_fill(np.array([0.5, -2.0, 1.0, 3.0, 0.0, -1.0]), n_rows=2)
    array([3, 2, 1, 5, 0, 4])
    """
    by_size = np.argsort(-np.abs(weights), kind="stable")
    groups = [by_size[side] for side in (weights[by_size] > 0, weights[by_size] < 0, weights[by_size] == 0)]
    whole = [len(group) // n_rows * n_rows for group in groups]
    columns = [group[:n] for group, n in zip(groups, whole, strict=True)]
    pooled = [group[n:] for group, n in zip(groups, whole, strict=True)]
    return np.concatenate(columns + pooled)


def complete_shape(shape: tuple[int, ...] | None, order: int, n_terms: int) -> tuple[int, ...]:
    """Return the lengths of all modes, or say why there are none."""
    if shape is None:
        check("order", order, whole(1, MAX_ORDER))
        return square_shape(n_terms, int(order))
    if not isinstance(shape, Sequence) or not all(isinstance(length, Integral) for length in shape):
        raise ValueError(f"A shape is a tuple of whole numbers, one for each mode, not {shape!r}.")
    lengths = tuple(int(length) for length in shape)
    if not lengths:
        raise ValueError("A shape needs at least one mode.")
    if any(length < 1 and length != -1 for length in lengths) or lengths.count(-1) > 1:
        raise ValueError(f"The shape {lengths} is refused: every mode is at least 1, and one may be -1.")
    known = prod(length for length in lengths if length != -1)
    lengths = tuple(max(-(-n_terms // known), 1) if length == -1 else length for length in lengths)
    if prod(lengths) < n_terms:
        raise ValueError(f"The shape {lengths} has {prod(lengths)} cells, too few for {n_terms} terms.")
    return lengths


def document_frequency(
    X: sp.csr_matrix, sample_weight: npt.ArrayLike | None
) -> npt.NDArray[np.floating[Any] | np.integer[Any]]:
    """Return in how many documents each term occurs; an explicit zero is no occurrence."""
    occurs = X.data != 0
    if sample_weight is None:
        return np.bincount(X.indices[occurs], minlength=X.shape[1])
    per_document = np.asarray(sample_weight, dtype=np.float64)
    if per_document.shape != (X.shape[0],) or not np.isfinite(per_document).all():
        raise ValueError(f"sample_weight must be {X.shape[0]} finite numbers, one for each of the documents.")
    weights = np.repeat(per_document, np.diff(X.indptr))
    return np.bincount(X.indices[occurs], weights=weights[occurs], minlength=X.shape[1])


def _checked_permutation(permutation: npt.ArrayLike, n_terms: int) -> npt.NDArray[np.intp]:
    order = np.asarray(permutation)
    if order.shape != (n_terms,) or not np.array_equal(np.sort(order), np.arange(n_terms)):
        raise ValueError(f"The arrangement is not a permutation of the {n_terms} terms.")
    return order.astype(np.intp)


def _checked_weights(weights: npt.ArrayLike | None, n_terms: int) -> npt.NDArray[np.float64]:
    if weights is None:
        raise ValueError('The arrangement "weight" needs weights=, one number for each term.')
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_terms,) or not np.isfinite(values).all():
        raise ValueError(f"The weights must be {n_terms} finite numbers, one for each term.")
    return values
