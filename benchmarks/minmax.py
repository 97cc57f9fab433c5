"""The min-max modular SVM on synthetic documents of RCV1's size, beside one-vs-rest LinearSVC."""

import importlib.util
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.svm import LinearSVC

from benchmarks.measure import publish, side_by_side, table
from experiments.comparisons.minmax import CHOSEN, MEMBERS
from experiments.protocols.labels import machine
from textensor.classify import MinMaxSVM
from textensor.datasets import catalogue, load, make_documents

C = 0.5
N_TERMS = 47_236
N_TEST = 10_000
ROUNDS = 3


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, Y = documents(23_149 + N_TEST)
    test, X, Y = X[23_149:], X[:23_149], Y[:23_149]
    few = Y[:, :4]
    news = reuters()
    on_news = "Reuters-90: not run here." if news is None else on_reuters(*news)
    body = "\n\n".join(
        [
            f"Synthetic documents of RCV1's size hold {X.nnz / X.shape[0]:.0f} terms each. Medians. CPU "
            "seconds are of all threads: on a busy machine they say more than the clock.",
            fitting(X, Y, "103 labels"),
            fitting(X, few, "4 large labels"),
            on_news,
            predicting(X, Y, test),
            "Time and memory of ever more documents: `python -m benchmarks scale`.",
        ]
    )
    publish("minmax", "Min-max modular SVM: speed", body)


def documents(n: int) -> tuple[Any, Any]:
    corpus = make_documents(n, N_TERMS, 103, random_state=0)
    X = sp.csr_matrix(TfidfTransformer().fit_transform(corpus.X.astype(np.float64)))
    X.sort_indices()
    return X, sp.csr_matrix(corpus.y)


def on_reuters(X: Any, Y: Any) -> str:
    """Compare on Reuters-90, with the machine that cross-validation chose there (``experiments minmax``)."""
    members = [MEMBERS[name] for name in CHOSEN]
    chosen = Timed(lambda: machine(members, "none").fit(X, Y))
    return fitting(X, Y, "Reuters-90", 1.0, **{f"the mean of {' and '.join(CHOSEN)}": chosen})


class Timed:
    """A contender that also adds up the processor's seconds; the first, uncounted round is left out."""

    def __init__(self, run: Any) -> None:
        self.run = run
        self.cpu: list[float] = []

    def __call__(self) -> None:
        start = time.process_time()
        self.run()
        self.cpu.append(time.process_time() - start)


def fitting(X: Any, Y: Any, title: str, C: float = C, **more: Timed) -> str:
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
        "MinMaxSVM 1 x 5, by classes": min_max(modules=(1, 5), decomposition="classes"),
        "MinMaxSVM 1 x 5, by classes, tol=0.1": min_max(modules=(1, 5), decomposition="classes", tol=0.1),
        "MinMaxSVM 1 x 1, tol=0.1": min_max(modules=(1, 1), tol=0.1),
        **more,
        **libmultilabel(X, Y, C),
    }
    seconds = side_by_side(contenders, rounds=ROUNDS)
    first = next(iter(seconds))
    rows: list[list[Any]] = [
        [name, value, value / seconds[first], float(np.median(contenders[name].cpu[1:]))]
        for name, value in seconds.items()
    ]
    size = f"{X.shape[0]} documents x {X.shape[1]} terms, {Y.shape[1]} labels, C = {C:g}"
    return f"## Fit, {title}: {size}\n\n" + table(
        ["classifier", "seconds", "to LinearSVC", "CPU seconds"], rows
    )


def libmultilabel(X: Any, Y: Any, C: float) -> dict[str, Timed]:
    """Return LibMultiLabel's one-vs-rest, where it is installed (the extra ``bench``)."""
    if importlib.util.find_spec("libmultilabel") is None:
        return {}
    from libmultilabel.linear import train_1vsrest

    def run(options: str) -> Timed:
        return Timed(lambda: train_1vsrest(Y, X, False, f"{options} -c {C} -B 1", False))

    return {
        "LibMultiLabel, one-vs-rest, hinge (-s 3), its tol=0.1": run("-s 3"),
        "LibMultiLabel, the same, tol=0.01 as ours": run("-s 3 -e 0.01"),
        "LibMultiLabel, one-vs-rest, its default (-s 1)": run("-s 1"),
    }


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


def reuters() -> tuple[Any, Any] | None:
    """Return the training part of Reuters-90, where it is at hand."""
    if not any(info.name == "reuters21578" and info.here for info in catalogue()):
        return None
    corpus = load("reuters21578", subset="modapte90")
    texts = [text for text, train in zip(corpus.texts, corpus.train, strict=True) if train]
    return sp.csr_matrix(TfidfVectorizer().fit_transform(texts)), sp.csr_matrix(corpus.y)[corpus.train]


if __name__ == "__main__":
    main()
