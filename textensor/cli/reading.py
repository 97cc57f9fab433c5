"""What commands read: models, documents, a text between quotes, and what they say of it in reports."""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from textensor.base.plain import clean, counted
from textensor.cli.options import OptionError

if TYPE_CHECKING:
    from textensor.base.labels import Labels
    from textensor.files import Description
    from textensor.report import Run
    from textensor.workbench.categorizer import TextCategorizer


class Columns(NamedTuple):
    """The columns of the text and the label, and the separator between several labels."""

    text: str = "text"
    label: str = "label"
    separator: str | None = None


def open_categorizer(
    model: str, n_jobs: int, embedding: str | None = None, *, to_score: bool = True, **given: str | None
) -> tuple["TextCategorizer", Columns]:
    """Return a model and the columns of its data: those that are given, else those at fit, else the usual.

    Its embedding is read, too, from the folder that is given or the one at fit. ``to_score`` is as in
    :func:`opened`.
    """
    from textensor.base.kept import steps_of

    categorizer, about = opened(model, embedding, to_score=to_score)
    for step in (categorizer.vectorizer_, *steps_of(categorizer.model_)):
        if hasattr(step, "n_jobs"):
            step.n_jobs = n_jobs
    kept = about.metadata.get("columns")
    kept = kept if isinstance(kept, dict) else {}  # whoever wrote the file
    known = {key: str(kept[key]) for key in Columns._fields if isinstance(kept.get(key), str) and kept[key]}
    asked = {key: value for key, value in given.items() if value is not None}
    return categorizer, Columns(**{**known, **asked})


def check_there(model: str) -> None:
    """Refuse a model file that does not exist before anything is imported to read it."""
    if not os.path.lexists(model):
        raise FileNotFoundError(f"There is no model file {model}.")


def opened(
    model: str, embedding: str | None = None, *, to_score: bool = True
) -> tuple["TextCategorizer", "Description"]:
    """Return a model with its embedding, and what its file says of it.

    A command that only scores texts leaves scikit-learn out, if the model holds no part of it.
    """
    check_there(model)
    from textensor.files import open_model

    found = open_model(model, to_score=to_score)
    from textensor.workbench.categorizer import TextCategorizer  # now: the file says how it is made

    categorizer, about = TextCategorizer.checked(model, *found)
    return categorizer.use_embedding(embedding), about


class Data(NamedTuple):
    """All documents of some data: what they say, where they stand, and how the file was read."""

    texts: list[str]
    labels: list[Any]
    lines: Sequence[int] | None = None
    unit: str = "line"
    encodings: tuple[str, ...] = ()


def read_data(
    data: str,
    text: str,
    label: str,
    separator: str | None,
    encoding: str | None,
    renames: str | None = None,
) -> Data:
    """Return all of a user's documents, or of a corpus of `textensor datasets`, with labels renamed."""
    from textensor.datasets import catalogue, load, read_documents
    from textensor.workbench import read_renames, rename_labels

    if text == label:
        raise OptionError(f"--text and --label name the same column, {text!r:.80}: name one for each.")
    new = None if renames is None else read_renames(renames)
    if data != "-" and not os.path.exists(data) and data in {row.name for row in catalogue()}:  # noqa: PTH110
        texts, labels = load(data).texts_and_labels()
        read = Data(texts, list(labels))
    else:
        documents = read_documents(data, text=text, label=label, label_separator=separator, encoding=encoding)
        texts, labels = documents.load()
        places = None if documents.is_folder else documents.lines
        read = Data(texts, list(labels), places, documents.unit, documents.encodings)
    if new is None or renames is None:
        return read
    renamed, said = rename_labels(read.labels, new, renames)
    typer.echo(clean(said), err=True)
    return read._replace(labels=renamed)


def learnable(data: str, label: str, labels: list[Any]) -> "Labels":
    """Return the labels, read; refuse those that are ids, before hours are spent on learning them."""
    from textensor.base.reading.y import read_named
    from textensor.workbench import are_ids

    known = read_named(labels)
    if are_ids(known):
        raise ValueError(
            f"{data}: the column {label!r:.80} looks like ids, {counted(len(known.names), 'label')} for "
            f"{counted(known.n_documents, 'document')}; name the column of the labels with --label."
        )
    return known


def this_run(data: str, texts: list[str], labels: list[Any], **more: Any) -> "Run":
    """Return the command that was typed and the data that it read, so that a report can be made again."""
    from textensor.report import Run
    from textensor.workbench.texts import fingerprint

    return Run(
        command=shlex.join(["textensor", *sys.argv[1:]]),
        data=Path(data).name if data != "-" else "standard input",
        sha256=fingerprint(texts, labels),
        **more,
    )


def text_or_input(text: str) -> str:
    """Return a text of the command line; ``-`` is standard input."""
    return sys.stdin.read() if text == "-" else text
