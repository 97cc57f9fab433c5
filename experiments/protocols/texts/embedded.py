"""Raw text in, one label out, from few labels: with nothing pretrained, a static model or a sentence encoder.

Seconds are those of a processor, fitting and predicting from raw text, encoding included, and megabytes those
of all that is needed to predict, weights of others included.
"""

import os
import pickle
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from experiments.data import data
from experiments.encoders import (
    MINILM,
    MINILM_TOKENIZER,
    STATIC,
    sentence_vectors,
    size_of,
    unpacked,
)
from experiments.engine.declare import Cell
from experiments.protocols.split import Task, task
from experiments.protocols.steps import record, tuned, warm_up
from textensor import TextCategorizer
from textensor.base.arrays import Floats
from textensor.evaluate import f1_by_argmax
from textensor.space import StaticEmbedding
from textensor.workbench.embedding import PROBES


def classify(cell: Cell) -> dict[str, Any]:
    """Fit a method to the labelled documents of a split, and to the texts of others if it reads them."""
    found, settings = data(cell.data), cell.settings
    of = task(found, settings, cell.split, official="labels" in settings or settings.get("official", False))
    texts = found.texts or []
    encoder = _encoder(cell.data, settings.get("encoder"))
    warm_up()
    fitted = METHODS[settings["method"]](settings, encoder)
    start = time.process_time()
    n_read = fitted.fit(texts, found.y, of)
    middle = time.process_time()
    scores, classes = fitted.scores([texts[row] for row in of.test])
    end = time.process_time()
    return {
        "argmax": record(f1_by_argmax(found.y[of.test], scores, classes=classes)),
        "seconds": {
            "fit": round(middle - start + encoder.seconds * n_read, 2),
            "predict": round(end - middle + encoder.seconds * len(of.test), 2),
        },
        "megabytes": round((fitted.n_bytes() + encoder.n_bytes) / 1e6, 2),
        **fitted.about(),
    }


class Encoder(NamedTuple):
    """What encodes texts, its bytes on disk, and the seconds of a text if it is looked up and not encoded."""

    encode: Any
    n_bytes: int = 0
    seconds: float = 0.0


def _encoder(name: str, kind: str | None) -> Encoder:
    if kind is None:
        return Encoder(None)
    if kind == "static":
        os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one thread, as all others have
        return Encoder(StaticEmbedding(unpacked(STATIC)), size_of(STATIC))
    return _looked_up(name)


@cache
def _looked_up(name: str) -> Encoder:
    """Return the vectors of MiniLM of all texts of a set, and of those that an embedding is known by."""
    texts = sorted({*(data(name).texts or []), *PROBES})
    encoded = sentence_vectors(texts)
    number = {text: k for k, text in enumerate(texts)}

    def encode(some: Sequence[str]) -> Floats:
        return encoded.vectors[[number[text] for text in some]]

    return Encoder(encode, size_of(MINILM, MINILM_TOKENIZER), encoded.seconds)


class Pipeline:
    """A pipeline of scikit-learn, which reads the labelled documents only."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make

    def fit(self, texts: Sequence[str], y: Any, of: Task) -> int:
        """Fit it, and return how many documents it read."""
        self.model = self._make(y[of.labelled]).fit([texts[row] for row in of.labelled], y[of.labelled])
        return len(of.labelled)

    def scores(self, texts: Sequence[str]) -> tuple[Floats, Any]:
        """Return the scores of documents, and the classes."""
        return self.model.decision_function(texts), self.model.classes_

    def n_bytes(self) -> int:
        """Return the bytes of what was fitted."""
        return sum(len(pickle.dumps(_lean(step))) for _, step in self.model.steps if not _is_encoder(step))

    def about(self) -> dict[str, Any]:
        """Return what else is known of it."""
        return {}


def _lean(step: Any) -> Any:
    """Return what is needed of a step to predict, without what a search leaves in it."""
    if isinstance(step, GridSearchCV):
        return step.best_estimator_
    if isinstance(step, LogisticRegressionCV):
        return step.coef_, step.intercept_
    return step


def _is_encoder(step: Any) -> bool:
    return isinstance(step, StaticEmbedding | FunctionTransformer)


class Categorizer:
    """A TextCategorizer, which reads the texts of the pool, too."""

    def __init__(self, settings: Any, encoder: Encoder) -> None:
        options = dict(settings["options"])
        if options.get("time_budget") == "none":
            options["time_budget"] = float("inf")
        self.model = TextCategorizer(embedding=encoder.encode, n_jobs=1, **options)

    def fit(self, texts: Sequence[str], y: Any, of: Task) -> int:
        """Fit it, and return how many documents it read."""
        labels = [int(label) for label in y[of.labelled]] + [None] * len(of.pool)
        self.model.fit([texts[row] for row in of.text], labels)
        return len(labels)

    def scores(self, texts: Sequence[str]) -> tuple[Floats, Any]:
        """Return the scores of documents, and the classes."""
        return self.model.predict_scores(texts), self.model.classes_

    def n_bytes(self) -> int:
        """Return the bytes of the model file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "my.model"
            self.model.save(path)
            return path.stat().st_size

    def about(self) -> dict[str, Any]:
        """Return what a search chose, and what it saw on held-out folds."""
        if len(self.model.tried_) < 2:
            return {}
        chosen = {"settings": self.model.settings_, "embedding": self.model.embedding_ is not None}
        return {"chosen": {"method": self.model.method_, **chosen}, "tried": self.model.tried_}


def _logistic(settings: Any, y: Any) -> Any:
    """Return logistic regression as model2vec has it, or with C from a grid for classes of few documents."""
    if "C" not in settings:
        return LogisticRegressionCV()
    return tuned(LogisticRegression(max_iter=1000), settings["C"], y)


def _tfidf_logistic(settings: Any, encoder: Encoder) -> Pipeline:
    del encoder
    return Pipeline(lambda y: make_pipeline(TfidfVectorizer(), _logistic(settings, y)))


def _tfidf_svm(settings: Any, encoder: Encoder) -> Pipeline:
    """Return a linear SVM whose C is chosen on the labelled documents."""
    del encoder
    return Pipeline(
        lambda y: make_pipeline(
            TfidfVectorizer(sublinear_tf=True), tuned(LinearSVC(random_state=0), settings["C"], y)
        )
    )


def _encoded_logistic(settings: Any, encoder: Encoder) -> Pipeline:
    encode = encoder.encode
    step = encode if hasattr(encode, "transform") else FunctionTransformer(encode)
    return Pipeline(lambda y: make_pipeline(step, _logistic(settings, y)))


METHODS: dict[str, Callable[[Any, Encoder], Any]] = {
    "TF-IDF, logistic regression": _tfidf_logistic,
    "TF-IDF, SVM": _tfidf_svm,
    "encoder, logistic regression": _encoded_logistic,
    "categorizer": Categorizer,
}
