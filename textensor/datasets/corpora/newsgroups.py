"""20 Newsgroups, sorted by date."""

import functools
from collections.abc import Sequence
from dataclasses import replace

from textensor.datasets.corpora.layout import read_labelled
from textensor.datasets.corpora.originals import labelled_folders
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.places import DataFile, DatasetInfo, obtain

FILE = DataFile(
    path="20newsgroups-bydate/20news-bydate.jsonl.xz",
    addresses=(
        "https://ndownloader.figshare.com/files/5975967",
        "https://people.csail.mit.edu/jrennie/20Newsgroups/20news-bydate.tar.gz",
    ),
    sha256="8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
    convert=functools.partial(labelled_folders, name=r"20news-bydate-(train|test)/([\w.-]+)/(\d+)"),
)
TERMS = "no licence is stated; Usenet posts, distributed publicly for research."

DESCRIPTION = describe(
    "20 Newsgroups, sorted by date: 18846 posts to 20 newsgroups, 11314 for training and 7532, which are "
    "later, for test. Decoded as latin-1. Removed from the texts: {removed}.",
    "K. Lang, NewsWeeder: learning to filter netnews, ICML 1995.",
    TERMS,
)

# What can be removed, and the function of scikit-learn that does: not public, but the only definition.
PARTS = {
    "headers": "strip_newsgroup_header",
    "footers": "strip_newsgroup_footer",
    "quotes": "strip_newsgroup_quoting",
}


def load_newsgroups(remove: Sequence[str] | None = ()) -> Corpus:
    """Load 20 Newsgroups.

    Parameters
    ----------
    remove : sequence of {"headers", "footers", "quotes"}
        What to take out of the posts, as :func:`sklearn.datasets.fetch_20newsgroups` does.
        Headers name the newsgroup's regular posters and so make the task easier than it is.
    """
    wanted = [remove] if isinstance(remove, str) else list(remove or ())
    for part in wanted:
        if part not in PARTS:
            raise ValueError(f"There is no part {part!r} to remove; there are {', '.join(PARTS)}.")
    description = DESCRIPTION.format(removed=", ".join(wanted) or "nothing")
    corpus = read_labelled(obtain(FILE), "20 Newsgroups by date", (11314, 7532, 20), description)
    return replace(corpus, texts=[_strip(text, wanted) for text in corpus.texts or ()])


def _strip(text: str, parts: Sequence[str]) -> str:
    from sklearn.datasets import _twenty_newsgroups

    for part, function in PARTS.items():
        if part in parts:
            text = getattr(_twenty_newsgroups, function)(text)
    return text


INFO = DatasetInfo(
    "20newsgroups", load_newsgroups, "18,846", "20", TERMS, f"remove={', '.join(PARTS)}", (FILE,)
)
