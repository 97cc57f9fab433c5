"""Methods side by side: the same splits, the same test documents, from raw text to decisions."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textensor.categories import Categories, read_categories, warn_of_oddities
from textensor.categorizer import TextCategorizer
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment, small_sample_splits

__all__ = ["Trial", "try_methods"]

Rows = npt.NDArray[np.intp]


class Trial(NamedTuple):
    """What one method gave on one split.

    Attributes
    ----------
    method : str
        Its name.
    size : str
        The training size, such as ``"5%"``.
    n_train : int
        Training documents with a label.
    scores : list of F1Scores
        By arg max and by assignment; by assignment alone where documents have several labels.
    seconds : float
        To fit and to decide, from raw text.
    """

    method: str
    size: str
    n_train: int
    scores: list[F1Scores]
    seconds: float


def try_methods(
    texts: Sequence[str],
    labels: Sequence[Any],
    methods: Sequence[str],
    fractions: Sequence[float],
    *,
    n_splits: int = 3,
    tune: bool = False,
    read_rest: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    tell: Callable[[str], object] = str,
) -> Iterator[Trial]:
    """Train methods on parts of the labelled documents and score them on the rest.

    Parameters
    ----------
    texts, labels : sequence
        As :meth:`TextCategorizer.fit` takes them. Documents without a label are in every training part.
    methods : sequence of str
        Names of methods; ``"auto"`` is one.
    fractions : sequence of float
        Shares of the labelled documents to train on; of each label at least two documents, where a document
        has one label.
    n_splits : int, default=3
        How often each is split anew. A larger part of one split holds the smaller one.
    tune : bool, default=False
        Whether each method searches over its settings, on held-out folds of the training part.
    read_rest : bool, default=False
        Whether to read, without their labels, half of the documents that are not in training; the other half
        is scored.
    n_jobs, random_state
        As in :class:`TextCategorizer`.
    tell : callable
        Given a sentence on each thing that is done.
    """
    categories = read_categories(labels)
    warn_of_oddities(texts, categories)  # once, and not for each part
    labelled = categories.labelled
    without = np.setdiff1d(np.arange(len(texts)), labelled, assume_unique=True)
    known = categories.rows(labelled)
    for fraction in fractions:
        size = f"{fraction:.4%}".rstrip("0%").rstrip(".") + "%"
        for number, (train, test) in enumerate(_splits(known, fraction, n_splits, random_state), start=1):
            unlabelled = np.concatenate([without, labelled[test[::2]]]) if read_rest else without
            test = test[1::2] if read_rest else test
            for name in methods:
                tell(f"{size} of the labels, split {number} of {n_splits}: {name}")
                model = TextCategorizer(
                    [name] if tune and name != "auto" else name,
                    cross_validate=categories.several,  # for its thresholds
                    n_jobs=n_jobs,
                    random_state=random_state,
                )
                start = time.perf_counter()
                decisions = _decisions(model, texts, categories, labelled[train], unlabelled, labelled[test])
                seconds = time.perf_counter() - start
                yield Trial(name, size, len(train), _scores(known, test, decisions, train), seconds)


def _splits(known: Categories, fraction: float, n_splits: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield training and test rows; of one label each with a share of every label, else a share of all."""
    n = known.indicator.shape[0]
    if not known.several:
        splitter = small_sample_splits(fraction, n_splits=n_splits, random_state=seed)
        yield from splitter.split(np.zeros(n), known.targets())
        return
    for number in range(n_splits):
        order = np.random.default_rng([seed, number]).permutation(n)
        n_train = min(max(2, round(fraction * n)), n - 1)
        yield np.sort(order[:n_train]), np.sort(order[n_train:])


def _decisions(
    model: TextCategorizer,
    texts: Sequence[str],
    categories: Categories,
    train: Rows,
    unlabelled: Rows,
    test: Rows,
) -> npt.NDArray[np.float64]:
    """Return the scores of test documents for all labels; lower than all others for a label never seen."""
    given: list[Any] = [categories.label(d) for d in train]
    if not categories.several:
        given = [label[0] for label in given]
    nothing = () if categories.several else ""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(one document only|are empty|characters)")
        model.fit([texts[d] for d in [*train, *unlabelled]], [*given, *[nothing] * len(unlabelled)])
    found = model.predict_scores(texts[d] for d in test)
    decisions = np.full((len(test), len(categories.names)), min(found.min(initial=0.0), 0.0) - 1.0)
    decisions[:, np.searchsorted(categories.names, model.classes_)] = found
    return decisions


def _scores(known: Categories, test: Rows, decisions: npt.NDArray[np.float64], train: Rows) -> list[F1Scores]:
    """Score decisions by both protocols, on the labels that have documents to test."""
    part = known.rows(test)
    names = known.names
    if known.several:
        kept = names[known.counts > 1]
        return [f1_by_assignment(part.truth().astype(int), decisions, classes=names, labels=kept)]
    kept = names[known.counts > known.rows(train).counts]
    truth = names[part.targets()]
    return [score(truth, decisions, classes=names, labels=kept) for score in (f1_by_argmax, f1_by_assignment)]
