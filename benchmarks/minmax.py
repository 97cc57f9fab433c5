"""The min-max modular SVM on synthetic documents of RCV1's size, beside one-vs-rest LinearSVC."""

import importlib.util
import resource
import sys
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.svm import LinearSVC

from benchmarks.measure import publish, side_by_side, table
from textensor.classify import MinMaxSVM
from textensor.datasets import make_documents

C = 0.5
N_TERMS = 47_236
N_TEST = 10_000
ROUNDS = 3
GROWTH = (50_000, 100_000, 200_000)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, Y = documents(23_149 + N_TEST)
    test, X, Y = X[23_149:], X[:23_149], Y[:23_149]
    few = Y[:, :4]
    body = "\n\n".join(
        [
            f"{X.shape[0]} documents x {X.shape[1]} terms, {X.nnz / X.shape[0]:.0f} a document, C = {C:g}. "
            "Medians. CPU seconds are of all threads: on a busy machine they say more than the clock.",
            fitting(X, Y, "103 labels"),
            fitting(X, few, "4 large labels"),
            predicting(X, Y, test),
            growing(),
        ]
    )
    publish("minmax", "Min-max modular SVM: speed", body)


def documents(n: int) -> tuple[Any, Any]:
    corpus = make_documents(n, N_TERMS, 103, random_state=0)
    X = sp.csr_matrix(TfidfTransformer().fit_transform(corpus.X.astype(np.float64)))
    X.sort_indices()
    return X, sp.csr_matrix(corpus.y)


class Timed:
    """A contender that also adds up the processor's seconds; the first, uncounted round is left out."""

    def __init__(self, run: Any) -> None:
        self.run = run
        self.cpu: list[float] = []

    def __call__(self) -> None:
        start = time.process_time()
        self.run()
        self.cpu.append(time.process_time() - start)


def fitting(X: Any, Y: Any, title: str) -> str:
    answers = Y.toarray()

    def one_vs_rest(**options: Any) -> None:
        for q in range(Y.shape[1]):
            LinearSVC(loss="hinge", C=C, random_state=0, **options).fit(X, answers[:, q])

    def min_max(**options: Any) -> Timed:
        return Timed(lambda: MinMaxSVM(C, n_jobs=2, random_state=0, **options).fit(X, Y))

    contenders = {
        "LinearSVC, one core: it has no n_jobs": Timed(one_vs_rest),
        "LinearSVC, tol=0.01": Timed(lambda: one_vs_rest(tol=1e-2)),
        "MinMaxSVM 1 x 1, two cores": min_max(modules=(1, 1)),
        "MinMaxSVM 1 x N-, parts of a tenth": min_max(positive_size=None),
        "MinMaxSVM N+ x N-, parts of a quarter and a tenth": min_max(),
        "MinMaxSVM the same, by classes": min_max(decomposition="classes"),
        "MinMaxSVM the same, by k-means": min_max(decomposition="kmeans"),
        "MinMaxSVM the same, overlap 0.3": min_max(overlap=0.3),
        "MinMaxSVM N+ x N-, parts of a tenth": min_max(positive_size=0.1),
        **libmultilabel(X, Y),
    }
    seconds = side_by_side(contenders, rounds=ROUNDS)
    first = next(iter(seconds))
    rows: list[list[Any]] = [
        [name, value, value / seconds[first], float(np.median(contenders[name].cpu[1:]))]
        for name, value in seconds.items()
    ]
    return f"## Fit, {title}\n\n" + table(["classifier", "seconds", "to LinearSVC", "CPU seconds"], rows)


def libmultilabel(X: Any, Y: Any) -> dict[str, Timed]:
    """Return LibMultiLabel's one-vs-rest, where it is installed (the extra ``bench``)."""
    if importlib.util.find_spec("libmultilabel") is None:
        return {}
    from libmultilabel.linear import train_1vsrest

    options = f"-s 3 -c {C} -B 1"
    return {"LibMultiLabel, one-vs-rest, -s 3": Timed(lambda: train_1vsrest(Y, X, False, options, False))}


def predicting(X: Any, Y: Any, test: Any) -> str:
    """Compare with a LinearSVC that has as many labels as there are modules: the modules' own weights."""
    model = MinMaxSVM(C, n_jobs=2, random_state=0).fit(X, Y)
    rival = LinearSVC()
    rival.coef_ = np.ascontiguousarray(sp.csr_matrix(model.coef_).toarray(), dtype=np.float64)
    rival.intercept_ = model.intercept_
    rival.classes_ = np.arange(len(rival.coef_))
    rival.n_features_in_ = X.shape[1]
    single = MinMaxSVM().set_params(**{**model.get_params(), "n_jobs": 1})
    single.__dict__.update({**model.__dict__, "n_jobs": 1})
    contenders = {
        f"LinearSVC, {len(rival.coef_)} labels, decision_function": Timed(
            lambda: rival.decision_function(test)
        ),
        "MinMaxSVM, one core, decision_function": Timed(lambda: single.decision_function(test)),
        "MinMaxSVM, one core, predict": Timed(lambda: single.predict(test)),
        "MinMaxSVM, two cores, decision_function": Timed(lambda: model.decision_function(test)),
        "MinMaxSVM, two cores, predict": Timed(lambda: model.predict(test)),
    }
    seconds = side_by_side(contenders, rounds=ROUNDS)
    first = next(iter(seconds))
    rows: list[list[Any]] = [
        [name, value, value / seconds[first], float(np.median(contenders[name].cpu[1:]))]
        for name, value in seconds.items()
    ]
    kind = "sparse" if sp.issparse(model.coef_) else "dense"
    title = f"## Decide, {test.shape[0]} documents, {len(rival.coef_)} modules ({kind} weights)\n\n"
    return title + table(["classifier", "seconds", "to LinearSVC", "CPU seconds"], rows)


def growing() -> str:
    """Fit ever more documents and say what it takes, in seconds and memory beside X and the weights."""
    rows: list[list[Any]] = []
    for n in GROWTH:
        X, Y = documents(n)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, cpu = time.perf_counter(), time.process_time()
        model = MinMaxSVM(C, n_jobs=2, random_state=0).fit(X, Y)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
        weights = model.coef_.data.nbytes if sp.issparse(model.coef_) else model.coef_.nbytes
        x_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
        cells = [n, len(model.modules_), seconds, cpu, 1e6 * cpu / n]
        rows.append([*cells, x_bytes / 2**30, weights / 2**30, peak])
        sys.stderr.write(f"\r{n} documents".ljust(60))
        del model, X, Y
    header = ["documents", "modules", "seconds", "CPU seconds", "CPU us/document"]
    header += ["X, GiB", "weights, GiB", "peak above the start, GiB"]
    return "## Fit, 103 labels, ever more documents\n\n" + table(header, rows)


if __name__ == "__main__":
    main()
