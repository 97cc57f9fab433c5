"""The sets by name: load one, get its files, list them all."""

import inspect
from pathlib import Path
from typing import Any

from textensor.base.progress import Progress, silent
from textensor.datasets.corpora import docstrings, newsgroups, ohsumed, rcv1, reuters, tdt2, uci, wordnet
from textensor.datasets.corpus import Corpus
from textensor.datasets.places import DatasetInfo

#: In the order of the catalogue.
_ORDER = (docstrings, reuters, newsgroups, ohsumed, wordnet, tdt2, uci, rcv1)
_SETS = {one.INFO.name: one.INFO for one in _ORDER}


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
    loader = _named(name).load
    known = list(inspect.signature(loader).parameters)
    unknown = [option for option in options if option not in known]
    if unknown:
        allowed = f"it has {', '.join(known)}" if known else "it has none"
        raise ValueError(f"The set {name!r} has no option {unknown[0]!r}; {allowed}.")
    return loader(**options)


def get(name: str, progress: Progress = silent) -> list[Path]:
    """Make sure that every file of a set is on this machine, downloading what is not.

    Parameters
    ----------
    name : str
        One of the names in :func:`catalogue`.
    progress : Progress, optional
        Called during a download with the bytes received and the bytes expected, None if they are not known.

    Returns
    -------
    list of Path
        The files; for ``"rcv1"`` the folder where scikit-learn keeps it, for ``"docstrings"`` none, because
        they are read from the installed sources.
    """
    return _named(name).get(progress)


def catalogue() -> list[DatasetInfo]:
    """List the sets there are, without loading any.

    Examples
    --------
    >>> [info.name for info in catalogue()]
    ['docstrings', 'reuters21578', '20newsgroups', 'ohsumed', 'wordnet', 'tdt2', 'uci', 'rcv1']
    >>> catalogue()[0].here
    True
    """
    return list(_SETS.values())


def _named(name: str) -> DatasetInfo:
    if name not in _SETS:
        raise ValueError(f"There is no set {name!r}; there are {', '.join(_SETS)}.")
    return _SETS[name]
