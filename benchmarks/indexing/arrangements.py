"""Is TensorLSI as good as LSI in another arrangement? ``python -m benchmarks.indexing.arrangements``.

Everything here is on the training parts: three quarters are fitted on, one quarter is scored. The SVM has the
labels of 5% of what is fitted on.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks.measure import publish_as, table
from experiments.protocols.indexing import lsi, nearest_class, unit
from textensor.datasets import load
from textensor.reduce import FewerAxesWarning, TensorLSI
from textensor.space import Arrangement, SemanticArrangement, TermVectorizer

COMPONENTS = (100, 300)
COLUMNS = (20, 50, 200)
#: TensorLSI with this many pairs, turned so that its leading directions come first.
TURNED = 1000


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FewerAxesWarning)
    for name in ("reuters21578", "20newsgroups"):
        X, y = training_part(name)
        rows = [[*row[:2], *(f"{value:.4g}" for value in row[2:])] for row in compare(name, X, y)]
        head = [
            "indexing",
            "components",
            "fit, s",
            "explained, %",
            "kNN accuracy, %",
            "SVM with 5% labels, %",
        ]
        note = (
            f"{X.shape[0]} documents of the training part x {X.shape[1]} terms, a quarter held out. "
            "Explained: the part of the sum of squares. kNN: four neighbours by cosine. SVM: over terms and "
            "unit-length coordinates together, C = 1, the labels of 5% of the fitted documents. Turned: the "
            f"leading directions within {TURNED} pairs, by an eigenproblem of that size."
        )
        command = "python -m benchmarks.indexing.arrangements"
        publish_as(
            f"indexing-arrangements-{name}",
            f"Arrangements, {name}",
            f"{note}\n\n{table(head, rows)}",
            command,
        )


def training_part(name: str) -> tuple[Any, np.ndarray]:
    """Return Reuters-41 as unit tf, 20 Newsgroups as unit tf * log(n/df)."""
    if name == "reuters21578":
        corpus = load(name, matrix="cai")
        X = normalize(sp.csr_matrix(corpus.X[corpus.train], dtype=np.float64))
    else:
        corpus = load(name)
        texts = np.array(corpus.texts, dtype=object)[corpus.train]
        X = TermVectorizer(min_df=2, n_jobs=2).fit_transform(texts)
    return X, corpus.y[corpus.train]


def compare(name: str, X: Any, y: np.ndarray) -> Iterator[list[Any]]:
    """Yield the rows of a table."""
    rng = np.random.default_rng(2026)
    order = rng.permutation(X.shape[0])
    held, fitted = np.split(order, [X.shape[0] // 4])
    labelled = [rng.permutation(np.flatnonzero(y[fitted] == c)) for c in np.unique(y[fitted])]
    few = np.concatenate([rows[: max(2, round(0.05 * len(rows)))] for rows in labelled])
    X, y = (X[fitted], X[held]), (y[fitted], y[held])  # type: ignore[assignment]
    svm = LinearSVC(loss="hinge", C=1.0, random_state=0).fit(X[0][few], y[0][few])
    raw = (nearest_class(X[0], y[0], X[1]) == y[1]).mean()
    yield ["terms alone", "", np.nan, 100.0, 100 * raw, 100 * svm.score(X[1], y[1])]
    model, seconds = lsi(X[0], max(COMPONENTS))
    for k in COMPONENTS:
        yield row("LSI", k, seconds, [model.transform(Z)[:, :k] for Z in X], X, y, few)
    power = 2.0 if name == "reuters21578" else 1.0
    kinds: dict[str, Any] = {
        "document frequency": Arrangement("document-frequency"),
        "sum of squares": Arrangement(
            np.argsort(-np.asarray(X[0].multiply(X[0]).sum(axis=0)).ravel(), kind="stable")
        ),
        "semantic": SemanticArrangement(n_latent=0, idf_power=power),
    }
    for said, arrangement in kinds.items():
        for columns in COLUMNS:
            start = time.perf_counter()
            shaped = arrangement.set_params(shape=(-1, columns))
            tensor = TensorLSI(TURNED, arrangement=shaped, n_jobs=2).fit(X[0])
            seconds = time.perf_counter() - start
            Z = [tensor.transform(part) for part in X]
            for k in (*COMPONENTS, TURNED):
                yield row(
                    f"TensorLSI, {said}, n2 = {columns}", k, seconds, [part[:, :k] for part in Z], X, y, few
                )
            start = time.perf_counter()
            turned = TensorLSI(max(COMPONENTS), n_pairs=TURNED, arrangement=shaped, n_jobs=2).fit(X[0])
            seconds = time.perf_counter() - start
            Z = [turned.transform(part) for part in X]
            for k in COMPONENTS:
                yield row("  the same, turned", k, seconds, [part[:, :k] for part in Z], X, y, few)


def row(said: str, k: int, seconds: float, Z: list[Any], X: Any, y: Any, few: np.ndarray) -> list[Any]:
    """Return one line of the table."""
    explained = (Z[0] ** 2).sum() / X[0].multiply(X[0]).sum()
    units = [unit(part) for part in Z]
    near = (nearest_class(units[0], y[0], units[1]) == y[1]).mean()
    both = [sp.hstack([part, coordinates], format="csr") for part, coordinates in zip(X, units, strict=True)]
    svm = LinearSVC(loss="hinge", C=1.0, random_state=0).fit(both[0][few], y[0][few])
    line = [said, k, seconds, 100 * explained, 100 * near, 100 * svm.score(both[1], y[1])]
    print(line, flush=True)
    return line


if __name__ == "__main__":
    main()
