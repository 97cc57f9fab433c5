"""Documents for the tests of the extractors that LRWMMC is compared with."""

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

#: What the tests ask of an iterative solution that should be exact.
EXACT = {"tol": 1e-14, "max_iter": 5000}


def documents(seed=0, n=60, p=12, n_classes=4):
    """Sparse counts with some sense in the classes, every class there."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    X = rng.poisson(0.3 + 1.5 * (np.arange(p) % n_classes == y[:, None])).astype(float)
    return X, y


def small_sets():
    """Return a strategy of documents of all shapes, more terms than documents among them."""
    return st.builds(
        documents,
        seed=st.integers(0, 10_000),
        n=st.integers(6, 30),
        p=st.integers(2, 40),
        n_classes=st.integers(2, 5),
    )


def same_span(A, B):
    """Return whether two sets of columns span the same space."""
    return A.shape == B.shape and np.abs(subspace_angles(A, B)).max() < 1e-5
