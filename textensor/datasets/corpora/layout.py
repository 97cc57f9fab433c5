"""Read the two formats of the layout: JSON lines and svmlight text."""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textensor.datasets.corpus import Corpus
from textensor.datasets.places import open_packed


def read_records(path: Path, keys: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Read the JSON object of each line; every one must have all the keys."""
    needed = set(keys)
    with open_packed(path) as lines:
        for number, line in enumerate(lines, 1):
            record = json.loads(line)
            if not isinstance(record, dict) or not needed <= record.keys():
                raise ValueError(f"line {number} is not an object with the keys {', '.join(sorted(needed))}")
            yield record


def read_svmlight(
    path: Path, n_features: int, *, counts: bool = False
) -> tuple[Any, NDArray[np.int64], list[str]]:
    """Read rows ``label index:value ... # comment`` with indices from 1; ``counts`` wants whole values.

    Returns the matrix, the labels and the comments, empty if a row has none.
    """
    from scipy import sparse
    from sklearn.datasets import load_svmlight_file

    with open_packed(path) as stream:
        content = stream.read()
        X, labels = load_svmlight_file(io.BytesIO(content), n_features=n_features, zero_based=False)
        if counts:
            if not ((X.data >= 1) & (X.data < 2**31) & (X.data == np.rint(X.data))).all():
                raise ValueError("a term count is not a positive whole number")
            X = X.astype(np.int32)
    lines = content.decode("ascii", errors="replace").splitlines()
    rows = (line.partition("#") for line in lines if line.strip() and not line.startswith("#"))
    comments = [comment.strip() for _, _, comment in rows]
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # what most kernels want
    return sparse.csr_array(X), labels.astype(np.int64), comments


def check_counts(path: Path, what: str, counts: Mapping[str, tuple[int, int]]) -> None:
    """Refuse a file that does not hold the fixed set it should, by numbers found and expected."""
    wrong = [f"{found} {key} instead of {count}" for key, (found, count) in counts.items() if found != count]
    if wrong:
        raise ValueError(f"{path} is not {what}, it has {', '.join(wrong)}: delete it and get the set again.")


def check_split(
    path: Path, what: str, train: NDArray[np.bool_], n_labels: int, expected: tuple[int, int, int]
) -> None:
    """Refuse a file with other numbers of training documents, test documents and labels than expected."""
    keys = ("training documents", "test documents", "labels")
    found = (int(np.count_nonzero(train)), int(np.count_nonzero(~train)), n_labels)
    check_counts(path, what, dict(zip(keys, zip(found, expected, strict=True), strict=True)))


def read_labelled(path: Path, what: str, expected: tuple[int, int, int], description: str) -> Corpus:
    """Read a corpus of texts with one label and a split each, and check its counts."""
    records = list(read_records(path, ("split", "category", "text")))
    train = np.array([record["split"] == "train" for record in records], dtype=bool)
    label_names, y = index_labels(record["category"] for record in records)
    check_split(path, what, train, len(label_names), expected)
    texts = [record["text"] for record in records]
    return Corpus(texts=texts, X=None, y=y, train=train, label_names=label_names, description=description)


def index_labels(names: Iterable[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Sort the distinct labels and say which one each document has."""
    label_names, y = np.unique(np.array(list(names), dtype=np.str_), return_inverse=True)
    return label_names.tolist(), y.astype(np.int64)
