"""Ohsumed: medical abstracts with one of 23 disease classes."""

import functools

from textensor.datasets.corpora.layout import read_labelled
from textensor.datasets.corpora.originals import labelled_folders
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.places import DataFile, DatasetInfo, obtain

CONTENT_HASH = "95ed3a4ffa4447e44be7a292cdc547c710232f5f615a1b399f6227183d54db45"

FILE = DataFile(
    path="ohsumed-single23/ohsumed-single23.jsonl.xz",
    addresses=(
        "https://github.com/yao8839836/text_gcn/archive/962223652e9bb164ac2d83cd09fc7b8845ce860b.tar.gz",
    ),
    convert=functools.partial(
        labelled_folders,
        name=r"ohsumed_single_23/(training|test)/(C\d\d)/(\d+)",
        content_hash=CONTENT_HASH,
    ),
)
TERMS = "no licence is stated; MEDLINE abstracts, used for research."

DESCRIPTION = describe(
    "Ohsumed, the 7400 MEDLINE abstracts of 1991 that belong to exactly one of 23 MeSH classes of "
    "diseases (C01 to C23): 3357 for training and 4043 for test. A text is the title and the abstract. "
    "This is the subset of Yao et al., not the TREC-9 filtering data.",
    "W. Hersh, C. Buckley, T. J. Leone, D. Hickam, OHSUMED: an interactive retrieval evaluation and new "
    "large test collection for research, SIGIR 1994; L. Yao, C. Mao, Y. Luo, Graph convolutional networks "
    "for text classification, AAAI 2019.",
    TERMS,
)


def load_ohsumed() -> Corpus:
    """Load the single-label Ohsumed abstracts."""
    return read_labelled(obtain(FILE), "the single-label Ohsumed set", (3357, 4043, 23), DESCRIPTION)


INFO = DatasetInfo("ohsumed", load_ohsumed, "7,400", "23", TERMS, files=(FILE,))
