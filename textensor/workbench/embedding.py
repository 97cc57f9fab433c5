"""Embeddings that users bring: a folder of a static model, a transformer or a function, told apart later.

A model file keeps no embedding, only a mark of the one that was used: the SHA-256 of a folder, or the vectors
of a few known texts. What is given later must bear the same mark.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Floats, normalize
from textensor.base.checks import Rule
from textensor.base.disk import absolute
from textensor.base.kept import floats, keeps, none_or, require, size, text
from textensor.base.late.parts import NotFittedError
from textensor.base.plain import clean
from textensor.base.store import digest
from textensor.space import EmbeddingError, StaticEmbedding

#: Texts that are embedded at a time.
BATCH = 256
#: What the embedding of a transformer or function is known by.
PROBES = (
    "The farmer sowed wheat in March.",
    "Interest rates rose by half a point, and the bank lent less money than in the year before.",
    "the",
    "A ship lay in the harbour; at low tide its anchor could be seen in the mud, and boats beside it.",
    "Der Zug nach Wien hat zehn Minuten Verspätung.",
    "La lettre est arrivée trop tard.",
    "明日は雨が降るでしょう。",
    "1987, 42% and x = 3.5",
)
#: How far the vectors of a probe may be apart, as 1 - cosine: another processor rounds otherwise.
NEAR = 1e-4
_SHA256 = Rule(
    "a SHA-256 in hexadecimal digits",
    lambda value: type(value) is str and len(value) == 64 and set(value) <= set("0123456789abcdef"),
)


@keeps(
    name=text,
    n_dimensions=size("n_embedding"),
    folder=none_or(text),
    sha256=none_or(_SHA256),
    probes=none_or(floats(len(PROBES), "n_embedding")),
)
@dataclass(frozen=True)
class EmbeddingMark:
    """What a model file keeps of an embedding.

    Attributes
    ----------
    name : str
        Name of the folder, the class or the function.
    n_dimensions : int
        How many numbers a vector has.
    folder, sha256 : str or None
        Where a static model was, and the SHA-256 of its files.
    probes : ndarray or None
        What a transformer or function made of known texts, unit length.
    """

    name: str
    n_dimensions: int
    folder: str | None
    sha256: str | None
    probes: Floats | None

    def _check_kept(self) -> None:
        require((self.sha256 is None) != (self.probes is None), "it does not say what it is known by")
        require((self.sha256 is None) == (self.folder is None), "it does not say where it was")

    def card(self) -> dict[str, Any]:
        """Return a summary, as JSON has it."""
        return {
            "name": self.name,
            "dimensions": self.n_dimensions,
            "folder": self.folder,
            "sha256": self.sha256,
        }


class Embedding:
    """Texts as vectors, by what a user gave: the result is checked.

    Parameters
    ----------
    given : path, transformer or callable
        A folder of a static model; an object with ``transform(texts)``, fitted, or with ``encode(texts)``, as
        models of model2vec and sentence-transformers have it; or a function of a list of texts. All but the
        first return an array with a row for each text.
    """

    def __init__(self, given: Any) -> None:
        if isinstance(given, str | os.PathLike):
            given = StaticEmbedding(absolute(Path(given)))
        call = next((getattr(given, name) for name in ("transform", "encode") if hasattr(given, name)), given)
        if isinstance(given, type) or not callable(call):
            raise EmbeddingError(
                f"embedding must be the path of a folder, a transformer or a function, not {given!r:.80}."
            )
        self.given, self._call = given, call
        self.static = given if isinstance(given, StaticEmbedding) else None
        self.name = clean(self._name(), 100)
        self._n_dimensions: int | None = None

    def _name(self) -> str:
        if self.static is not None:
            return Path(self.static.folder).name or str(self.static.folder)
        return str(getattr(self.given, "__name__", type(self.given).__name__))

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts, one row each."""
        found = [self._checked(texts[start : start + BATCH], start) for start in range(0, len(texts), BATCH)]
        return np.concatenate(found) if found else np.empty((0, self._n_dimensions or 0))

    def fingerprint(self) -> str:
        """Return what vectors depend on in a short form, for checkpoints."""
        mark = self.mark()
        return mark.sha256 or digest({"probes": np.asarray(mark.probes).round(4).tolist()})

    def mark(self) -> EmbeddingMark:
        """Return what it is known by."""
        if self.static is not None:
            folder, sha256 = str(absolute(Path(self.static.folder))), self.static.sha256_
            return EmbeddingMark(self.name, self.static.n_dimensions, folder, sha256, None)
        probes = normalize(self.vectors(PROBES))
        return EmbeddingMark(self.name, probes.shape[1], None, None, probes)

    def _checked(self, texts: Sequence[str], start: int) -> Floats:
        """Return the vectors of a batch; refuse what is not one row of finite numbers for each text."""
        try:
            found = self._call(list(texts))
        except NotFittedError as error:
            raise EmbeddingError(
                f"The embedding {self.name} is not fitted: fit it before, and if it is cloned, as in a "
                "cross-validation, wrap it in sklearn.frozen.FrozenEstimator."
            ) from error
        if sp.issparse(found):
            raise EmbeddingError(f"The embedding {self.name} returns a sparse matrix: it must be dense.")
        try:
            vectors = np.array(found, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise EmbeddingError(f"The embedding {self.name} returns no array of numbers.") from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.shape[1] == 0:
            raise EmbeddingError(
                f"The embedding {self.name} returns an array of shape {vectors.shape} for {len(texts)} "
                "texts: it must have a row for each text."
            )
        if self._n_dimensions is not None and vectors.shape[1] != self._n_dimensions:
            raise EmbeddingError(
                f"The embedding {self.name} returns {vectors.shape[1]} dimensions for text {start + 1} and "
                f"{self._n_dimensions} before: it must always return as many."
            )
        self._n_dimensions = vectors.shape[1]
        with np.errstate(over="ignore"):
            bad = np.flatnonzero(~np.isfinite(np.square(vectors).sum(axis=1)))
        if len(bad):
            raise EmbeddingError(
                f"The embedding {self.name} returns numbers that are not finite, or too large, for text "
                f"{start + int(bad[0]) + 1}."
            )
        return vectors


def same_embedding(given: Any, mark: EmbeddingMark) -> Embedding:
    """Return an embedding if it bears a mark; one that is not given is looked for where it was.

    A folder that a model file names is read only if it is on this machine, and its contents are not looked at
    unless they have the right SHA-256.
    """
    wanted = f"The model was fitted with the embedding {clean(mark.name, 100)}"
    if given is None:
        if mark.folder is None:
            raise EmbeddingError(
                f"{wanted}, a function or transformer of Python: load the model there and give it."
            )
        remote = mark.folder.startswith(("//", "\\\\"))
        if remote or not Path(mark.folder).is_absolute() or not _is_folder(mark.folder):
            raise EmbeddingError(
                f"{wanted}, which is not at {clean(mark.folder, 300)}: give its folder as embedding=."
            )
        given = mark.folder
    found = Embedding(given)
    if (found.static is None) != (mark.sha256 is None):
        kind = "a folder of a static model" if mark.sha256 is not None else "a function or transformer"
        raise EmbeddingError(f"{wanted}, {kind}, and {found.name} is none: give the same as embedding=.")
    if not _bears(found, mark):
        raise EmbeddingError(f"{wanted}, and {found.name} is another one: give the same as embedding=.")
    return found


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _bears(found: Embedding, mark: EmbeddingMark) -> bool:
    if found.static is not None:
        return found.static.sha256_ == mark.sha256 and found.static.n_dimensions == mark.n_dimensions
    vectors = normalize(found.vectors(PROBES))
    if mark.probes is None or vectors.shape != mark.probes.shape:
        return False
    empty = ~vectors.any(axis=1) & ~mark.probes.any(axis=1)
    return bool((empty | ((vectors * mark.probes).sum(axis=1) >= 1 - NEAR)).all())


def beside(X: Any, vectors: Floats) -> sp.csr_matrix:
    """Return documents with their embedding in the last columns."""
    return sp.csr_matrix(sp.hstack([X, sp.csr_matrix(vectors)], format="csr"))


def embedded_blocks(
    transform_blocks: Callable[[Iterable[str]], Iterator[Any]],
    texts: Iterable[str],
    embedding: Embedding | None,
) -> Iterator[Any]:
    """Return an iterator over texts in blocks of rows, as a vectorizer makes them, with their embedding."""
    if embedding is None:
        return transform_blocks(texts)
    waiting: deque[str] = deque()

    def read() -> Iterator[str]:
        for one in texts:
            waiting.append(one)
            yield one

    blocks = transform_blocks(read())
    return (beside(X, embedding.vectors([waiting.popleft() for _ in range(X.shape[0])])) for X in blocks)


def reasons_by_word(
    parts: Sequence[tuple[str, float]],
    text: str,
    embedding: Embedding,
    amounts: Callable[[Floats], Floats],
    top: int,
    lowercase: bool,
) -> list[tuple[str, float]]:
    """Return the parts of an explanation, with what a static model gives divided among the words of the text.

    Parameters
    ----------
    parts : sequence of (name, amount)
        All terms and dimensions of the embedding, the latter called ``"(embedding)"``, and then what is no
        term's, in brackets. What another embedding gives stays one part.
    text : str
        The text.
    embedding : Embedding
        The embedding.
    amounts : callable
        Returns what parts of the embedding of the text give.
    top : int
        How many terms to name.
    lowercase : bool
        Whether terms are in lower case: a word is added to the term of its name.
    """
    terms: dict[str, float] = {}
    rest: dict[str, float] = {}
    for name, amount in parts:
        into = rest if name in _REST else terms
        into[name] = into.get(name, 0.0) + amount
    if embedding.static is not None:
        terms.pop("(embedding)", None)
        words, vectors = embedding.static.words(text)
        for word, amount in zip(words, amounts(vectors).tolist(), strict=True):
            name = word.lower() if lowercase else word
            terms[name] = terms.get(name, 0.0) + amount
    order = sorted(terms, key=lambda name: -abs(terms[name]))
    rest["(all other terms)"] += sum(terms[name] for name in order[top:])
    return [*((name, terms[name]) for name in order[:top]), *rest.items()]


#: Parts of an explanation that are no term's.
_REST = ("(all other terms)", "(intercept)", "(threshold)", "(coordinates)")
