"""``textensor fit``: learn labels from documents and write a model file."""

from pathlib import Path
from typing import Any

import typer

from textensor.base.plain import clean
from textensor.cli import options
from textensor.cli.commands.show import headline

METHOD = typer.Option(
    "auto", "--method", "-m", help="A method of `textensor methods`, several separated by commas, or auto."
)
SET = typer.Option(
    None, "--set", metavar="KEY=VALUE", help="A setting of the method's estimator, such as C=10."
)


BUDGET = typer.Option(
    60.0,
    "--time-budget",
    metavar="SECONDS",
    callback=options.only(
        lambda given: given >= 0, "--time-budget is a number of seconds, 0 or more, not {:g}."
    ),
    help="Time after which a search tries nothing more.",
)
#: Encodings that need no word.
USUAL = ("ascii", "utf-8")
OUT = typer.Option(..., "--output", "-o", metavar="MODEL", help="File to write the model to.")


@options.with_terms
def fit(
    data: str = options.DATA,
    output: str = OUT,
    text: str = options.TEXT,
    label: str = options.LABEL,
    label_separator: str | None = options.SEPARATOR,
    encoding: str | None = options.ENCODING,
    rename: str | None = options.RENAME,
    method: str = METHOD,
    tune: bool = typer.Option(False, "--tune", help="Search over the settings of the method."),
    setting: list[str] | None = SET,
    time_budget: float = BUDGET,
    cross_validate: bool = typer.Option(
        True,
        "--cross-validate/--no-cross-validate",
        help="Score held-out folds, for figures and probabilities.",
    ),
    terms: dict[str, Any] = options.TERMS,
    embedding: str | None = options.EMBEDDING,
    seed: int = options.SEED,
    checkpoint: str | None = options.CHECKPOINT,
    dask: str | None = options.DASK,
    n_jobs: int = options.N_JOBS,
    as_json: bool = options.JSON,
) -> None:
    """Learn labels from documents and write a model file.

    Documents without a label are read too, by methods that can learn from them. With --checkpoint the same
    command goes on where it was interrupted: candidates that were scored are kept, and modules of minmax.
    With --dask the workers of a cluster fit modules of minmax.

    Example: textensor fit mail.csv --text body --label kind -o mail.model
    """
    from textensor.cli.reading import Columns, learnable, read_data
    from textensor.cli.screen import print_json, telling
    from textensor.cli.workers import on_workers

    names, settings = method.split(","), options.named_settings(setting)
    search = tune or len(names) > 1
    _check_choice(names, settings, search or method == "auto")
    _check_embedding(embedding, names)
    _check_output(output)
    if dask:
        _check_spread(names)
    elif not embedding:
        _leave_scikit_out(names)
    with telling(f"Reading {data}") as progress, on_workers(dask):
        read = read_data(data, text, label, label_separator, encoding, rename)
        labels = learnable(data, label, read.labels)
        if odd := [name for name in read.encodings if name not in USUAL]:
            progress(f"Encoding: {', '.join(odd)}.")
        from textensor.workbench.categorizer import TextCategorizer

        model = TextCategorizer(
            names if search and names != ["auto"] else method,
            settings=settings,
            **terms,
            embedding=embedding,
            cross_validate=cross_validate,
            time_budget=time_budget,
            checkpoint=checkpoint,
            n_jobs=n_jobs,
            random_state=seed,
            progress=progress,
        )
        model.fit(read.texts, labels)
        columns = Columns(text, label, label_separator)._asdict()
        model.save(output, metadata={"source": clean(Path(data).name, 200), "columns": columns})
    card = {**model.card(), "tried": model.tried_, "file": output, "bytes": Path(output).stat().st_size}
    if as_json:
        print_json(card)
        return
    typer.echo(headline(card))
    typer.echo(f"Written: {clean(output)} ({card['bytes']:,} bytes).")


def _check_choice(names: list[str], settings: dict[str, Any] | None, search: bool) -> None:
    """Refuse methods and settings that cannot be, before any data is read."""
    if "auto" in names and len(names) > 1:
        raise options.OptionError("--method auto stands alone: it is a search over several methods.")
    if settings is not None and search:
        raise options.OptionError(
            "--set is for one method without a search: name it with --method, without --tune."
        )
    options.check_methods("--method", names, settings)


def _check_output(output: str) -> None:
    """Refuse a place that no model file can be written to, before any data is read."""
    from textensor.cli.places import check_folder

    check_folder(output)
    from textensor.files import check_replaceable

    check_replaceable(output)


def _leave_scikit_out(names: list[str]) -> None:
    """Leave scikit-learn out, which is slow to import, if the methods are fitted without it."""
    from textensor.base.late.mode import go_without_scikit
    from textensor.workbench.methods import METHODS

    if not any(METHODS[name].nearest for name in names if name in METHODS):
        go_without_scikit()


def _check_embedding(folder: str | None, names: list[str]) -> None:
    """Refuse a folder that holds no static model, and methods that read none, before any data is read."""
    if folder is None:
        return
    from textensor.space import EmbeddingError, StaticEmbedding
    from textensor.workbench.choice.embedded import reading_methods

    able = reading_methods()
    if names != ["auto"] and not set(names) & set(able):
        raise options.OptionError(f"--embedding is for --method auto, {', '.join(able)}.")
    try:
        StaticEmbedding(folder).fit()
    except EmbeddingError as error:
        raise options.OptionError(f"--embedding: {error}") from error


def _check_spread(names: list[str]) -> None:
    """Refuse a cluster for methods that would leave it idle."""
    from textensor.workbench.methods import METHODS

    able = [name for name, method in METHODS.items() if method.spreads]
    idle = [name for name in names if name not in able]
    if idle:
        raise options.OptionError(
            f"{', '.join(idle)[:200]}: fitted on this machine only; --dask is for --method {', '.join(able)}."
        )
