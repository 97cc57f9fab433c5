"""The compiled parts of the learners, for dense rows, CSR rows, and CSR rows with a dense end.

Numba infers the types.
"""

import numpy as np

from textensor.base.compiled import kernel, overload
from textensor.space.tensor_kernels import symmetrize

#: Sums may be taken in another order, always the same one, so that they are vectorised.
REORDER = {"fastmath": {"reassoc", "contract"}}


def _dot(rows, i, w):
    """Return the product of row i and w: one name for dense rows, CSR rows, and CSR rows with a dense end."""
    return _dot_for(rows, i, w)(rows, i, w)


def _add(rows, i, factor, w):
    """Add a multiple of row i to w: one name for all kinds of rows."""
    return _add_for(rows, i, factor, w)(rows, i, factor, w)


def _square(rows, i, scratch):
    """Return the squared length of row i: one name for all kinds of rows."""
    return _square_for(rows, i, scratch)(rows, i, scratch)


@overload(_dot, jit_options=REORDER)
def _dot_for(rows, i, w):
    if hasattr(rows, "ndim"):

        def dense(rows, i, w):
            total = 0.0
            for k in range(rows.shape[1]):
                total += rows[i, k] * w[k]
            return total

        return dense

    def csr(rows, i, w):
        indptr, indices, data = rows
        total = 0.0
        # Unsigned numbers index at twice the speed: Numba need not ask whether they count from the end.
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += data[k] * w[np.uint32(indices[k])]
        return total

    def both(rows, i, w):
        indptr, indices, data, end = rows
        total = 0.0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += data[k] * w[np.uint32(indices[k])]
        last = w[len(w) - end.shape[1] :]
        rest = 0.0
        for k in range(end.shape[1]):
            rest += end[i, k] * last[k]
        return total + rest

    return csr if len(rows) == 3 else both


@overload(_add, jit_options=REORDER)
def _add_for(rows, i, factor, w):
    if hasattr(rows, "ndim"):

        def dense(rows, i, factor, w):
            for k in range(rows.shape[1]):
                w[k] += factor * rows[i, k]

        return dense

    def csr(rows, i, factor, w):
        indptr, indices, data = rows
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            w[np.uint32(indices[k])] += factor * data[k]

    def both(rows, i, factor, w):
        indptr, indices, data, end = rows
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            w[np.uint32(indices[k])] += factor * data[k]
        last = w[len(w) - end.shape[1] :]
        for k in range(end.shape[1]):
            last[k] += factor * end[i, k]

    return csr if len(rows) == 3 else both


@overload(_square, jit_options=REORDER)
def _square_for(rows, i, scratch):
    if hasattr(rows, "ndim"):

        def dense(rows, i, scratch):
            total = 0.0
            for k in range(rows.shape[1]):
                total += rows[i, k] * rows[i, k]
            return total

        return dense

    def csr(rows, i, scratch):
        indptr, indices, data = rows
        for k in range(indptr[i], indptr[i + 1]):
            scratch[indices[k]] += data[k]
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * scratch[indices[k]]
        for k in range(indptr[i], indptr[i + 1]):
            scratch[indices[k]] = 0.0
        return total

    def both(rows, i, scratch):
        indptr, indices, data, end = rows
        total = 0.0
        for k in range(end.shape[1]):
            total += end[i, k] * end[i, k]
        return total + _square((indptr, indices, data), i, scratch)

    return csr if len(rows) == 3 else both


@kernel
def descend(rows, which, squared, y, upper, diagonal, alpha, w, scale, tol, max_epochs, seed, over):
    """Descend in alpha and w, in place; rows that stay at a bound are put aside until the end.

    ``which`` numbers the rows that take part, ``squared`` has the squared length of every row, filled in
    if it is negative; all else has one value for each row that takes part. Descent ends early if
    ``over`` becomes 1. Returns the weight of the
    intercept's column, whether the tolerance was reached, and the number of passes.
    """
    n = len(y)
    order = np.empty(n, dtype=np.int64)
    b = 0.0
    scratch = np.zeros(len(w))
    for i in range(n):
        order[i] = i
        alpha[i] = min(alpha[i], upper[i])
        if squared[which[i]] < 0.0:  # here the row is in the cache for what comes next
            squared[which[i]] = _square(rows, which[i], scratch)
        if alpha[i] > 0.0:
            _add(rows, which[i], alpha[i] * y[i], w)
            b += alpha[i] * y[i] * scale
    state = np.uint64(seed) * np.uint64(2) + np.uint64(0x9E3779B97F4A7C15)
    active = n
    above, below = np.inf, -np.inf
    reached = False
    epochs = 0
    while epochs < max_epochs and over[0] == 0:
        epochs += 1
        highest, lowest = -np.inf, np.inf
        for s in range(active):
            # Shuffle as we go (xorshift64): descent in a fixed order can be slow.
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = s + np.int64(state >> np.uint64(33)) % (active - s)
            order[s], order[other] = order[other], order[s]
        s = 0
        while s < active:
            i = order[s]
            row = which[i]
            gradient = y[i] * (_dot(rows, row, w) + b * scale) - 1.0 + diagonal[i] * alpha[i]
            at_lower = alpha[i] <= 0.0
            at_upper = alpha[i] >= upper[i]
            if (at_lower and gradient > above) or (at_upper and gradient < below):
                active -= 1
                order[s], order[active] = order[active], order[s]
                continue
            s += 1
            projected = gradient
            if at_lower:
                projected = min(projected, 0.0)
            if at_upper:
                projected = max(projected, 0.0)
            highest = max(highest, projected)
            lowest = min(lowest, projected)
            curvature = squared[row] + scale * scale + diagonal[i]
            if projected != 0.0 and curvature > 0.0:
                new = min(max(alpha[i] - gradient / curvature, 0.0), upper[i])
                step = (new - alpha[i]) * y[i]
                alpha[i] = new
                _add(rows, row, step, w)
                b += step * scale
        if highest - lowest <= tol and highest <= tol and lowest >= -tol:
            if active == n:
                reached = True
                break
            active = n
            above, below = np.inf, -np.inf
        else:
            above = highest if highest > 0.0 else np.inf
            below = lowest if lowest < 0.0 else -np.inf
    return b, reached, epochs


@kernel
def gram(rows, out):
    """Add up the outer products of CSR rows, in which a column may repeat."""
    indptr, indices, data = rows
    for i in range(len(indptr) - 1):
        for a in range(indptr[i], indptr[i + 1]):
            row = indices[a]
            value = data[a]
            # One of each pair and half of the square; symmetrize adds the other halves.
            for b in range(indptr[i], a):
                out[row, indices[b]] += value * data[b]
            out[row, row] += 0.5 * value * value
    symmetrize(out)
