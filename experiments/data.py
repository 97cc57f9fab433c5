"""The data sets by name, in the form their protocols take, and the splits of their rows."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import normalize

from experiments.engine.declare import SEED
from textensor.base.arrays import Rows
from textensor.datasets import Corpus, load, make_documents
from textensor.evaluate import SmallSampleSplit
from textensor.space import CharTrigramVectorizer, TermVectorizer


class Data(NamedTuple):
    """Documents, their classes (or an indicator), the official training part, and what labels are called."""

    X: Any
    y: Any
    train: Any
    labels: list[str]
    texts: list[str] | None = None


def _matrix(name: str, *, unit: bool = True, **options: Any) -> Data:
    """Return a set that comes as a matrix."""
    corpus = load(name, **options)
    X = sp.csr_matrix(corpus.X, dtype=np.float64)
    return Data(normalize(X) if unit else X, corpus.y, corpus.train, corpus.label_names)


def _texts(corpus: Corpus, vectorizer: Any) -> Data:
    """Learn the terms and their weights from the training part alone."""
    texts = corpus.texts or []
    train = corpus.train
    vectorizer.fit([text for text, here in zip(texts, train, strict=True) if here])  # type: ignore[arg-type]
    return Data(vectorizer.transform(texts), corpus.y, train, corpus.label_names, texts)


def _damped(counted: Data) -> Data:
    """Weigh counts by (1 + log tf) * sqrt(log(n/df)), n and df those of the training part."""
    X = sp.csr_matrix(counted.X, dtype=np.float64)
    df = np.bincount(X[counted.train].indices, minlength=X.shape[1])
    X.data = 1 + np.log(X.data)
    idf = np.log(np.count_nonzero(counted.train) / np.maximum(df, 1))
    return counted._replace(X=normalize(X @ sp.diags(np.sqrt(idf))).tocsr())


def _all_texts(corpus: Corpus, vectorizer: Any) -> Data:
    """Learn the terms from all documents; protocols weigh counts by those that may be read."""
    X = vectorizer.fit_transform(corpus.texts or [])
    return Data(X, corpus.y, corpus.train, corpus.label_names, corpus.texts)


def _plain(corpus: Corpus) -> Data:
    """Return texts alone; without an official split 60% of each class are the training part, drawn once."""
    train = corpus.train
    if train is None:
        train = np.zeros(corpus.n_documents, dtype=bool)
        train[rows(corpus.y, None, {"fraction": 0.6}, 0)[0]] = True
    return Data(None, corpus.y, train, corpus.label_names, corpus.texts)


def _plane() -> Data:
    """Return two positive clouds on either side of a negative one, in two dimensions (minmax-svm Fig. 1)."""
    rng = np.random.default_rng(SEED)
    centres = np.array([[-2.0, -2.0], [2.0, 2.0], [0.0, 0.0]])
    X = np.concatenate([centre + 0.5 * rng.standard_normal((40, 2)) for centre in centres])
    y = np.repeat([1, 1, 0], 40)
    return Data(X, y, np.ones(len(y), dtype=bool), ["negative", "positive"])


def _training(corpus: Corpus) -> Data:
    """Return unit tf * log(n/df) of the training part, of terms that two documents have."""
    some = np.flatnonzero(np.asarray(corpus.train))
    texts = corpus.texts or []
    X = TermVectorizer(min_df=2).fit_transform([texts[row] for row in some])
    return Data(X, np.asarray(corpus.y)[some], np.ones(len(some), dtype=bool), corpus.label_names)


def _stand_in() -> Data:
    """Return made-up documents, terms and labels, as many as RCV1's; the four largest labels."""
    corpus = make_documents(n_documents=33_149, n_terms=47_236, n_labels=103, random_state=0)
    X = sp.csr_matrix(TfidfTransformer().fit_transform(corpus.X.astype(np.float64)))
    train = np.arange(X.shape[0]) < 23_149
    return Data(X, sp.csr_matrix(corpus.y)[:, :4], train, [f"label {q}" for q in range(4)])


def _forms(name: str, corpus: Callable[[], Corpus]) -> dict[str, Callable[[], Data]]:
    """Return a set of lrwmmc §2 as stems without stop words and as trigrams.

    The weights of stems are tf * log(n/df), damped ones, or counts.
    """
    stems = partial(TermVectorizer, stop_words="english", stemmer="english")
    counts = partial(stems, weighting="tf", norm=None)
    return {
        name: lambda: _texts(corpus(), stems()),
        f"{name}-counts": lambda: _texts(corpus(), counts()),
        f"{name}-damped": lambda: _damped(_texts(corpus(), counts())),
        f"{name}-trigrams": lambda: _texts(corpus(), CharTrigramVectorizer()),
    }


#: Unit tf without stop words (tensorlsi §5.2), and counts.
_TF = partial(TermVectorizer, weighting="tf", stop_words="english")
_COUNTS = partial(TermVectorizer, weighting="tf", norm=None)
_PARTS = ("headers", "footers", "quotes")
_MULTILABEL = {"subset": "modapte90"}
_UCI = ("adult", "breast-cancer", "diabetes", "ionosphere", "mushrooms", "sonar")

#: How to get each set. Tests put small ones in their places.
LOADERS: dict[str, Callable[[], Data]] = {
    "reuters41": partial(_matrix, "reuters21578", matrix="cai"),
    "reuters41-counts": partial(_matrix, "reuters21578", matrix="cai", unit=False),
    "reuters41-text": lambda: _all_texts(load("reuters21578"), _TF()),
    "tdt2": partial(_matrix, "tdt2"),
    **{f"uci-{name}": partial(_matrix, "uci", subset=name, unit=False) for name in _UCI},
    **_forms("reuters52", partial(load, "reuters21578", subset="modlewis52")),
    **_forms("ohsumed", partial(load, "ohsumed")),
    **_forms("20newsgroups", partial(load, "20newsgroups")),
    "reuters90": lambda: _texts(load("reuters21578", **_MULTILABEL), TermVectorizer()),
    "reuters90-sklearn": lambda: _texts(load("reuters21578", **_MULTILABEL), TfidfVectorizer()),
    "20newsgroups-raw": lambda: _all_texts(load("20newsgroups"), _COUNTS()),
    "ohsumed-raw": lambda: _all_texts(load("ohsumed"), _COUNTS()),
    "20newsgroups-stripped": lambda: _plain(load("20newsgroups", remove=_PARTS)),
    "reuters41-texts": lambda: _plain(load("reuters21578")),
    "20newsgroups-texts": lambda: _plain(load("20newsgroups")),
    "reuters52-texts": lambda: _plain(load("reuters21578", subset="r52")),
    "docstrings-texts": lambda: _plain(load("docstrings")),
    "ohsumed-texts": lambda: _plain(load("ohsumed")),
    "wordnet-texts": lambda: _plain(load("wordnet")),
    "reuters90-texts": lambda: _plain(load("reuters21578", **_MULTILABEL)),
    "20newsgroups-training": lambda: _training(load("20newsgroups")),
    "made-up": _stand_in,
    "rcv1": partial(_matrix, "rcv1", unit=False),
    "plane": _plane,
}


@lru_cache(maxsize=2)
def data(name: str) -> Data:
    """Return a set by its name; the last two stay in memory."""
    return LOADERS[name]()


def rows(y: Any, train: Any, settings: Mapping[str, Any], split: int) -> tuple[Rows, Rows]:
    """Return the training and test rows of a split.

    With ``fraction`` in the settings that part of every class, ``at_least`` so many documents of each, drawn
    by the ``split seed`` if there is one; else the official split.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([0, 1], 10)
    >>> [len(part) for part in rows(y, None, {"fraction": 0.3}, 0)]
    [6, 14]
    """
    if "fraction" not in settings:
        return np.flatnonzero(train), np.flatnonzero(~train)
    splitter = SmallSampleSplit(
        settings["fraction"],
        settings.get("at_least", 2),
        n_splits=split + 1,
        random_state=settings.get("split seed", SEED),
    )
    return list(splitter.split(y, y))[split]
