"""Labels, read once: whatever a user calls y becomes one object that all layers use.

:func:`read_labels` takes the y of an estimator: a vector of classes, an indicator, dense or sparse, or a
collection of labels for each document. :func:`read_truth` and :func:`read_vector` take the labels of test
documents, :func:`read_named` labels as people write them. All return :class:`Labels`, and take it, too.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from textensor.base.arrays import Rows
from textensor.base.labels import Labels, as_labels
from textensor.base.reading.indicator import canonical, column_of, marked_rows, table_of, true_cells
from textensor.base.reading.label_sets import COLLECTIONS, are_collections, indicator_of, names_in, read_sets


def read_labels(y: Any, unlabeled_value: Any = None) -> Labels:
    """Read the y of an estimator: a vector of classes, an indicator, or a collection of labels per document.

    Collections are tuples or lists of strings, or sets of strings or whole numbers. In an empty one no label
    applies.

    Parameters
    ----------
    y : array-like, sparse or Labels
        The labels. If they were read already, classes without a document are dropped.
    unlabeled_value : object, default=None
        The mark of a document without a label, in an indicator a whole row of it. None: there is no mark.

    Examples
    --------
    >>> read_labels(["b", "", "a"], unlabeled_value="").codes.tolist()
    [1, -1, 0]
    >>> read_labels([[1, 1], [-1, -1], [0, 1]], unlabeled_value=-1).labelled.tolist()
    [True, False, True]
    >>> read_labels([("a", "b"), -1, ()], unlabeled_value=-1).as_y().tolist()
    [[1, 1], [-1, -1], [0, 0]]
    """
    y = as_labels(y)
    if isinstance(y, Labels):
        if not y.labelled.any():
            raise ValueError("No document has a label: there is nothing to learn from.")
        return y if y.several else y.occurring()
    if sp.issparse(y) or (y.ndim == 2 and y.shape[1] > 1):
        return _read_indicator(y, "y", unlabeled_value)
    if y.ndim != 1 or y.dtype.kind not in "biuU":
        from sklearn.utils import column_or_1d

        y = column_or_1d(y, warn=True)
    labels = _read_vector(y, "y", unlabeled_value)
    if not labels.several and labels.names.dtype.kind not in "biuU":  # those cannot be anything else
        from sklearn.utils.multiclass import check_classification_targets

        check_classification_targets(labels.names[labels.codes[labels.labelled]])
    return labels


def read_truth(y: Any, name: str, classes: Any = None) -> Labels:
    """Read the true labels of test documents: a label each, a collection each, or an indicator of any width.

    Messages call them ``name``. The columns of an indicator are ``classes``, an array that
    :func:`label_names` returned; by default 0, 1, ...
    """
    y = as_labels(y)
    if isinstance(y, Labels):
        return _all_labelled(y, name)
    return _read_indicator(y, name, None, classes) if y.ndim == 2 else _read_tested(y, name)


def read_vector(y: Any, name: str) -> Labels:
    """Read one label for each document; messages call them ``name``."""
    y = as_labels(y)
    labels = _all_labelled(y, name) if isinstance(y, Labels) else _read_tested(y, name)
    if labels.several:
        raise ValueError(f"{name} holds collections of labels: give one label for each document.")
    return labels


def read_classes(estimator: Any, X: Any, y: Any, unlabeled_value: Any = None, *, at_least: int = 1) -> Labels:
    """Read one class for each document of X, for an estimator that takes no indicator.

    As in :func:`read_labels`; messages name the estimator, which needs ``at_least`` so many classes.
    """
    from textensor.base.late.parts import check_consistent_length

    name = type(estimator).__name__
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    y = as_labels(y)
    if y.several if isinstance(y, Labels) else (y.ndim == 2 and y.shape[1] > 1) or are_collections(y):
        raise ValueError(f"y has several labels per document: {name} needs one class for each document.")
    check_consistent_length(X, y)
    labels = read_labels(y, unlabeled_value)
    if len(labels.names) < at_least:
        raise ValueError(f"{name} tells classes apart, and y has one class: give two or more.")
    return labels


def read_named(labels: Any) -> Labels:
    """Read labels as people write them: one for each document, or a tuple, list or set of them.

    ``""``, a missing value (None, NaN, pandas.NA) and an empty collection mean that a document has no label.
    In an indicator it is a row of missing values or of -1: a row of zeros means that no label applies.

    Parameters
    ----------
    labels : iterable, indicator or Labels
        Strings or whole numbers, or collections of them; or documents x labels of 0 and 1, dense, sparse or a
        data frame, whose columns then name the labels. Labels that were read are returned as they are.

    Examples
    --------
    >>> read_named(["b", "", "a"]).as_y().tolist()
    [1, -1, 0]
    >>> read_named([("a", "b"), (), ["b"]]).as_y().tolist()
    [[1, 1], [-1, -1], [0, 1]]
    >>> read_named(np.array([[1, 0], [-1, -1], [0, 0]])).labelled.tolist()
    [True, False, True]
    """
    if isinstance(labels, Labels):
        return labels
    if (table := table_of(labels)) is not None:
        columns = None if table[1] is None else label_names(table[1], "classes")
        found = _read_indicator(table[0], "labels", -1, columns)
        return replace(found.occurring(), container=None)
    labels = column_of(labels)
    given = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    given = [one.tolist() if isinstance(one, np.ndarray) else one for one in given]
    several = any(isinstance(one, COLLECTIONS) for one in given)
    known, indicator = read_sets([names_in(one, several) for one in given])
    return Labels(known, several, np.diff(indicator.indptr) > 0, indicator)


def label_names(labels: Any, name: str) -> npt.NDArray[Any]:
    """Return a list of categories as an array; an empty list and a category named twice are refused."""
    if np.size(labels) == 0:
        raise ValueError(f"{name} is empty: name at least one category.")
    found = read_vector(labels, name)
    if len(found.names) < found.n_documents:
        raise ValueError(f"{name} names a category twice: give each category once.")
    return found.names[found.codes]


def _all_labelled(labels: Labels, name: str) -> Labels:
    """Return the labels of test documents; there must be one, and all must be labelled."""
    if labels.n_documents == 0:
        raise ValueError(f"{name} has no documents: give at least one.")
    if not labels.labelled.all():
        row = int(np.argmin(labels.labelled))
        raise ValueError(f"{name} has no label at entry {row}: leave out documents without labels.")
    return labels


def _read_tested(y: npt.NDArray[Any], name: str) -> Labels:
    """Read labels or collections of test documents; names of strings are no array of objects."""
    if y.ndim != 1:
        raise ValueError(f"{name} has {y.ndim} dimensions: give one label for each document.")
    labels = _read_vector(y, name)
    return labels if labels.names.dtype != object else replace(labels, names=labels.names.astype(np.str_))


def _read_vector(y: npt.NDArray[Any], name: str, unlabeled_value: Any = None) -> Labels:
    several = are_collections(y)
    mark = unlabeled_value
    labelled = _labelled(lambda: [one == mark for one in y] if several else y == mark, len(y), name, mark)
    rows = np.flatnonzero(labelled)
    if not several:
        names, codes = np.unique(_plain(y[labelled], rows, name), return_inverse=True)
        return Labels(names, False, labelled, indicator_of(rows, codes, len(y), len(names)))
    for row in rows:
        if not isinstance(y[row], COLLECTIONS):
            raise ValueError(f"{name} holds {y[row]!r:.80} at entry {row}: give a collection, as elsewhere.")
    sets = [names_in(one, True) if known else () for one, known in zip(y, labelled, strict=True)]
    if not any(sets):
        raise ValueError("No document has a label: all collections are empty.")
    names, indicator = read_sets(sets)
    return Labels(names, True, labelled, indicator)


def _labelled(marked: Callable[[], Any], n: int, name: str, mark: Any) -> npt.NDArray[np.bool_]:
    """Return which documents have labels; some must."""
    if n == 0:
        raise ValueError(f"{name} has no documents: give at least one.")
    labelled = np.ones(n, dtype=bool) if mark is None else ~np.asarray(marked(), dtype=bool)
    if not labelled.any():
        raise ValueError(f"No document has a label, all {n} are marked {mark!r}: nothing to learn from.")
    return labelled


def _plain(values: npt.NDArray[Any], rows: Rows, name: str) -> npt.NDArray[Any]:
    """Return labels that are all strings or all numbers; what is neither is named by its row."""
    if values.dtype.kind == "O":
        kind = str if isinstance(values[0], str) else (Real, np.bool_)
        for row, value in zip(rows, values, strict=True):
            if not isinstance(value, kind):
                advice = "give strings only, or numbers only"
                if value is None:
                    advice = 'mark documents without a label by another value, such as ""'
                raise ValueError(f"{name} holds {value!r:.80} at entry {row}: {advice}.")
        values = values if kind is str else np.array(values.tolist())
    if values.dtype.kind not in "biufUSO":
        raise ValueError(f"{name} holds {values.dtype} values: use numbers or strings.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        bad = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} has {values[bad]} at entry {rows[bad]}: leave it out, or give it a label.")
    return values


def _read_indicator(y: Any, name: str, unlabeled_value: Any, classes: Any = None) -> Labels:
    container = None
    if sp.issparse(y):
        container = "csr_array" if isinstance(y, sp.sparray) else "csr_matrix"
        y = canonical(y)
    elif y.dtype.kind == "O":  # columns of several types in a data frame
        with suppress(TypeError, ValueError):
            y = y.astype(np.float64)
    if y.dtype.kind not in "biuf":
        raise ValueError("Labels are a vector of classes, or an indicator of documents x labels, of 0 and 1.")
    if unlabeled_value in (0, 1):
        raise ValueError(f"unlabeled_value={unlabeled_value!r} has another meaning in an indicator: use -1.")
    n, width = y.shape
    names = np.arange(width) if classes is None else classes
    if width == 0:
        raise ValueError("The label indicator has no columns: there is nothing to learn.")
    if width != len(names):
        raise ValueError(f"{name} has {width} columns for {len(names)} classes: name each column once.")
    labelled = _labelled(lambda: marked_rows(y, unlabeled_value), n, name, unlabeled_value)
    indicator = indicator_of(*true_cells(y, name, labelled), n, width)
    return Labels(names, True, labelled, indicator, container)
