"""Raw text to weighted term vectors, beside scikit-learn's TfidfVectorizer."""

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from benchmarks.measure import publish, side_by_side, table
from textensor.datasets import load
from textensor.space import TermVectorizer

STOP = sorted(ENGLISH_STOP_WORDS)


def main() -> None:
    try:
        texts = load("20newsgroups").texts
    except FileNotFoundError as error:
        print(f"Vectorising is measured on 20 Newsgroups: {error}\n")
        return
    rows = []
    for case, options in (
        ("defaults", {}),
        ("stop words, pairs", {"stop_words": STOP, "ngram_range": (1, 2)}),
    ):
        rounds = 5 if not options else 3
        seconds = side_by_side(
            {
                "TfidfVectorizer": lambda o=options: TfidfVectorizer(**o).fit_transform(texts),
                "one core": lambda o=options: TermVectorizer(**o).fit_transform(texts),
                "two cores": lambda o=options: TermVectorizer(n_jobs=2, **o).fit_transform(texts),
            },
            rounds,
        )
        peer = seconds["TfidfVectorizer"]
        rows += [
            [case, "TfidfVectorizer", peer, 1.0],
            [case, "TermVectorizer, one core", seconds["one core"], peer / seconds["one core"]],
            [case, "TermVectorizer, two cores", seconds["two cores"], peer / seconds["two cores"]],
        ]
    body = table(["settings", "vectorizer", "seconds", "times as fast"], rows)
    megabytes = sum(map(len, texts)) / 1e6
    note = f"Raw 20 Newsgroups, {len(texts)} documents, {megabytes:.0f} MB of characters: `fit_transform`."
    publish("vectorizer", "Vectorising raw text", f"{note}\n\n{body}")
