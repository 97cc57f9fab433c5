"""Term tensors by their definition: dense, one document and one cell at a time."""

from itertools import product

import numpy as np


def dense_tensors(X, permutation, shape):
    """Fill every document's grid, the first mode fastest (stm-text, Eq. 15)."""
    X = np.asarray(X)
    tensors = np.zeros((len(X), *shape), dtype=X.dtype)
    for position, term in enumerate(permutation):
        cell, rest = [], position
        for length in shape:
            cell.append(rest % length)
            rest //= length
        for d in range(len(X)):
            tensors[(d, *cell)] = X[d, term]
    return tensors


def contract(tensors, mode, vector):
    """Sum over a mode, weighted by a vector."""
    return np.tensordot(tensors, vector, axes=(mode, 0))


def contract_all_but(tensors, mode, vectors):
    """Sum over every other mode, from the last to the first."""
    for other in range(tensors.ndim - 1, 0, -1):
        if other != mode:
            tensors = contract(tensors, other, vectors[other - 1])
    return tensors


def unfold(tensors, mode):
    """Put a mode in the rows; among the columns the first remaining mode runs fastest, documents slowest."""
    lengths = [n for m, n in enumerate(tensors.shape[1:], start=1) if m != mode]
    columns = [
        np.moveaxis(tensor, mode - 1, -1)[tuple(reversed(cell))]
        for tensor in tensors
        for cell in product(*(range(n) for n in reversed(lengths)))
    ]
    return np.array(columns).T.reshape(tensors.shape[mode], -1)


def gram(tensors, mode):
    """Add up the outer products of all columns of the unfolding."""
    unfolded = unfold(tensors, mode).astype(np.float64)
    return unfolded @ unfolded.T


def project(tensors, factors):
    """Multiply each mode by the transpose of its factor."""
    for mode, factor in enumerate(factors, start=1):
        if factor is not None:
            tensors = np.moveaxis(np.tensordot(tensors, factor, axes=(mode, 0)), -1, mode)
    return tensors


def square_shape(n_terms, order):
    """Try every shape of an order that holds the terms with no row to spare."""
    best = None
    for shape in product(range(1, n_terms + 1), repeat=order):
        if list(shape) == sorted(shape, reverse=True) and np.prod(shape) >= n_terms:
            key = (sum(shape), shape[0] - shape[-1], shape)
            best = key if best is None or key < best else best
    return best[2]
