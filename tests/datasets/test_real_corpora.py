"""The fixed corpora themselves, from the folder that TEXTENSOR_DATA names."""

import hashlib
import io
import os
import tarfile

import numpy as np
import pytest
from sklearn.datasets import _twenty_newsgroups as scikit
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import normalize

from textensor.datasets import catalogue, get, load
from textensor.datasets.corpora import ohsumed, reuters, uci
from textensor.datasets.corpora.layout import read_records
from textensor.datasets.places import find, open_packed

pytestmark = pytest.mark.skipif(
    not os.environ.get("TEXTENSOR_DATA"), reason="TEXTENSOR_DATA names no folder with the real corpora"
)


@pytest.mark.parametrize(
    ("subset", "train", "test", "labels"),
    [
        ("modapte41", 5899, 2314, 41),
        ("modlewis52", 6535, 2570, 52),
        ("r52", 6532, 2568, 52),
        ("r8", 5485, 2189, 8),
        ("modapte90", 7770, 3019, 90),
    ],
)
def test_reuters(subset, train, test, labels):
    corpus = load("reuters21578", subset=subset)
    assert corpus.n_documents == len(corpus.texts) == train + test
    assert (corpus.train.sum(), (~corpus.train).sum(), len(corpus.label_names)) == (train, test, labels)
    assert corpus.label_names == sorted(corpus.label_names)
    assert corpus.multilabel == (subset == "modapte90")
    assert all(corpus.texts)
    assert "research purposes only" in corpus.description
    if corpus.multilabel:
        for part in (corpus.y[corpus.train], corpus.y[~corpus.train]):
            assert part.sum(axis=0).min() >= 1
            assert part.sum(axis=1).min() >= 1
    else:  # texts and labels are in step: stories about crude speak of oil, others seldom do
        crude = corpus.y == corpus.label_names.index("crude")
        oil = np.array(["oil" in text.lower() for text in corpus.texts])
        assert oil[crude].mean() > 0.8
        assert oil[~crude].mean() < 0.3


def test_reuters_matrix_has_the_labels_of_the_text():
    """The names of the numbered classes are right: each has as many documents in each part as in the text."""
    matrix, text = load("reuters21578", matrix="cai"), load("reuters21578")
    assert matrix.X.shape == (8213, 18933)
    assert matrix.texts is None
    assert matrix.label_names == text.label_names
    sizes = [
        np.stack(
            [np.bincount(corpus.y[part], minlength=41) for part in (corpus.train, ~corpus.train)], axis=1
        )
        for corpus in (matrix, text)
    ]
    np.testing.assert_array_equal(*sizes)
    assert len({tuple(pair) for pair in sizes[0]}) == 41  # no two labels could be mistaken for each other
    assert matrix.X.data.min() == 1


@pytest.mark.parametrize("parts", [(), ("headers", "footers", "quotes"), ("quotes",)])
def test_newsgroups(parts):
    corpus = load("20newsgroups", remove=parts)
    assert repr(corpus) == "Corpus(18846 documents, 20 labels, 11314 train / 7532 test)"
    if not parts:
        assert all("\n\n" in text for text in corpus.texts[:100])
        return
    plain = load("20newsgroups")
    functions = {
        "headers": scikit.strip_newsgroup_header,
        "footers": scikit.strip_newsgroup_footer,
        "quotes": scikit.strip_newsgroup_quoting,
    }
    for i in range(0, 18846, 97):
        text = plain.texts[i]
        for part in parts:
            text = functions[part](text)
        assert corpus.texts[i] == text


def test_ohsumed():
    corpus = load("ohsumed")
    assert repr(corpus) == "Corpus(7400 documents, 23 labels, 3357 train / 4043 test)"
    assert corpus.label_names[13] == "C14"
    assert np.bincount(corpus.y)[13] == 585 + 590


def test_wordnet():
    corpus = load("wordnet")
    assert repr(corpus) == "Corpus(11671 documents, 24 labels, 9322 train / 2349 test)"
    sizes = np.bincount(corpus.y[corpus.train])
    assert sizes[corpus.label_names.index("genus 08125938")] == sizes.max() == 1518
    assert np.bincount(corpus.y[~corpus.train], minlength=24).min() >= 1
    writer = corpus.y == corpus.label_names.index("writer 10813654")
    said = np.array(["writer" in text or "poet" in text or "author" in text for text in corpus.texts])
    assert said[writer].mean() > 0.5
    assert said[~writer].mean() < 0.05


def test_tdt2():
    corpus = load("tdt2")
    assert repr(corpus) == "Corpus(10021 documents, 36771 terms, 56 labels)"
    assert corpus.train is None
    sizes = np.bincount(corpus.y)
    assert sizes.tolist() == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[29], sizes[55]) == (1844, 52, 10)
    assert corpus.label_names[0] == "20001"


@pytest.mark.parametrize("subset", uci.SUBSETS)
def test_uci(subset):
    corpus = load("uci", subset=subset)
    known = uci.SUBSETS[subset]
    assert corpus.X.shape == (known.rows, known.features)
    assert np.abs(corpus.X.data).max() <= 1
    assert corpus.y.sum() == known.n_positive
    # A label that meant the other class, or rows out of step with X, would be no better than chance.
    assert RidgeClassifier().fit(corpus.X, corpus.y).score(corpus.X, corpus.y) > 0.74


def test_all_are_here():
    here = {info.name for info in catalogue() if info.here}
    assert {"docstrings", "reuters21578", "20newsgroups", "ohsumed", "wordnet", "tdt2", "uci"} <= here
    assert [path.name for path in get("reuters21578")] == ["reuters21578.jsonl.xz", "reuters21578-cai.svm.xz"]


def test_matrices_carry_their_labels():
    corpus = load("tdt2")
    X = normalize(corpus.X.astype(float))
    rows = np.random.default_rng(0).permutation(corpus.n_documents)[:2000]
    model = RidgeClassifier(solver="sparse_cg", tol=0.1).fit(X[rows[:1000]], corpus.y[rows[:1000]])
    assert model.score(X[rows[1000:]], corpus.y[rows[1000:]]) > 0.7


# --- The constants that downloads are checked with are those of the real files ---


def pack(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    buffer.seek(0)
    return buffer


def sgml(record):
    def escape(text):
        return text.replace("&", "&amp;").replace("<", "&lt;")

    topics = "".join(f"<D>{topic}</D>" for topic in record["topics"])
    elements = f"&#2;\n<TITLE>{escape(record['title'])}</TITLE>" if record["title"] else "&#2;"
    if record["body"]:
        elements += f"\n<DATELINE> X - </DATELINE><BODY>{escape(record['body'])}&#3;</BODY>"
    return (
        f'<REUTERS TOPICS="{record["topics_attr"]}" LEWISSPLIT="{record["lewissplit"]}" '
        f'NEWID="{record["newid"]}">\n'
        f"<TOPICS>{topics}</TOPICS>\n"
        f'<TEXT TYPE="{record["text_type"]}">{elements}{escape(record.get("text") or "")}</TEXT>\n'
        "</REUTERS>\n"
    ).encode("latin-1")


def test_reuters_hash():
    records = list(read_records(find(reuters.TEXT_FILE.path), ()))
    parts = np.array_split(np.arange(len(records)), 22)
    archive = pack(
        (f"reut2-{i:03}.sgm", b"".join(sgml(records[j]) for j in part))
        for i, part in reversed([*enumerate(parts)])
    )
    assert len(reuters.TEXT_FILE.convert(archive)) == 21578


def test_ohsumed_hash():
    folders = {"train": "training", "test": "test"}
    records = read_records(find(ohsumed.FILE.path), ())
    archive = pack(
        (f"x/ohsumed_single_23/{folders[r['split']]}/{r['category']}/{r['id']}", r["text"].encode())
        for r in records
    )
    assert len(ohsumed.FILE.convert(archive)) == 7400


@pytest.mark.parametrize("subset", ["breast-cancer", "diabetes", "ionosphere", "sonar"])
def test_uci_fingerprints(subset):
    with open_packed(find(uci.SUBSETS[subset].file.path)) as stream:
        rows = [line.split() for line in stream.read().decode().splitlines()]
    # As LIBSVM's page has them: other labels, six digits.
    other = "\n".join(
        " ".join(
            [
                {"1": "2", "-1": "4"}[label],
                *(f"{c.split(':')[0]}:{float(c.split(':')[1]):.6g}" for c in cells),
            ]
        )
        for label, *cells in rows
    )
    lines = uci.SUBSETS[subset].file.convert(io.BytesIO(other.encode()))
    assert [line.split()[0].decode().lstrip("+") for line in lines] == [row[0] for row in rows]


@pytest.mark.parametrize("subset", ["adult", "mushrooms"])
def test_uci_checksums(subset):
    file = uci.SUBSETS[subset].file
    with open_packed(find(file.path)) as stream:
        assert hashlib.sha256(stream.read()).hexdigest() == file.sha256


def test_a_set_of_another_release_is_refused():
    records = [dict(r) for r in read_records(find(reuters.TEXT_FILE.path), ())][:-1]
    with pytest.raises(ValueError, match="documents hash to"):
        reuters.TEXT_FILE.convert(pack([("reut2-000.sgm", b"".join(map(sgml, records[:100])))]))
    assert reuters.hash_reuters(records) != reuters.CONTENT_HASH
