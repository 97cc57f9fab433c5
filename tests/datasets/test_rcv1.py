"""RCV1 through scikit-learn's fetcher, with another one in its place: the real set is 700 MB."""

import re
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets as scikit

from textensor.datasets import catalogue, get, load
from textensor.datasets.corpora import rcv1


@pytest.fixture
def fetcher(bare_machine, monkeypatch):
    """Stand in for fetch_rcv1: a test sets what it returns or raises and sees what it was asked."""
    state = SimpleNamespace(asked=[], answer=None)

    def fetch_rcv1(**options):
        state.asked.append(options)
        if isinstance(state.answer, Exception):
            raise state.answer
        return state.answer

    monkeypatch.setattr(scikit, "fetch_rcv1", fetch_rcv1)
    return state


def bunch(n_documents=804414, n_terms=47236, n_labels=103):
    rows = np.arange(n_documents)
    data = sparse.csr_matrix((np.ones(n_documents), (rows, rows % n_terms)), shape=(n_documents, n_terms))
    ones = np.ones(n_documents, dtype=np.uint8)
    target = sparse.csr_matrix((ones, (rows, rows % n_labels)), shape=(n_documents, n_labels))
    names = np.array([f"T{i}" for i in range(n_labels)], dtype=object)
    return SimpleNamespace(data=data, target=target, target_names=names)


def test_topics_and_split(fetcher):
    fetcher.answer = bunch()
    corpus = load("rcv1")
    assert fetcher.asked == [{"subset": "all", "shuffle": False}]
    assert repr(corpus) == "Corpus(804414 documents, 47236 terms, 103 labels, 23149 train / 781265 test)"
    assert corpus.train[:23149].all()
    assert corpus.multilabel
    assert corpus.y.dtype == np.int8
    assert corpus.label_names[102] == "T102"
    assert "not counts" in corpus.description
    assert corpus.texts is None


@pytest.mark.parametrize(
    "error",
    [
        URLError("no network"),
        URLError(OSError(111, "x")),
        TimeoutError("slow"),
        OSError("SHA256 differs"),
        EOFError(),
    ],
)
def test_a_failing_download_is_one_sentence(fetcher, error, tmp_path):
    fetcher.answer = error
    for ask in (load, get):
        with pytest.raises(FileNotFoundError, match="downloading it failed") as caught:
            ask("rcv1")
        assert str(tmp_path / "scikit" / "RCV1") in str(caught.value)
        assert not re.search(r"\n|urlopen|Errno", str(caught.value))


def test_counts_are_asserted(fetcher):
    fetcher.answer = bunch(n_documents=1000)
    with pytest.raises(ValueError, match="1000 documents instead of 804414"):
        load("rcv1")


def test_here_when_scikit_learn_has_it(fetcher):
    def here():
        return {info.name: info.here for info in catalogue()}["rcv1"]

    rcv1.folder().mkdir(parents=True)
    for name in rcv1._FILES:
        assert not here()
        (rcv1.folder() / name).touch()
    assert here()
    assert get("rcv1") == [rcv1.folder()]
    assert fetcher.asked == []


def test_looks_where_scikit_learn_looks(bare_machine, monkeypatch):
    assert str(rcv1.folder()) == f"{scikit.get_data_home()}/RCV1"
    monkeypatch.delenv("SCIKIT_LEARN_DATA")
    monkeypatch.setenv("HOME", str(bare_machine.parent))
    assert str(rcv1.folder()) == f"{scikit.get_data_home()}/RCV1"
