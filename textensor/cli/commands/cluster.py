"""``textensor cluster``: sort documents into clusters."""

import typer

from textensor.base.plain import clean, counted
from textensor.cli.options import DATA, DIMENSIONS, ENCODING, N_JOBS, OUT, SEED, TEXT

CLUSTERS = typer.Option(..., "--clusters", "-k", min=2, help="Number of clusters.")


def cluster(
    data: str = DATA,
    clusters: int = CLUSTERS,
    output: str = OUT,
    text: str = TEXT,
    encoding: str | None = ENCODING,
    dimensions: int = DIMENSIONS,
    seed: int = SEED,
    n_jobs: int = N_JOBS,
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

    check_apart(output, data=data)
    with telling(f"Reading {data}", keep=False) as progress:
        source = read_documents(data, text=text, label=None, encoding=encoding)
        documents = list(source)
        progress(f"Clustering {counted(len(documents), 'document')}")
        texts = [document.text for document in documents]
        found, about = cluster_texts(texts, clusters, dimensions=dimensions, random_state=seed, n_jobs=n_jobs)
    for number, (size, terms) in enumerate(about):
        apart = clean(", ".join(terms)) or "no term sets it apart"
        typer.echo(f"cluster {number}: {counted(size, 'document')}; {apart}", err=True)
    (name,) = added_names(source.columns, ["cluster"])
    rows = ((d.line, {**d.row, name: number}) for d, number in zip(documents, found.tolist(), strict=True))
    kind = chosen_format("jsonl" if as_json else None, output, data)
    write_rows(output, rows, [*source.columns, name], kind, separator_to_write(None, output, source))
