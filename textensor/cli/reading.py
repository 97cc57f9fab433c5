"""What commands read: models, documents, a text between quotes, and what they say of it in reports."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textensor.cli.options import OptionError

if TYPE_CHECKING:
    from textensor.report import Run
    from textensor.workbench.categorizer import TextCategorizer


class Columns(NamedTuple):
    """The columns of the text and the label, and the separator between several labels."""

    text: str = "text"
    label: str = "label"
    separator: str | None = None


def open_categorizer(
    model: str, n_jobs: int, embedding: str | None = None, **given: str | None
) -> tuple["TextCategorizer", Columns]:
    """Return a model and the columns of its data: those that are given, else those at fit, else the usual.

    Its embedding is read, too, from the folder that is given or the one at fit.
    """
    from textensor.workbench.categorizer import TextCategorizer

    categorizer, about = TextCategorizer.open(model)
    categorizer.use_embedding(embedding)
    categorizer.vectorizer_.n_jobs = n_jobs
    kept = about.metadata.get("columns")
    kept = kept if isinstance(kept, dict) else {}  # whoever wrote the file
    known = {key: str(kept[key]) for key in Columns._fields if isinstance(kept.get(key), str) and kept[key]}
    asked = {key: value for key, value in given.items() if value is not None}
    return categorizer, Columns(**{**known, **asked})


def texts_and_labels(
    data: str, text: str, label: str, separator: str | None, encoding: str | None
) -> tuple[list[str], list[Any]]:
    """Return all texts and labels of a user's documents, or of a corpus of `textensor datasets`."""
    from textensor.datasets import catalogue, load, read_documents

    if text == label:
        raise OptionError(f"--text and --label name the same column, {text!r:.80}: name one for each.")
    if data != "-" and not os.path.exists(data) and data in {row.name for row in catalogue()}:  # noqa: PTH110
        texts, labels = load(data).texts_and_labels()
    else:
        documents = read_documents(data, text=text, label=label, label_separator=separator, encoding=encoding)
        texts, labels = documents.load()
    return texts, list(labels)


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
