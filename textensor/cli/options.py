"""Arguments and options that several commands share, and what their values may be."""

import inspect
import json
import re
from collections.abc import Callable
from functools import wraps
from itertools import chain
from typing import Any

import typer

#: How many threads a model file may ask for, and the largest seed that all methods take.
MOST_THREADS, LARGEST_SEED = 256, 2**32 - 1
#: The largest number that a setting may be.
LARGEST = 2**63 - 1


class OptionError(ValueError):
    """What is wrong with an option, known before any data is read: exit code 2."""


def only(holds: Callable[[Any], bool], otherwise: str) -> Callable[[Any], Any]:
    """Return the callback of an option that refuses what does not hold, with a sentence that names it."""

    def look(given: Any) -> Any:
        if given is not None and not holds(given):
            raise OptionError(otherwise.format(given))
        return given

    return look


def _is_encoding(given: str) -> bool:
    try:
        "".encode(given)
    except (LookupError, ValueError):
        return False
    return True


def _column(what: str, default: str | None) -> Any:
    said = f"Column of the {what}" + ("." if default else "; by default its name at fit.")
    return typer.Option(default, f"--{what}", metavar="COLUMN", help=said)


def separator(said: str) -> Any:
    """Return the option of what stands between several labels."""
    some = only(bool, "--label-separator is what stands between labels, such as |, and not empty.")
    return typer.Option(None, "--label-separator", metavar="SIGN", callback=some, help=said)


DATA = typer.Argument(
    help="CSV, TSV, JSON lines, Excel, parquet, a folder with a folder for each label, - for standard input."
)
MODEL = typer.Argument(help="A model file, as `textensor fit` writes it.")
QUOTED = typer.Argument(help="The text, between quotes; - reads it from standard input.")
TEXT, TEXT_OF_FIT = _column("text", "text"), _column("text", None)
LABEL, LABEL_OF_FIT = _column("label", "label"), _column("label", None)
SEPARATOR = separator("Separator between several labels of a document.")
SEPARATOR_OF_FIT = separator("Separator between several labels of a document; by default the one at fit.")
RENAME = typer.Option(
    None, "--rename", metavar="TABLE", help="Table of labels to rename, as `textensor check --fix` writes it."
)
ENCODING = typer.Option(
    None,
    "--encoding",
    callback=only(_is_encoding, "--encoding is one that Python knows, as cp1250, not {!r:.40}."),
    help="File encoding, if it is neither UTF-8 nor Windows-1252.",
)
N_JOBS = typer.Option(
    -1,
    "--n-jobs",
    callback=only(
        lambda given: given != 0 and given <= MOST_THREADS,
        f"--n-jobs is a number of threads up to {MOST_THREADS}, or -1 for all processors, not {{}}.",
    ),
    help="Threads, -1 for all processors; results do not depend on it.",
)
OUT = typer.Option("-", "--output", "-o", metavar="FILE", help="File to write; - is standard output.")
JSON = typer.Option(False, "--json", help="Print JSON.")
SEED = typer.Option(0, "--seed", min=0, max=LARGEST_SEED, help="Random seed.")
DIMENSIONS = typer.Option(200, "--dimensions", min=1, help="Number of dimensions of the latent space.")
REPORT = typer.Option(None, "--report", metavar="FILE", help="Write a page of HTML too.")
DASK = typer.Option(
    None, "--dask", metavar="ADDRESS", help="Run on the workers of this Dask scheduler, as tcp://HOST:8786."
)
CHECKPOINT = typer.Option(
    None, "--checkpoint", metavar="DIR", help="Folder to keep finished work in, and to go on from."
)
EMBEDDING = typer.Option(
    None,
    "--embedding",
    metavar="DIR",
    help="Folder of a static embedding model (model2vec's format) that semantic-svm reads beside terms.",
)
EMBEDDING_OF_FIT = typer.Option(
    None,
    "--embedding",
    metavar="DIR",
    help="Folder of the embedding at fit, if it was moved.",
)
_KINDS = ("auto", "words", "bigrams", "characters", "both")
#: Stands in the signature of a command where `with_terms` puts the options of the terms.
TERMS: Any = object()


def _terms(
    features: str = typer.Option(
        "auto",
        "--features",
        metavar="KIND",
        callback=only(_KINDS.__contains__, f"--features is one of {', '.join(_KINDS)}, not {{!r:.40}}."),
        help="Features: words, bigrams (and words), characters (n-grams of 3 to 5), both, or auto to search.",
    ),
    language: str | None = typer.Option(
        None, "--language", metavar="NAME", help="Language of stop words and stems, such as english."
    ),
    stop_words: bool = typer.Option(False, "--stop-words", help="Leave out the stop words of the language."),
    min_df: float | None = typer.Option(
        None,
        "--min-df",
        metavar="NUMBER",
        callback=only(
            lambda given: 0 < given < 1 or (given >= 1 and given % 1 == 0),
            "--min-df is a number of documents, or a share between 0 and 1, not {:g}.",
        ),
        help="Number or share of documents below which a term is left out.",
    ),
    stem: bool = typer.Option(False, "--stem", help="Reduce words to their stems."),
) -> dict[str, Any]:
    """Return the parameters of a categorizer that say what its terms are."""
    if language is None and (stop_words or stem):
        given = "--stop-words" if stop_words else "--stem"
        raise OptionError(f"{given} needs a --language, such as --language english.")
    if language is not None:
        from textensor.space import LANGUAGES

        if language not in LANGUAGES:
            raise OptionError(f"--language is one of {', '.join(LANGUAGES)}, not {language!r:.40}.")
    if min_df is not None and min_df >= 1:
        min_df = int(min_df)
    return {
        "features": features,
        "language": language,
        "stop_words": stop_words,
        "min_df": min_df,
        "stem": stem,
    }


def with_terms(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `_terms` instead of its parameter ``terms``, which gets their values."""
    own, shared = inspect.signature(command), inspect.signature(_terms).parameters
    listed = [shared.values() if one.default is TERMS else [one] for one in own.parameters.values()]

    @wraps(command)
    def run(**given: Any) -> None:
        terms = _terms(**{name: given.pop(name) for name in shared})
        command(**given, terms=terms)

    # typer reads the options of a command from its signature.
    vars(run)["__signature__"] = own.replace(parameters=list(chain.from_iterable(listed)))
    return run


def as_options(message: str) -> str:
    """Turn what a message says of Python's arguments into what it says of options."""
    message = re.sub(r"language='(\w+)' with stem=True", r"--language \1 --stem", message)
    for argument, option in (
        ("name yours with text=", "name yours with --text"),
        ("name yours with label=", "name yours with --label"),
        ("pass another label=, or label=None to read unlabelled documents", "name another with --label"),
        (", or pass label=None to read unlabelled documents", ""),
        ("encoding=", "--encoding"),
        ("embedding=", "--embedding"),
        ("pass tuples of labels", "name their separator with --label-separator"),
        ("give a tuple of labels for each document", "name the separator with --label-separator"),
        ("rename as check_documents suggests", "textensor check --fix writes a table for --rename"),
        ("give labels that documents share", "name the column of the labels with --label"),
        ("set n_pairs to less", "ask for fewer --dimensions"),
        (", or pass quote=None if fields are not quoted", ""),
        (" (max_document_bytes)", ""),
        ("pass a larger max_document_bytes", "cut it into several"),
        ("pass a larger max_bytes if you trust the data", "cut the data into several files"),
    ):
        message = message.replace(argument, option)
    return message


def check_methods(option: str, names: list[str], settings: dict[str, Any] | None = None) -> None:
    """Refuse unknown methods, a method named twice, and settings that a method does not have or allow."""
    from textensor.base.checks import check_parameters
    from textensor.base.kept import steps_of
    from textensor.workbench.methods import method_named

    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"{option} names {twice!r:.80} twice: name each method once.")
    try:
        methods = [method_named(name) for name in names if name != "auto"]
    except ValueError as error:
        raise OptionError(f"{option}: {error}") from error
    try:
        if settings is not None and len(methods) == 1:
            for step in steps_of(methods[0].make(settings)):
                if hasattr(step, "_parameters"):
                    check_parameters(step)
    except ValueError as error:
        raise OptionError(f"--set: {error}") from error


def key_and_value(pair: str, what: str) -> tuple[str, str]:
    """Read KEY=VALUE."""
    key, equals, value = pair.partition("=")
    if not equals or not key:
        raise OptionError(f"{what} is written KEY=VALUE, not {pair!r}.")
    return key, value


def named_settings(given: list[str] | None) -> dict[str, Any] | None:
    """Read KEY=VALUE pairs; values are numbers, true, false or words."""
    settings: dict[str, Any] = {}
    for pair in given or []:
        key, value = key_and_value(pair, "A setting")
        try:
            settings[key] = json.loads(value)
        except (ValueError, RecursionError):
            settings[key] = value
        if isinstance(settings[key], int) and abs(settings[key]) > LARGEST:
            raise OptionError(f"--set {key:.80} is a number of {len(value):,} digits: give a smaller one.")
        if isinstance(settings[key], list):
            settings[key] = tuple(settings[key])
    return settings or None
