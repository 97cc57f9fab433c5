"""Methods side by side: the same splits, the same test documents, from raw text to decisions."""

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from textensor.base.store import Store, digest
from textensor.evaluate import F1Scores, f1_by_argmax, f1_by_assignment, small_sample_splits
from textensor.parallel import as_done
from textensor.workbench.categories import Categories, fingerprint, read_categories, warn_of_oddities
from textensor.workbench.categorizer import TextCategorizer
from textensor.workbench.methods import METHODS
from textensor.workbench.selection import scores_in

__all__ = ["Trial", "try_methods"]

Floats = npt.NDArray[np.float64]
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
    checkpoint: str | Path | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    tell: Callable[[str], object] = str,
) -> list[Trial]:
    """Train methods on parts of the labelled documents and score them on the rest.

    One trial after the other, with threads within each; within :func:`textensor.parallel.on_cluster` the
    workers take a trial each.

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
    checkpoint : path or None, default=None
        A folder where the decisions of trials that are done are kept: the same trials go on from there.
    n_jobs, random_state
        As in :class:`TextCategorizer`.
    tell : callable
        Given a sentence on each thing that is done.
    """
    categories = read_categories(labels)
    warn_of_oddities(texts, categories)  # once, and not for each part
    known = categories.rows(categories.labelled)
    splits = {
        (fraction, number): split
        for fraction in fractions
        for number, split in enumerate(_parts(categories, known, fraction, n_splits, random_state, read_rest))
    }
    cells = [(*key, name) for key in splits for name in methods]
    tasks = [_Task(name, *splits[fraction, k], tune, n_jobs, random_state) for fraction, k, name in cells]
    store, material = Store(checkpoint), _Documents(list(texts), _plain(categories))
    data = fingerprint(texts, labels) if checkpoint is not None else ""
    names = [task.name(data) for task in tasks]
    found: dict[int, Trial] = {}

    def take(number: int, decisions: Floats, seconds: float) -> None:
        (fraction, _, name), task = cells[number], tasks[number]
        scores = _scores(categories, task, decisions)
        found[number] = Trial(name, _size(fraction), len(task.train), scores, seconds)

    for number, task in enumerate(tasks):
        shape = len(task.test), len(categories.names)
        old = store.find(names[number], partial(_kept, shape))
        if old is not None:
            take(number, *old)
    waiting = [number for number in range(len(tasks)) if number not in found]
    tell(f"{len(tasks)} trials" + (f", {len(found)} of them in {checkpoint} already" if found else ""))
    for place, result in as_done(_decide, material, [tasks[number] for number in waiting], 1):
        number = waiting[place]
        store.keep(names[number], scores=result[0], seconds=np.array(result[1]))
        take(number, *result)
        fraction, k, name = cells[number]
        tell(f"{len(found)} of {len(tasks)} trials; {_size(fraction)} of the labels, split {k + 1}: {name}")
    return [found[number] for number in range(len(tasks))]


def _kept(shape: tuple[int, int], arrays: dict[str, Any]) -> tuple[Floats, float]:
    return scores_in(shape, arrays), float(arrays["seconds"])


@dataclass(frozen=True)
class _Task:
    """One method on one split: numbers of documents to learn from, to read without their labels, to score."""

    method: str
    train: Rows
    unlabelled: Rows
    test: Rows
    tune: bool
    n_jobs: int | None
    seed: int

    def name(self, data: str) -> str:
        """Return the name of its checkpoint: of everything but the number of threads."""
        parts = {key: value for key, value in asdict(self).items() if key != "n_jobs"}
        for key in ("train", "unlabelled", "test"):
            rows = np.ascontiguousarray(parts[key], dtype=np.int64)
            parts[key] = hashlib.sha256(rows.tobytes()).hexdigest()
        kinds = METHODS if self.method == "auto" else METHODS[self.method]
        return f"scores-{digest({**parts, 'data': data, 'about': repr(kinds)})}"


@dataclass(frozen=True)
class _Documents:
    """Texts and labels, which all trials share."""

    texts: list[str]
    labels: list[Any]

    def save(self, folder: Path) -> None:
        """Write everything to a folder."""
        (folder / "documents.json").write_text(json.dumps([self.texts, self.labels]), encoding="ascii")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what was saved."""
        texts, labels = json.loads((folder / "documents.json").read_text(encoding="ascii"))
        return cls(texts, labels)


def _plain(categories: Categories) -> list[Any]:
    """Return the labels of all documents as JSON has them."""
    given = map(categories.label, range(categories.indicator.shape[0]))
    return list(given) if categories.several else [label[0] if label else "" for label in given]


def _size(fraction: float) -> str:
    return f"{fraction:.4%}".rstrip("0%").rstrip(".") + "%"


def _parts(
    categories: Categories, known: Categories, fraction: float, n_splits: int, seed: int, read_rest: bool
) -> Iterator[tuple[Rows, Rows, Rows]]:
    """Yield the documents to learn from, those to read without their labels, and those to score."""
    labelled = categories.labelled
    without = np.setdiff1d(np.arange(categories.indicator.shape[0]), labelled, assume_unique=True)
    for train, test in _splits(known, fraction, n_splits, seed):
        if len(test) < 1 + read_rest:
            raise ValueError(
                f"Trained on {_size(fraction)} of {len(labelled)} labelled documents, too few are left to "
                "score: train on less, or give more documents."
            )
        if read_rest:
            yield labelled[train], np.concatenate([without, labelled[test[::2]]]), labelled[test[1::2]]
        else:
            yield labelled[train], without, labelled[test]


def _splits(known: Categories, fraction: float, n_splits: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield training and test rows; of one label each with a share of every label, else a share of all."""
    n = known.indicator.shape[0]
    if not known.several:
        splitter = small_sample_splits(fraction, n_splits=n_splits, random_state=seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*no document left to test")  # said in our words
            parts = list(splitter.split(np.zeros(n), known.targets()))
        _warn_unscored(known, parts[0][1], fraction)
        yield from parts
        return
    for number in range(n_splits):
        order = np.random.default_rng([seed, number]).permutation(n)
        n_train = min(max(2, round(fraction * n)), n - 1)
        yield np.sort(order[:n_train]), np.sort(order[n_train:])


def _warn_unscored(known: Categories, test: Rows, fraction: float) -> None:
    """Warn of labels whose documents are all trained on, in every split alike."""
    missing = known.names[known.rows(test).counts == 0]
    if len(test) and len(missing):
        warnings.warn(
            f"{len(missing)} of {len(known.names)} labels have no document left to score at "
            f"{_size(fraction)} and do not count, the first is {str(missing[0])!r:.80}.",
            UserWarning,
            stacklevel=2,
        )


def _decide(material: _Documents, task: _Task) -> tuple[Floats, float]:
    """Return the scores of test documents for all labels, and the seconds that it took.

    The score is lower than all others for a label that was never seen.
    """
    texts, categories = material.texts, read_categories(material.labels)
    start = time.perf_counter()
    model = TextCategorizer(
        [task.method] if task.tune and task.method != "auto" else task.method,
        cross_validate=categories.several,  # for its thresholds
        n_jobs=task.n_jobs,
        random_state=task.seed,
    )
    given: list[Any] = [categories.label(d) for d in task.train]
    if not categories.several:
        given = [label[0] for label in given]
    nothing = () if categories.several else ""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(one document only|are empty|characters)")
        model.fit(
            [texts[d] for d in [*task.train, *task.unlabelled]], [*given, *[nothing] * len(task.unlabelled)]
        )
    found = model.predict_scores(texts[d] for d in task.test)
    decisions = np.full((len(task.test), len(categories.names)), min(found.min(initial=0.0), 0.0) - 1.0)
    decisions[:, np.searchsorted(categories.names, model.classes_)] = found
    return decisions, time.perf_counter() - start


def _scores(categories: Categories, task: _Task, decisions: Floats) -> list[F1Scores]:
    """Score decisions by both protocols, on the labels that have documents to test."""
    part, names = categories.rows(task.test), categories.names
    if categories.several:
        kept = names[categories.counts > 1]
        return [f1_by_assignment(part.truth().astype(int), decisions, classes=names, labels=kept)]
    kept = names[categories.counts > categories.rows(task.train).counts]
    truth = names[part.targets()]
    return [score(truth, decisions, classes=names, labels=kept) for score in (f1_by_argmax, f1_by_assignment)]
