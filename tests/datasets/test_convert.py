"""Every converter from end to end: originals of our own, served on this machine, read as the layout is."""

import dataclasses
import functools
import hashlib
import io
import json
import tarfile

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from textensor.datasets.corpora import newsgroups, ohsumed, originals, reuters, tdt2, uci
from textensor.datasets.corpora.layout import read_labelled, read_records, read_svmlight
from textensor.datasets.places import find, obtain


def pack(members, links=()):
    """A .tar.gz in memory."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name in links:
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
            archive.addfile(link)
    return buffer.getvalue()


def served(file, address, body=None, **convert_options):
    """The data file with another address, and the checksums that its small content has."""
    changes = {"addresses": (address,)}
    if convert_options:
        changes["convert"] = functools.partial(file.convert, **convert_options)
    if body is not None:
        changes["sha256"] = hashlib.sha256(body).hexdigest()
    return dataclasses.replace(file, **changes)


# --- 20 Newsgroups and Ohsumed: archives of split/category/id ---

POSTS = {
    "20news-bydate-train/sci.space/200": b"Subject: orbit\n\nTo the moon \xe9.",
    "20news-bydate-train/sci.space/30": b"Subject: rocket\n\nUp.",
    "20news-bydate-train/rec.autos/7": b"Subject: car\n\nDown.",
    "20news-bydate-test/rec.autos/5": b"Subject: engine\n\nRound.",
    "20news-bydate-test/rec.autos/readme.txt": b"not a post",
    "readme/sci.space/1": b"not a post either",
}


def test_newsgroups(bare_machine, serve):
    body = pack(POSTS, links=["20news-bydate-train/sci.space/666"])
    path = obtain(served(newsgroups.FILE, f"{serve(it=body)}/it", body))
    corpus = read_labelled(path, "four posts", (3, 1, 2), "")
    assert [text.split()[1] for text in corpus.texts] == ["car", "rocket", "orbit", "engine"]
    assert corpus.texts[2].endswith("moon é.")
    assert corpus.label_names == ["rec.autos", "sci.space"]
    assert corpus.y.tolist() == [0, 1, 1, 0]
    assert corpus.train.tolist() == [True, True, True, False]
    assert [record["id"] for record in read_records(path, ("id",))] == ["7", "30", "200", "5"]


def test_newsgroups_with_a_wrong_checksum(bare_machine, serve):
    body = pack(POSTS)
    with pytest.raises(FileNotFoundError, match="sha256"):
        obtain(dataclasses.replace(newsgroups.FILE, addresses=(f"{serve(it=body)}/it",)))
    assert find(newsgroups.FILE.path) is None


ABSTRACTS = {
    "text_gcn-1/data/ohsumed_single_23/training/C01/0000335": b"A title.\n An abstract.\n",
    "text_gcn-1/data/ohsumed_single_23/test/C23/0000007": b"Another.\n One more.\n",
    "text_gcn-1/data/20ng/20news-bydate-train/sci.space/1": b"other data",
}


def test_ohsumed(bare_machine, serve):
    expected = originals.hash_records(
        [
            {"id": "0000335", "split": "train", "category": "C01", "text": "A title. An abstract."},
            {"id": "0000007", "split": "test", "category": "C23", "text": "Another. One more."},
        ],
        ("id", "split", "category", "text"),
    )
    file = served(ohsumed.FILE, f"{serve(it=pack(ABSTRACTS))}/it", content_hash=expected)
    corpus = read_labelled(obtain(file), "two abstracts", (1, 1, 2), "")
    assert corpus.texts == ["A title.\n An abstract.\n", "Another.\n One more.\n"]
    assert corpus.label_names == ["C01", "C23"]


def test_other_abstracts_are_refused(bare_machine, serve):
    file = dataclasses.replace(ohsumed.FILE, addresses=(f"{serve(it=pack(ABSTRACTS))}/it",))
    with pytest.raises(FileNotFoundError, match="documents hash to"):
        obtain(file)
    assert find(file.path) is None


@pytest.mark.parametrize("damage", ["truncated", "flipped", "not gzip", "empty"])
def test_damaged_archives_are_refused(bare_machine, serve, damage):
    whole = pack({f"ohsumed_single_23/test/C01/{i}": bytes([i]) * 999 for i in range(99)})
    middle = len(whole) // 2
    body = {
        "truncated": whole[:middle],
        "flipped": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
        "not gzip": b"<html>404</html>",
        "empty": b"",
    }[damage]
    file = dataclasses.replace(ohsumed.FILE, addresses=(f"{serve(it=body)}/it",))
    with pytest.raises(FileNotFoundError, match="downloading it failed"):
        obtain(file)
    assert find(file.path) is None


def test_huge_members_are_refused(monkeypatch):
    monkeypatch.setattr(originals, "MAX_MEMBER", 10)
    with pytest.raises(ValueError, match="has 11 bytes"):
        list(originals.read_members(io.BytesIO(pack({"a/1": b"0" * 11})), r"a/(\d)"))


def test_archives_that_unpack_to_much_are_refused(monkeypatch):
    monkeypatch.setattr(originals.Capped.__init__, "__defaults__", (100_000,))
    archive = pack({f"a/{i}": b"0" * 50_000 for i in range(5)})
    assert len(archive) < 5_000
    with pytest.raises(ValueError, match="more than 100000 bytes"):
        list(originals.read_members(io.BytesIO(archive), r"a/(\d)"))


# --- Reuters-21578: SGML ---

SGML = b"""<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="5" NEWID="3">
<DATE> 1-JAN-1999 00:00:00.00</DATE>
<TOPICS><D>tea</D><D>milk</D></TOPICS>
<PLACES><D>uk</D></PLACES>
<UNKNOWN>&#5;&#5;C T</UNKNOWN>
<TEXT>&#2;
<TITLE>TEA &lt;TEA> &amp; MILK</TITLE>
<DATELINE>    LONDON, Jan 1 - </DATELINE><BODY>Tea rose to 4 pct,
said G\xfcnther.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="6" NEWID="1">
<TOPICS></TOPICS>
<TEXT TYPE="BRIEF">&#2;
******<TITLE>MILK FELL
</TITLE>Blah blah blah.
&#3;

</TEXT>
</REUTERS>
<REUTERS TOPICS="BYPASS" LEWISSPLIT="NOT-USED" CGISPLIT="TRAINING-SET" OLDID="7" NEWID="2">
<TOPICS></TOPICS>
<TEXT TYPE="UNPROC">&#2;
TABLE 1 &lt;2>
&#3;

</TEXT>
</REUTERS>
"""
STORIES = [
    {
        "newid": 1,
        "lewissplit": "TRAIN",
        "topics_attr": "NO",
        "topics": [],
        "text_type": "BRIEF",
        "title": "MILK FELL\n",
        "body": None,
    },
    {
        "newid": 2,
        "lewissplit": "NOT-USED",
        "topics_attr": "BYPASS",
        "topics": [],
        "text_type": "UNPROC",
        "title": None,
        "body": None,
        "text": "\nTABLE 1 <2>\n\n\n",
    },
    {
        "newid": 3,
        "lewissplit": "TEST",
        "topics_attr": "YES",
        "topics": ["tea", "milk"],
        "text_type": "NORM",
        "title": "TEA <TEA> & MILK",
        "body": "Tea rose to 4 pct,\nsaid Günther.\n Reuter\n",
    },
]


def test_reuters(bare_machine, serve):
    body = pack({"reuters21578/reut2-000.sgm": SGML, "reuters21578/README.txt": b"Read me."})
    file = served(reuters.TEXT_FILE, f"{serve(it=body)}/it", content_hash=reuters.hash_reuters(STORIES))
    assert list(read_records(obtain(file), ("newid",))) == STORIES


def test_other_stories_are_refused(bare_machine, serve):
    body = pack({"reut2-000.sgm": SGML})
    file = dataclasses.replace(reuters.TEXT_FILE, addresses=(f"{serve(it=body)}/it",))
    with pytest.raises(FileNotFoundError, match="documents hash to"):
        obtain(file)
    assert find(file.path) is None


def test_sgml_of_something_else_is_refused():
    for sgml in (b"<REUTERS></REUTERS>", b'<REUTERS NEWID="1"><TEXT></TEXT></REUTERS>'):
        with pytest.raises(ValueError, match="not one of Reuters-21578"):
            reuters.reuters_sgml(io.BytesIO(pack({"reut2-000.sgm": sgml})), "")


def test_the_hash_sees_content_and_not_form():
    reference = reuters.hash_reuters(STORIES)
    respaced = [
        story | {"title": story["title"] and f" {story['title']}\x03".replace(" ", "\r\n")}
        for story in STORIES
    ]
    assert reuters.hash_reuters(respaced) == reference
    for key, value in (("topics", ["tea,milk", ""]), ("title", "TEA"), ("lewissplit", "TRAIN"), ("newid", 4)):
        changed = json.loads(json.dumps(STORIES))
        changed[2][key] = value
        assert reuters.hash_reuters(changed) != reference, key
    assert reuters.hash_reuters(STORIES[:2]) != reference


# --- Term matrices: MATLAB files ---


def matlab(**variables):
    buffer = io.BytesIO()
    scipy_io.savemat(buffer, variables, do_compression=True)
    return buffer.getvalue()


COUNTS = np.array([[0, 2, 0, 1], [3, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 12]])


@pytest.mark.parametrize("matrix", [sparse.csc_matrix(COUNTS.astype(float)), COUNTS.astype(float)])
def test_matrix_with_a_split(bare_machine, serve, matrix):
    body = matlab(fea=matrix, gnd=[[2], [1], [1], [2]], trainIdx=[[1], [3]], testIdx=[[2], [4]])
    path = obtain(served(reuters.MATRIX_FILE, f"{serve(it=body)}/it", body))
    X, labels, parts = read_svmlight(path, 4, counts=True)
    np.testing.assert_array_equal(X.toarray(), COUNTS)
    assert X.dtype == X.indices.dtype == X.indptr.dtype == np.int32
    assert labels.tolist() == [2, 1, 1, 2]
    assert parts == ["train", "test", "train", "test"]


def test_matrix_without_a_split(bare_machine, serve):
    body = matlab(fea=sparse.csc_matrix(COUNTS), gnd=[[1], [1], [2], [3]])
    X, labels, parts = read_svmlight(obtain(served(tdt2.FILE, f"{serve(it=body)}/it", body)), 4)
    np.testing.assert_array_equal(X.toarray(), COUNTS)
    assert labels.tolist() == [1, 1, 2, 3]
    assert parts == ["", "", "", ""]


def test_other_matrices_are_refused(bare_machine, serve):
    body = matlab(other=COUNTS)
    with pytest.raises(FileNotFoundError, match="no matrix fea"):
        obtain(served(tdt2.FILE, f"{serve(it=body)}/it", body))
    with pytest.raises(FileNotFoundError, match="sha256"):
        obtain(dataclasses.replace(tdt2.FILE, addresses=(f"{serve(it=body)}/it",)))
    assert find(tdt2.FILE.path) is None


# --- The six UCI sets: LIBSVM text ---


def test_exact_uci_sets(bare_machine, serve):
    body = b"-1 3:1 4:1 \n+1 1:1 \n"
    X, labels, _ = read_svmlight(obtain(served(uci.SUBSETS["adult"].file, f"{serve(it=body)}/it", body)), 4)
    assert X.toarray().tolist() == [[0, 0, 1, 1], [1, 0, 0, 0]]
    assert labels.tolist() == [-1, 1]


SCALED = b"4.000000 1:0.333333 2:-1\n2.000000 2:0.5\n2.000000 1:1\n"


@pytest.mark.parametrize(("n_positive", "signs"), [(1, [1, -1, -1]), (2, [-1, 1, 1])])
def test_scaled_uci_sets(bare_machine, serve, n_positive, signs):
    options = {"n_positive": n_positive, "fingerprint": (3, 1 / 3 + 0.5, 1 / 9 + 2.25)}
    file = served(uci.SUBSETS["sonar"].file, f"{serve(it=SCALED)}/it", **options)
    X, labels, _ = read_svmlight(obtain(file), 2)
    np.testing.assert_allclose(X.toarray(), [[1 / 3, -1], [0, 0.5], [1, 0]], atol=1e-6)
    assert labels.tolist() == signs


@pytest.mark.parametrize(
    "body", [SCALED[:-9], SCALED + b"3 1:1\n", SCALED.replace(b"0.5", b"0.6"), b"", b"\xff 1:1\n"]
)
def test_other_uci_sets_are_refused(bare_machine, serve, body):
    options = {"n_positive": 1, "fingerprint": (3, 1 / 3 + 0.5, 1 / 9 + 2.25)}
    file = served(uci.SUBSETS["sonar"].file, f"{serve(it=body)}/it", **options)
    with pytest.raises(FileNotFoundError, match="downloading it failed"):
        obtain(file)
    assert find(file.path) is None
