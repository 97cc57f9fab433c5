"""Semi-supervised LRWMMC (LRWMMC §6, Algorithm 4)."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from textensor.base.arrays import Codes
from textensor.base.checks import Rule, number
from textensor.base.labels import UNLABELLED
from textensor.reduce.graph.graphs import (
    Graph,
    embed_laplacian,
    nearest_graph,
    normalized_laplacian,
    read_graph,
    regions,
)
from textensor.reduce.graph.lrwmmc import LRWMMC


class SemiSupervisedLRWMMC(LRWMMC):
    """LRWMMC of the labelled documents, with all documents kept close to their neighbours.

    The axes maximise tr(A^T X (L1 - reg L2) X^T A) (Eq. 6.24): L1 is the Laplacian of LRWMMC over the
    labelled documents, L2 the normalised one of the graph that joins every document, labelled or not, to its
    nearest.

    Parameters are those of :class:`~textensor.reduce.LRWMMC`, ``graph`` being that of the labelled documents
    alone, and these; attributes are the same.

    Parameters
    ----------
    reg : float, default=1.0
        How much the neighbourhoods of all documents weigh; 0 is LRWMMC of the labelled ones.
    graph_all : callable, sparse matrix or None, default=None
        Another graph over all documents in place of that of Eq. 6.20: a rule, which sees all documents as
        one class, or ready weights. It depends on documents only, not on labels:
        :func:`~textensor.reduce.graph.graphs.knn_graph` finds it once for many fits, or with another number
        of neighbours.
    unlabeled_value : object, default=-1
        What y holds for a document without a label.

    Examples
    --------
    >>> from textensor.reduce import SemiSupervisedLRWMMC
    >>> X = [[2.0, 1, 0, 0], [3, 1, 0, 1], [0, 1, 2, 0], [0, 1, 3, 0], [0, 1, 0, 1]]
    >>> model = SemiSupervisedLRWMMC(1, n_neighbors=1, reg=0.1).fit(X, [0, 0, 1, 1, -1])
    >>> model.transform(X).round(1).ravel().tolist()
    [-1.4, -2.2, 1.4, 2.2, -0.1]
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        **LRWMMC._parameters,
        "reg": number(least=0),
    }

    def __init__(
        self,
        n_components: int = 100,
        n_neighbors: int = 20,
        *,
        reg: float = 1.0,
        graph: Any = None,
        graph_all: Any = None,
        unlabeled_value: Any = -1,
        solver: str = "auto",
        tol: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            n_components,
            n_neighbors,
            graph=graph,
            solver=solver,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.reg = reg
        self.graph_all = graph_all
        self.unlabeled_value = unlabeled_value

    def _laplacian(self, X: Any, codes: Codes) -> Graph:
        labelled = np.flatnonzero(codes != UNLABELLED)
        first = super()._laplacian(X[labelled], codes[labelled])
        first = embed_laplacian(first, labelled, X.shape[0])
        if self.reg == 0:
            return first
        second = self.reg * normalized_laplacian(self._graph_of_all(X))
        return first - (aslinearoperator(second) if isinstance(first, LinearOperator) else second)

    def _graph_of_all(self, X: Any) -> sp.csr_matrix:
        one_class = np.zeros(X.shape[0], dtype=np.intp)
        found = regions(X, one_class, self.n_neighbors, self.n_jobs)
        W = read_graph(nearest_graph if self.graph_all is None else self.graph_all, found)
        if isinstance(W, LinearOperator):
            raise TypeError("graph_all is normalised by its row sums: give weights, not an operator.")
        return W
