"""Tensor classifiers by the letter: dense weight tensors, dense contractions, exact half-steps."""

import numpy as np
from scipy.optimize import minimize


def weight_tensor(factors):
    """Sum the outer products of the columns of the factors."""
    rank = factors[0].shape[1]
    total = 0
    for r in range(rank):
        outer = factors[0][:, r]
        for factor in factors[1:]:
            outer = np.multiply.outer(outer, factor[:, r])
        total = total + outer
    return total


def decisions(tensors, factors, intercept):
    """Inner products with the weight tensor, plus the intercept."""
    W = weight_tensor(factors)
    return np.array([np.sum(T * W) for T in tensors]) + intercept


def stm_objective(tensors, y, factors, intercept, C):
    """Eq. 8 of stm-text, with the intercept penalised as the weights are."""
    slack = np.maximum(0, 1 - y * decisions(tensors, factors, intercept))
    return 0.5 * np.sum(weight_tensor(factors) ** 2) + 0.5 * intercept**2 + C * slack.sum()


def best_half_step(tensors, y, factors, mode, C):
    """Solve Eq. 13 or 14 for one mode of a rank 1 classifier, as a quadratic programme in the primal.

    Returns the objective that an exact half-step reaches.
    """
    others = [factor[:, 0] / np.linalg.norm(factor) for m, factor in enumerate(factors) if m != mode]
    x = []
    for T in tensors:
        T = np.moveaxis(T, mode, 0)
        for vector in reversed(others):
            T = T @ vector
        x.append(T)
    x = np.column_stack([np.array(x), np.ones(len(y))])
    n, p = x.shape

    # Variables: weights with intercept, then slacks.
    def value(z):
        return 0.5 * z[:p] @ z[:p] + C * z[p:].sum()

    constraints = {
        "type": "ineq",
        "fun": lambda z: y * (x @ z[:p]) - 1 + z[p:],
        "jac": lambda z: np.hstack([y[:, None] * x, np.eye(n)]),
    }
    start = np.concatenate([np.zeros(p), np.ones(n)])
    found = minimize(
        value,
        start,
        jac=lambda z: np.concatenate([z[:p], np.full(n, C)]),
        bounds=[(None, None)] * p + [(0, None)] * n,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    return found.fun
