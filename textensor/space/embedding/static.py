"""Texts as the mean of the vectors of their tokens, from a folder in the format of model2vec."""

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Array, Floats
from textensor.base.checks import Rule, check_parameters, whole
from textensor.base.disk import DamageError, reason
from textensor.base.kept import require
from textensor.base.late.parts import BaseEstimator, TransformerMixin
from textensor.base.plain import clean
from textensor.space.embedding.tokens import Tokens, well_formed, words_at

#: Bytes that the files of a folder may have; the first of each name that is there is read.
MOST_BYTES = {"model.safetensors": 1 << 32, "tokenizer.json": 1 << 26, "config.json": 1 << 20}
#: Bytes that safetensors may say of its arrays; there are three.
MOST_HEADER = 1 << 20
MOST_DIMENSIONS = 1 << 13
#: The largest number in a vector: squares and sums stay finite.
LARGEST = 1e18
#: Names of the vectors, as model2vec and sentence-transformers write them.
VECTORS = ("embeddings", "embedding.weight")
_FLOATS, _WHOLE = ("F64", "F32", "F16", "I8"), ("I64", "I32")
#: Added to the length of a vector before it is divided by it, as model2vec does.
_TINY = 1e-32
#: Texts whose tokens are held at a time.
BLOCK = 1024
_PATH = Rule("the path of a folder", lambda value: isinstance(value, str | os.PathLike))


class EmbeddingError(ValueError):
    """An embedding that cannot be read, or is not the one that a model was fitted with."""


class StaticModel(NamedTuple):
    """What a folder holds: vectors, weights by token, the vector of each token, and more."""

    vectors: Array
    weights: Array | None
    mapping: Array | None
    tokens: Tokens
    normalize: bool


class StaticEmbedding(TransformerMixin, BaseEstimator):
    """Turn texts into the mean of their tokens' vectors, as a static model in a folder has them.

    The folder is in the format of model2vec: ``model.safetensors`` with the vectors, ``tokenizer.json``, and
    ``config.json`` if there is one. It is read from disk and never fetched, and nothing in it is run. The
    vectors are those of ``model2vec.StaticModel.encode``. The extra ``textensor[embeddings]`` has the
    packages that read it.

    Parameters
    ----------
    folder : path
        The folder.
    max_tokens : int, default=512
        How many tokens of a text are read.

    Attributes
    ----------
    sha256_ : str
        SHA-256 of the files and of ``max_tokens``.

    Notes
    -----
    There is nothing to fit. The folder is read when the first text is.
    """

    _parameters: ClassVar[dict[str, Rule]] = {"folder": _PATH, "max_tokens": whole(1, 1 << 20)}

    def __init__(self, folder: str | Path, *, max_tokens: int = 512) -> None:
        self.folder = folder
        self.max_tokens = max_tokens

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002
        """Read the folder; the texts are not looked at."""
        check_parameters(self)
        for name in ("_model", "sha256_"):
            self.__dict__.pop(name, None)
        _ = self._model
        return self

    def transform(self, X: Sequence[str]) -> Floats:
        """Return the vectors of texts, one row each; a text without known tokens has zeros."""
        if isinstance(X, str):
            raise TypeError("The texts are a single string: give a list of texts.")
        check_parameters(self)
        model, found = self._model, []
        numbers = model.tokens.numbers(X, self.max_tokens)
        try:
            while part := list(islice(numbers, BLOCK)):
                found.append(self._means(part))
        except DamageError as error:
            raise self._error(error) from error
        vectors = np.concatenate([*found, np.empty((0, self.n_dimensions))])
        if model.normalize:
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + _TINY
        return vectors

    def words(self, text: str) -> tuple[list[str], Floats]:
        """Return the words of a text and the part that each has in its vector: the parts sum to it.

        A word that is several tokens has the sum of theirs, and a word that is there twice is there twice.
        Punctuation counts as words of its own.
        """
        check_parameters(self)
        text = well_formed(text)
        try:
            places = self._model.tokens.places(text, self.max_tokens)
        except DamageError as error:
            raise self._error(error) from error
        parts = self._rows(np.array([token.number for token in places], dtype=np.int64))
        parts /= max(len(places), 1)
        if self._model.normalize:
            parts /= np.linalg.norm(parts.sum(axis=0)) + _TINY
        return words_at(text, places), parts

    @property
    def n_dimensions(self) -> int:
        """How many numbers a vector has."""
        return int(self._model.vectors.shape[1])

    @cached_property
    def sha256_(self) -> str:
        """SHA-256 of the files and of ``max_tokens``."""
        found = hashlib.sha256(f"max_tokens={self.max_tokens}\n".encode())
        try:
            for name in MOST_BYTES:
                if (path := self._path(name)) is not None:
                    found.update(f"{name}={path.stat().st_size}\n".encode())
                    with path.open("rb") as file:
                        while block := file.read(1 << 20):
                            found.update(block)
        except (OSError, DamageError) as error:
            raise self._error(error) from error
        return found.hexdigest()

    @cached_property
    def _model(self) -> StaticModel:
        try:
            return self._read()
        except (OSError, DamageError, MemoryError) as error:
            raise self._error(error) from error

    def _error(self, error: BaseException) -> EmbeddingError:
        return EmbeddingError(
            f"{clean(str(self.folder), 300)} cannot be read as a static model: {reason(error)[:300]}. "
            "Give a folder in the format of model2vec, with model.safetensors and tokenizer.json."
        )

    def _path(self, name: str) -> Path | None:
        """Return the path of a file that may be read, None for settings that are not there."""
        path = Path(self.folder) / name
        try:
            about = path.stat()  # links are followed: the store of Hugging Face is made of them
        except FileNotFoundError:
            require(path.parent.is_dir(), "there is no such folder")
            require(name == "config.json", f"there is no {name}")
            return None
        except ValueError as error:  # a path that cannot be
            raise DamageError("there is no such folder") from error
        require(stat.S_ISREG(about.st_mode), f"{name} is not a regular file")
        require(about.st_size <= MOST_BYTES[name], f"{name} has more than {MOST_BYTES[name] >> 20} MiB")
        return path

    def _contents(self, name: str) -> bytes:
        path = self._path(name)
        if path is None:
            return b"{}"
        with path.open("rb") as file:
            return file.read(MOST_BYTES[name])

    def _read(self) -> StaticModel:
        """Read the folder, and refuse what would not work."""
        try:
            import safetensors
            import tokenizers  # noqa: F401
        except ImportError as error:
            raise ImportError(
                "Reading a static model needs tokenizers and safetensors; run: "
                'pip install "textensor[embeddings]"'
            ) from error
        path = self._path("model.safetensors")
        assert path is not None  # noqa: S101
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
        require(length <= MOST_HEADER, "model.safetensors is no file of safetensors, or of many arrays")
        try:
            with safetensors.safe_open(path, framework="numpy") as file:
                vectors = _array(file, VECTORS, _FLOATS, 2)
                weights = _array(file, ("weights",), _FLOATS, 1)
                mapping = _array(file, ("mapping",), _WHOLE, 1)
        except safetensors.SafetensorError as error:
            raise DamageError(f"model.safetensors is damaged: {reason(error)[:200]}") from error
        if vectors is None:
            raise DamageError("model.safetensors does not have an array named embeddings")
        require(0 < vectors.shape[1] <= MOST_DIMENSIONS, f"its vectors have {vectors.shape[1]} dimensions")
        for array in (vectors, weights):
            require(array is None or _are_usable(array), "it holds numbers that are not finite or too large")
        tokens = Tokens(self._contents("tokenizer.json"))
        for array in (vectors if mapping is None else mapping, weights):
            fits = array is None or len(array) >= tokens.n_tokens
            require(fits, "it does not have a vector for each token")
        if mapping is not None and len(mapping):
            within = mapping.min() >= 0 and mapping.max() < len(vectors)
            require(within, "its mapping names a vector that is not there")
        return StaticModel(vectors, weights, mapping, tokens, _is_normal(self._contents("config.json")))

    def _rows(self, numbers: Any) -> Floats:
        """Return the vectors of tokens, each with its weight."""
        model = self._model
        rows = model.vectors[numbers if model.mapping is None else model.mapping[numbers]].astype(np.float64)
        if model.weights is not None:
            rows *= model.weights[numbers].astype(np.float64)[:, None]
        return rows

    def _means(self, numbers: list[list[int]]) -> Floats:
        """Return the means of tokens' vectors, texts x dimensions."""
        lengths = np.array([len(one) for one in numbers], dtype=np.int64)
        flat = np.fromiter((number for one in numbers for number in one), np.int64, lengths.sum())
        used, columns = np.unique(flat, return_inverse=True)
        share = np.repeat(1.0 / np.maximum(lengths, 1), lengths)
        shape = (len(numbers), len(used))
        means = sp.csr_matrix((share, columns, np.append(0, np.cumsum(lengths))), shape=shape)
        return np.asarray(means @ self._rows(used))

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002
        """Return a name for each dimension."""
        return np.array([f"embedding{k}" for k in range(self.n_dimensions)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _array(file: Any, names: Sequence[str], dtypes: Sequence[str], dimensions: int) -> Array | None:
    """Return an array by the first of its names that is there, looked at before it is read."""
    name = next((name for name in names if name in file.keys()), None)  # noqa: SIM118 (a file, not a dict)
    if name is None:
        return None
    about = file.get_slice(name)
    dtype, shape = about.get_dtype(), about.get_shape()
    require(dtype in dtypes, f"its array {name} is of {dtype}, not of {', '.join(dtypes)}")
    require(len(shape) == dimensions, f"its array {name} has {len(shape)} dimensions, not {dimensions}")
    return np.asarray(file.get_tensor(name))


def _are_usable(array: Array) -> bool:
    """Return whether all numbers are finite, and their squares are."""
    if not array.size or array.dtype.kind == "i":
        return True
    return bool(np.isfinite(array).all()) and max(float(array.max()), -float(array.min())) <= LARGEST


def _is_normal(config: bytes) -> bool:
    """Return whether a configuration says that vectors get unit length."""
    try:
        found = json.loads(config)
    except (ValueError, RecursionError) as error:
        raise DamageError("config.json is not JSON") from error
    require(isinstance(found, dict), "config.json is not an object")
    return found.get("normalize") is True
