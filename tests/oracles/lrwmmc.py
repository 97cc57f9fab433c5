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
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j in between(r, y, i, k) or i in between(r, y, j, k):
                W[i, j] = 1 if unit else r[i, j]
            elif j in within(r, y, i, k) or i in within(r, y, j, k):
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
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if j in nearest(r, i, range(n), k) or i in nearest(r, j, range(n), k):
                W[i, j] = r[i, j]
    return W


def criterion(Y, W):
    """The sum over pairs of W_ij |y_i - y_j|^2 (Eqs. 3.6, 3.8 and 5.17)."""
    total = 0.0
    for i in range(len(Y)):
        for j in range(len(Y)):
            total += W[i, j] * ((Y[i] - Y[j]) ** 2).sum()
    return total


def normalised_criterion(Y, W):
    """Eq. 6.21; a document without neighbours is not in it."""
    D = W.sum(axis=1)
    total = 0.0
    for i in range(len(Y)):
        for j in range(len(Y)):
            if W[i, j]:
                total += W[i, j] * ((Y[i] / np.sqrt(D[i]) - Y[j] / np.sqrt(D[j])) ** 2).sum()
    return total


def quadratic_form(criterion_of, d):
    """The matrix M with criterion(X a) = 2 a^T M a, by polarisation."""
    value = {}
    eye = np.eye(d)
    for s in range(d):
        for t in range(s, d):
            value[s, t] = criterion_of(eye[s] + eye[t]) if s != t else criterion_of(eye[s])
    M = np.empty((d, d))
    for s in range(d):
        for t in range(s, d):
            pair = value[s, s] if s == t else (value[s, t] - value[s, s] - value[t, t]) / 2
            M[s, t] = M[t, s] = pair / 2
    return M


def direct(X, W):
    """The eigenvalues of X L X^T, from the largest down, and its eigenvectors, from the sum over pairs."""
    M = quadratic_form(lambda a: criterion((X @ a)[:, None], W), X.shape[1])
    values, vectors = np.linalg.eigh(M)
    return values[::-1], vectors[:, ::-1]
