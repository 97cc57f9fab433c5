"""An arrangement learned from text without labels: terms that mean similar things share a column.

What a tensor classifier gains, it gains by sharing weights along rows and columns, so the terms there should
mean similar things. Two things are learned from the documents, labelled or not, by latent semantic indexing:

- **columns of terms**: terms are cut into columns by balanced bisection along the leading directions of their
  vectors; within a column the terms that most documents hold come first;
- **latent columns**: the document's own unit-length coordinates in the latent space stand in columns of their
  own. A weight tensor of rank R + 1 can be any classifier of the latent coordinates plus one of rank R of the
  terms: the sum of a semantic part, learned from few numbers, and a part that corrects single terms.
"""

from collections.abc import Callable
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from textensor.base.arrays import Floats, normalize
from textensor.base.checks import Rule, check_parameters, number, whole
from textensor.base.kept import floats, integers, keeps, part, permutation, require
from textensor.base.late.parts import check_is_fitted, check_random_state
from textensor.base.progress import check_time
from textensor.space.arrange import Arrangement, Columns, complete_shape, document_frequency

#: Terms in fewer documents than this say nothing of what they mean.
MIN_DOCUMENTS = 2
#: Columns are cut along this many dimensions; more would follow the noise.
CLUSTER_DIMENSIONS = 64
#: The leading direction of a group of terms is found from this many of them.
DIRECTION_SAMPLE = 2000
#: Power steps of the decomposition, and columns beyond those asked for.
POWER_STEPS, OVERSAMPLES = 3, 10


@keeps(
    components_=floats("n_terms", "n_latent?"),
    idf_=floats("n_terms"),
    permutation_=permutation("n_terms + n_latent"),
    _positions=integers("n_terms + n_latent"),
    latent_weight=number(least=0),
)
class SemanticArrangement(Arrangement):
    """Terms in columns by meaning, and latent coordinates in columns of their own. Of order 2.

    Parameters
    ----------
    n_latent : int, default=200
        The number of latent coordinates; fewer where the documents have no more. 0 leaves them out.
    latent_weight : float, default=2.0
        The length of the latent coordinates, where a document's terms have length 1.
    idf_power : float, default=1.0
        The latent space is that of x * log(n/df) ** idf_power. With x = tf * log(n/df), 1 makes it
        tf * log(n/df)^2, which brings out rare subjects; with x = tf use 2 for the same.
    shape : tuple of int or None, default=(-1, 50)
        The grid of the terms; the latent columns come on top.
    random_state : int, default=0
        Seeds the decomposition.

    Attributes
    ----------
    permutation_ : ndarray of shape (n_terms + k,)
        The columns of the augmented matrix (terms, then k latent coordinates) by their position.
    shape_ : tuple of int
        The grid, latent columns included.
    components_ : ndarray of shape (n_terms, k)
        What the latent coordinates are made of.
    idf_ : ndarray of shape (n_terms,)
        log(n/df) ** idf_power.

    Examples
    --------
    >>> from textensor.space import SemanticArrangement, TermVectorizer
    >>> texts = ["wheat maize", "maize corn", "bank rate", "rate money", "wheat corn", "money bank"]
    >>> X = TermVectorizer().fit_transform(texts)
    >>> arrangement = SemanticArrangement(n_latent=2, shape=(-1, 2)).fit(X)
    >>> arrangement.shape_
    (3, 3)
    >>> arrangement.augment(X).shape
    (6, 8)
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "n_latent": whole(0),
        "latent_weight": number(least=0),
        "idf_power": number(least=0),
    }

    def __init__(
        self,
        *,
        n_latent: int = 200,
        latent_weight: float = 2.0,
        idf_power: float = 1.0,
        shape: tuple[int, ...] | None = (-1, 50),
        random_state: int = 0,
    ) -> None:
        self.n_latent = n_latent
        self.latent_weight = latent_weight
        self.idf_power = idf_power
        self.shape = shape
        self.random_state = random_state

    def place(self, X: sp.csr_matrix, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn what terms mean from documents that have been checked."""
        check_parameters(self)
        n_terms = self.n_features_in_ = X.shape[1]
        self.shape_ = complete_shape(self.shape, 2, n_terms)
        if len(self.shape_) != 2:
            raise ValueError(f"The semantic arrangement is of order 2; the shape {self.shape_} is not.")
        df = document_frequency(X, sample_weight)
        n_axes = max(self.n_latent, CLUSTER_DIMENSIONS)
        self.idf_, components, values = latent_axes(X, df, n_axes, self.idf_power, self.random_state)
        self.components_ = np.ascontiguousarray(components[:, : self.n_latent])
        vectors = components[:, :CLUSTER_DIMENSIONS] * values[:CLUSTER_DIMENSIONS]
        term_order = self._order_terms(vectors, df)
        k = self.components_.shape[1]
        n_rows, n_columns = self.shape_
        positions = np.empty(n_terms + k, dtype=np.intp)
        positions[term_order] = np.arange(n_terms)
        positions[n_terms:] = n_rows * n_columns + np.arange(k)
        self._positions: npt.NDArray[np.intp] = positions
        self.permutation_ = np.argsort(positions)
        self.shape_ = (n_rows, n_columns + -(-k // n_rows))
        return self

    @property
    def positions_(self) -> npt.NDArray[np.intp]:
        """The position of each column of the augmented matrix."""
        check_is_fitted(self, "permutation_")
        return self._positions

    def augment(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """Return documents with their latent coordinates behind their terms."""
        self._check_terms(X)
        if self.components_.shape[1] == 0:
            return X
        latent = self._raw_latent(X)
        lengths = np.linalg.norm(latent, axis=1, keepdims=True)
        latent *= self.latent_weight / np.where(lengths > 0, lengths, 1.0)
        return sp.csr_matrix(sp.hstack([X, sp.csr_matrix(latent.astype(X.dtype))], format="csr"))

    def per_term(self, x: sp.csr_matrix, weigh: Callable[[Columns], Floats]) -> Floats:
        """Return what each term of one document gives to an inner product with augmented weights."""
        direct = weigh(x.indices)
        length = float(np.linalg.norm(self._raw_latent(x)))
        if length == 0.0:
            return x.data * direct
        latent = weigh(slice(self.n_features_in_, None))
        through = self.components_[x.indices] @ latent * self.idf_[x.indices]
        return x.data * (direct + self.latent_weight / length * through)

    def _raw_latent(self, X: sp.csr_matrix) -> Floats:
        """Return the latent coordinates before they are scaled."""
        weighted = sp.csr_matrix((X.data * self.idf_[X.indices], X.indices, X.indptr), shape=X.shape)
        return np.asarray(weighted @ self.components_)

    def _check_kept(self) -> None:
        super()._check_kept()
        require(len(self.shape_) == 2, "it is not of order 2")
        positions = self._positions[self.permutation_]
        rising = bool((positions[1:] > positions[:-1]).all())
        require(rising and positions[-1] < prod(self.shape_), "its terms have no cells")

    def _order_terms(self, vectors: Floats, df: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        """Return the terms column by column; those of no known meaning, whose vectors are 0, come last."""
        lengths = np.linalg.norm(vectors, axis=1)
        known = np.flatnonzero(lengths)
        unknown = np.setdiff1d(np.arange(len(df)), known)
        n_rows = self.shape_[0]
        with threadpool_limits(1, user_api="blas"):
            groups = bisect(vectors[known] / lengths[known, None], -(-len(known) // n_rows), n_rows)
        columns = [known[group] for group in groups] + [unknown]
        by_frequency = [column[np.argsort(-df[column], kind="stable")] for column in columns]
        return np.concatenate(by_frequency)


#: What model files keep of an arrangement of either kind: it has the terms and the modes of its owner.
ARRANGED = part(Arrangement, SemanticArrangement, shares=("n_terms", "n_modes", "length_#"))


def latent_axes(
    X: sp.csr_matrix, df: npt.NDArray[Any], n_axes: int, idf_power: float, random_state: Any
) -> tuple[Floats, Floats, Floats]:
    """Return weights of terms, the leading right singular vectors of weighted documents, and their values.

    The weights are log(n/df) ** idf_power, with df the number of documents that hold a term; a term in fewer
    than two weighs 0. Weighted documents have length 1. There may be fewer vectors than ``n_axes``.
    """
    known = df >= MIN_DOCUMENTS
    idf = np.where(known, np.log(np.maximum(X.shape[0] / np.maximum(df, 1), 1.0)) ** idf_power, 0.0)
    k = min(n_axes, X.shape[0] - 1, int(known.sum()) - 1)
    if k <= 0:
        return idf, np.zeros((X.shape[1], 0)), np.zeros(0)
    weighted = normalize(X.multiply(idf).tocsr())[:, known].astype(np.float32)
    with threadpool_limits(1, user_api="blas"):
        values, found = leading_axes(weighted, k, random_state)
    components = np.zeros((X.shape[1], k))
    components[known] = found
    return idf, components, values


def leading_axes(A: sp.csr_matrix, k: int, random_state: Any) -> tuple[Floats, Floats]:
    """Return the largest singular values of A and their right singular vectors, as columns.

    They come from subspace iteration on a random start (Halko, Martinsson and Tropp, 2011), with the start
    and the steps of scikit-learn's ``randomized_svd``, which cannot be stopped by a time limit.
    """
    from scipy.linalg import lu, qr, svd  # here: what scores needs none of it

    wide = A.shape[0] < A.shape[1]
    tall = A.T if wide else A
    size = k + OVERSAMPLES
    Q = check_random_state(random_state).normal(size=(tall.shape[1], size)).astype(A.dtype, copy=False)
    for _ in range(POWER_STEPS):
        for M in (tall, tall.T):
            check_time()
            Q, _ = lu(M @ Q, permute_l=True, check_finite=False, overwrite_a=True)
    check_time()
    Q, _ = qr(tall @ Q, mode="economic", check_finite=False, overwrite_a=True)
    check_time()
    left, values, right = svd(Q.T @ tall, full_matrices=False, check_finite=False)
    left = Q @ left
    # The sign is that of scikit-learn, too: the largest entry of a column on the documents' side is positive.
    sides = right.T if wide else left
    signs = np.sign(sides[np.abs(sides).argmax(axis=0), np.arange(sides.shape[1])])
    axes = (left if wide else right.T) * signs
    return values[:k], axes[:, :k]


def bisect(vectors: Floats, n_parts: int, part_length: int) -> list[npt.NDArray[np.intp]]:
    """Cut vectors into parts of one length, the last maybe shorter, always across the widest direction."""

    def cut(members: npt.NDArray[np.intp], parts: int) -> list[npt.NDArray[np.intp]]:
        if parts <= 1:
            return [members]
        centred = vectors[members] - vectors[members].mean(axis=0)
        step = -(-len(members) // DIRECTION_SAMPLE)
        direction = np.linalg.svd(centred[::step], full_matrices=False)[2][0]
        if direction[np.argmax(np.abs(direction))] < 0:
            direction = -direction
        ordered = members[np.argsort(centred @ direction, kind="stable")]
        first = parts // 2
        return cut(ordered[: first * part_length], first) + cut(ordered[first * part_length :], parts - first)

    return cut(np.arange(len(vectors)), n_parts)
