"""The part of a categorizer that knows of embeddings."""

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np

from textensor.base.kept import dropped, keeps, none_or, part
from textensor.base.late.parts import check_is_fitted
from textensor.space import EmbeddingError, TermVectorizer
from textensor.workbench.embedding import (
    Embedding,
    EmbeddingMark,
    beside,
    embedded_blocks,
    same_embedding,
)
from textensor.workbench.texts import check_texts


@keeps(embedding_=none_or(part(EmbeddingMark)), _embedding=dropped, embedding=dropped)
class WithEmbedding:
    """What reads texts as terms and, if it was fitted with one, as an embedding."""

    embedding: Any
    vectorizer_: TermVectorizer
    model_: Any
    embedding_: EmbeddingMark | None
    _embedding: Embedding | None

    def use_embedding(self, embedding: Any = None) -> Self:
        """Read texts with this embedding, which must be the one that the model was fitted with.

        Parameters
        ----------
        embedding : path, transformer, callable or None
            As at ``fit``. None is the folder at ``fit``, if it is still there.

        Raises
        ------
        EmbeddingError
            It is not there, it cannot be read, or it is another one.
        """
        check_is_fitted(self)
        if self.embedding_ is not None:
            self._embedding = same_embedding(embedding, self.embedding_)
        elif embedding is not None:
            raise EmbeddingError("The model reads no embedding: leave it out.")
        return self

    def knows(self, texts: Iterable[str]) -> list[bool]:
        """Return for each text whether anything in it is known: a term, or to the embedding."""
        return [bool(n) for X in self._blocks(texts) for n in np.diff(X.indptr)]

    def _keep_embedding(self, embedding: Embedding | None) -> None:
        """Set the embedding that the model reads, None for none."""
        self._embedding = embedding
        self.embedding_ = None if embedding is None else embedding.mark()

    def _blocks(self, texts: Iterable[str]) -> Iterator[Any]:
        """Return an iterator over texts in blocks of rows, with their embedding if the model reads one."""
        return embedded_blocks(self.vectorizer_.transform_blocks, check_texts(texts), self._source())

    def _source(self) -> Embedding | None:
        """Return the embedding, None if the model reads none."""
        if self.embedding_ is not None and getattr(self, "_embedding", None) is None:
            self.use_embedding(self.embedding)
        return None if self.embedding_ is None else self._embedding

    @property
    def _n_embedding(self) -> int:
        return 0 if self.embedding_ is None else self.embedding_.n_dimensions

    def _wide(self, X: Any) -> Any:
        """Return documents of terms alone as the model takes them: with an embedding of zeros."""
        return beside(X, np.zeros((X.shape[0], self._n_embedding))) if self._n_embedding else X
