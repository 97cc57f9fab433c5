"""Discriminant analysis and its relatives by the letter: dense scatter matrices, dense eigenproblems.

Documents are rows. Written from the definitions, slowly, with loops over classes and pairs.
"""

import numpy as np
from scipy.linalg import eigh


def scatters(X, y):
    """Return Sb and St, sums over documents."""
    mean = X.mean(axis=0)
    Sb = np.zeros((X.shape[1], X.shape[1]))
    for name in np.unique(y):
        members = X[y == name]
        difference = members.mean(axis=0) - mean
        Sb += len(members) * np.outer(difference, difference)
    St = sum(np.outer(x - mean, x - mean) for x in X)
    return Sb, St


def neighbour_laplacian(X, k):
    """Return D - W: W_ij = 1 if j is among the k of highest cosine to i, above 0, or i among those of j."""
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        cosines = []
        for j in range(n):
            lengths = np.linalg.norm(X[i]) * np.linalg.norm(X[j])
            if j != i and lengths > 0 and X[i] @ X[j] > 0:
                cosines.append((-(X[i] @ X[j]) / lengths, j))
        for _, j in sorted(cosines)[:k]:
            W[i, j] = W[j, i] = 1
    return np.diag(W.sum(axis=1)) - W


def sda(X, y, alpha, beta, k, unlabelled=-1):
    """Return the c - 1 leading eigenpairs of Sb against St + alpha X^T L X + beta I."""
    labelled = y != unlabelled
    Sb, St = scatters(X[labelled], y[labelled])
    M = St + alpha * X.T @ neighbour_laplacian(X, k) @ X + beta * np.eye(X.shape[1])
    values, vectors = eigh(Sb, M)
    n_axes = len(np.unique(y[labelled])) - 1
    return values[::-1][:n_axes], vectors[:, ::-1][:, :n_axes]


def responses(y):
    """Return class indicators after Gram-Schmidt against the vector of ones and each other."""
    basis = [np.ones(len(y)) / np.sqrt(len(y))]
    for name in np.unique(y)[:-1]:
        vector = (y == name).astype(float)
        for earlier in basis:
            vector = vector - (vector @ earlier) * earlier
        basis.append(vector / np.linalg.norm(vector))
    return np.array(basis[1:]).T


def ridge_with_intercept(X, Y, alpha):
    """Return the weights and intercepts that minimise |X W + b - Y|^2 + alpha |W|^2."""
    n, p = X.shape
    A = np.zeros((p + 1, p + 1))
    A[:p, :p] = X.T @ X + alpha * np.eye(p)
    A[:p, p] = A[p, :p] = X.sum(axis=0)
    A[p, p] = n
    solution = np.linalg.solve(A, np.vstack([X.T @ Y, Y.sum(axis=0)]))
    return solution[:p], solution[p]


def kda(K, y, delta):
    """Return (K + delta I)^-1 Y."""
    return np.linalg.inv(K + delta * np.eye(len(K))) @ responses(y)


def lsk(K, k_new, m):
    """Return Lambda^(-1/2) V^T k(x) for each row of kernels."""
    values, vectors = np.linalg.eigh(K)
    leading = np.argsort(-values)[:m]
    return np.array([np.diag(values[leading] ** -0.5) @ vectors[:, leading].T @ k for k in k_new])


def centroid_span(X, y):
    """Return the projector on the span of the class centroids, from a plain QR."""
    Q, _ = np.linalg.qr(np.array([X[y == name].mean(axis=0) for name in np.unique(y)]).T)
    return Q @ Q.T


def clsi_span(X, y, n_vectors):
    """Return the projector on the leading left singular vectors of each class's terms x documents."""
    joined = []
    for name, k in zip(np.unique(y), n_vectors, strict=True):
        U, _, _ = np.linalg.svd(X[y == name].T, full_matrices=False)
        joined.append(U[:, :k])
    Q, _ = np.linalg.qr(np.hstack(joined))
    return Q @ Q.T
