"""Raw text to weighted term vectors, beside scikit-learn's TfidfVectorizer."""

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from benchmarks.measure import publish, side_by_side, table
from textensor.datasets import load
from textensor.space import TermVectorizer

CASES = {
    "words": {},
    "words 1-2": {"ngram_range": (1, 2)},
    "words 1-2, stop words": {"ngram_range": (1, 2), "stop_words": sorted(ENGLISH_STOP_WORDS)},
    "char_wb 3-5": {"analyzer": "char_wb", "ngram_range": (3, 5)},
}


def fit_transform(vectorizer, texts):
    """Return the matrix and the vocabulary, which TermVectorizer only makes when it is asked for it."""
    return vectorizer.fit_transform(texts), vectorizer.vocabulary_


def main() -> None:
    try:
        texts = load("20newsgroups").texts
    except FileNotFoundError as error:
        print(f"Vectorising is measured on 20 Newsgroups: {error}\n")
        return
    rows = []
    for case, options in CASES.items():
        smooth = {"weighting": "smooth", **options}
        seconds = side_by_side(
            {
                "TfidfVectorizer": lambda o=options: fit_transform(TfidfVectorizer(**o), texts),
                "one core": lambda o=smooth: fit_transform(TermVectorizer(**o), texts),
                "two cores": lambda o=smooth: fit_transform(TermVectorizer(n_jobs=2, **o), texts),
            },
            5 if case == "words" else 3,
        )
        peer = seconds["TfidfVectorizer"]
        rows += [
            [case, "TfidfVectorizer", peer, 1.0],
            [case, "TermVectorizer, one core", seconds["one core"], peer / seconds["one core"]],
            [case, "TermVectorizer, two cores", seconds["two cores"], peer / seconds["two cores"]],
        ]
    body = table(["settings", "vectorizer", "seconds", "times as fast"], rows)
    megabytes = sum(map(len, texts)) / 1e6
    note = (
        f"Raw 20 Newsgroups, {len(texts)} documents, {megabytes:.0f} MB of characters: `fit_transform` and "
        "`vocabulary_`, with scikit-learn's weights."
    )
    publish("vectorizer", "Vectorising raw text", f"{note}\n\n{body}")
