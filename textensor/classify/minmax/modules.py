"""The modules of a min-max classifier: what one is trained from, what comes out, where they stand."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.kept import LARGEST, integers, keeps, require
from textensor.learn import Hinge, Rows
from textensor.space.csr_files import read_csr, write_csr
from textensor.space.matrix import csr_arrays

#: The label, positive part and negative part of a module.
Key = tuple[int, int, int]
#: Weights are stored dense where this share of them is not zero: sparse ones take twice the room each and
#: three times as long to read.
DENSE_ABOVE = 0.25


class Material(NamedTuple):
    """What all modules share, read only: documents, what an error on each costs, and which form each part.

    ``parts`` are the documents of all parts of all labels, one part after the other.
    """

    rows: Rows
    weight: Floats
    parts: npt.NDArray[np.int32]

    @classmethod
    def of(cls, X: sp.csr_matrix, weight: Floats, parts: npt.NDArray[np.int32]) -> Self:
        """Take documents; values are read as float32, the precision that weights are kept in."""
        indptr, indices, data = csr_arrays(
            sp.csr_matrix((X.data.astype(np.float32, copy=False), X.indices, X.indptr), shape=X.shape)
        )
        indptr = indptr.astype(np.int64)
        indptr.flags.writeable = False
        return cls(Rows(X.shape[1], None, indptr, indices, data), weight, parts)

    def save(self, folder: Path) -> None:
        """Write everything to a folder, for other processes to map into memory."""
        write_csr(folder / "X", [self.rows.to_scipy()], self.rows.n_columns)
        for name in ("weight", "parts"):
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open what was saved; the arrays stay on disk until they are used."""
        weight, parts = (
            np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ("weight", "parts")
        )
        return cls.of(sp.csr_matrix(read_csr(folder / "X")), weight, parts)


class Task(NamedTuple):
    """One module to train: its label, its two parts as ranges of ``Material.parts``, and a seed."""

    label: int
    positive: int
    negative: int
    positives: tuple[int, int]
    negatives: tuple[int, int]
    seed: int

    @property
    def n_rows(self) -> int:
        """How many documents take part."""
        return self.positives[1] - self.positives[0] + self.negatives[1] - self.negatives[0]


class Module(NamedTuple):
    """A trained module: the terms with a weight, their weights, and numbers.

    The numbers are the intercept, rows, seconds, objective, passes, and 1 if it settled.
    """

    terms: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    numbers: Sequence[float]

    @classmethod
    def constant(cls, answer: float) -> Self:
        """Return a module that gives every document the same answer."""
        return cls(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32), (answer, 0, 0, 0, 0, 1))


def train(material: Material, task: Task, *, learner: Hinge, tol: float) -> Module:
    """Train one module (Eq. 4): the support vector machine between a positive and a negative part."""
    start = time.perf_counter()
    positives = material.parts[slice(*task.positives)]
    rows = np.concatenate([positives, material.parts[slice(*task.negatives)]])
    order = np.argsort(rows, kind="stable")
    which = rows[order].astype(np.int64)
    y = np.where(order < len(positives), 1.0, -1.0)
    found = learner.solve(material.rows, y, material.weight[which], which=which, tol=tol, seed=task.seed)
    terms = np.flatnonzero(found.weights != 0).astype(np.int32)
    seconds = time.perf_counter() - start
    numbers = found.intercept, len(y), seconds, found.objective, found.n_epochs, found.reached
    return Module(terms, found.weights[terms].astype(np.float32), numbers)


@keeps(labels=integers("n_units"), starts=integers("*"), keys=integers("n_modules", 3))
class Layout(NamedTuple):
    """Where modules stand: unit u is a positive part of a label, module (u, j) is number starts[j] + u."""

    labels: npt.NDArray[np.int32]  # the label of each unit; units with more modules come first
    starts: npt.NDArray[np.int64]  # where the j-th modules of all units begin; at the end, how many there are
    keys: npt.NDArray[np.int32]  # the label, positive part and negative part of each module


def lay_out(sizes: Iterable[tuple[int, int]]) -> Layout:
    """Lay out the modules of labels that have N+ x N- of them each.

    Examples
    --------
    >>> lay_out([(1, 1), (1, 3)]).keys.tolist()
    [[1, 0, 0], [0, 0, 0], [1, 0, 1], [1, 0, 2]]
    """
    units = [(label, i, n_neg) for label, (n_pos, n_neg) in enumerate(sizes) for i in range(n_pos)]
    units.sort(key=lambda unit: -unit[2])
    keys = [
        (label, i, j)
        for j in range(max(n_neg for _, _, n_neg in units))
        for label, i, n_neg in units
        if j < n_neg
    ]
    counts = np.bincount([j for _, _, j in keys])
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    labels = np.array([label for label, _, _ in units], dtype=np.int32)
    return Layout(labels, starts, np.array(keys, dtype=np.int32))


def check_layout(layout: Layout, n_questions: int) -> list[tuple[int, int]]:
    """Refuse a layout of a model file that is not the one of all modules of so many questions.

    Returned are N+ and N- of each question.
    """
    keys, parts = layout.keys, np.zeros((n_questions, 2), dtype=np.int64)
    require(keys.max() < LARGEST and keys[:, 0].max() < n_questions, "its modules are of other labels")
    np.maximum.at(parts, keys[:, 0], keys[:, 1:] + 1)
    bounded = bool((parts <= len(keys)).all() and parts.all())
    complete = bounded and sum(int(n_yes) * int(n_no) for n_yes, n_no in parts) == len(keys)
    require(complete, "it does not have all of its modules")
    sizes = [(int(n_yes), int(n_no)) for n_yes, n_no in parts]
    expected = lay_out(sizes)
    pairs: Any = zip(layout, expected, strict=True)
    fits = all(np.array_equal(one, other) and one.dtype == other.dtype for one, other in pairs)
    require(fits, "its modules are not where they should be")
    return sizes


def assemble(modules: list[Module], n_terms: int) -> Any:
    """Return the weights as modules x terms, float32, a term's weights side by side in memory.

    Sparse (CSC) if most are zero, else dense (Fortran order). The modules are used up: weights are by far
    the largest thing here, and they are not to be in memory twice.
    """
    counts = np.zeros(n_terms + 1, dtype=np.int64)
    for module in modules:
        counts[module.terms + 1] += 1
    indptr = np.cumsum(counts)
    n_modules, n_weights = len(modules), int(indptr[-1])
    if n_weights > DENSE_ABOVE * n_modules * n_terms:
        dense = np.zeros((n_terms, n_modules), dtype=np.float32)
        for m, (terms, weights, _) in enumerate(modules):
            dense[terms, m] = weights
            modules[m] = Module.constant(0.0)
        return dense.T
    index = np.int32 if n_weights <= np.iinfo(np.int32).max else np.int64
    numbers, data = np.empty(n_weights, dtype=index), np.empty(n_weights, dtype=np.float32)
    after = indptr[:-1].copy()  # where each term's next weight goes
    for m, (terms, weights, _) in enumerate(modules):
        numbers[after[terms]], data[after[terms]] = m, weights
        after[terms] += 1
        modules[m] = Module.constant(0.0)
    return sp.csc_matrix((data, numbers, indptr.astype(index)), shape=(n_modules, n_terms))
