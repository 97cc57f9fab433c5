"""How the documents on one side of a question are cut into parts (minmax-svm §3), new ones included later.

Every decomposition gives a document coordinates. Where they are one number, the documents are sorted by it
and cut into parts of equal size; where they are several, into the cells of k-means. What is kept of a cut is
its bounds in coordinates, so that documents which come later find their parts without the earlier ones.

- ``"hyperplane"``: the distance to z_1 + ... + z_n = 0 (Eq. 6)
- ``"random"``: a seeded draw
- ``"classes"``: the rarest of the other labels, so that a part holds few of them, and a draw within it
- ``"kmeans"``: a sparse random projection
"""

from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.kept import floats, keeps
from textensor.base.labels import Labels

Index = npt.NDArray[np.integer[Any]]

DECOMPOSITIONS = ("hyperplane", "random", "classes", "kmeans")
#: Coordinates of the random projection that k-means looks at.
N_PROJECTED = 64
#: Steps of k-means, on at most this many documents for each part: cells need not be found exactly.
LLOYD_STEPS = 5
SAMPLE_PER_PART = 256


class Coordinates:
    """The coordinates of documents: a pure function of the document, the question, its side and the seed."""

    def __init__(
        self, kind: str, X: sp.csr_matrix, labels: Labels, seed: int, counts: Index | None = None
    ) -> None:
        self.kind = kind
        self.X = X
        self.labels = labels
        self.seed = seed
        # How many documents each label had when the parts were cut: which is rarer is not to change later.
        self.counts = np.diff(labels.questions.indptr) if counts is None else counts

    def of(self, rows: Index, question: int, side: int) -> Floats:
        """Return the coordinates of rows of X on one side of a question, 1-D or 2-D."""
        if self.kind == "hyperplane":
            return self._distances[rows]
        if self.kind == "kmeans":
            return self._projected[rows]
        # The draws of a longer stream begin like those of a shorter one: they stay when documents are added.
        draws = np.random.default_rng([self.seed, question, side]).random(self.X.shape[0])[rows]
        if self.kind == "random":
            return draws
        rarest, second = self._rarest_labels
        return np.where(rarest[rows] == question, second[rows], rarest[rows]) + draws

    def prepare(self) -> None:
        """Compute what all questions share, before several threads ask for it."""
        self.of(np.empty(0, dtype=np.intp), 0, 0)

    @cached_property
    def _distances(self) -> Floats:
        """Eq. 6 with all a_i = 1."""
        return np.asarray(self.X.sum(axis=1, dtype=np.float64)).ravel() / np.sqrt(max(self.X.shape[1], 1))

    @cached_property
    def _projected(self) -> Floats:
        from sklearn.random_projection import SparseRandomProjection  # here: it is slow to import

        projection = SparseRandomProjection(
            n_projected(self.X.shape[1]), dense_output=True, random_state=self.seed
        )
        return np.asarray(projection.fit(self.X[:1]).transform(self.X), dtype=np.float64)

    @cached_property
    def _rarest_labels(self) -> tuple[Floats, Floats]:
        """Return each document's rarest label and its second rarest, -1 if there is none."""
        answers = sp.csr_array(self.labels.questions)
        row = np.repeat(np.arange(answers.shape[0]), np.diff(answers.indptr))
        order = np.lexsort((answers.indices, self.counts[answers.indices], row))
        ranked = answers.indices[order]
        n_labels = np.diff(answers.indptr)
        documents = np.flatnonzero(self.labels.labelled)
        found = np.full((2, self.X.shape[0]), -1.0)
        for k in range(2):
            has = n_labels > k
            found[k, documents[has]] = ranked[answers.indptr[:-1][has] + k]
        return found[0], found[1]


@keeps(
    low=floats("n_parts", 2, infinite=True),
    high=floats("n_parts", 2, infinite=True),
    centres=floats("n_parts", "n_coordinates?"),
)
class Bounds(NamedTuple):
    """Where parts lie.

    Attributes
    ----------
    low, high : ndarray of shape (n_parts, 2)
        A part of sorted documents begins with this coordinate and row, and ends before that one: rows decide
        between equal coordinates. Of cells, ``high[:, 0]`` is how much further away than the nearest centre
        a part's own centre may be.
    centres : ndarray of shape (n_parts, n_coordinates)
        The centres of cells; without coordinates otherwise.
    """

    low: Floats
    high: Floats
    centres: Floats


def n_projected(n_terms: int) -> int:
    """Return how many coordinates the random projection of documents has."""
    return min(N_PROJECTED, n_terms)


def decompose(
    rows: Index, keys: Floats, n_parts: int, overlap: float = 0.0, seed: int = 0
) -> tuple[list[Index], Bounds]:
    """Cut documents, given by their rising rows in X, into parts by their coordinates.

    There are no more parts than documents. ``overlap`` is the share of a part that is added to it from beyond
    its borders, ``seed`` is that of k-means. Returns the rows of each part, rising, every row in some part,
    and where the parts lie, for :func:`place`.

    Examples
    --------
    >>> import numpy as np
    >>> decompose(np.array([10, 11, 12, 13]), np.array([0.1, 0.9, 0.5, 0.7]), 2)[0]
    [array([10, 12]), array([11, 13])]
    """
    n_parts = min(n_parts, len(keys))
    cut, bounds = (
        _cut(rows, keys, n_parts, overlap) if keys.ndim == 1 else _cells(keys, n_parts, overlap, seed)
    )
    return [rows[np.sort(part)] for part in cut], bounds


def place(rows: Index, keys: Floats, bounds: Bounds) -> list[Index]:
    """Return the rows that belong to each part of a decomposition that was made before."""
    if keys.ndim == 1:
        return [
            rows[_from(rows, keys, low) & ~_from(rows, keys, high)]
            for low, high in zip(bounds.low, bounds.high, strict=True)
        ]
    gaps = _gaps(keys, bounds.centres)
    return [rows[(gaps[:, k] == 0) | (gaps[:, k] < high)] for k, (high, _) in enumerate(bounds.high)]


def _from(rows: Index, keys: Floats, bound: Floats) -> npt.NDArray[np.bool_]:
    return (keys > bound[0]) | ((keys == bound[0]) & (rows >= bound[1]))


def n_extra(size: int, overlap: float) -> int:
    """Return floor(overlap * size / 2) of the decimal number as written, not of the nearest binary one."""
    return int(Fraction(str(overlap)) * size / 2)


def _cut(rows: Index, keys: Floats, n_parts: int, overlap: float) -> tuple[list[Index], Bounds]:
    """Sort and cut into equal parts; each takes ``n_extra`` documents beyond each of its cuts."""
    n = len(keys)
    order = np.argsort(keys, kind="stable")
    begins = np.column_stack([np.append(keys[order], np.inf), np.append(rows[order], 0)])
    begins[0] = -np.inf
    ends = np.cumsum([len(part) for part in np.array_split(order, n_parts)])
    parts: list[Index] = []
    low, high = np.empty((n_parts, 2)), np.empty((n_parts, 2))
    for k, end in enumerate(ends):
        start = ends[k - 1] if k else 0
        extra = n_extra(end - start, overlap)
        first, last = max(start - extra, 0), min(end + extra, n)
        parts.append(order[first:last])
        low[k], high[k] = begins[first], begins[last]
    return parts, Bounds(low, high, np.empty((n_parts, 0)))


def _cells(Z: Floats, n_parts: int, overlap: float, seed: int) -> tuple[list[Index], Bounds]:
    """Cut by k-means; a cell takes the documents next to its border, as many as both sides of a cut would."""
    centres = _lloyd(Z, n_parts, seed)
    gaps = _gaps(Z, centres)
    own = gaps.argmin(axis=1)
    cells = np.unique(own)
    parts: list[Index] = []
    high = np.zeros((len(cells), 2))
    for k, cell in enumerate(cells):
        inside = np.flatnonzero(own == cell)
        extra = min(2 * n_extra(len(inside), overlap), len(Z) - len(inside))
        parts.append(inside)
        if extra:
            outside = np.flatnonzero(own != cell)
            nearest = outside[np.argsort(gaps[outside, cell], kind="stable")]
            reach = np.append(gaps[nearest, cell], np.inf)
            high[k, 0] = 0.5 * (reach[extra - 1] + reach[extra])
            parts[k] = np.concatenate([inside, nearest[:extra]])
    return parts, Bounds(np.zeros_like(high), high, centres[cells])


def _lloyd(Z: Floats, n_parts: int, seed: int) -> Floats:
    """Return centres after a few steps of k-means on a sample."""
    rng = np.random.default_rng(seed)
    sample = Z[np.sort(rng.permutation(len(Z))[: SAMPLE_PER_PART * n_parts])]
    from sklearn.cluster import kmeans_plusplus  # here: it is slow to import

    centres, _ = kmeans_plusplus(sample, n_parts, random_state=seed % 2**32)
    for _ in range(LLOYD_STEPS):
        own = _gaps(sample, centres).argmin(axis=1)
        member = sp.csr_array((np.ones(len(own)), (own, np.arange(len(own)))), shape=(n_parts, len(own)))
        sizes = np.bincount(own, minlength=n_parts)
        # A centre that lost its documents stays where it was.
        centres = np.where(sizes[:, None] > 0, (member @ sample) / np.maximum(sizes, 1)[:, None], centres)
    return centres


def _gaps(Z: Floats, centres: Floats) -> Floats:
    """Return how much further away, in squared distance, each centre is than the nearest one."""
    squared = (centres * centres).sum(axis=1) - 2.0 * (Z @ centres.T)
    return squared - squared.min(axis=1, keepdims=True)
