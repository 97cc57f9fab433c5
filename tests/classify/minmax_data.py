"""Documents for the tests of the min-max modular SVM, and when two models are the same."""

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from textensor.datasets import make_documents


def documents(n=120, p=30, n_labels=4, seed=0):
    corpus = make_documents(n, p, n_labels, mean_length=15, random_state=seed)
    return normalize(sp.csr_matrix(corpus.X, dtype=np.float64)), corpus.y


def same(one, other, X):
    """Say whether two models are the same to the last bit."""
    return (
        np.array_equal(dense(one.coef_), dense(other.coef_))
        and np.array_equal(one.intercept_, other.intercept_)
        and np.array_equal(one.decision_function(X), other.decision_function(X))
    )


def dense(coef):
    return coef.toarray() if sp.issparse(coef) else coef
