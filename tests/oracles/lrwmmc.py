"""LRWMMC by its definition: dense, one pair at a time."""

import numpy as np


def cosine(x, y):
    """Relevance (Eq. 3.3); of an empty document it is 0."""
    lengths = np.linalg.norm(x) * np.linalg.norm(y)
    return float(x @ y) / lengths if lengths > 0 else 0.0


def cosines(X):
    """The relevance of all pairs."""
    return np.array([[cosine(x, y) for y in X] for x in X])


def nearest(r, i, candidates, k):
    """The k most relevant candidates, the first among equals first."""
    return sorted((j for j in candidates if j != i), key=lambda j: (-round(r[i, j], 12), j))[:k]


def within(r, y, i, k):
    return nearest(r, i, [j for j in range(len(y)) if y[j] == y[i]], k)


def between(r, y, i, k):
    return nearest(r, i, [j for j in range(len(y)) if y[j] != y[i]], k)


def weights(r, y, k, *, unit=False):
    """W of Eq. 3.7, or of Eq. 3.11."""
    n = len(y)
    N_w = [within(r, y, i, k) for i in range(n)]
    N_b = [between(r, y, i, k) for i in range(n)]
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j in N_b[i] or i in N_b[j]:
                W[i, j] = 1 if unit else r[i, j]
            elif j in N_w[i] or i in N_w[j]:
                W[i, j] = -1 if unit else r[i, j] - 1
    return W


def scatter_weights(y):
    """The weights under which the criterion is that of MMC, up to a factor of 2."""
    n = len(y)
    W = np.full((n, n), 1 / n)
    for i in range(n):
        for j in range(n):
            if y[i] == y[j]:
                W[i, j] -= 2 / np.sum(y == y[i])
    return W


def scatter_matrix(X, y):
    """S_b - S_w, sums over documents."""
    m = X.mean(axis=0)
    S = np.zeros((X.shape[1], X.shape[1]))
    for label in np.unique(y):
        rows = X[y == label]
        mean = rows.mean(axis=0)
        S += len(rows) * np.outer(mean - m, mean - m)
        for x in rows:
            S -= np.outer(x - mean, x - mean)
    return S


def neighbour_weights(r, k):
    """W of Eq. 6.20."""
    n = len(r)
    N = [nearest(r, i, range(n), k) for i in range(n)]
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j in N[i] or i in N[j]:
                W[i, j] = r[i, j]
    return W


def criterion(Y, W):
    """The sum over pairs of W_ij |y_i - y_j|^2 (Eqs. 3.6, 3.8 and 5.17)."""
    return sum(W[i, j] * ((Y[i] - Y[j]) ** 2).sum() for i in range(len(Y)) for j in range(len(Y)))


def criterion_matrix(X, W):
    """M with tr(A^T M A) half the sum over pairs of W_ij |A^T x_i - A^T x_j|^2."""
    M = np.zeros((X.shape[1], X.shape[1]))
    for i in range(len(X)):
        for j in range(len(X)):
            M += W[i, j] * np.outer(X[i] - X[j], X[i] - X[j]) / 2
    return M


def scaled(X, W):
    """What Eq. 6.21 compares: documents over the roots of their degrees; 0 for one without neighbours."""
    D = W.sum(axis=1)
    return np.array([x / np.sqrt(degree) if degree > 0 else 0 * x for x, degree in zip(X, D, strict=True)])


def direct(X, W):
    """The eigenvalues of X L X^T, from the largest down, and its eigenvectors, from the sum over pairs."""
    values, vectors = np.linalg.eigh(criterion_matrix(X, W))
    return values[::-1], vectors[:, ::-1]
