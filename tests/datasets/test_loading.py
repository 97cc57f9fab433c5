"""What loaders make of files that are there, with small files in the place of the real ones."""

import json
import lzma

import numpy as np
import pytest

from textensor.datasets import load
from textensor.datasets.corpora import newsgroups, reuters, wordnet
from textensor.datasets.corpora.layout import index_labels, read_records, read_svmlight


@pytest.fixture
def put(bare_machine, tmp_path, monkeypatch):
    """Put a file into the data folder."""
    monkeypatch.setenv("TEXTENSOR_DATA", str(tmp_path / "data"))

    def write(path, text):
        target = tmp_path / "data" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(lzma.compress(text.encode("utf-8")))
        return target

    return write


POST = '{"id": "1", "split": "train", "category": "a", "text": "Words."}\n'
DEFINITION = '{"id": "1", "split": "train", "labels": ["a 1", "b 2"], "text": "Words."}\n'


@pytest.mark.parametrize(
    ("name", "options", "path", "text"),
    [
        ("20newsgroups", {}, "20newsgroups-bydate/20news-bydate.jsonl.xz", POST),
        ("ohsumed", {}, "ohsumed-single23/ohsumed-single23.jsonl.xz", POST),
        ("ohsumed", {}, "ohsumed-single23/ohsumed-single23.jsonl.xz", ""),
        ("wordnet", {}, "wordnet-hypernyms/wordnet-hypernyms.jsonl.xz", DEFINITION),
        ("wordnet", {}, "wordnet-hypernyms/wordnet-hypernyms.jsonl.xz", ""),
        ("wordnet", {}, "wordnet-hypernyms/wordnet-hypernyms.jsonl.xz", POST),
        ("tdt2", {}, "tdt2/tdt2_all.svm.xz", "1 1:1\n"),
        ("tdt2", {}, "tdt2/tdt2_all.svm.xz", "97 1:1\n-1 1:1\n"),
        ("uci", {"subset": "sonar"}, "libsvm-binary/sonar.xz", "1 1:1\n"),
        ("uci", {"subset": "sonar"}, "libsvm-binary/sonar.xz", ""),
        ("reuters21578", {"matrix": "cai"}, "reuters21578-cai/reuters21578-cai.svm.xz", "1 1:1 # train\n"),
        ("reuters21578", {}, "reuters21578/reuters21578.jsonl.xz", ""),
    ],
)
def test_counts_are_asserted(put, name, options, path, text):
    target = put(path, text)
    with pytest.raises(ValueError, match=r"is not .*, it has .* instead of|is damaged") as caught:
        load(name, **options)
    assert str(target) in str(caught.value)
    assert "get the set again" in str(caught.value)


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"split": 1}', "[" * 100_000, "\udcff"])
def test_bad_records_are_one_sentence(put, line):
    text = (POST + line + "\n").encode("utf-8", "surrogateescape").decode("latin-1")
    target = put("a.xz", text)
    with pytest.raises(ValueError, match="is damaged") as caught:
        list(read_records(target, ("split", "category", "text")))
    assert str(target) in str(caught.value)


@pytest.mark.parametrize(
    "row", ["1 5:1", "1 0:1", "x 1:1", "1 1:x", "1 1:0.5", "1 1:-1", "1 1:nan", "1 1:9e99"]
)
def test_bad_rows_are_one_sentence(put, row):
    target = put("a.xz", f"1 1:1\n{row}\n")
    with pytest.raises(ValueError, match="is damaged") as caught:
        read_svmlight(target, 4, counts=True)
    assert str(target) in str(caught.value)


def test_comments_belong_to_rows(put):
    X, labels, comments = read_svmlight(put("a.xz", "# head\n1 1:1 # train\n\n2\n3 2:1 #test\n"), 2)
    assert labels.tolist() == [1, 2, 3]
    assert comments == ["train", "", "test"]
    assert X.toarray().tolist() == [[1, 0], [0, 0], [0, 1]]


def test_labels_are_sorted():
    names, y = index_labels(["b", "ä", "a", "b"])
    assert names == ["a", "b", "ä"]
    assert y.tolist() == [1, 2, 0, 1]
    assert index_labels([])[0] == []


def story(split, topics, *, judged="YES", kind="NORM", title="T", body="B"):
    return {
        "lewissplit": split,
        "topics_attr": judged,
        "topics": topics,
        "text_type": kind,
        "title": title,
        "body": body,
    }


def test_definitions_with_one_of_the_frequent_labels(put, monkeypatch):
    counts = []
    monkeypatch.setattr(wordnet, "N_FREQUENT", 2)
    monkeypatch.setattr(wordnet, "check_split", lambda *found: counts.append(found[2:4]))
    sets = [["b"], ["a", "b"], ["a", "c"], ["c"], ["a"], ["b", "c"], ["b"]]  # a 3, b 4, c 3: a before c
    lines = [
        json.dumps({"labels": labels, "split": "test" if k == 6 else "train", "text": f"text {k}"})
        for k, labels in enumerate(sets)
    ]
    put(wordnet.FILE.path, "\n".join(lines) + "\n")
    corpus = load("wordnet")
    assert corpus.texts == ["text 0", "text 2", "text 4", "text 5", "text 6"]
    assert [corpus.label_names[k] for k in corpus.y] == ["b", "a", "a", "b", "b"]
    assert corpus.train.tolist() == [True, True, True, True, False]
    assert counts[0][1] == 2
    assert "WordNet licence" in corpus.description


def test_reuters_rules():
    stories = [story("TRAIN", ["wheat"]) for _ in range(9)]
    stories += [
        story("TEST", ["wheat"]),
        story("TEST", ["wheat"], kind="BRIEF", body=None),
        story("TRAIN", ["wheat"], judged="NO"),
        story("NOT-USED", ["wheat"]),
        story("TRAIN", ["wheat", "tea"]),
        story("TEST", ["tea", "salt"]),
        story("TRAIN", ["earn"]),
        story("TRAIN", ["trade", "trade"]),
        story("TRAIN", []),
    ]

    def chosen(subset):
        return [
            stories.index(record) if record in stories else record["topics"]
            for record in reuters._select(stories, subset)
        ]

    first = [0] * 9  # nine equal stories
    assert chosen("modapte41") == [*first, 9]  # ten stories with a body: tea and earn have fewer
    assert chosen("r52") == [*first, 9, 10]  # earn is in one part only
    assert chosen("modlewis52") == [*first, 9, 10, 11]
    assert chosen("r8") == [15]
    selected = reuters._select(stories, "modapte90")
    assert [record["topics"] for record in selected[-2:]] == [["tea", "wheat"], ["tea"]]
    assert len(selected) == 13
    names, y = reuters._indicator(selected)
    assert names == ["tea", "wheat"]
    assert y[-2:].toarray().tolist() == [[1, 1], [1, 0]]
    assert y.dtype == np.int8


def test_reuters_text_is_title_and_body():
    assert reuters._text(story("TRAIN", [], title=" T\n", body="B\n Reuter\n")) == "T\nB\n Reuter"
    assert reuters._text(story("TRAIN", [], title="T", body=None)) == "T"
    assert reuters._text(story("TRAIN", [], title=None, body=None) | {"text": "\nall\n"}) == "all"


def test_newsgroup_parts_are_removed_as_in_scikit_learn(monkeypatch):
    post = "From: me\nSubject: it\n\nYou wrote:\n> old words\nnew words\n\n--\nMe, of Here\n"
    assert newsgroups._strip(post, ()) == post
    assert newsgroups._strip(post, ("headers",)).startswith("You wrote:")
    assert "of Here" not in newsgroups._strip(post, ("footers",))
    assert "old words" not in newsgroups._strip(post, ("quotes",))
    # The order is scikit-learn's, whatever order the caller names: headers, footers, quotes.
    assert (
        newsgroups._strip(post, [*newsgroups.PARTS][::-1])
        == newsgroups._strip(post, [*newsgroups.PARTS])
        == "new words\n"
    )
