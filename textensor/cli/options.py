"""Arguments and options that several commands share, and how documents are read by them."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from textensor.datasets.readers.documents import Documents

__all__ = [
    "CHECKPOINT",
    "DASK",
    "DATA",
    "ENCODING",
    "JSON",
    "LABEL",
    "LABEL_OF_FIT",
    "MODEL",
    "N_JOBS",
    "SEED",
    "SEPARATOR",
    "SEPARATOR_OF_FIT",
    "TEXT",
    "TEXT_OF_FIT",
    "Columns",
    "OptionError",
    "as_options",
    "check_methods",
    "cluster",
    "columns_of_fit",
    "documents_of",
    "named_settings",
    "some_sign",
    "texts_and_labels",
]


#: How many threads a model file may ask for, and the largest seed that all methods take.
MOST_THREADS, LARGEST_SEED = 256, 2**32 - 1


class OptionError(ValueError):
    """What is wrong with an option, known before any data is read: exit code 2."""


def _some_threads(given: int) -> int:
    if given == 0 or given > MOST_THREADS:
        raise OptionError(
            f"--n-jobs is a number of threads up to {MOST_THREADS}, or -1 for all processors, not {given}."
        )
    return given


def _known_encoding(given: str | None) -> str | None:
    try:
        "".encode(given or "utf-8")
    except (LookupError, ValueError):
        raise OptionError(f"--encoding is one that Python knows, as cp1250, not {given!r:.40}.") from None
    return given


def some_sign(given: str | None) -> str | None:
    """Refuse nothing at all as what stands between labels."""
    if given == "":
        raise OptionError("--label-separator is what stands between labels, such as |, and not empty.")
    return given


#: Seconds to wait for a scheduler's answer.
CONNECT = 10

DATA = typer.Argument(
    help="CSV, TSV, JSON lines, parquet, a folder with a folder for each label, or - for standard input."
)
MODEL = typer.Argument(help="A model file, as `textensor fit` writes it.")
TEXT = typer.Option("text", "--text", metavar="COLUMN", help="The column of the text.")
LABEL = typer.Option("label", "--label", metavar="COLUMN", help="The column of the label.")
SEPARATOR = typer.Option(
    None,
    "--label-separator",
    metavar="SIGN",
    callback=some_sign,
    help="What stands between several labels of a document.",
)
TEXT_OF_FIT = typer.Option(
    None, "--text", metavar="COLUMN", help="The column of the text; by default its name at fit."
)
LABEL_OF_FIT = typer.Option(
    None, "--label", metavar="COLUMN", help="The column of the label; by default its name at fit."
)
SEPARATOR_OF_FIT = typer.Option(
    None,
    "--label-separator",
    metavar="SIGN",
    callback=some_sign,
    help="What stands between several labels of a document; by default what it was at fit.",
)
ENCODING = typer.Option(
    None,
    "--encoding",
    callback=_known_encoding,
    help="Of the file, where it is neither UTF-8 nor cp1252.",
)
N_JOBS = typer.Option(
    -1,
    "--n-jobs",
    callback=_some_threads,
    help="Threads, -1 for all processors; results do not depend on it.",
)
JSON = typer.Option(False, "--json", help="Print JSON.")
SEED: dict[str, Any] = {"min": 0, "max": LARGEST_SEED}
DASK = typer.Option(
    None, "--dask", metavar="ADDRESS", help="Run on the workers of this Dask scheduler, as tcp://HOST:8786."
)
CHECKPOINT = typer.Option(
    None, "--checkpoint", metavar="DIR", help="Keep in this folder what is done, and go on from there."
)


class Columns(NamedTuple):
    """Where documents have their text and labels, and what stands between several labels."""

    text: str = "text"
    label: str = "label"
    separator: str | None = None


def columns_of_fit(model: str, **given: str | None) -> Columns:
    """Return the columns that are given, else those that the model was fitted on, else the usual ones."""
    from textensor.files import describe

    kept = describe(model).metadata.get("columns")
    kept = kept if isinstance(kept, dict) else {}  # whoever wrote the file
    known = {key: str(kept[key]) for key in Columns._fields if isinstance(kept.get(key), str) and kept[key]}
    asked = {key: value for key, value in given.items() if value is not None}
    return Columns(**{**known, **asked})


@contextmanager
def cluster(address: str | None) -> Iterator[None]:
    """Run what is inside the block on the workers of a Dask scheduler, if its address is given."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError('--dask needs another package: pip install "textensor[dask]".') from error
    from textensor.parallel import on_cluster

    client = None
    with suppress(OSError, ValueError, TypeError):
        client = Client(address, timeout=CONNECT)
    if client is None:
        # A client that found nobody closes itself when it is collected: here, not in some thread of another.
        gc.collect()
        raise OSError(f"No Dask scheduler answers at {address!r:.100}: see that it runs there.")
    with client:
        if not client.scheduler_info()["workers"]:
            raise OSError(f"The Dask scheduler at {address!r:.100} has no workers: start some.")
        with on_cluster(client):
            yield


def documents_of(data: str, text: str, label: str | None, **options: Any) -> "Documents":
    """Open a user's documents, the first of them read."""
    from textensor.datasets.readers.documents import read_documents

    return read_documents(data, text=text, label=label, **options)


def texts_and_labels(
    data: str, text: str, label: str, separator: str | None, encoding: str | None
) -> tuple[list[str], list[Any]]:
    """Return all texts and labels of a user's documents, or of a corpus of `textensor datasets`."""
    if text == label:
        raise OptionError(f"--text and --label name the same column, {text!r:.80}: name one for each.")
    if not os.path.exists(data) and data != "-":  # noqa: PTH110
        corpus = _corpus(data)
        if corpus is not None:
            return corpus
    documents = documents_of(data, text, label, label_separator=separator, encoding=encoding)
    texts, labels = documents.load()
    return texts, list(labels)


def _corpus(name: str) -> tuple[list[str], list[Any]] | None:
    """Return the texts and labels of a corpus of that name, if there is one that has text."""
    from textensor.datasets import catalogue, load

    if name not in {row.name for row in catalogue()}:
        return None
    corpus = load(name)
    if corpus.texts is None:
        raise ValueError(f"The corpus {name} has no texts, only counts of terms: take another.")
    names = corpus.label_names
    if not corpus.multilabel:
        return corpus.texts, [names[k] for k in corpus.y]
    starts = corpus.y.indptr
    return corpus.texts, [
        tuple(names[k] for k in corpus.y.indices[starts[d] : starts[d + 1]]) for d in range(len(corpus.texts))
    ]


def as_options(message: str) -> str:
    """Turn what a message says of Python's arguments into what it says of options."""
    for argument, option in (
        ("text= and label=", "--text and --label"),
        ("pass another label=, or label=None to read unlabelled documents", "name another with --label"),
        ("or pass label=None to read unlabelled documents", "as there is nothing to learn from"),
        ("encoding=", "--encoding"),
        ("set n_pairs to less", "ask for fewer --dimensions"),
        ("pass a larger max_document_bytes", "cut it into several"),
        ("pass a larger max_bytes if you trust the data", "cut the data into several files"),
    ):
        message = message.replace(argument, option)
    return message


def check_methods(option: str, names: list[str], settings: dict[str, Any] | None = None) -> None:
    """Refuse methods that there are not, one that comes twice, and settings that a method has not."""
    from textensor.workbench.methods import method_named

    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"{option} names {twice!r:.80} twice: name each method once.")
    try:
        methods = [method_named(name) for name in names if name != "auto"]
        if settings is not None and len(methods) == 1:
            methods[0].make(settings)
    except ValueError as error:
        raise OptionError(f"{option}: {error}") from error


def named_settings(given: list[str] | None) -> dict[str, Any] | None:
    """Read KEY=VALUE pairs; values are numbers, true, false or words."""
    import json

    settings: dict[str, Any] = {}
    for pair in given or []:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise OptionError(f"A setting is written KEY=VALUE, not {pair!r}.")
        try:
            settings[key] = json.loads(value)
        except ValueError:
            settings[key] = value
        if isinstance(settings[key], list):
            settings[key] = tuple(settings[key])
    return settings or None
