"""Documents to vectors to tensors. Nothing here learns from labels."""

from typing import TYPE_CHECKING

from textensor.base import later

if TYPE_CHECKING:
    from textensor.space.arrange import Arrangement
    from textensor.space.csr_files import read_csr, write_csr
    from textensor.space.embedding.static import EmbeddingError, StaticEmbedding
    from textensor.space.random_features import RandomTensorFeatures
    from textensor.space.semantic import SemanticArrangement
    from textensor.space.tensors import TermTensors
    from textensor.space.terms import TermVectorizer
    from textensor.space.text.counted import CountedTexts
    from textensor.space.text.languages import LANGUAGES, stop_words_of
    from textensor.space.text.scripts import scripts_of
    from textensor.space.trigrams import CharTrigramVectorizer

__all__ = [
    "LANGUAGES",
    "Arrangement",
    "CharTrigramVectorizer",
    "CountedTexts",
    "EmbeddingError",
    "RandomTensorFeatures",
    "SemanticArrangement",
    "StaticEmbedding",
    "TermTensors",
    "TermVectorizer",
    "read_csr",
    "scripts_of",
    "stop_words_of",
    "write_csr",
]

#: What is imported when it is first used, and from where.
_LATER = {
    "Arrangement": "arrange",
    "CharTrigramVectorizer": "trigrams",
    "CountedTexts": "text.counted",
    "EmbeddingError": "embedding.static",
    "LANGUAGES": "text.languages",
    "RandomTensorFeatures": "random_features",
    "SemanticArrangement": "semantic",
    "StaticEmbedding": "embedding.static",
    "TermTensors": "tensors",
    "TermVectorizer": "terms",
    "read_csr": "csr_files",
    "scripts_of": "text.scripts",
    "stop_words_of": "text.languages",
    "write_csr": "csr_files",
}
__getattr__ = later(__name__, _LATER)
