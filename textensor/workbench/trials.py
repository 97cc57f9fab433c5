"""Methods side by side: the same splits, the same test documents, from raw text to decisions."""

import json
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from textensor.base.arrays import Floats, Rows
from textensor.base.labels import Labels, positions
from textensor.base.plain import counted
from textensor.base.progress import Progress, silent
from textensor.base.reading.label_sets import indicator_of
from textensor.base.store import Store, digest
from textensor.evaluate import Result, SmallSampleSplit, f1_by_argmax, f1_by_assignment
from textensor.evaluate.splits import UntestedWarning
from textensor.parallel import as_done
from textensor.workbench.categorizer import TextCategorizer
from textensor.workbench.check.documents import warn_of_oddities
from textensor.workbench.choice.selection import kept_scores
from textensor.workbench.methods import METHODS
from textensor.workbench.texts import fingerprint, texts_with_labels


def try_methods(
    texts: Iterable[str],
    labels: Any,
    methods: Sequence[str],
    fractions: Sequence[float],
    *,
    n_splits: int = 3,
    tune: bool = False,
    read_rest: bool = False,
    terms: dict[str, Any] | None = None,
    checkpoint: str | Path | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> list[Result]:
    """Train methods on parts of the labelled documents and score them on the rest.

    One trial after the other, with threads within each; within :func:`textensor.parallel.on_cluster` the
    workers take a trial each.

    Parameters
    ----------
    texts, labels : iterable
        As :meth:`TextCategorizer.fit` takes them. Documents without a label are in every training part.
    methods : sequence of str
        Names of methods; ``"auto"`` is one.
    fractions : sequence of float
        Shares of the labelled documents to train on, at least two documents of each label unless documents
        have several.
    n_splits : int, default=3
        Number of splits for each share. In one split a larger share contains the smaller ones.
    tune : bool, default=False
        Whether each method searches over its settings, on held-out folds of the training part.
    read_rest : bool, default=False
        Whether to train also on half of the other documents, without their labels; the other half is the
        test set.
    terms : dict or None, default=None
        Parameters of :class:`TextCategorizer` that say what terms are: features, language, stop_words,
        min_df, stem.
    checkpoint : path or None, default=None
        Folder for the scores of finished trials: interrupted trials resume from it.
    n_jobs, random_state
        As in :class:`TextCategorizer`.
    progress : callable or None, default=None
        Called with a message after each trial, see :class:`~textensor.base.progress.Progress`.

    Returns
    -------
    list of Result
        One for each size, split and method, in that order; ``scores`` are by arg max and by assignment, or
        by assignment alone if documents have several labels.
    """
    texts, known = texts_with_labels(texts, labels)
    progress = progress or silent
    warn_of_oddities(texts, known)  # once, and not for each part
    tasks = [
        _Task(name, fraction, number, *rows, tune, terms or {}, n_jobs, random_state)
        for fraction in dict.fromkeys(fractions)
        for number, rows in enumerate(_parts(known, fraction, n_splits, random_state, read_rest))
        for name in methods
    ]
    store, data = Store(checkpoint), fingerprint(texts, known.as_written()) if checkpoint is not None else ""
    names, found = [task.name(data) for task in tasks], {}
    for number, task in enumerate(tasks):
        old = store.find(names[number], partial(_kept, (len(task.test), len(known.names))))
        if old is not None:
            found[number] = task.result(known, *old)
    waiting = [number for number in range(len(tasks)) if number not in found]
    progress(counted(len(tasks), "trial") + (f", {len(found)} in {checkpoint} already" if found else ""))
    material = _Documents(texts, known)
    for place, (decisions, seconds) in as_done(_decide, material, [tasks[number] for number in waiting], 1):
        number = waiting[place]
        store.keep(names[number], scores=decisions, seconds=np.array(seconds))
        found[number] = tasks[number].result(known, decisions, seconds)
        progress(f"{len(found)} of {len(tasks)} trials; {tasks[number].title}", len(found), len(tasks))
    return [found[number] for number in range(len(tasks))]


def _kept(shape: tuple[int, int], arrays: dict[str, Any]) -> tuple[Floats, float]:
    scores, seconds = kept_scores(shape, arrays), float(arrays["seconds"])
    if np.isnan(scores).any() or not 0 <= seconds < float("inf"):
        raise ValueError("it holds scores or seconds that are no numbers")
    return scores, seconds


@dataclass(frozen=True)
class _Task:
    """One method on one split of a share: documents to learn from, to read without their labels, to score."""

    method: str
    fraction: float
    split: int
    train: Rows
    unlabelled: Rows
    test: Rows
    tune: bool
    terms: dict[str, Any]
    n_jobs: int | None
    seed: int

    def name(self, data: str) -> str:
        """Return the name of its checkpoint, which does not depend on the number of threads."""
        kinds = METHODS if self.method == "auto" else METHODS[self.method]
        settings = {"method": self.method, "about": repr(kinds), "tune": self.tune, "seed": self.seed}
        settings["terms"] = repr(sorted(self.terms.items()))
        return f"scores-{digest({**settings, 'data': data}, (self.train, self.unlabelled, self.test))}"

    @property
    def title(self) -> str:
        """The share of documents, the split and the method."""
        return f"{_size(self.fraction)} of the labels, split {self.split + 1}: {self.method}"

    def result(self, known: Labels, decisions: Floats, seconds: float) -> Result:
        """Score decisions by both protocols, on the labels that have documents to test."""
        part, names = known.rows(self.test), known.names
        if known.several:
            scores = [f1_by_assignment(part, decisions, labels=names[known.counts > 1])]
        else:
            kept = names[known.counts > known.rows(self.train).counts]
            scores = [score(part, decisions, labels=kept) for score in (f1_by_argmax, f1_by_assignment)]
        return Result(self.method, _size(self.fraction), len(self.train), scores, seconds)


@dataclass(frozen=True)
class _Documents:
    """Texts and labels, which all trials share."""

    texts: list[str]
    known: Labels

    def save(self, folder: Path) -> None:
        """Write everything to a folder."""
        names, labelled, cells = self.known.names, self.known.labelled, self.known.indicator.nonzero()
        arrays = [one.tolist() for one in (names, labelled, *cells)]
        content = json.dumps([self.texts, self.known.several, *arrays])
        (folder / "documents.json").write_text(content, encoding="ascii")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what was saved."""
        content = json.loads((folder / "documents.json").read_text(encoding="ascii"))
        (texts, several), (names, labelled, rows, columns) = content[:2], map(np.array, content[2:])
        indicator = indicator_of(rows, columns, len(texts), len(names))
        return cls(texts, Labels(names, several, labelled, indicator))


def _size(fraction: float) -> str:
    return f"{fraction:.4%}".rstrip("0%").rstrip(".") + "%"


def _parts(
    labels: Labels, fraction: float, n_splits: int, seed: int, read_rest: bool
) -> Iterator[tuple[Rows, Rows, Rows]]:
    """Yield the documents to learn from, those to read without their labels, and those to score."""
    labelled, without = np.flatnonzero(labels.labelled), np.flatnonzero(~labels.labelled)
    for train, test in _splits(labels.rows(labelled), fraction, n_splits, seed):
        if len(test) < 1 + read_rest:
            raise ValueError(
                f"Trained on {_size(fraction)} of {counted(len(labelled), 'labelled document')}, too few are "
                "left to score: train on less, or give more documents."
            )
        if read_rest:
            yield labelled[train], np.concatenate([without, labelled[test[::2]]]), labelled[test[1::2]]
        else:
            yield labelled[train], without, labelled[test]


def _splits(known: Labels, fraction: float, n_splits: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield training and test rows; of one label each with a share of every label, else a share of all."""
    n = known.n_documents
    if not known.several:
        splitter = SmallSampleSplit(fraction, n_splits=n_splits, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UntestedWarning)  # said in our words
            parts = list(splitter.split(None, known))
        _warn_unscored(known, parts[0][1], fraction)
        yield from parts
        return
    for number in range(n_splits):
        order = np.random.default_rng([seed, number]).permutation(n)
        n_train = min(max(2, round(fraction * n)), n - 1)
        yield np.sort(order[:n_train]), np.sort(order[n_train:])


def _warn_unscored(known: Labels, test: Rows, fraction: float) -> None:
    """Warn of labels whose documents are all trained on, in every split alike."""
    missing = known.names[known.rows(test).counts == 0]
    if len(test) and len(missing):
        have = "has" if len(missing) == 1 else "have"
        warnings.warn(
            f"{len(missing)} of {len(known.names)} labels {have} no document left to score at "
            f"{_size(fraction)} and will not count, the first is {str(missing[0])!r:.80}.",
            UntestedWarning,
            stacklevel=2,
        )


def _decide(material: _Documents, task: _Task) -> tuple[Floats, float]:
    """Return the scores of test documents for all labels, and the seconds that it took.

    The score is lower than all others for a label that was never seen.
    """
    start = time.perf_counter()
    model = TextCategorizer(
        [task.method] if task.tune and task.method != "auto" else task.method,
        **task.terms,
        cross_validate=material.known.several,  # for its thresholds
        n_jobs=task.n_jobs,
        random_state=task.seed,
    )
    texts, names = material.texts, material.known.names
    known = material.known.rows(task.train).with_unlabelled(len(task.unlabelled)).occurring()
    model.fit([texts[d] for d in [*task.train, *task.unlabelled]], known, check=False)
    found = model.predict_scores(texts[d] for d in task.test)
    decisions = np.full((len(task.test), len(names)), min(found.min(initial=0.0), 0.0) - 1.0)
    decisions[:, positions(model.classes_, names)] = found
    return decisions, time.perf_counter() - start
