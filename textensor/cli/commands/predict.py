"""``textensor predict``: labels for documents, one row after the other, however many there are."""

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from textensor.cli.options import DATA, ENCODING, MODEL, N_JOBS, OUT, TEXT_OF_FIT, only, separator

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
    help="Score below which a row is unsure, in place of the rule above.",
)
UNKNOWN = typer.Option(
    None, "--unknown", metavar="LABEL", help="Label to write in place of the label of an unsure row."
)


def predict(
    model: str = MODEL,
    data: str = DATA,
    output: str = OUT,
    text: str | None = TEXT_OF_FIT,
    encoding: str | None = ENCODING,
    kind: str | None = FORMAT,
    unsure_below: float | None = UNSURE,
    unknown: str | None = UNKNOWN,
    label_separator: str | None = BETWEEN,
    n_jobs: int = N_JOBS,
    as_json: bool = typer.Option(False, "--json", help="The same as --format jsonl."),
) -> None:
    """Give documents their labels: the columns of the data, and label, score and unsure.

    The score is the probability of the label, of several labels that of the least likely one, of no label
    that of none. A row is unsure if its label is less than twice as probable as the second one; if documents
    have several labels, a row is unsure below 0.5. A model without probabilities gives scores of its own
    scale, and is unsure below 0. Columns of the data that bear these names stay; ours are then called
    predicted_label and so on. In CSV a quote is put before cells that a spreadsheet would run.

    Example: textensor predict mail.model new.csv --text body -o labelled.csv
    """
    from textensor.cli.places import check_apart
    from textensor.cli.reading import open_categorizer
    from textensor.cli.rows import added_names, chosen_format, write_rows
    from textensor.cli.screen import telling
    from textensor.datasets import read_documents

    chosen = chosen_format("jsonl" if as_json else kind, output, data)
    check_apart(output, model=model, data=data)
    categorizer, columns = open_categorizer(model, n_jobs, text=text, separator=label_separator)
    documents = read_documents(data, text=columns.text, label=None, encoding=encoding)
    names = added_names(documents.columns, ["label", "score", "unsure"])
    with telling("Predicting", keep=False, quiet=output == "-") as progress:
        between = None if chosen == "jsonl" else columns.separator or "|"
        rows = _rows(categorizer, documents, names, (unsure_below, unknown), between, progress)
        write_rows(output, rows, [*documents.columns, *names], chosen)


def _rows(
    categorizer: "TextCategorizer",
    documents: "Documents",
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
        unsure = (categorizer.unsure(scores) if limit is None else sure < limit).tolist()
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
        progress(f"Predicting: {done:,} documents", done)
