"""What the estimators that join a graph with an embedding share."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from textensor.base.arrays import Codes
from textensor.base.checks import Rule, check_parameters, jobs, number, one_of, seed, whole
from textensor.base.kept import dropped, keeps, labels
from textensor.base.labels import read_classes
from textensor.reduce.axes.embedding import SOLVERS
from textensor.reduce.graph.graphs import Graph, Regions, laplacian, read_graph, relevance_graph
from textensor.reduce.projection import LinearProjection, read_documents, squared_norm

#: What the parameters of an embedding may be.
EMBEDDING: dict[str, Rule] = {
    "n_components": whole(1),
    "n_neighbors": whole(1),
    "solver": one_of(*SOLVERS),
    "tol": number(above=0, below=1),
    "n_jobs": jobs,
    "random_state": Rule(
        f"a SeedSequence, {seed.says}",
        lambda value: seed.holds(value) or isinstance(value, np.random.SeedSequence),
    ),
}


@keeps(graph=dropped)
class GraphMethod:
    """An estimator with a graph: that of its class, another rule's, or a ready one."""

    graph: Any
    _rule: ClassVar[Any] = staticmethod(relevance_graph)

    def _graph_laplacian(self, found: Regions) -> Graph:
        """Return the Laplacian of the graph over documents, whose regions are searched if it needs them."""
        return laplacian(read_graph(self._rule if self.graph is None else self.graph, found))


@keeps(classes_=labels("n_classes"))
class GraphEmbedding(GraphMethod, LinearProjection):
    """A graph method of documents and their classes: a subclass finds the projection in ``_fit``."""

    _parameters: ClassVar[dict[str, Rule]]

    def fit(self, X: Any, y: Any) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array-like or sparse of shape (n_documents, n_terms)
            The documents.
        y : array-like of shape (n_documents,)
            Their classes.
        """
        check_parameters(self)
        X = read_documents(self, X, reset=True, dense=False)
        classes = read_classes(self, X, y, getattr(self, "unlabeled_value", None), at_least=2)
        if not squared_norm(X):
            raise ValueError(f"All values of the {X.shape[0]} documents are 0: there is nothing to embed.")
        self._fit(X, classes.codes)
        self.classes_ = classes.names
        return self

    @abstractmethod
    def _fit(self, X: Any, codes: Codes) -> None:
        """Find the projection; classes are numbers from 0, -1 for none."""


def solver_options(estimator: Any) -> dict[str, Any]:
    """Return the options of an embedding that an estimator has."""
    start = estimator.random_state
    if not isinstance(start, np.random.SeedSequence):
        start = int(check_random_state(start).randint(np.iinfo(np.int32).max))
    return {"solver": estimator.solver, "tol": estimator.tol, "seed": start, "n_jobs": estimator.n_jobs}
