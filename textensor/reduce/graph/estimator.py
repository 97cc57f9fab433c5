"""What the estimators that join a graph with an embedding share."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from textensor.base.arrays import Codes
from textensor.base.checks import Rule, jobs, number, one_of, seed, whole
from textensor.base.kept import dropped, keeps
from textensor.base.labels import Labels
from textensor.base.late.parts import check_random_state
from textensor.reduce.axes.embedding import SOLVERS
from textensor.reduce.graph.graphs import Graph, Regions, laplacian, read_graph, regions, relevance_graph
from textensor.reduce.projection import Supervised, squared_norm

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
class GraphMethod(Supervised):
    """An estimator with a graph: that of its class, another rule's, or a ready one."""

    graph: Any
    n_neighbors: int
    n_jobs: int | None
    _rule: ClassVar[Any] = staticmethod(relevance_graph)

    def _graph_laplacian(self, found: Regions) -> Graph:
        """Return the Laplacian of the graph over documents, whose regions are searched if it needs them."""
        return laplacian(self._rule(found) if self.graph is None else read_graph(self.graph, found))


class GraphEmbedding(GraphMethod):
    """A graph method of documents as they are: a subclass finds the projection in ``_embed``."""

    _fits_dense = False

    def _fit(self, X: Any, classes: Labels) -> None:
        if not squared_norm(X):
            raise ValueError(f"All values of the {X.shape[0]} documents are 0: there is nothing to embed.")
        self._embed(X, classes.codes)

    def _laplacian(self, X: Any, codes: Codes) -> Graph:
        """Return the Laplacian of the documents' graph; classes are numbers from 0, -1 for none."""
        return self._graph_laplacian(regions(X, codes, self.n_neighbors, self.n_jobs))

    @abstractmethod
    def _embed(self, X: Any, codes: Codes) -> None:
        """Find the projection of documents by the Laplacian of their graph."""


def solver_options(estimator: Any) -> dict[str, Any]:
    """Return the options of an embedding that an estimator has."""
    start = estimator.random_state
    if not isinstance(start, np.random.SeedSequence):
        start = int(check_random_state(start).randint(np.iinfo(np.int32).max))
    return {"solver": estimator.solver, "tol": estimator.tol, "seed": start, "n_jobs": estimator.n_jobs}
