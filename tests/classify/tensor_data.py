"""Documents for the tests of classifiers over tensors."""

import numpy as np


def documents(seed=0, n=60, p=24, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.4, size=(n, p)).astype(float)
    y = (X @ rng.normal(size=(p, n_classes)) + rng.normal(size=(n, n_classes))).argmax(axis=1)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
    return X, y
