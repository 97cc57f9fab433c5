"""``textensor predict``: labels for documents, one row after the other, however many there are."""

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from textensor.cli.options import (
    DATA,
    EMBEDDING_OF_FIT,
    ENCODING,
    MODEL,
    N_JOBS,
    OUT,
    TEXT_OF_FIT,
    only,
    separator,
)

if TYPE_CHECKING:
    from textensor.base.progress import Progress
    from textensor.datasets import Document, Documents
    from textensor.workbench.categorizer import TextCategorizer

FORMAT = typer.Option(
    None, "--format", help="csv or jsonl; by default that of the data, or of the output's name."
)
BETWEEN = separator("Separator between several labels, in CSV; by default the one at fit, or |.")


UNSURE = typer.Option(
    None,
    "--unsure-below",
    metavar="SCORE",
    callback=only(lambda given: given == given, "--unsure-below is a number, not NaN."),
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
    embedding: str | None = EMBEDDING_OF_FIT,
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
    from textensor.cli.reading import open_categorizer
    from textensor.cli.rows import added_names, chosen_format, write_rows
    from textensor.cli.screen import telling
    from textensor.datasets import read_documents

    chosen = chosen_format("jsonl" if as_json else kind, output, data)
    check_apart(output, model=model, data=data)
    categorizer, columns = open_categorizer(model, n_jobs, embedding, text=text, separator=label_separator)
    documents = read_documents(data, text=columns.text, label=None, encoding=encoding)
    names = added_names(documents.columns, ["label", "score", "unsure"])
    even = 0.0 if categorizer.sigmoids_ is None else 0.5  # the score of a tie, or an even chance
    limit = even if unsure_below is None else unsure_below
    with telling("Predicting", keep=False, quiet=output == "-") as progress:
        between = None if chosen == "jsonl" else columns.separator or "|"
        rows = _rows(categorizer, documents, names, limit, between, progress)
        write_rows(output, rows, [*documents.columns, *names], chosen)


def _rows(
    categorizer: "TextCategorizer",
    documents: "Documents",
    names: list[str],
    limit: float,
    between: str | None,
    progress: "Progress",
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each document's line and its columns with the new ones."""
    waiting: deque[Document] = deque()
    done = 0

    def texts() -> Iterator[str]:
        for document in documents:
            waiting.append(document)
            yield document.text

    label_name, score_name, unsure_name = names
    for scores in categorizer.score_blocks(texts()):
        labels, sure = categorizer.decide(scores), categorizer.certainty(scores).tolist()
        if not categorizer.several_:
            labels = labels.tolist()
        elif between:
            labels = [between.join(map(str, label)) for label in labels]
        for label, score in zip(labels, sure, strict=True):
            document = waiting.popleft()
            row = dict(document.row)
            row[label_name], row[score_name], row[unsure_name] = label, round(score, 4), score < limit
            yield document.line, row
        done += len(sure)
        progress(f"Predicting: {done:,} documents", done)
