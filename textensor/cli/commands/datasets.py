"""``textensor datasets``: what corpora there are, get one, look at one."""

from typing import TYPE_CHECKING, Any

import typer

from textensor.cli.options import JSON, OptionError, key_and_value

if TYPE_CHECKING:
    from textensor.datasets import Corpus

app = typer.Typer(name="datasets", invoke_without_command=True, rich_markup_mode=None)

NAME = typer.Argument(help="A name from the table of `textensor datasets`.")
OPTION = typer.Option(None, "--option", "-o", metavar="KEY=VALUE", help="An option of the set: subset=r8.")


@app.callback()
def table(context: typer.Context, as_json: bool = JSON) -> None:
    """List the corpora, get one, look at one.

    Example: textensor datasets
    """
    if context.invoked_subcommand is not None:
        if as_json:
            raise OptionError("--json goes behind the command: textensor datasets show NAME --json.")
        return
    from textensor.cli.screen import print_json, print_table
    from textensor.datasets import catalogue

    rows = catalogue()
    if as_json:
        shown = ("name", "documents", "labels", "options", "terms", "here")
        print_json([{key: getattr(row, key) for key in shown} for row in rows])
        return
    print_table(
        ["name", "documents", "labels", "here", "options", "terms of use"],
        [(r.name, r.documents, r.labels, "yes" if r.here else "no", r.options, r.terms) for r in rows],
        numbers=[1, 2],
    )


@app.command()
def get(name: str = NAME) -> None:
    """Make sure that a corpus is on this machine; download it if need be.

    Example: textensor datasets get 20newsgroups
    """
    from textensor.cli.screen import telling
    from textensor.datasets import get

    with telling(f"Looking for {name}", keep=False) as progress:
        paths = get(name, progress)
    for path in paths:
        typer.echo(path)
    if not paths:
        typer.echo(f"{name} is part of what is installed: there is nothing to get.")


@app.command()
def show(
    name: str = NAME,
    option: list[str] | None = OPTION,
    as_json: bool = JSON,
) -> None:
    """Show what a corpus is: counts, labels with their sizes, a few documents.

    Example: textensor datasets show reuters21578 --option subset=r8
    """
    from textensor.cli.screen import print_json, telling
    from textensor.datasets import load

    options = dict(_option(text) for text in option or [])
    with telling(f"Loading {name}"):
        corpus = load(name, **options)
    sizes = _label_sizes(corpus)
    if as_json:
        summary = {
            "name": name,
            "documents": corpus.n_documents,
            "train": None if corpus.train is None else int(corpus.train.sum()),
            "terms": None if corpus.X is None else corpus.X.shape[1],
            "labels": sizes,
            "description": corpus.description,
        }
        print_json(summary)
        return
    _print_corpus(corpus, sizes)


def _option(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; a value with commas is several."""
    key, value = key_and_value(text, "An option")
    several = "," in value or key == "remove"
    return key, tuple(value.split(",")) if several else value


def _label_sizes(corpus: "Corpus") -> dict[str, int]:
    """Return how many documents each label has, the largest first."""
    import numpy as np

    if corpus.multilabel:
        counts = np.asarray(corpus.y.sum(axis=0)).ravel()
    else:
        counts = np.bincount(corpus.y, minlength=len(corpus.label_names))
    order = np.argsort(-counts, kind="stable")
    return {corpus.label_names[k]: int(counts[k]) for k in order}


def _print_corpus(corpus: "Corpus", sizes: dict[str, int]) -> None:
    from textensor.base.plain import clean
    from textensor.cli.screen import print_table

    typer.echo(corpus.description)
    typer.echo(f"\n{corpus!r}\n")
    largest = max(sizes.values(), default=0)
    bars = [(label, n, "█" * round(40 * n / max(largest, 1)) or "▏") for label, n in sizes.items()]
    print_table(["label", "documents", ""], bars, numbers=[1])
    typer.echo("\nThe first three documents:")
    for d in range(min(3, corpus.n_documents)):
        typer.echo(f"  {clean(_sample(corpus, d), limit=100)}")


def _sample(corpus: "Corpus", document: int) -> str:
    """Return the text of a document, or of a matrix its terms and their values."""
    if corpus.texts is not None:
        return corpus.texts[document]
    row = corpus.X[[document]]
    return " ".join(f"{term}:{value:g}" for term, value in zip(row.indices, row.data, strict=True))
