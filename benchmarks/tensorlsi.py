"""TensorLSI beside TruncatedSVD and gensim at equal accuracy of the nearest neighbours, and on a long stream.

The number of components of each, and the shape of TensorLSI, are chosen on the training part alone (a quarter
of it is held out): the fewest within half a point of that method's best. Then everything is fitted on the
training part and scored once on the test part.
"""

import importlib.util
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import normalize

from benchmarks.measure import publish, side_by_side, table
from textensor.datasets import load
from textensor.reduce import TensorLSI
from textensor.search import DocumentIndex
from textensor.space import TermVectorizer, write_csr

NEIGHBOURS = 4
LSI_GRID = (50, 100, 200, 400, 800)
TENSOR_GRID = (200, 400, 800, 1500, 2000, 3000, 4000)
COLUMNS = (20, 50, 100, 200)
WITHIN = 0.005

STREAM_DOCUMENTS = 1_000_000
STREAM_TERMS = 50_000
STREAM_WORDS = 60
BATCH = 20_000


def main() -> None:
    warnings.simplefilter("ignore")
    for name in ("reuters21578", "20newsgroups"):
        try:
            measure(name)
        except FileNotFoundError as error:
            print(f"TensorLSI is measured on {name}: {error}\n")
    stream()


def documents(name: str) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Return training and test documents: Reuters as the paper has it, 20 Newsgroups as tf * log(n/df)."""
    if name == "reuters21578":
        corpus = load(name, matrix="cai")
        X = normalize(sp.csr_matrix(corpus.X, dtype=np.float64))
        train, test = X[corpus.train], X[~corpus.train]
    else:
        corpus = load(name)
        vectorizer = TermVectorizer(min_df=2, n_jobs=2)
        texts = np.array(corpus.texts, dtype=object)
        train = vectorizer.fit_transform(texts[corpus.train])
        test = vectorizer.transform(texts[~corpus.train])
    return train, corpus.y[corpus.train], test, corpus.y[~corpus.train]


def accuracy(Z: np.ndarray, y: np.ndarray, queries: np.ndarray, truth: np.ndarray) -> float:
    """Return how often the nearest neighbours by cosine, the nearer the more, name the right class."""
    index = DocumentIndex(n_jobs=2)
    index.add(Z)
    ids, cosines = index.search(queries, k=NEIGHBOURS)
    votes = np.zeros((len(queries), y.max() + 1))
    for k in range(NEIGHBOURS):
        votes[np.arange(len(queries)), y[ids[:, k].astype(int)]] += 1 + 1e-3 * cosines[:, k]
    return float((votes.argmax(axis=1) == truth).mean())


def fewest(figures: dict[Any, float]) -> Any:
    """Return the first setting within half a point of the best."""
    best = max(figures.values())
    return next(setting for setting, figure in figures.items() if figure >= best - WITHIN)


def choose(X: Any, y: np.ndarray) -> tuple[int, tuple[int, int], str]:
    """Choose the components of LSI, and components and columns of TensorLSI, on held-out documents."""
    fit, held = train_test_split(np.arange(X.shape[0]), test_size=0.25, random_state=0, stratify=None)
    lsi = TruncatedSVD(max(LSI_GRID), random_state=0).fit(X[fit])
    Z, queries = lsi.transform(X[fit]), lsi.transform(X[held])
    of_lsi = {k: accuracy(Z[:, :k], y[fit], queries[:, :k], y[held]) for k in LSI_GRID}
    of_tensor = {}
    for columns in COLUMNS:
        model = TensorLSI(max(TENSOR_GRID), shape=(-1, columns), n_jobs=2).fit(X[fit])
        Z, queries = model.transform(X[fit]), model.transform(X[held])
        for k in TENSOR_GRID:
            of_tensor[k, columns] = accuracy(Z[:, :k], y[fit], queries[:, :k], y[held])
    # Of equally many components the grid with more columns comes first: it is the smaller to store.
    of_tensor = dict(sorted(of_tensor.items(), key=lambda item: (item[0][0], -item[0][1])))
    chosen = fewest(of_tensor)
    said = (
        f"On held-out training documents: LSI {fewest(of_lsi)} has {of_lsi[fewest(of_lsi)]:.4f} (best "
        f"{max(of_lsi.values()):.4f}), TensorLSI {chosen[0]} with n2 = {chosen[1]} has "
        f"{of_tensor[chosen]:.4f} (best {max(of_tensor.values()):.4f})."
    )
    return fewest(of_lsi), chosen, said


def measure(name: str) -> None:
    """Time the chosen settings side by side, then score them on the test part."""
    X, y, test, truth = documents(name)
    k_lsi, (k, columns), said = choose(X, y)
    tensor = TensorLSI(k, shape=(-1, columns), n_jobs=2)
    makers: dict[str, Callable[[], Any]] = {
        f"TruncatedSVD randomized, {k_lsi}": lambda: TruncatedSVD(k_lsi, random_state=0),
        f"TruncatedSVD arpack, {k_lsi}": lambda: TruncatedSVD(k_lsi, algorithm="arpack"),
        f"TensorLSI, {k}, n2 = {columns}": lambda: tensor,
    }
    fits = {who: (lambda make=make: make().fit(X)) for who, make in makers.items()}
    both = {
        f"{who}, with transform": (lambda make=make: make().fit_transform(X)) for who, make in makers.items()
    }
    if importlib.util.find_spec("gensim"):
        fits[f"gensim LsiModel, {k_lsi}"] = lambda: gensim_lsi(X, k_lsi)
    seconds = side_by_side({**fits, **both}, rounds=3)
    rows = []
    first = next(iter(makers))
    for who in fits:
        figure: Any = "not scored"
        kept: Any = ""
        if who in makers:
            model = makers[who]().fit(X)
            figure = f"{accuracy(model.transform(X), y, model.transform(test), truth):.4f}"
            kept = (
                model.storage_["kept"] if hasattr(model, "storage_") else model.components_.nbytes
            ) / 2**20
        together = seconds.get(f"{who}, with transform")
        rows.append(
            [
                who,
                seconds[who],
                seconds[first] / seconds[who],
                "" if together is None else together,
                "" if together is None else seconds[f"{first}, with transform"] / together,
                kept,
                figure,
            ]
        )
    head = [
        "method",
        "fit, s",
        "times as fast",
        "fit and transform, s",
        "times as fast",
        "stored, MiB",
        "kNN accuracy",
    ]
    note = (
        f"{X.shape[0]} training documents x {X.shape[1]} terms; cores: 2; medians of 3 rounds. {said} "
        "The last column is of the test part, which chose nothing."
    )
    publish(
        f"tensorlsi-{name}",
        f"TensorLSI on {name}, k = {NEIGHBOURS} neighbours",
        f"{note}\n\n{table(head, rows)}",
    )


def gensim_lsi(X: Any, k: int) -> Any:
    """Fit gensim's LSI."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LsiModel

    return LsiModel(Sparse2Corpus(X, documents_columns=False), num_topics=k, random_seed=0)


class Rows:
    """Batches of rows of a matrix on disk, which can be read again."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def __iter__(self) -> Iterator[Any]:
        """Read every batch."""
        for start in range(0, self.X.shape[0], BATCH):
            yield self.X[start : start + BATCH]


def synthetic(n_documents: int) -> Iterator[Any]:
    """Yield documents whose words follow Zipf's law, unit length, in batches."""
    rng = np.random.default_rng(0)
    odds = 1 / np.arange(1, STREAM_TERMS + 1)
    cumulated = np.cumsum(odds / odds.sum())
    for start in range(0, n_documents, BATCH):
        n = min(BATCH, n_documents - start)
        words = np.minimum(np.searchsorted(cumulated, rng.random(n * STREAM_WORDS)), STREAM_TERMS - 1)
        indptr = np.arange(0, n * STREAM_WORDS + 1, STREAM_WORDS)
        X = sp.csr_matrix((np.ones(len(words)), words.astype(np.int32), indptr), shape=(n, STREAM_TERMS))
        X.sum_duplicates()
        yield normalize(X)


def stream() -> None:
    """Fit on a million documents from disk."""
    with tempfile.TemporaryDirectory() as place:
        X = write_csr(f"{place}/X", synthetic(STREAM_DOCUMENTS), STREAM_TERMS)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rows = []
        order = np.arange(STREAM_TERMS)
        for said, run in (
            (
                "batches, read three times",
                lambda: TensorLSI(100, shape=(-1, 50), n_jobs=2).fit_batches(Rows(X)),
            ),
            (
                "a stream, read once",
                lambda: TensorLSI(100, shape=(-1, 50), arrangement=order, n_jobs=2).fit_batches(
                    iter(Rows(X))
                ),
            ),
        ):
            start = time.perf_counter()
            model = run()
            seconds = time.perf_counter() - start
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            rows.append(
                [
                    said,
                    seconds,
                    round(STREAM_DOCUMENTS / seconds),
                    (peak - before) / 1024,
                    model.importance_from_,
                ]
            )
    head = ["fit", "seconds", "documents a second", "peak above the start, MiB", "importance from"]
    note = (
        f"{STREAM_DOCUMENTS} synthetic documents of {STREAM_WORDS} words, {STREAM_TERMS} terms, on disk; "
        f"batches of {BATCH}; "
        "shape 1000 x 50, 100 components, 2 cores. The peak holds pages of the mapped file that the system "
        "may drop at any time."
    )
    publish("tensorlsi-stream", "TensorLSI of a million documents on disk", f"{note}\n\n{table(head, rows)}")


if __name__ == "__main__":
    main()
