"""``textensor index``: make documents searchable by likeness."""

from pathlib import Path
from typing import Any

import typer

from textensor.base.plain import clean, counted
from textensor.cli import options

INTO = typer.Option(..., "--output", "-o", metavar="INDEX", help="Folder to write; it must not exist yet.")
ID = typer.Option(None, "--id", metavar="COLUMN", help="Column of the ids; by default the line numbers.")


@options.with_terms
def index(
    data: str = options.DATA,
    output: str = INTO,
    text: str = options.TEXT,
    identity: str | None = ID,
    encoding: str | None = options.ENCODING,
    terms: dict[str, Any] = options.TERMS,
    dimensions: int = options.DIMENSIONS,
    no_texts: bool = typer.Option(False, "--no-texts", help="Do not keep how documents begin, to show it."),
    n_jobs: int = options.N_JOBS,
    as_json: bool = options.JSON,
) -> None:
    """Make documents searchable by likeness: a folder with their vectors by TensorLSI.

    Example: textensor index mail.csv --text body --id number -o mail.index
    """
    from textensor.cli.places import check_folder
    from textensor.cli.screen import print_json, telling
    from textensor.datasets import read_documents
    from textensor.workbench import index_texts
    from textensor.workbench.choice.features import term_vectorizer

    check_folder(output)
    if Path(output).exists():
        raise FileExistsError(f"{output} is there already: remove it or choose another place.")
    with telling(f"Reading {data}", keep=False) as progress:
        source = read_documents(data, text=text, label=None, encoding=encoding)
        documents = list(source)
        ids = [_identity(document, identity, source.unit) for document in documents]
        texts = [document.text for document in documents]
        progress(f"Indexing {counted(len(texts), 'document')}")
        made = index_texts(
            output,
            texts,
            ids,
            dimensions=dimensions,
            vectorizer=term_vectorizer(**terms, weights={}),
            excerpts=not no_texts,
            n_jobs=n_jobs,
        )
    if as_json:
        print_json({"index": output, "documents": len(made), "dimensions": made.n_dimensions})
    else:
        sizes = f"{counted(len(made), 'document')}, {counted(made.n_dimensions, 'dimension')}"
        typer.echo(f"Written: {clean(output)} ({sizes}).")


def _identity(document: Any, column: str | None, unit: str) -> str:
    if column is None:
        return str(document.row.get("file", document.line))
    if column not in document.row:
        there = ", ".join(map(repr, document.row))
        raise ValueError(
            f"{document.file}, {unit} {document.line}: no column {column!r:.80} for --id, only {there}."
        )
    return str(document.row[column])
