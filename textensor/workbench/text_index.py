"""Texts by their likeness to another text: a folder that is made once and searched often."""

import io
import json
import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textensor.base.disk import DamageError, open_regular, reason, whole_folder, write_new
from textensor.base.kept import steps_of
from textensor.base.late.parts import clone
from textensor.base.plain import clean
from textensor.files import load, save
from textensor.reduce import FewerAxesWarning, TensorLSI
from textensor.search import DocumentIndex
from textensor.space import TermVectorizer
from textensor.workbench.texts import check_texts

#: What the folder holds: the vectors, what projects a text, and how each document begins.
VECTORS, PROJECTION, EXCERPTS = "vectors", "projection.model", "excerpts.jsonl"
#: Characters of a text that are kept.
EXCERPT = 200


class Match(NamedTuple):
    """A text that is like another: its id, the cosine of the two, and how it begins if that was kept."""

    id: str
    similarity: float
    text: str | None


def index_texts(
    folder: str | Path,
    texts: Iterable[str],
    ids: Sequence[str],
    *,
    dimensions: int = 200,
    vectorizer: TermVectorizer | None = None,
    excerpts: bool = True,
    n_jobs: int | None = None,
) -> DocumentIndex:
    """Project texts of any script by TensorLSI and write an index to a new folder, whole or not at all.

    Parameters
    ----------
    folder : path
        A folder that does not exist yet.
    texts : iterable of str
        The texts.
    ids : sequence of str
        An id for each.
    dimensions : int, default=200
        Number of dimensions of the latent space; small data has fewer.
    vectorizer : TermVectorizer or None, default=None
        Turns text into terms; None is ``TermVectorizer(scripts=True)``, words of any script.
    excerpts : bool, default=True
        Whether to keep how each text begins.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Examples
    --------
    >>> import tempfile
    >>> texts = ["wheat and maize", "maize fell", "a bank cut rates", "rates of banks"]
    >>> with tempfile.TemporaryDirectory() as place:
    ...     index = index_texts(place + "/index", texts, ["a", "b", "c", "d"], dimensions=2)
    ...     [match.id for match in search_texts(place + "/index", "maize", k=2)]
    ['a', 'b']
    """
    texts = list(check_texts(texts))
    projection, Z = project_texts(texts, dimensions, vectorizer, n_jobs)
    index = DocumentIndex(n_jobs=n_jobs)
    index.add(Z, ids)
    try:
        with whole_folder(folder) as partial:
            index.save(partial / VECTORS)
            save(projection, partial / PROJECTION, metadata={"documents": len(ids)})
            if excerpts:
                pairs = zip(ids, texts, strict=True)
                rows = ([name, clean(text[: 4 * EXCERPT], EXCERPT)] for name, text in pairs)
                write_new(partial / EXCERPTS, (json.dumps(row).encode("ascii") + b"\n" for row in rows))
    except OSError as error:
        first = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise OSError(f"{folder} was not written ({reason(first)}).") from error
    return index


def search_texts(
    folder: str | Path, text: str, k: int = 10, *, verify: bool = False, n_jobs: int | None = None
) -> list[Match]:
    """Return the texts of an index that are most like a text, at most k and none with a similarity of 0.

    Parameters
    ----------
    folder : path
        What :func:`index_texts` wrote. Nothing in it is ever run.
    text : str
        The text.
    k : int, default=10
        The number of texts to find.
    verify : bool, default=False
        Whether to compare the checksums of the index first.
    n_jobs : int or None, default=None
        Threads.
    """
    place = Path(folder)
    if not (place / VECTORS).is_dir():
        raise ValueError(f"{folder} is no index: make one with textensor index.")
    projection = load(place / PROJECTION)
    if [type(step) for step in steps_of(projection)] != [TermVectorizer, TensorLSI]:
        raise ValueError(f"{folder} is damaged ({PROJECTION} is for something else): make the index again.")
    index = DocumentIndex.load(place / VECTORS, projection, verify=verify, n_jobs=n_jobs)
    ids, similarities = index.search([text], k)
    excerpts = _excerpts(place / EXCERPTS, set(ids[0]))
    found = zip(ids[0], (round(float(likeness), 4) for likeness in similarities[0]), strict=True)
    return [Match(name, likeness, excerpts.get(name)) for name, likeness in found if likeness > 0]


def project_texts(
    texts: Sequence[str], dimensions: int, vectorizer: TermVectorizer | None, n_jobs: int | None
) -> tuple[Any, Any]:
    """Return what projects texts, fitted, and the texts projected: directions within 1,000 pairs."""
    vectorizer = TermVectorizer(scripts=True) if vectorizer is None else clone(vectorizer)
    vectorizer.set_params(n_jobs=n_jobs)
    reducer = TensorLSI(dimensions, n_pairs=max(1000, dimensions), n_jobs=n_jobs)
    from sklearn.pipeline import make_pipeline

    projection = make_pipeline(vectorizer, reducer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerAxesWarning)  # small data has fewer
        return projection, projection.fit_transform(texts)


def _excerpts(path: Path, wanted: set[str]) -> dict[str, str]:
    """Return how documents begin, if an index holds that."""
    if not os.path.lexists(path):
        return {}
    found: dict[str, str] = {}
    heads = {json.dumps([name])[:-1]: name for name in wanted}  # how the line of a document begins
    longest = max(map(len, heads), default=0) + EXCERPT * len(json.dumps(chr(0x10FFFF)))
    try:
        with open_regular(path) as raw, io.TextIOWrapper(raw, encoding="ascii", errors="replace") as file:
            while len(found) < len(heads) and (line := file.readline(longest)):
                head, separator, text = line.partition('", ')
                if head + '"' in heads:
                    found[heads[head + '"']] = _excerpt(separator and text)
    except DamageError as error:
        raise ValueError(f"{path} is damaged ({error}): make the index again.") from error
    return found


def _excerpt(text: str) -> str:
    """Return a string of JSON that ends a line."""
    try:
        return str(json.loads(text.rstrip().removesuffix("]")))
    except (ValueError, RecursionError):
        raise DamageError("a line holds no text") from None
