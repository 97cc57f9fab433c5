"""``textensor search``: the documents of an index that are most like a text."""

import typer

from textensor.cli.options import JSON, N_JOBS, QUOTED

INDEX = typer.Argument(help="A folder, as `textensor index` writes it.")
#: A word that all documents have tells none of them apart.
NOTHING = "No match: none of these words is in the index, or they are in every document."


def search(
    folder: str = INDEX,
    text: str = QUOTED,
    k: int = typer.Option(10, "-k", min=1, help="Number of documents to find."),
    verify: bool = typer.Option(False, "--verify", help="Check the checksums of the index first."),
    n_jobs: int = N_JOBS,
    as_json: bool = JSON,
) -> None:
    """Find the documents of an index that are most like a text, those that are like it at all.

    Example: textensor search mail.index "when is lunch" -k 3
    """
    from textensor.base.late.mode import go_without_scikit
    from textensor.cli.reading import text_or_input
    from textensor.cli.screen import print_json, print_table

    go_without_scikit()
    from textensor.workbench import search_texts

    found = search_texts(folder, text_or_input(text), k, verify=verify, n_jobs=n_jobs)
    if not found:
        typer.echo(NOTHING, err=True)
    if as_json:
        print_json([match._asdict() for match in found])
    elif found:
        rows = [(f"{match.similarity:.3f}", match.id, match.text or "") for match in found]
        print_table(["similarity", "id", "text"], rows, numbers=[0])
