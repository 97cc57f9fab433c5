"""The documents that the models of the zoo are fitted on and asked about, as texts, vectors and labels."""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from textensor.space import TermVectorizer

TEXTS = [
    "the farmer sowed wheat and barley in the spring rain",
    "wheat and maize were harvested before the autumn rain",
    "barley bread is baked from the flour of the harvest",
    "the mill ground maize and wheat to flour",
    "the bank raised its rates and lent less money",
    "money was cheap as the bank cut the rates of its loans",
    "the loan was repaid to the bank with interest",
    "interest rates fell and money left the bank",
    "the ship sailed from the harbour with the evening tide",
    "at low tide the harbour was full of mud and boats",
    "boats and a ship lay at anchor in the storm",
    "the storm broke the anchor and the ship drifted",
]
WORDS = np.repeat(["grain", "money", "sea"], 4)
TWO = np.repeat(["no", "yes"], [8, 4])
NUMBERS = np.repeat([3, 5, 8], 4)
SEMI = np.where(np.arange(12) % 4 < 2, NUMBERS, -1)
MANY = np.column_stack([NUMBERS == 3, NUMBERS != 5, np.arange(12) % 2]).astype(int)
SEVERAL = [(word, "early") if k % 2 else (word,) for k, word in enumerate(WORDS.tolist())]
VECTORS = TermVectorizer().fit_transform(TEXTS)
COUNTS = CountVectorizer().fit_transform(TEXTS).astype(float)
DENSE = VECTORS.toarray()
FRESH = [
    "wheat in the storm",
    "the bank of the harbour",
    "nothing known",
    "",
    "money, money and barley bread",
]
FRESH_VECTORS = TermVectorizer().fit(TEXTS).transform(FRESH)
FRESH_COUNTS = CountVectorizer().fit(TEXTS).transform(FRESH).astype(float)


def wider(X):
    """Return vectors with as many columns again that hold nothing: most weights are 0."""
    return sp.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], 2 * X.shape[1]))


def quiet_fit(model, X, *y):
    """Fit a model without its warnings: the documents are few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, *y)
