"""TDT2: term counts of news of 1998, as Deng Cai published them."""

import numpy as np

from textensor.datasets.corpora.layout import check_counts, read_svmlight
from textensor.datasets.corpora.originals import matlab_matrix
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.places import DataFile, DatasetInfo, obtain

FILE = DataFile(
    path="tdt2/tdt2_all.svm.xz",
    addresses=(
        "https://raw.githubusercontent.com/hiroyuki-kasai/NMFLibrary/ed44132dfe1b5495df685006b42259f0bd16bea3"
        "/applications/document_clustering/TDT2_all.mat",
    ),
    sha256="fc7c23e270159fc98b2e1fc05bbcd9f9fbb62d6d4084f2cb9f170e064cc70612",
    convert=matlab_matrix,
)
TERMS = "counts published for research; the texts are a corpus of the Linguistic Data Consortium."

DESCRIPTION = describe(
    "TDT2, term counts of news from six sources in the first half of 1998: 10021 documents x 36771 terms "
    "in 56 categories, those with 10 documents or more among the documents of one category. No term "
    "strings, no official split. The file numbers the categories by size; they carry the topic numbers of "
    "TDT2 by the sizes that the paper prints, and topics of one size stand in the paper's order.",
    "D. Cai, X. He, J. Han, Document clustering using locality preserving indexing, IEEE TKDE 17(12), "
    "2005; the categories are those of Support tensor machines for text categorization, 2006.",
    TERMS,
)

# TDT2's topic numbers for the classes 1 to 56, largest first.
# fmt: off
TOPICS = [str(20000 + number) for number in (
    1, 15, 2, 13, 70, 44, 76, 71, 12, 23, 48, 33, 39, 86, 32, 47, 19, 77, 18, 87, 96, 21, 26, 8, 56,
    37, 65, 5, 74, 9, 91, 31, 24, 42, 20, 11, 22, 17, 7, 41, 64, 89, 34, 4, 63, 43, 83, 78, 72, 29,
    93, 84, 28, 50, 85, 53,
)]
# fmt: on


def load_tdt2() -> Corpus:
    """Load the 56 categories of TDT2 that the papers use."""
    path = obtain(FILE)
    X, classes, _ = read_svmlight(path, 36771, counts=True)
    # Classes are numbered by size: these have 10 documents or more.
    rows = np.flatnonzero((classes >= 1) & (classes <= len(TOPICS)))
    X, y = X[rows], classes[rows] - 1
    sizes = np.bincount(y, minlength=len(TOPICS))
    counts = {
        "documents": (len(y), 10021),
        "labels": (int(np.count_nonzero(sizes)), 56),
        "documents in the smallest label": (int(sizes.min()), 10),
    }
    check_counts(path, "TDT2", counts)
    return Corpus(texts=None, X=X, y=y, train=None, label_names=list(TOPICS), description=DESCRIPTION)


INFO = DatasetInfo("tdt2", load_tdt2, "10,021", "56", TERMS, files=(FILE,))
