"""Reuters-21578: subsets of the text, and Cai's term matrix."""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

from textensor.datasets.corpora.layout import (
    check_counts,
    check_split,
    index_labels,
    read_records,
    read_svmlight,
)
from textensor.datasets.corpora.originals import (
    check_hash,
    hash_records,
    json_lines,
    matlab_matrix,
    read_members,
)
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.places import DataFile, DatasetInfo, obtain

_KEYS = ("newid", "lewissplit", "topics_attr", "topics", "text_type", "title", "body")
_CONTROLS = dict.fromkeys((*range(9), 11, *range(14, 32), 127))


def reuters_sgml(archive: IO[bytes], content_hash: str) -> list[bytes]:
    """Convert the 22 SGML files of Reuters-21578."""
    records = []
    for _, content in read_members(archive, r"reut2-\d\d\d\.sgm"):
        blocks = re.finditer(r"<REUTERS([^>]*)>(.*?)</REUTERS>", content.decode("latin-1"), re.DOTALL)
        records += [_reuters_record(block.group(1), block.group(2)) for block in blocks]
    records.sort(key=lambda record: record["newid"])
    check_hash(hash_reuters(records), content_hash)
    return json_lines(records)


def hash_reuters(records: Iterable[dict[str, Any]]) -> str:
    """Hash what the loader uses of Reuters-21578."""
    return hash_records(records, (*_KEYS, "text"))


def _reuters_record(attributes: str, block: str) -> dict[str, Any]:
    attribute = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
    text = re.search(r"<TEXT([^>]*)>(.*)</TEXT>", block, re.DOTALL)
    topics = re.search(r"<TOPICS>(.*?)</TOPICS>", block, re.DOTALL)
    if text is None or topics is None or not {"NEWID", "LEWISSPLIT", "TOPICS"} <= attribute.keys():
        raise ValueError(f"the document with the attributes{attributes} is not one of Reuters-21578")
    kind = re.search(r'TYPE="(\w+)"', text.group(1))
    record = {
        "newid": int(attribute["NEWID"]),
        "lewissplit": attribute["LEWISSPLIT"],
        "topics_attr": attribute["TOPICS"],
        "topics": re.findall(r"<D>(.*?)</D>", topics.group(1), re.DOTALL),
        "text_type": kind.group(1) if kind else "NORM",
        "title": _element("TITLE", text.group(2)),
        "body": _element("BODY", text.group(2)),
    }
    if record["text_type"] == "UNPROC":
        record |= {"title": None, "body": None, "text": _plain(text.group(2))}
    return record


def _element(name: str, block: str) -> str | None:
    match = re.search(rf"<{name}>(.*?)</{name}>", block, re.DOTALL)
    return _plain(match.group(1)) if match else None


def _plain(text: str) -> str:
    """Resolve entities and drop control characters, which the wire format left behind."""
    text = re.sub(r"&#\d+;", "", text).translate(_CONTROLS)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


CONTENT_HASH = "aafee43473e070f4384d1b21f013896613e3016249a4f38d9300deefb0a08edd"

TEXT_FILE = DataFile(
    path="reuters21578/reuters21578.jsonl.xz",
    addresses=(
        "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
        "https://github.com/wuodar/reuters_text_classification/archive/f52c802bfa25fd4c39215a2e8ac6b25cd9a126d2.tar.gz",
    ),
    convert=functools.partial(reuters_sgml, content_hash=CONTENT_HASH),
)
MATRIX_FILE = DataFile(
    path="reuters21578-cai/reuters21578-cai.svm.xz",
    addresses=(
        "https://raw.githubusercontent.com/hiroyuki-kasai/NMFLibrary/ed44132dfe1b5495df685006b42259f0bd16bea3"
        "/applications/document_clustering/Reuters21578.mat",
    ),
    sha256="2e442026efc64cfbcd3a531b4bc99b21eed6c5463276dbfa69d096f91dd5c245",
    convert=matlab_matrix,
)
FILES = (TEXT_FILE, MATRIX_FILE)
TERMS = "copyright Reuters Ltd.; distributed for research purposes only."

DESCRIPTION = describe(
    "Reuters-21578, Distribution 1.0: newswire stories of 1987. Subset {subset}: {rule}. A text is the "
    'title, a newline and the body. "Single label" means that the TOPICS element has exactly one entry. '
    "{train} training and {test} test documents, {labels} labels.",
    "D. D. Lewis, Reuters-21578 text categorization test collection, Distribution 1.0, 1997.",
    TERMS,
)

MATRIX_DESCRIPTION = describe(
    "Reuters-21578, the term counts that Deng Cai published: 8213 documents x 18933 terms, without the "
    "term strings. ModApte split, single label, documents with a body, labels with 10 documents or more; "
    "5899 training and 2314 test documents, 41 labels. The file has numbers for labels; their names are "
    "those whose training and test counts agree with the text collection, which is one name each.",
    "D. Cai, X. He, W. V. Zhang, J. Han, Regularized locality preserving indexing via spectral "
    "regression, CIKM 2007.",
    TERMS,
)

# Names of the matrix's classes 1 to 41, by their training and test counts, which are all different.
# fmt: off
MATRIX_LABELS = (
    "earn", "acq", "crude", "trade", "money-fx", "interest", "ship", "sugar", "coffee", "gold",
    "money-supply", "gnp", "cpi", "cocoa", "alum", "grain", "copper", "jobs", "reserves", "rubber",
    "iron-steel", "ipi", "nat-gas", "veg-oil", "tin", "cotton", "bop", "wpi", "pet-chem", "livestock",
    "gas", "orange", "retail", "strategic-metal", "housing", "zinc", "lumber", "fuel", "carcass", "heat",
    "lei",
)
# fmt: on
R8_LABELS = frozenset({"acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"})


class Subset(NamedTuple):
    """What a subset must come out as, and the rule in words."""

    train: int
    test: int
    labels: int
    rule: str


SUBSETS = {
    "modapte41": Subset(
        5899, 2314, 41, "ModApte split, single label, documents with a body, labels with 10 documents or more"
    ),
    "modlewis52": Subset(6535, 2570, 52, "ModLewis split, single label, labels that occur in both parts"),
    "r52": Subset(6532, 2568, 52, "ModApte split, single label, labels that occur in both parts"),
    "r8": Subset(5485, 2189, 8, "ModApte split, single label, eight large labels"),
    "modapte90": Subset(7770, 3019, 90, "ModApte split, multilabel, labels that occur in both parts"),
}

Record = dict[str, Any]


def load_reuters(subset: str = "modapte41", matrix: str | None = None) -> Corpus:
    """Load a subset of Reuters-21578.

    Parameters
    ----------
    subset : {"modapte41", "modlewis52", "r52", "r8", "modapte90"}
        Which documents and labels; ``"modapte90"`` is multilabel.
    matrix : {"cai"}, optional
        Instead of the texts, the term counts that Deng Cai published; only for ``"modapte41"``.
    """
    if subset not in SUBSETS:
        raise ValueError(f"There is no Reuters subset {subset!r}; there are {', '.join(SUBSETS)}.")
    if matrix is not None:
        if matrix != "cai" or subset != "modapte41":
            raise ValueError(
                f"There is no matrix {matrix!r} of {subset!r}; there is matrix='cai' of 'modapte41'."
            )
        return _load_matrix()
    path = obtain(TEXT_FILE)
    records = list(read_records(path, _KEYS))
    check_counts(path, "Reuters-21578", {"documents": (len(records), 21578)})
    chosen = _select(records, subset)
    train = np.array([record["lewissplit"] == "TRAIN" for record in chosen], dtype=bool)
    label_names, y = (
        _indicator(chosen) if subset == "modapte90" else index_labels(r["topics"][0] for r in chosen)
    )
    known = SUBSETS[subset]
    check_split(path, f"Reuters-21578 ({subset})", train, len(label_names), known[:3])
    description = DESCRIPTION.format(subset=subset, **known._asdict())
    texts = [_text(record) for record in chosen]
    return Corpus(texts=texts, X=None, y=y, train=train, label_names=label_names, description=description)


def _text(record: Record) -> str:
    parts = (record["title"], record["body"], record.get("text"))
    return "\n".join(part.strip() for part in parts if part)


def _select(records: Sequence[Record], subset: str) -> list[Record]:
    """Documents of a subset; those of modapte90 keep only its labels."""
    judged = {"YES", "NO"} if subset == "modlewis52" else {"YES"}
    split = [r for r in records if r["lewissplit"] in {"TRAIN", "TEST"} and r["topics_attr"] in judged]
    if subset == "modapte90":
        kept = _labels_of_both_parts(split)
        return [r | {"topics": sorted(kept & set(r["topics"]))} for r in split if kept & set(r["topics"])]
    # Entries, not distinct ones: document 19918 has trade twice.
    single = [r for r in split if len(r["topics"]) == 1]
    if subset == "modapte41":
        single = [r for r in single if r["text_type"] == "NORM"]
        sizes = Counter(r["topics"][0] for r in single)
        kept = {label for label, size in sizes.items() if size >= 10}
    else:
        kept = set(R8_LABELS) if subset == "r8" else _labels_of_both_parts(single)
    return [r for r in single if r["topics"][0] in kept]


def _labels_of_both_parts(records: Sequence[Record]) -> set[str]:
    train, test = (
        {topic for r in records if r["lewissplit"] == part for topic in r["topics"]}
        for part in ("TRAIN", "TEST")
    )
    return train & test


def _indicator(records: Sequence[Record]) -> tuple[list[str], Any]:
    label_names, columns = index_labels(topic for record in records for topic in record["topics"])
    indptr = np.cumsum([0, *(len(record["topics"]) for record in records)])
    shape = (len(records), len(label_names))
    return label_names, sparse.csr_array((np.ones(len(columns), dtype=np.int8), columns, indptr), shape=shape)


def _load_matrix() -> Corpus:
    path = obtain(MATRIX_FILE)
    X, classes, parts = read_svmlight(path, 18933, counts=True)
    rows = np.flatnonzero((classes >= 1) & (classes <= len(MATRIX_LABELS)))
    X, classes, train = X[rows], classes[rows], np.array(parts)[rows] == "train"
    label_names, name_to_y = index_labels(MATRIX_LABELS)
    y = name_to_y[classes - 1]
    check_split(path, "Cai's matrix of Reuters-21578", train, len(np.unique(y)), SUBSETS["modapte41"][:3])
    return Corpus(texts=None, X=X, y=y, train=train, label_names=label_names, description=MATRIX_DESCRIPTION)


INFO = DatasetInfo(
    "reuters21578", load_reuters, "8,213", "41", TERMS, f"subset={', '.join(SUBSETS)}; matrix=cai", FILES
)
