"""Similarity on keyword subsets (tensorlsi §5.2, Table 4): ``python -m benchmarks.indexing.similarity``.

The paper shows the best number of dimensions of each subset, chosen on the figure itself (Figure 2); so do
the first columns here. The last two columns have the number of dimensions that is best on the other subsets.
"""

import warnings

import numpy as np

from benchmarks.indexing.common import lsi, tensor_lsi, unit
from benchmarks.measure import publish_as, table
from textensor.datasets import load
from textensor.evaluate import pair_average_precision, paired_t_test
from textensor.papers.tensorlsi import KEYWORDS
from textensor.space import TermVectorizer

LSI_GRID = (10, 20, 50, 100, 200, 400)
TENSOR_GRID = (20, 50, 100, 200, 400, 800, 1500)
#: The paper's figures: baseline, and what LSI and TensorLSI add to it.
PAPER = {word: figures[1:] for word, figures in KEYWORDS.items()}


def main() -> None:
    warnings.simplefilter("ignore")
    corpus = load("reuters21578")
    vectorizer = TermVectorizer(weighting="tf", stop_words="english", n_jobs=2)
    X = vectorizer.fit_transform(corpus.texts)
    # Some keywords are stop words of scikit-learn's list, so they are looked for in all words.
    keywords = TermVectorizer(weighting="tf", norm=None, vocabulary=list(PAPER)).fit_transform(corpus.texts)
    subsets = [np.flatnonzero(keywords[:, [column]].toarray().ravel()) for column in range(len(PAPER))]
    union = np.unique(np.concatenate(subsets))
    where = [np.searchsorted(union, rows) for rows in subsets]
    X, y = X[union], corpus.y[union]
    precision = {"baseline": np.array([[pair_average_precision(X[rows], y[rows]) for rows in where]])}
    seconds = {}
    for name, fit, grid in (("LSI", lsi, LSI_GRID), ("TensorLSI", tensor_lsi, TENSOR_GRID)):
        model, seconds[name] = fit(X, max(grid))
        Z = model.transform(X)
        figures = [[pair_average_precision(unit(Z[rows, :k]), y[rows]) for rows in where] for k in grid]
        precision[name] = np.array(figures)
    report(precision, seconds, [len(rows) for rows in subsets])


def left_out(figures: np.ndarray) -> np.ndarray:
    """Return each subset's figure at the number of dimensions that is best on average over the others."""
    total = figures.sum(axis=1, keepdims=True)
    return figures[(total - figures).argmax(axis=0), np.arange(figures.shape[1])]


def report(precision: dict[str, np.ndarray], seconds: dict[str, float], sizes: list[int]) -> None:
    """Print the table and the tests."""
    base = 100 * precision["baseline"][0]
    best = {name: 100 * precision[name].max(axis=0) for name in ("LSI", "TensorLSI")}
    fair = {name: 100 * left_out(precision[name]) for name in ("LSI", "TensorLSI")}
    rows: list[list[object]] = []
    for s, (word, paper) in enumerate(PAPER.items()):
        gains = [best["LSI"][s] - base[s], best["TensorLSI"][s] - base[s]]
        gains += [fair["LSI"][s] - base[s], fair["TensorLSI"][s] - base[s]]
        printed = f"{paper[0]:.1f} {paper[1]:+.1f} {paper[2]:+.1f}"
        rows.append([word, sizes[s], printed, f"{base[s]:.1f}", *[f"{g:+.1f}" for g in gains]])
    paper_means = np.mean(list(PAPER.values()), axis=0)
    means = [np.mean(v - base) for v in (best["LSI"], best["TensorLSI"], fair["LSI"], fair["TensorLSI"])]
    printed = f"{paper_means[0]:.1f} {paper_means[1]:+.1f} {paper_means[2]:+.1f}"
    rows.append(["mean", round(np.mean(sizes)), printed, f"{base.mean():.1f}", *[f"{g:+.1f}" for g in means]])
    head = ["keyword", "documents", "paper", "baseline", "LSI, best", "TensorLSI, best", "LSI", "TensorLSI"]
    tests = []
    for said, found in (("best dimensions", best), ("dimensions of the other subsets", fair)):
        for a, b in (("LSI", base), ("TensorLSI", base), ("TensorLSI", found["LSI"])):
            other = "baseline" if b is base else "LSI"
            test = paired_t_test(found[a], b)
            tests.append(f"{a} against {other}, {said}: {test.mark} (p = {test.p_value:.2g})")
    note = (
        "Average precision of pairs on one topic, in %, Reuters-41 text, tf without stop words, unit "
        "length; paper: baseline and what LSI and TensorLSI add, at the best number of dimensions of each "
        "subset. The last two columns: at the number that is best on average over the other subsets. One fit "
        f"on all subsets together: LSI ({max(LSI_GRID)}) {seconds['LSI']:.2f} s, TensorLSI "
        f"({max(TENSOR_GRID)}, n2 = 20) {seconds['TensorLSI']:.2f} s."
    )
    body = f"{note}\n\n{table(head, rows)}\n\nPaired t-tests over the subsets:\n\n- " + "\n- ".join(tests)
    publish_as(
        "indexing-similarity",
        "Similarity on keyword subsets",
        body,
        "python -m benchmarks.indexing.similarity",
    )


if __name__ == "__main__":
    main()
