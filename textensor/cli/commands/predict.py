"""``textensor predict``: labels for documents, one row after the other, however many there are."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from textensor.base.plain import counted
from textensor.cli import options
from textensor.cli.options import (
    EMBEDDING_OF_FIT,
    ENCODING,
    MODEL,
    N_JOBS,
    OUT,
    OptionError,
    only,
    separator,
)

if TYPE_CHECKING:
    from textensor.base.progress import Progress
    from textensor.datasets import Document
    from textensor.workbench.categorizer import TextCategorizer

DATA = typer.Argument(None, help=f"{options.DATA.help} Without it, --text is the text itself.")
TEXT = typer.Option(
    None,
    "--text",
    metavar="COLUMN|TEXT",
    help="Column of the text; by default its name at fit. Without DATA, a text between quotes.",
)
FORMAT = typer.Option(
    None, "--format", help="csv or jsonl; by default that of the data, or of the output's name."
)
BETWEEN = separator("Separator between several labels, in CSV; by default the one at fit, or |.")
UNSURE = typer.Option(
    None,
    "--unsure-below",
    metavar="SCORE",
    callback=only(lambda given: given == given, "--unsure-below is a number, not NaN."),
    help="Score below which a row is unsure, in place of the rule above.",
)
UNKNOWN = typer.Option(
    None, "--unknown", metavar="LABEL", help="Label to write in place of the label of an unsure row."
)


def predict(
    model: str = MODEL,
    data: str | None = DATA,
    output: str = OUT,
    text: str | None = TEXT,
    encoding: str | None = ENCODING,
    kind: str | None = FORMAT,
    unsure_below: float | None = UNSURE,
    unknown: str | None = UNKNOWN,
    label_separator: str | None = BETWEEN,
    embedding: str | None = EMBEDDING_OF_FIT,
    n_jobs: int = N_JOBS,
    as_json: bool = typer.Option(False, "--json", help="The same as --format jsonl."),
) -> None:
    """Give documents their labels: the columns of the data, and label, score and unsure.

    The score is the probability of the label, of several labels that of the least likely one, of no label
    that of none. A row is unsure if its label is less than twice as probable as the second one; if documents
    have several labels, a row is unsure below 0.5. A model without probabilities gives scores of its own
    scale, and is unsure below 0. Columns of the data that bear these names stay; ours are then called
    predicted_label and so on. CSV keeps the separator of the data; a quote is put before cells that a
    spreadsheet would run.

    Example: textensor predict mail.model new.csv --text body -o labelled.csv

    One text: textensor predict mail.model --text "Cheap watches, only today"
    """
    from textensor.cli.reading import check_there, open_categorizer

    if data is None and text is None:
        raise OptionError(
            "There is nothing to predict: name a file of documents, - for standard input, or give --text."
        )
    from textensor.cli.places import check_apart
    from textensor.cli.rows import added_names, chosen_format, separator_to_write, write_rows

    chosen = chosen_format("jsonl" if as_json else kind, output, data or "")
    check_apart(output, model=model, data=data)
    check_there(model)
    from textensor.cli.screen import telling

    column = None if data is None else text
    categorizer, columns = open_categorizer(model, n_jobs, embedding, text=column, separator=label_separator)
    documents: Iterable[Document]
    own: tuple[str, ...]
    if data is None:
        documents, own, fields = [_one_document(str(text), columns.text)], ("text",), ","
    else:
        from textensor.datasets import read_documents

        documents = read_documents(data, text=columns.text, label=None, encoding=encoding)
        own, fields = documents.columns, separator_to_write(kind, output, documents)
    names = added_names(own, ["label", "score", "unsure"])
    with telling("Predicting", keep=False, quiet=output == "-") as progress:
        between = None if chosen == "jsonl" else columns.separator or "|"
        rows = _rows(categorizer, documents, names, (unsure_below, unknown), between, progress)
        write_rows(output, rows, [*own, *names], chosen, fields)


def _one_document(text: str, column: str) -> "Document":
    """Return the text of --text without data; if it is the name of the column, a file was forgotten."""
    from textensor.cli.reading import text_or_input
    from textensor.datasets import Document

    if text == column:
        raise OptionError(
            f"--text {text} is the column of the texts, and there is no file: name the documents, "
            "or - for standard input."
        )
    text = text_or_input(text)
    return Document(text, (), {"text": text}, "--text", 1)


def _rows(
    categorizer: "TextCategorizer",
    documents: "Iterable[Document]",
    names: list[str],
    doubt: tuple[float | None, str | None],
    between: str | None,
    progress: "Progress",
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each document's line and its columns with the new ones.

    ``doubt`` is the score below which a row is unsure, None for the categorizer's own rule, and the label of
    unsure rows, None for their own.
    """
    waiting: deque[Document] = deque()
    done = 0

    def texts() -> Iterator[str]:
        for document in documents:
            waiting.append(document)
            yield document.text

    (limit, unknown), (label_name, score_name, unsure_name) = doubt, names
    for scores in categorizer.score_blocks(texts()):
        labels, sure = categorizer.decide(scores), categorizer.certainty(scores)
        unsure = categorizer.unsure(scores, limit).tolist()
        if not categorizer.several_:
            labels = labels.tolist()
        if unknown is not None:
            instead = (unknown,) if categorizer.several_ else unknown
            labels = [instead if no else label for label, no in zip(labels, unsure, strict=True)]
        if categorizer.several_ and between:
            labels = [between.join(map(str, label)) for label in labels]
        for label, score, no in zip(labels, sure.tolist(), unsure, strict=True):
            document = waiting.popleft()
            row = dict(document.row)
            row[label_name], row[score_name], row[unsure_name] = label, round(score, 4), no
            yield document.line, row
        done += len(sure)
        progress(f"Predicting: {counted(done, 'document')}", done)
