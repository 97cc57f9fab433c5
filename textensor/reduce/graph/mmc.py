"""Maximum Margin Criterion (LRWMMC §3.1)."""

from textensor.reduce.graph.graphs import class_scatter
from textensor.reduce.graph.lrwmmc import LRWMMC


class MMC(LRWMMC):
    """Axes that maximise the scatter between classes less that within: tr(A^T (S_b - S_w) A), A^T A = I.

    S_b is the sum over classes of n_l (m_l - m)(m_l - m)^T, S_w that over documents of (x - m_l)(x - m_l)^T.
    S_b has a rank below the number of classes, so there are fewer axes than classes.

    Parameters and attributes are those of :class:`~textensor.reduce.LRWMMC`; ``n_neighbors`` has a meaning
    only for another ``graph``.

    Examples
    --------
    >>> from textensor.reduce import MMC
    >>> X, y = [[2.0, 1, 0], [3, 1, 0], [0, 1, 2], [0, 1, 3]], ["a", "a", "b", "b"]
    >>> MMC(1).fit(X, y).eigenvalues_
    array([12.])
    """

    _rule = staticmethod(class_scatter)
