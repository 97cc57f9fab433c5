"""The sets by name: load one, get its files, list them all."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textensor.datasets import docstrings, newsgroups, ohsumed, rcv1, reuters, tdt2, uci
from textensor.datasets import places as storage
from textensor.datasets.corpus import Corpus
from textensor.datasets.download import Progress
from textensor.datasets.places import DataFile


@dataclass(frozen=True)
class DatasetInfo:
    """One line of the catalogue.

    Attributes
    ----------
    name : str
        What :func:`load` calls it.
    documents, labels : str
        How many; of the default subset where there are several.
    options : str
        The options of :func:`load`, empty if there are none.
    terms : str
        The terms of use in a few words.
    here : bool
        Whether it loads without a download.
    """

    name: str
    documents: str
    labels: str
    options: str
    terms: str
    here: bool


@dataclass(frozen=True)
class _Entry:
    loader: Callable[..., Corpus]
    documents: str
    labels: str
    options: str
    terms: str
    files: tuple[DataFile, ...] = ()


_ENTRIES = {
    "docstrings": _Entry(docstrings.load_docstrings, "about 7,000", "about 60", "", docstrings.TERMS),
    "reuters21578": _Entry(
        reuters.load_reuters,
        "8,213",
        "41",
        f"subset={', '.join(reuters.SUBSETS)}; matrix=cai",
        reuters.TERMS,
        reuters.FILES,
    ),
    "20newsgroups": _Entry(
        newsgroups.load_newsgroups,
        "18,846",
        "20",
        f"remove={', '.join(newsgroups.PARTS)}",
        newsgroups.TERMS,
        newsgroups.FILES,
    ),
    "ohsumed": _Entry(ohsumed.load_ohsumed, "7,400", "23", "", ohsumed.TERMS, ohsumed.FILES),
    "tdt2": _Entry(tdt2.load_tdt2, "10,021", "56", "", tdt2.TERMS, tdt2.FILES),
    "uci": _Entry(
        uci.load_uci, "208 to 32,561", "2", f"subset={', '.join(uci.SUBSETS)}", uci.TERMS, uci.FILES
    ),
    "rcv1": _Entry(rcv1.load_rcv1, "804,414", "103", "", rcv1.TERMS),
}


def load(name: str = "docstrings", **options: Any) -> Corpus:
    """Load a corpus by name.

    Files come from the folder that the environment variable ``TEXTENSOR_DATA`` names, else from the cache,
    else from the public address where the set is published.

    Parameters
    ----------
    name : str, default="docstrings"
        One of the names in :func:`catalogue`.
    **options
        ``subset=`` and ``matrix=`` for ``"reuters21578"``, ``remove=`` for ``"20newsgroups"``, ``subset=``
        for ``"uci"``.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If there is no such name or option, or a file is not what it should be.
    FileNotFoundError
        If the set is nowhere to be had; the message says which file to put where.

    Examples
    --------
    >>> corpus = load("docstrings")
    >>> corpus.n_documents > 1000
    True
    """
    entry = _entry(name)
    known = list(inspect.signature(entry.loader).parameters)
    unknown = [option for option in options if option not in known]
    if unknown:
        allowed = f"it has {', '.join(known)}" if known else "it has none"
        raise ValueError(f"The set {name!r} has no option {unknown[0]!r}; {allowed}.")
    return entry.loader(**options)


def get(name: str, progress: Progress | None = None) -> list[Path]:
    """Make sure that every file of a set is on this machine, downloading what is not.

    Parameters
    ----------
    name : str
        One of the names in :func:`catalogue`.
    progress : callable, optional
        Called during a download with the bytes received and the bytes expected, or None where these are
        not known.

    Returns
    -------
    list of Path
        The files; for ``"rcv1"`` the folder where scikit-learn keeps it, for ``"docstrings"`` none, because
        they are read from the installed sources.
    """
    entry = _entry(name)
    if entry.loader is rcv1.load_rcv1:
        if not rcv1.is_here():
            rcv1.load_rcv1()
        return [rcv1.folder()]
    return [storage.obtain(file, progress) for file in entry.files]


def catalogue() -> list[DatasetInfo]:
    """List the sets there are, without loading any.

    Examples
    --------
    >>> [info.name for info in catalogue()]
    ['docstrings', 'reuters21578', '20newsgroups', 'ohsumed', 'tdt2', 'uci', 'rcv1']
    >>> catalogue()[0].here
    True
    """
    return [
        DatasetInfo(name, entry.documents, entry.labels, entry.options, entry.terms, _is_here(entry))
        for name, entry in _ENTRIES.items()
    ]


def _is_here(entry: _Entry) -> bool:
    if entry.loader is rcv1.load_rcv1:
        return rcv1.is_here()
    return all(storage.find(file.path) is not None for file in entry.files)


def _entry(name: str) -> _Entry:
    if name not in _ENTRIES:
        raise ValueError(f"There is no set {name!r}; there are {', '.join(_ENTRIES)}.")
    return _ENTRIES[name]
