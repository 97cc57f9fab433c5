"""The leading eigenvectors of a symmetric matrix that is there as a whole."""

import numpy as np
from scipy.linalg import eigh

from textensor.base.arrays import Floats


def leading_eigenvectors(M: Floats, n: int) -> tuple[Floats, Floats]:
    """Return the n largest eigenvalues, falling, and their vectors in columns. M is overwritten.

    Among eigenvalues that are equal but for rounding, LAPACK may return fewer than asked for, without a word:
    then all of them are computed.

    Examples
    --------
    >>> import numpy as np
    >>> from textensor.reduce.eigen import leading_eigenvectors
    >>> values, vectors = leading_eigenvectors(np.diag([1.0, 3, 2]), 2)
    >>> values, np.abs(vectors)
    (array([3., 2.]), array([[0., 0.],
           [1., 0.],
           [0., 1.]]))
    """
    diagonal = M.diagonal().copy()
    # M is symmetric, and as its transpose it is in the order that LAPACK overwrites.
    values, vectors = eigh(M.T, subset_by_index=(len(M) - n, len(M) - 1), overwrite_a=True)
    if len(values) < n:
        np.fill_diagonal(M, diagonal)  # what was overwritten is one triangle, with the diagonal
        values, vectors = eigh(M.T, lower=False, overwrite_a=True)
    return values[::-1][:n], vectors[:, ::-1][:, :n]
