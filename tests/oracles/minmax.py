"""The min-max modular machine by the letter: loops over parts and modules, LIBLINEAR for each."""

import math

import numpy as np
from sklearn.svm import LinearSVC


def distance(x):
    """Eq. 6 for the hyperplane z_1 + ... + z_n = 0: all a_i are 1."""
    a = np.ones(len(x))
    return (a @ x) / math.sqrt(a @ a)


def parts(n_sorted, n_parts, numerator, denominator):
    """Cut 0 .. n_sorted - 1 into equal parts, and let each take rows beyond its cuts.

    The overlap is the fraction numerator / denominator: in whole numbers nothing is rounded.
    """
    n_parts = min(n_parts, n_sorted)
    size, longer = divmod(n_sorted, n_parts)
    out = []
    start = 0
    for k in range(n_parts):
        s = size + (1 if k < longer else 0)
        extra = (numerator * s) // (2 * denominator)
        members = []
        for position in range(n_sorted):
            inside = start <= position < start + s
            below = k > 0 and start - extra <= position < start
            above = k < n_parts - 1 and start + s <= position < start + s + extra
            if inside or below or above:
                members.append(position)
        out.append(members)
        start += s
    return out


def support_vector_machine(X, y, C):
    """Solve min 1/2 |w|^2 + 1/2 b^2 + C sum of slacks by LIBLINEAR, to a far finer tolerance."""
    svm = LinearSVC(C=C, loss="hinge", tol=1e-10, max_iter=10**7, random_state=0).fit(X, y)
    return svm.coef_[0], svm.intercept_[0]


def min_max(values):
    """Eq. 5: values[i][j] of the module of positive part i and negative part j."""
    best = -math.inf
    for of_unit in values:
        least = math.inf
        for value in of_unit:
            least = min(least, value)
        best = max(best, least)
    return best


def scores(X, y, new, n_pos, n_neg, C, overlap=(0, 1)):
    """Train all modules on the hyperplane's parts and return the score of each new document."""
    sides = [np.flatnonzero(y > 0), np.flatnonzero(y < 0)]
    cut = []
    for rows, number in zip(sides, (n_pos, n_neg), strict=True):
        ranked = sorted(rows, key=lambda row: (distance(X[row]), row))
        cut.append([[ranked[p] for p in part] for part in parts(len(ranked), number, *overlap)])
    modules = [[support_vector_machine(X[yes + no], y[yes + no], C) for no in cut[1]] for yes in cut[0]]
    return np.array([min_max([[w @ x + b for w, b in unit] for unit in modules]) for x in new])
