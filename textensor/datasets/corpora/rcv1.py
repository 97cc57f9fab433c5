"""RCV1-v2, through scikit-learn's fetcher and its own cache."""

import os
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

from textensor.base.progress import Progress, silent
from textensor.datasets.corpora.layout import check_counts
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.download import failure
from textensor.datasets.places import DatasetInfo

TERMS = "copyright Reuters Ltd.; for research purposes only."

DESCRIPTION = describe(
    "RCV1-v2 with its 103 topics: 804414 newswire stories x 47236 terms, multilabel, and the "
    "chronological LYRL2004 split, 23149 training and 781265 test documents. X has cosine-normalised log "
    "tf-idf values, not counts, as published; there is no text. Downloaded and kept by scikit-learn.",
    "D. D. Lewis, Y. Yang, T. G. Rose, F. Li, RCV1: a new benchmark collection for text categorization "
    "research, JMLR 5, 2004.",
    TERMS,
)

N_TRAIN = 23149
_FILES = ("samples_py3.pkl", "sample_id_py3.pkl", "sample_topics_py3.pkl", "topics_names_py3.pkl")


def folder() -> Path:
    """Where scikit-learn keeps RCV1; it need not exist."""
    home = os.environ.get("SCIKIT_LEARN_DATA") or Path("~") / "scikit_learn_data"
    return Path(home).expanduser() / "RCV1"


def is_here() -> bool:
    """Whether scikit-learn has downloaded all of RCV1."""
    return all((folder() / name).is_file() for name in _FILES)


def load_rcv1() -> Corpus:
    """Load RCV1-v2: about 700 MB to download the first time, and over 1 GB of memory."""
    from sklearn.datasets import fetch_rcv1

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Retry downloading")  # the error says enough
            fetched = fetch_rcv1(subset="all", shuffle=False)
    except (OSError, EOFError) as error:
        raise FileNotFoundError(
            f"RCV1 is not complete on this machine, and downloading it failed ({failure(error)}): run "
            f"sklearn.datasets.fetch_rcv1() where there is a network, and copy its files to {folder()}."
        ) from error
    X, y = sparse.csr_array(fetched.data), sparse.csr_array(fetched.target).astype(np.int8)
    counts = {"documents": (X.shape[0], 804414), "terms": (X.shape[1], 47236), "labels": (y.shape[1], 103)}
    check_counts(folder(), "RCV1-v2", counts)
    train = np.arange(X.shape[0]) < N_TRAIN
    names = [str(name) for name in fetched.target_names]
    return Corpus(texts=None, X=X, y=y, train=train, label_names=names, description=DESCRIPTION)


class _KeptByScikit(DatasetInfo):
    """A set whose files scikit-learn downloads and keeps."""

    @property
    def here(self) -> bool:
        return is_here()

    def get(self, progress: Progress = silent) -> list[Path]:  # noqa: ARG002  # scikit-learn reports none
        if not is_here():
            load_rcv1()
        return [folder()]


INFO = _KeptByScikit("rcv1", load_rcv1, "804,414", "103", TERMS)
