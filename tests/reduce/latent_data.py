"""Documents for the tests of TensorLSI and HOSVD."""

import numpy as np
from sklearn.preprocessing import normalize

from textensor.datasets import make_documents


def documents(seed=0, n=40, p=24, density=0.4):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p)) * (rng.random((n, p)) < density)
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)


def corpus(n=400, p=300, seed=0):
    """Return documents of unit length, whose sums are rounded; those of whole numbers would be exact."""
    return normalize(make_documents(n, p, 8, random_state=seed).X.astype(float))
