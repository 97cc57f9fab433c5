"""Six small binary sets of the UCI repository, as LIBSVM's page publishes them."""

import functools
from collections import Counter
from typing import IO, NamedTuple

import numpy as np

from textensor.datasets.corpora.layout import check_counts, read_svmlight
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.places import DataFile, DatasetInfo, obtain

_PAGE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
TERMS = "free use with citation."

DESCRIPTION = describe(
    "{name} of the UCI repository, as LIBSVM's page has it: {rows} rows x {features} features, each "
    "scaled to [-1, 1] or binary; {negative!r} against {positive!r} ({n_positive} rows). No official "
    "split. Not text: the six sets of the paper on tensor least squares. {note}",
    "D. Dua, C. Graff, UCI machine learning repository, 2019; C.-C. Chang, C.-J. Lin, LIBSVM: a library "
    "for support vector machines, ACM TIST 2(3), 2011.",
    TERMS,
)


def binary_lines(file: IO[bytes], n_positive: int, fingerprint: tuple[int, float, float]) -> list[bytes]:
    """Convert a small LIBSVM set: whatever its two labels are, the class of ``n_positive`` rows becomes +1.

    The set is known by its number of rows, the sum of its values and the sum of their squares, because
    publishers round the values differently.
    """
    rows = [line.split(None, 1) for line in file.read().decode("ascii").splitlines() if line.strip()]
    sizes = Counter(label for label, _ in rows)
    positive = [label for label, size in sizes.items() if size == n_positive]
    values = np.array([float(cell.partition(":")[2]) for _, cells in rows for cell in cells.split()])
    found = (len(rows), float(values.sum()), float((values**2).sum()))
    if len(sizes) != 2 or len(positive) != 1 or not np.allclose(found, fingerprint, rtol=1e-3):
        raise ValueError(f"its rows, sum and sum of squares are {found} where {fingerprint} was expected")
    return [
        f"{'+1' if label == positive[0] else '-1'} {cells.rstrip()}\n".encode("ascii")
        for label, cells in rows
    ]


class Subset(NamedTuple):
    """One set: its file, its size, and what its labels mean."""

    file: DataFile
    rows: int
    features: int
    n_positive: int
    negative: str
    positive: str
    note: str = ""


def _exact(path: str, sha256: str) -> DataFile:
    return DataFile(f"libsvm-binary/{path}.xz", (_PAGE + path,), convert=iter, sha256=sha256)


def _scaled(path: str, n_positive: int, fingerprint: tuple[int, float, float]) -> DataFile:
    """One of four sets that are published with rounded values, so that no checksum fits all copies."""
    convert = functools.partial(binary_lines, n_positive=n_positive, fingerprint=fingerprint)
    return DataFile(f"libsvm-binary/{path}.xz", (f"{_PAGE}{path}_scale",), convert)


SUBSETS = {
    "adult": Subset(
        _exact("a9a", "7ba53cccb27e2e525f0fb173e1f446d49856e3fb007eb43be4ec6d0f5b3335ca"),
        *(32561, 123, 7841, "<=50K", ">50K"),
        note="The training file a9a.",
    ),
    "breast-cancer": Subset(
        _scaled("breast-cancer", 239, (683, -3791.963, 4720.419)),
        *(683, 10, 239, "benign", "malignant"),
        note="The first feature is the number of the sample, as in LIBSVM's file.",
    ),
    "diabetes": Subset(
        _scaled("diabetes", 268, (768, -2225.854, 2292.098)), 768, 8, 268, "negative", "positive"
    ),
    "ionosphere": Subset(_scaled("ionosphere", 225, (351, 2918.016, 4724.795)), 351, 34, 225, "bad", "good"),
    "mushrooms": Subset(
        _exact("mushrooms", "eb26424a54203ca9e8956ff3e5b10e613dfc3587f65d21bdbdbc28020fd995e0"),
        *(8124, 112, 4208, "poisonous", "edible"),
    ),
    "sonar": Subset(_scaled("sonar", 111, (208, -3770.452, 4529.412)), 208, 60, 111, "rock", "mine"),
}
FILES = tuple(subset.file for subset in SUBSETS.values())


def load_uci(subset: str = "adult") -> Corpus:
    """Load one of six binary sets.

    Parameters
    ----------
    subset : {"adult", "breast-cancer", "diabetes", "ionosphere", "mushrooms", "sonar"}
        Which set.
    """
    if subset not in SUBSETS:
        raise ValueError(f"There is no UCI set {subset!r}; there are {', '.join(SUBSETS)}.")
    known = SUBSETS[subset]
    path = obtain(known.file)
    X, labels, _ = read_svmlight(path, known.features)
    y = (labels == labels.max()).astype(np.int64) if len(labels) else labels  # 1 against -1, or 2 against 1
    counts = {
        "rows": (len(y), known.rows),
        "rows of the positive class": (int(y.sum()), known.n_positive),
        "labels": (len(np.unique(labels)), 2),
    }
    check_counts(path, f"the UCI set {subset}", counts)
    description = DESCRIPTION.format(name=subset, **known._asdict()).replace(". \n", ".\n")
    names = [known.negative, known.positive]
    return Corpus(texts=None, X=X, y=y, train=None, label_names=names, description=description)


INFO = DatasetInfo("uci", load_uci, "208 to 32,561", "2", TERMS, f"subset={', '.join(SUBSETS)}", FILES)
