"""``textensor predict``: labels for documents, one row after the other, however many there are."""

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from textensor.cli.options import (
    DATA,
    ENCODING,
    MODEL,
    N_JOBS,
    TEXT_OF_FIT,
    OptionError,
    columns_of_fit,
    documents_of,
    some_sign,
)

if TYPE_CHECKING:
    from textensor.datasets.readers.documents import Document, Documents
    from textensor.workbench.categorizer import TextCategorizer

__all__ = ["predict"]

OUT = typer.Option("-", "--output", "-o", metavar="FILE", help="Where to; - is standard output.")
FORMAT = typer.Option(
    None, "--format", help="csv or jsonl; by default that of the data, or of the output's name."
)
BETWEEN = typer.Option(
    None,
    "--label-separator",
    metavar="SIGN",
    callback=some_sign,
    help="Between several labels, in CSV; by default what it was at fit, or |.",
)


def _number(given: float | None) -> float | None:
    if given is not None and given != given:
        raise OptionError("--unsure-below is a number, not NaN.")
    return given


UNSURE = typer.Option(
    None,
    "--unsure-below",
    metavar="SCORE",
    callback=_number,
    help="Below this score a row is unsure.",
)


def predict(
    model: str = MODEL,
    data: str = DATA,
    output: str = OUT,
    text: str | None = TEXT_OF_FIT,
    encoding: str | None = ENCODING,
    kind: str | None = FORMAT,
    unsure_below: float | None = UNSURE,
    label_separator: str | None = BETWEEN,
    n_jobs: int = N_JOBS,
    as_json: bool = typer.Option(False, "--json", help="The same as --format jsonl."),
) -> None:
    """Give documents their labels: the columns of the data, and label, score and unsure.

    The score is the probability of the label, of several labels that of the least likely one, of no label
    that of none. Below 0.5 it is unsure. A model without probabilities gives scores of its own scale, and is
    unsure below 0. Columns of the data that bear these names stay; ours are then called predicted_label and
    so on. In CSV a quote is put before cells that a spreadsheet would run.

    Example: textensor predict mail.model new.csv --text body -o labelled.csv
    """
    from textensor.cli.places import check_apart
    from textensor.cli.rows import added_names, write_rows
    from textensor.cli.screen import counting
    from textensor.workbench.categorizer import TextCategorizer

    chosen = "jsonl" if as_json else _kind(kind, output, data)
    check_apart(output, model=model, data=data)
    categorizer = TextCategorizer.load(model)
    categorizer.vectorizer_.n_jobs = n_jobs
    columns = columns_of_fit(model, text=text, separator=label_separator)
    documents = documents_of(data, columns.text, None, encoding=encoding)
    names = added_names(documents.columns, ["label", "score", "unsure"])
    limit = unsure_below if unsure_below is not None else (0.0 if categorizer.sigmoids_ is None else 0.5)
    with counting("Predicting", "documents", quiet=output == "-") as count:
        between = None if chosen == "jsonl" else columns.separator or "|"
        rows = _rows(categorizer, documents, names, limit, between, count)
        write_rows(output, rows, [*documents.columns, *names], chosen)


def _kind(kind: str | None, output: str, data: str) -> str:
    """Return the format to write."""
    from textensor.cli.rows import FORMATS

    if kind is not None and kind not in FORMATS:
        raise OptionError(f"--format is {' or '.join(FORMATS)}, not {kind!r:.40}.")
    named = output if output != "-" else data
    return kind or ("jsonl" if ".json" in named.lower() or ".ndjson" in named.lower() else "csv")


def _rows(
    categorizer: "TextCategorizer",
    documents: "Documents",
    names: list[str],
    limit: float,
    separator: str | None,
    count: Any,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each document's line and its columns with the new ones."""
    waiting: deque[Document] = deque()

    def texts() -> Iterator[str]:
        for document in documents:
            waiting.append(document)
            yield document.text

    label_name, score_name, unsure_name = names
    for scores in categorizer.score_blocks(texts()):
        labels, sure = _answers(categorizer, scores)
        if separator and categorizer.several_:
            labels = [separator.join(map(str, label)) for label in labels]
        for label, score in zip(labels, sure, strict=True):
            document = waiting.popleft()
            row = dict(document.row)
            row[label_name], row[score_name], row[unsure_name] = label, round(score, 4), score < limit
            yield document.line, row
        count(len(sure))


def _answers(categorizer: "TextCategorizer", scores: Any) -> tuple[list[Any], list[float]]:
    """Return the labels of documents and how sure they are."""
    import numpy as np

    values = scores if categorizer.sigmoids_ is None else categorizer.probabilities(scores)
    if not categorizer.several_:
        rows = np.arange(len(scores))
        return categorizer.decide(scores).tolist(), values[rows, scores.argmax(axis=1)].tolist()
    labels = categorizer.decide(scores)
    least = np.where(scores > 0, values, np.inf).min(axis=1)
    highest = values.max(axis=1)
    none = -highest if categorizer.sigmoids_ is None else 1 - highest
    return labels, np.where(np.isinf(least), none, least).tolist()
