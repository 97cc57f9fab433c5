"""TensorLSI by its definition (tensorlsi §3.2): dense, all pairs, one document at a time."""

from itertools import product

import numpy as np


def moments(tensors):
    """Return for each mode the sum of X_(k) X_(k)^T (Eqs. 6 and 7)."""
    found = []
    for mode in range(1, tensors.ndim):
        total = np.zeros((tensors.shape[mode],) * 2)
        for X in tensors:
            unfolded = np.moveaxis(X, mode - 1, 0).reshape(X.shape[mode - 1], -1)
            total += unfolded @ unfolded.T
        found.append(total)
    return found


def eigenvectors(moment):
    """Return eigenvalues and vectors, largest first (Eqs. 8 and 9)."""
    values, vectors = np.linalg.eigh(moment)
    return values[::-1], vectors[:, ::-1]


def coordinate(X, vectors):
    """Return u_i^T X v_j, or the like of more modes."""
    for vector in vectors:
        X = np.tensordot(vector, X, axes=(0, 0))
    return float(X)


def importance(tensors, factors):
    """Return f of every cell (Eq. 10)."""
    f = np.zeros([factor.shape[1] for factor in factors])
    for cell in product(*(range(n) for n in f.shape)):
        vectors = [factor[:, i] for factor, i in zip(factors, cell, strict=True)]
        f[cell] = sum(coordinate(X, vectors) ** 2 for X in tensors)
    return f


def best_cells(f, k):
    """Return the k cells of the largest f, largest first."""
    cells = list(product(*(range(n) for n in f.shape)))
    return sorted(cells, key=lambda cell: -f[cell])[:k]
