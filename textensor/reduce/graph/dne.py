"""Discriminant Neighborhood Embedding (LRWMMC, Eq. 3.11)."""

from textensor.reduce.graph.graphs import unit_graph
from textensor.reduce.graph.lrwmmc import LRWMMC


class DNE(LRWMMC):
    """LRWMMC with weights of 1 for pairs of two classes and -1 for pairs of one.

    Parameters and attributes are those of :class:`~textensor.reduce.LRWMMC`.

    Examples
    --------
    >>> from textensor.reduce import DNE
    >>> X, y = [[2.0, 1, 0], [3, 1, 0], [0, 1, 2], [0, 1, 3]], ["a", "a", "b", "b"]
    >>> DNE(1, n_neighbors=1).fit(X, y).components_.round(2)
    array([[ 0.71,  0.  , -0.71]])
    """

    _rule = staticmethod(unit_graph)
