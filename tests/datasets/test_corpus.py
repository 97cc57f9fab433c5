import dataclasses

import numpy as np
import pytest
from scipy import sparse

from textensor.datasets import Corpus


def corpus(**changes):
    parts = {
        "texts": ["a", "b"],
        "X": None,
        "y": np.array([0, 1]),
        "train": None,
        "label_names": ["x", "y"],
        "description": "two letters",
    }
    return Corpus(**(parts | changes))


def test_says_its_size_and_not_its_contents():
    assert repr(corpus(texts=["secret", "text"])) == "Corpus(2 documents, 2 labels)"
    full = corpus(texts=None, X=sparse.csr_array((2, 5)), train=np.array([True, False]))
    assert repr(full) == "Corpus(2 documents, 5 terms, 2 labels, 1 train / 1 test)"


def test_parts_of_different_length_are_refused():
    for part in (
        {"texts": ["a"]},
        {"X": sparse.csr_array((3, 5))},
        {"train": np.array([True])},
        {"y": np.array([0])},
    ):
        with pytest.raises(ValueError, match="differ in their number of documents"):
            corpus(**part)


def test_indicator_means_multilabel():
    assert not corpus().multilabel
    assert corpus(y=sparse.csr_array((2, 2))).multilabel
    assert corpus(y=sparse.csr_array((2, 2))).n_documents == 2


def test_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        corpus().description = "other"


def test_no_documents():
    empty = corpus(texts=[], y=np.array([], dtype=int), train=np.array([], dtype=bool))
    assert repr(empty) == "Corpus(0 documents, 2 labels, 0 train / 0 test)"
