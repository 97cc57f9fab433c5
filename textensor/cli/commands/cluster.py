"""``textensor cluster``: sort documents into clusters."""

from typing import Any

import typer

from textensor.base.plain import clean, counted
from textensor.cli import options

CLUSTERS = typer.Option(..., "--clusters", "-k", min=2, help="Number of clusters.")


@options.with_terms
def cluster(
    data: str = options.DATA,
    clusters: int = CLUSTERS,
    output: str = options.OUT,
    text: str = options.TEXT,
    encoding: str | None = options.ENCODING,
    terms: dict[str, Any] = options.TERMS,
    dimensions: int = options.DIMENSIONS,
    seed: int = options.SEED,
    n_jobs: int = options.N_JOBS,
    as_json: bool = typer.Option(False, "--json", help="Write rows as JSON lines."),
) -> None:
    """Sort documents into clusters: the columns of the data, and cluster.

    Standard error says how large each is and which terms set it apart.

    Example: textensor cluster mail.csv --text body -k 5 -o clustered.csv
    """
    from textensor.cli.places import check_apart
    from textensor.cli.rows import added_names, chosen_format, separator_to_write, write_rows
    from textensor.cli.screen import telling
    from textensor.datasets import read_documents
    from textensor.workbench import cluster_texts
    from textensor.workbench.choice.features import term_vectorizer

    check_apart(output, data=data)
    with telling(f"Reading {data}", keep=False) as progress:
        source = read_documents(data, text=text, label=None, encoding=encoding)
        documents = list(source)
        progress(f"Clustering {counted(len(documents), 'document')}")
        texts = [document.text for document in documents]
        found, about = cluster_texts(
            texts,
            clusters,
            dimensions=dimensions,
            vectorizer=term_vectorizer(**terms, weights={}),
            random_state=seed,
            n_jobs=n_jobs,
        )
    for number, (size, said) in enumerate(about):
        apart = clean(", ".join(said)) or "no term sets it apart"
        typer.echo(f"cluster {number}: {counted(size, 'document')}; {apart}", err=True)
    (name,) = added_names(source.columns, ["cluster"])
    rows = ((d.line, {**d.row, name: number}) for d, number in zip(documents, found.tolist(), strict=True))
    kind = chosen_format("jsonl" if as_json else None, output, data)
    write_rows(output, rows, [*source.columns, name], kind, separator_to_write(None, output, source))
