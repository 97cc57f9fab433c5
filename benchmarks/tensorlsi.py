"""TensorLSI beside TruncatedSVD and gensim at equal accuracy of the nearest neighbours, and on a long stream.

The number of components of each, and the shape of TensorLSI, are chosen on the training part alone, by
cross-validation: the fewest within half a point of that method's best. Then everything is fitted on the
training part and scored once on the test part.
"""

import importlib.util
import itertools
import multiprocessing
import tempfile
import threading
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import KFold
from sklearn.preprocessing import normalize

from benchmarks.measure import publish, side_by_side, table
from textensor.datasets import load
from textensor.reduce import TensorLSI
from textensor.search import DocumentIndex
from textensor.space import TermVectorizer, read_csr, write_csr

NEIGHBOURS = 4
LSI_GRID = (50, 100, 200, 400, 800)
TENSOR_GRID = (200, 400, 800, 1500, 2000, 3000, 4000)
COLUMNS = (20, 50, 100, 200)
#: With components within so many pairs TensorLSI has LSI's grid.
PAIRS = (1000, 2000)
WITHIN = 0.005
FOLDS = 4

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


class Tensor(NamedTuple):
    """Settings of TensorLSI; without a number of pairs the components are the pairs."""

    k: int
    n_pairs: int | None
    columns: int

    def make(self) -> TensorLSI:
        return TensorLSI(self.k, n_pairs=self.n_pairs, shape=(-1, self.columns), n_jobs=2)

    def __str__(self) -> str:
        within = f" within {self.n_pairs} pairs" if self.n_pairs else ""
        return f"TensorLSI, {self.k}{within}, n2 = {self.columns}"


def score(
    model: Any, grid: Any, X: Any, y: np.ndarray, fit: np.ndarray, held: np.ndarray
) -> dict[int, float]:
    """Return the accuracy on held-out documents for each number of leading components."""
    model.fit(X[fit])
    Z, queries = model.transform(X[fit]), model.transform(X[held])
    return {k: accuracy(Z[:, :k], y[fit], queries[:, :k], y[held]) / FOLDS for k in grid}


def choose(X: Any, y: np.ndarray) -> tuple[int, list[Tensor], str]:
    """Choose LSI's components, and TensorLSI's settings of both kinds, by cross-validation."""
    of_lsi: dict[int, float] = defaultdict(float)
    of_tensor: dict[Tensor, float] = defaultdict(float)
    for fit, held in KFold(FOLDS, shuffle=True, random_state=0).split(X):
        for k, part in score(TruncatedSVD(max(LSI_GRID), random_state=0), LSI_GRID, X, y, fit, held).items():
            of_lsi[k] += part
        for n_pairs, columns in itertools.product((None, *PAIRS), COLUMNS):
            grid = TENSOR_GRID if n_pairs is None else LSI_GRID
            model = Tensor(max(grid), n_pairs, columns).make()
            for k, part in score(model, grid, X, y, fit, held).items():
                of_tensor[Tensor(k, n_pairs, columns)] += part
    said = (
        f"On held-out training documents ({FOLDS} folds): LSI {fewest(of_lsi)} has "
        f"{of_lsi[fewest(of_lsi)]:.4f} (best {max(of_lsi.values()):.4f})"
    )
    chosen = []
    for turned in (False, True):
        # Of equally many components fewer pairs come first, then more columns: it is the smaller to store.
        figures = {
            setting: figure for setting, figure in of_tensor.items() if bool(setting.n_pairs) is turned
        }
        figures = dict(
            sorted(figures.items(), key=lambda item: (item[0].k, item[0].n_pairs, -item[0].columns))
        )
        chosen.append(fewest(figures))
        said += f"; {chosen[-1]} has {figures[chosen[-1]]:.4f} (best {max(figures.values()):.4f})"
    return fewest(of_lsi), chosen, f"{said}."


class GensimLsi:
    """gensim's LSI in the manner of scikit-learn."""

    def __init__(self, k: int) -> None:
        self.k = k

    def fit(self, X: Any) -> "GensimLsi":
        from gensim.models import LsiModel

        self.model = LsiModel(self._corpus(X), num_topics=self.k, random_seed=0)
        self.components_ = self.model.projection.u.T
        return self

    def transform(self, X: Any) -> np.ndarray:
        from gensim.matutils import corpus2dense

        return corpus2dense(self.model[self._corpus(X)], self.k, X.shape[0]).T

    def fit_transform(self, X: Any) -> np.ndarray:
        return self.fit(X).transform(X)

    @staticmethod
    def _corpus(X: Any) -> Any:
        from gensim.matutils import Sparse2Corpus

        return Sparse2Corpus(X, documents_columns=False)


def measure(name: str) -> None:
    """Time the chosen settings side by side, then score them on the test part."""
    X, y, test, truth = documents(name)
    k_lsi, tensors, said = choose(X, y)
    makers: dict[str, Callable[[], Any]] = {
        f"TruncatedSVD randomized, {k_lsi}": lambda: TruncatedSVD(k_lsi, random_state=0),
        f"TruncatedSVD arpack, {k_lsi}": lambda: TruncatedSVD(k_lsi, algorithm="arpack"),
        **{str(setting): setting.make for setting in tensors},
    }
    if importlib.util.find_spec("gensim"):
        makers[f"gensim LsiModel, {k_lsi}"] = lambda: GensimLsi(k_lsi)
    fits = {who: (lambda make=make: make().fit(X)) for who, make in makers.items()}
    both = {
        f"{who}, with transform": (lambda make=make: make().fit_transform(X)) for who, make in makers.items()
    }
    seconds = side_by_side({**fits, **both}, rounds=3)
    first = next(iter(makers))
    rows: list[list[object]] = []
    for who, make in makers.items():
        model = make().fit(X)
        kept = model.storage_["kept"] if hasattr(model, "storage_") else model.components_.nbytes
        together = f"{who}, with transform"
        rows.append(
            [
                who,
                seconds[who],
                seconds[first] / seconds[who],
                seconds[together],
                seconds[f"{first}, with transform"] / seconds[together],
                kept / 2**20,
                f"{accuracy(model.transform(X), y, model.transform(test), truth):.4f}",
            ]
        )
    if not importlib.util.find_spec("gensim"):
        rows.append(["gensim LsiModel", "not installed: pip install textensor[bench]", *[""] * 5])
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


def anonymous_memory() -> float:
    """Return the MiB that this process holds beside the pages of files, where the system tells it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    line = next(line for line in status.read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


def streamed(kind: str, folder: str) -> tuple[float, float, str]:
    """Fit in a process of its own; return seconds, the peak of its own memory in MiB, and what f is from."""
    model = TensorLSI(100, shape=(-1, 50), n_jobs=2)
    if kind == "a stream, read once":
        model.set_params(arrangement=np.arange(STREAM_TERMS))
    X = read_csr(folder)
    small = [X[:1000]]
    fitted = clone(model).fit_batches(iter(small) if kind == "a stream, read once" else small)  # compiles
    del fitted
    before, done = anonymous_memory(), threading.Event()
    peak = [before]

    def watch() -> None:
        while not done.wait(0.01):
            peak[0] = max(peak[0], anonymous_memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    model.fit_batches(iter(Rows(X)) if kind == "a stream, read once" else Rows(X))
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    return seconds, peak[0] - before, model.importance_from_


def stream() -> None:
    """Fit on a million documents from disk."""
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = f"{place}/X"
        X = write_csr(folder, synthetic(STREAM_DOCUMENTS), STREAM_TERMS)
        size = (X.data.nbytes + X.indices.nbytes) / 2**20
        del X
        for kind in ("batches, read three times", "a stream, read once"):
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=spawn) as pool:
                seconds, peak, source = pool.submit(streamed, kind, folder).result()
            rows.append([kind, seconds, round(STREAM_DOCUMENTS / seconds), peak, source])
    head = [
        "fit",
        "seconds",
        "documents a second",
        "own memory, peak above the start, MiB",
        "importance from",
    ]
    moments = 8 * ((STREAM_TERMS // 50) ** 2 + 50**2) / 2**20
    note = (
        f"{STREAM_DOCUMENTS} synthetic documents of {STREAM_WORDS} words, {STREAM_TERMS} terms, {size:.0f} "
        f"MiB on disk; batches of {BATCH}, {size * BATCH / STREAM_DOCUMENTS:.0f} MiB each; shape 1000 x 50, "
        f"moments of {moments:.0f} MiB, 100 components, 2 cores. Each row is a process of its own. Its own "
        "memory (RssAnon, looked at every 10 ms) leaves out pages of the mapped file, which the system may "
        "drop."
    )
    publish("tensorlsi-stream", "TensorLSI of a million documents on disk", f"{note}\n\n{table(head, rows)}")


if __name__ == "__main__":
    main()
