"""The compiled parts of the min-max modular classifier: weighted sums of terms, MIN and MAX of modules.

``documents`` are the three arrays of a CSR. ``modules`` are weights, terms x modules, dense or the three
arrays of a CSR; intercepts; ``starts`` and ``labels``. A MIN unit u is one positive part of one label; module
(u, j) is column ``starts[j] + u``, so that the first modules of all units stand side by side.
"""

import numpy as np

from textensor.base.compiled import kernel, overload

#: The rest of a unit's modules, one by one, take about as long as this many modules side by side.
ALONE = 128


def _add(weights, term, value, first, last, total):
    """Add a term's weights times a value to the modules first to last: one name for dense and CSR."""
    return _add_for(weights, term, value, first, last, total)(weights, term, value, first, last, total)


def _weight(weights, term, module):
    """Return one weight: one name for dense and for CSR."""
    return _weight_for(weights, term, module)(weights, term, module)


@kernel
def _position(modules, low, high, module):
    """Return where in a stretch of rising module numbers one stands, or the first that is larger."""
    while low < high:
        middle = (low + high) // 2
        if modules[middle] < module:
            low = middle + 1
        else:
            high = middle
    return low


@overload(_add)
def _add_for(weights, term, value, first, last, total):
    if hasattr(weights, "ndim"):

        def dense(weights, term, value, first, last, total):
            row = weights[term, first:last]
            sums = total[first:last]
            for m in range(len(row)):
                sums[m] += value * row[m]

        return dense

    def csr(weights, term, value, first, last, total):
        indptr, modules, data = weights
        start, end = indptr[term], indptr[term + 1]
        if first > 0:
            start = _position(modules, start, end, first)
        # Unsigned numbers index faster: Numba need not ask whether they count from the end.
        for k in range(np.uint64(start), np.uint64(end)):
            m = modules[k]
            if m >= last:
                break
            total[np.uint64(m)] += value * data[k]

    return csr


@overload(_weight)
def _weight_for(weights, term, module):
    if hasattr(weights, "ndim"):

        def dense(weights, term, module):
            return weights[term, module]

        return dense

    def csr(weights, term, module):
        indptr, modules, data = weights
        end = indptr[term + 1]
        k = _position(modules, indptr[term], end, module)
        return data[k] if k < end and modules[k] == module else np.float32(0.0)

    return csr


@kernel
def _values(documents, d, modules, first, last, total):
    """Write the values of the modules first to last for one document."""
    indptr, terms, data = documents
    weights, intercept = modules[0], modules[1]
    for m in range(first, last):  # assigning a slice takes three seconds to compile
        total[m] = intercept[m]
    for k in range(indptr[d], indptr[d + 1]):
        _add(weights, terms[k], data[k], first, last, total)


@kernel
def _take_least(starts, total):
    """Leave the least of each unit's modules in its first one."""
    for j in range(1, len(starts) - 1):
        for u in range(starts[j + 1] - starts[j]):
            total[u] = min(total[u], total[starts[j] + u])


@kernel
def min_max(documents, modules, out):
    """Write the score of each document and label: the largest over units of the smallest over modules."""
    _, intercept, starts, labels = modules
    total = np.empty(len(intercept))
    for d in range(len(out)):
        _values(documents, d, modules, 0, len(total), total)
        _take_least(starts, total)
        out[d, :] = -np.inf
        for u in range(len(labels)):
            out[d, labels[u]] = max(out[d, labels[u]], total[u])


@kernel
def _least(documents, d, modules, u, value, threshold, floor, strict):
    """Return a unit's decision: its least module minus a threshold, or anything that is below the floor.

    ``value`` is its first module. With ``strict``, at the floor is as bad as below it.
    """
    indptr, terms, data = documents
    weights, intercept, starts, _ = modules
    for j in range(1, len(starts) - 1):
        decision = value - threshold
        if u >= starts[j + 1] - starts[j] or decision < floor or (strict and decision == floor):
            break
        module = starts[j] + u
        total = intercept[module]
        for k in range(indptr[d], indptr[d + 1]):
            total += data[k] * _weight(weights, terms[k], module)
        value = min(value, total)
    return value - threshold


@kernel
def passes(documents, modules, thresholds, out):
    """Write 1 for each document and label whose score is above the label's threshold, else 0.

    The first modules of all units are computed for every document. Where they hold back most units, the
    others are followed one by one, until a module holds them back too.
    """
    _, intercept, starts, labels = modules
    n_units, n_modules = len(labels), len(intercept)
    total = np.empty(n_modules)
    for d in range(len(out)):
        _values(documents, d, modules, 0, n_units, total)
        n_standing = 0
        for u in range(n_units):
            n_standing += total[u] - thresholds[labels[u]] > 0.0
        alone = n_standing * ALONE < n_modules - n_units
        if not alone:
            _values(documents, d, modules, n_units, n_modules, total)
            _take_least(starts, total)
        out[d, :] = 0
        for u in range(n_units):
            label = labels[u]
            decision = total[u] - thresholds[label]
            if decision > 0.0 and out[d, label] == 0:
                if alone:
                    decision = _least(documents, d, modules, u, total[u], thresholds[label], 0.0, True)
                out[d, label] = decision > 0.0


@kernel
def best(documents, modules, thresholds, out):
    """Write 1 for each document's label of the largest score minus threshold, the first of equals, else 0.

    The unit with the largest first module comes first; then most others cannot reach it any more.
    """
    labels = modules[3]
    n_units = len(labels)
    total = np.empty(n_units)
    for d in range(len(out)):
        _values(documents, d, modules, 0, n_units, total)
        top = 0
        for u in range(n_units):
            if total[u] - thresholds[labels[u]] > total[top] - thresholds[labels[top]]:
                top = u
        winner = -1
        highest = -np.inf
        for step in range(-1, n_units):
            u = top if step < 0 else step
            threshold = thresholds[labels[u]]
            decision = _least(documents, d, modules, u, total[u], threshold, highest, False)
            if decision > highest or (decision == highest and labels[u] < winner):
                highest = decision
                winner = labels[u]
        out[d, :] = 0
        out[d, winner] = 1
