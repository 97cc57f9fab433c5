"""The methods that read an embedding, and the vectors of all documents, made once and within the time."""

import inspect
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from textensor.base.arrays import Floats
from textensor.base.progress import TimeUpError, check_time, time_left
from textensor.workbench.embedding import BATCH, Embedding, beside
from textensor.workbench.methods import METHODS, Method


class EmbeddedTexts:
    """The embedding of all documents, which is the same in every fold because it learns from none of them.

    Parameters
    ----------
    embedding : Embedding
        Makes the vectors.
    texts : sequence of str
        The documents.
    """

    def __init__(self, embedding: Embedding, texts: Sequence[str]) -> None:
        self.embedding, self._texts = embedding, texts
        self._blocks: list[Floats] = []
        self._seconds = 0.0

    def beside(self, X: Any) -> sp.csr_matrix:
        """Return documents with their embedding in the last columns.

        What was embedded before the time was up is kept for the next attempt.
        """
        n_done = sum(map(len, self._blocks))
        while n_done < len(self._texts):
            # A slow embedding of many documents is given up at once, and not when the time is up.
            if n_done and self._seconds / n_done * (len(self._texts) - n_done) > time_left():
                raise TimeUpError("The embedding takes more than the time that is left.")
            check_time()
            start = time.monotonic()
            self._blocks.append(self.embedding.vectors(self._texts[n_done : n_done + BATCH]))
            self._seconds += time.monotonic() - start
            n_done += len(self._blocks[-1])
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks)]
        return beside(X, self._blocks[0])


def reading_methods() -> list[str]:
    """Return the names of the methods that can read an embedding beside terms.

    Examples
    --------
    >>> reading_methods()
    ['semantic-svm']
    """
    return [name for name, method in METHODS.items() if reads_embedding(method)]


def reads_embedding(method: Method) -> bool:
    """Return whether a method can read an embedding beside terms."""
    return "n_embedding" in inspect.signature(method.kind).parameters
