"""What a report is made of: plain records, no model and no page.

:func:`~textensor.report.evaluate_model` and :func:`~textensor.report.compare_results` fill them,
:func:`~textensor.report.write_report` and :func:`~textensor.report.write_comparison` read them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scipy import sparse

from textensor.base.store import versions
from textensor.evaluate import CoveragePoint
from textensor.evaluate.f1 import Protocol


class Figure(NamedTuple):
    """A figure and the two ends of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Run:
    """What was run, and how to run it again.

    Attributes
    ----------
    method : str
        What made the decisions, such as ``"stm"``; of a comparison "".
    command : str
        What to type to get the report again.
    data : str
        What the documents are called, such as the name of their file.
    sha256 : str
        The checksum of the data.
    settings : mapping of str to anything
        Parameters, seeds, sizes: whatever else the figures depend on.
    when : str
        The date; "" leaves it out, so that equal runs write equal files.
    versions : mapping of str to str
        Python and the libraries.
    """

    method: str = ""
    command: str = ""
    data: str = ""
    sha256: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    when: str = ""
    versions: Mapping[str, str] = field(default_factory=versions)


class Headline(NamedTuple):
    """The averages by one protocol.

    ``macro`` is the mean F1 of all labels, ``macro_measurable`` of those with documents enough; None where
    there are no such labels, or where all are.
    """

    protocol: Protocol
    micro: Figure
    macro: Figure
    macro_measurable: float | None


class LabelFigures(NamedTuple):
    """The figures of one label, ``measurable`` or not; ``n_train`` is None where nobody said."""

    label: Any
    precision: Figure
    recall: Figure
    f1: Figure
    n_true: int
    n_assigned: int
    n_hits: int
    n_train: int | None
    measurable: bool


class Curve(NamedTuple):
    """Precision against recall of one label, recall rising; ``chosen`` is where the decisions lie."""

    label: Any
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    average_precision: Figure
    chosen: tuple[float, float]


class Automation(NamedTuple):
    """How many documents are right above a probability: at levels for a table, and as a curve."""

    levels: Sequence[CoveragePoint]
    curve: Sequence[CoveragePoint]


class SizePoint(NamedTuple):
    """F1 after training on so many documents."""

    n_documents: int
    micro: Figure
    macro: Figure


class Reason(NamedTuple):
    """The terms that moved a decision for a label, and by how much; above 0 is yes, ``rest`` is all else."""

    label: Any
    decision: float
    terms: tuple[tuple[str, float], ...]
    rest: float


class Mistake(NamedTuple):
    """A document that got wrong labels: ``margin`` is how far its worst decision is on the wrong side."""

    document: int
    text: str | None
    true: tuple[Any, ...]
    assigned: tuple[Any, ...]
    margin: float
    reasons: tuple[Reason, ...]


class Duplicate(NamedTuple):
    """A test document, the training document most like it, and their cosine; exact: the same words."""

    test: int
    train: int
    cosine: float
    exact: bool


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How good one model is on one test set.

    Attributes
    ----------
    run : Run
        What was run.
    n_documents : int
        How many were tested.
    multilabel : bool
        Whether a document has any number of labels rather than one.
    confidence : float
        Of all intervals.
    min_documents : int
        With fewer, a label is not measurable.
    headlines : sequence of Headline
        The first is of the protocol of everything below.
    labels : sequence of LabelFigures
        In the order of the model's classes, then what it had never seen.
    confusion : csr_array of shape (n_labels + 1, n_labels + 1)
        On the diagonal what was found. Elsewhere how often a label (row) was missed where another (column)
        was wrongly assigned; the last column is for nothing assigned instead, the last row for nothing
        missed.
    curves : sequence of Curve
        Empty where decisions are plain yes or no.
    coverage : Automation or None
        How many documents could be automated above which probability, and how many of them are right. None
        if the probabilities are not known.
    sizes : sequence of SizePoint
        F1 against training size.
    terms : mapping of label to sequence of (term, weight)
        The most telling ones.
    mistakes : sequence of Mistake
        The worst first.
    n_mistakes : int
        Of all documents that got wrong labels.
    duplicates : sequence of Duplicate or None
        None where nobody looked.
    duplicate_texts : mapping of int to (str, str)
        For the first of them what the test and the training document say.
    without_duplicates : Headline or None
        The figures of the other documents.
    n_trained_on : int or None
        Number of documents that the model was trained on; None if it does not know its training documents.
    """

    run: Run
    n_documents: int
    multilabel: bool
    confidence: float
    min_documents: int
    headlines: Sequence[Headline]
    labels: Sequence[LabelFigures]
    confusion: sparse.csr_array
    curves: Sequence[Curve] = ()
    coverage: Automation | None = None
    sizes: Sequence[SizePoint] = ()
    terms: Mapping[Any, Sequence[tuple[str, float]]] = field(default_factory=dict)
    mistakes: Sequence[Mistake] = ()
    n_mistakes: int = 0
    duplicates: Sequence[Duplicate] | None = None
    duplicate_texts: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    without_duplicates: Headline | None = None
    n_trained_on: int | None = None

    def as_data(self) -> dict[str, Any]:
        """Return the figures as JSON has them, without texts, terms and curves."""
        return {
            "documents": self.n_documents,
            "headlines": {
                h.protocol: {"micro": h.micro._asdict(), "macro": h.macro._asdict()} for h in self.headlines
            },
            "labels": [
                {
                    **one._asdict(),
                    "label": str(one.label),
                    **{key: getattr(one, key)._asdict() for key in ("precision", "recall", "f1")},
                }
                for one in self.labels
            ],
            "coverage": None if self.coverage is None else [p._asdict() for p in self.coverage.levels],
            "mistakes": self.n_mistakes,
            "trained on": self.n_trained_on,
            "near duplicates": None if self.duplicates is None else len(self.duplicates),
        }


class Cell(NamedTuple):
    """One method at one training size by one protocol: mean and standard deviation over splits.

    A mark reads "this method mark the first one"; it is "" for the first one itself.
    """

    method: str
    size: str
    protocol: Protocol
    micro: float
    micro_std: float
    macro: float
    macro_std: float
    micro_mark: str
    macro_mark: str


@dataclass(frozen=True)
class Comparison:
    """How good several methods are at several training sizes.

    Attributes
    ----------
    run : Run
        What was run.
    methods : sequence of str
        The first is what the others are compared with.
    sizes : sequence of str
        Training sizes, such as ``"5%"``.
    n_train : mapping of size to float
        Training documents, on average over splits.
    n_test : mapping of size to float
        Test documents, on average over splits.
    n_splits : int
        How often each was run.
    cells : sequence of Cell
        One for each method, size and protocol that was run.
    seconds : mapping of (method, size) to float
        To fit and to decide, on average over splits.
    """

    run: Run
    methods: Sequence[str]
    sizes: Sequence[str]
    n_train: Mapping[str, float]
    n_test: Mapping[str, float]
    n_splits: int
    cells: Sequence[Cell]
    seconds: Mapping[tuple[str, str], float]

    def as_data(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "methods": list(self.methods),
            "splits": self.n_splits,
            "trained on": dict(self.n_train),
            "tested on": dict(self.n_test),
            "cells": [
                {**cell._asdict(), "seconds": self.seconds[cell.method, cell.size]} for cell in self.cells
            ],
            "command": self.run.command,
        }
