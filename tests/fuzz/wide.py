"""Models of many labels and many terms in small files: what grows with both must not hang."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from tests.files.documents import TEXTS, WORDS, quiet_fit
from textensor import TextCategorizer

N_LABELS, N_TERMS = 1500, 20_000
SIDE = 142  # a grid of 142 x 142 has room for all terms
WIDE = {f"wide {method}": method for method in ("stm", "centroid")}


def widened(name: str) -> TextCategorizer:
    """Return a categorizer that was fitted to a few texts, with weights for many more terms and labels."""
    found = quiet_fit(TextCategorizer(WIDE[name]), TEXTS, WORDS)
    numbers, model, terms = np.arange(N_LABELS), found.model_, found.vectorizer_
    words = [*terms.vocabulary_, *(f"term{k}" for k in range(N_TERMS))][:N_TERMS]
    terms._vocabulary, terms._idf = {word: k for k, word in enumerate(words)}, np.ones(N_TERMS)
    found.classes_ = np.array([f"label{k:04d}" for k in numbers])
    found.thresholds_, found.figures_, found.data_["labels"] = np.zeros(N_LABELS), {}, {}
    model.classes_, model._labels = numbers, replace(model._labels, names=numbers)
    model.n_features_in_, model.thresholds_, model.intercept_ = N_TERMS, np.zeros(N_LABELS), np.ones(N_LABELS)
    if WIDE[name] == "stm":
        model.arrangement_.permutation_, model.arrangement_.n_features_in_ = np.arange(N_TERMS), N_TERMS
        model.arrangement_.shape_ = SIDE, SIDE
        model.factors_ = [np.ones((N_LABELS, SIDE, 1), dtype=np.float32)] * 2
    else:
        model.centroids_ = sp.csr_matrix(([1.0], ([0], [0])), shape=(N_LABELS, N_TERMS))
        model.background_ = np.zeros(N_TERMS)
    return found
