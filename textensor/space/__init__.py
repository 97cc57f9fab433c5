"""Documents to vectors to tensors. Nothing here learns from labels."""

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
