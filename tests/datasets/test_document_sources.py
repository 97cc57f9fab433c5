"""`read_documents`: parquet, folders, pipes and standard input, and the memory they take."""

import csv
import gzip
import lzma
import os
import subprocess
import sys
import threading
import tracemalloc

import pytest

from tests.datasets.document_files import COMPRESS, delimited, written
from textensor.datasets.readers import unpack
from textensor.datasets.readers.documents import DocumentError, read_documents
from textensor.datasets.readers.unpack import BLOCK

# ---- parquet


def test_parquet_keeps_columns_of_any_type(tmp_path):
    parquet, pyarrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    columns = {
        "text": ["a", "b", "c"],
        "label": [["x", "y"], [], None],
        "n": [1, 2, None],
        "s": [{"k": "v"}] * 3,
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    documents = read_documents(tmp_path / "a.parquet")
    assert documents.columns == ("text", "label", "n", "s")
    assert [(d.line, d.labels, d.row["n"]) for d in documents] == [
        (1, ("x", "y"), 1),
        (2, (), 2),
        (3, (), None),
    ]
    assert documents.load().labels == [("x", "y"), (), ()]
    with pytest.raises(DocumentError, match=r'a\.parquet: no column "body", the columns are "text"'):
        read_documents(tmp_path / "a.parquet", text="body")
    with pytest.raises(DocumentError, match=r"row 1: the column .n. holds something else"):
        read_documents(tmp_path / "a.parquet", text="n")
    with pytest.raises(DocumentError, match=r"row 1: a document over the cap"):
        read_documents(tmp_path / "a.parquet", max_document_bytes=5)
    with pytest.raises(DocumentError, match=r"row 3: .* max_bytes"):
        read_documents(tmp_path / "a.parquet", max_bytes=30).load()


def test_parquet_does_not_multiply_one_long_string(tmp_path):
    parquet, pyarrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    values = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * 5000, pyarrow.int32()), ["z" * (1 << 20)]
    )
    path = tmp_path / "a.parquet"
    parquet.write_table(
        pyarrow.table({"text": values}), path, dictionary_pagesize_limit=1 << 24, store_schema=False
    )
    before = pyarrow.total_allocated_bytes()
    for _, _document in zip(range(3), read_documents(path, label=None), strict=False):
        assert pyarrow.total_allocated_bytes() - before < 100 << 20  # five thousand copies would be 5 GB


def test_damaged_parquet_is_our_error(tmp_path):
    parquet, pyarrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    bad = pyarrow.array([b"good", b"\xff"], pyarrow.binary()).cast(pyarrow.string(), safe=False)
    parquet.write_table(pyarrow.table({"text": bad}), path)
    with pytest.raises(DocumentError, match=r"row 2: .*utf-8"):
        read_documents(path, label=None).load()
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DocumentError, match="not parquet"):
        read_documents(path, label=None)


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'a.parquet.*pip install "textensor\[parquet\]"'):
        read_documents(written(tmp_path / "a.parquet", b"PAR1"))


# ---- folders


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "mail"
    for name, content in {
        "spam/b.txt": b"Cheap",
        "spam/a": b"\xef\xbb\xbfNow",
        "ham/c.txt": b"caf\xe9\n",
        "new.txt": b"",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        written(root / name, content)
    return root


def test_a_folder_of_folders(folder):
    documents = read_documents(folder)
    assert [(d.row, d.text, d.labels, d.line) for d in documents] == [
        ({"file": "ham/c.txt"}, "café\n", ("ham",), 1),
        ({"file": "new.txt"}, "", (), 1),
        ({"file": "spam/a"}, "Now", ("spam",), 1),
        ({"file": "spam/b.txt"}, "Cheap", ("spam",), 1),
    ]
    assert documents.columns == ("file",)
    assert documents.load().labels == ["ham", "", "spam", "spam"]
    assert read_documents(folder, label=None).load().labels == [""] * 4


def test_links_and_hidden_files_are_passed_over(folder, tmp_path):
    secret = written(tmp_path / "secret", b"secret")
    (tmp_path / "other").mkdir()
    written(tmp_path / "other" / "file", b"secret")
    (folder / "spam" / "link").symlink_to(secret)
    (folder / "link").symlink_to(secret)
    (folder / "links").symlink_to(tmp_path / "other")
    (folder / "loop").symlink_to(folder)
    written(folder / ".hidden", b"secret")
    (folder / ".git").mkdir()
    written(folder / ".git" / "file", b"secret")
    os.mkfifo(folder / "pipe")
    assert "secret" not in read_documents(folder).load().texts
    assert len(read_documents(folder).load().texts) == 4


def test_errors_of_folders(folder, tmp_path):
    with pytest.raises(DocumentError, match=r"ham/c\.txt: a document over the cap of 4 bytes"):
        read_documents(folder, max_document_bytes=4)
    with pytest.raises(DocumentError, match="spam/a: more than 8 bytes in all"):
        read_documents(folder, max_bytes=8).load()
    written(folder / "spam" / "image", b"\x89PNG\0")
    with pytest.raises(DocumentError, match="spam/image, line 1: a NUL"):
        read_documents(folder).load()
    (folder / "spam" / "deeper").mkdir()
    with pytest.raises(DocumentError, match="spam/deeper: a folder inside"):
        read_documents(folder).load()
    (tmp_path / "empty" / "spam").mkdir(parents=True)
    with pytest.raises(DocumentError, match="empty: no documents"):
        read_documents(tmp_path / "empty")
    written(tmp_path / "empty" / "a.txt", b"flat")
    with pytest.raises(DocumentError, match="empty: no label"):
        read_documents(tmp_path / "empty").load()


# ---- streams


READ_STANDARD_INPUT = """
from textensor.datasets.readers.documents import read_documents
documents = read_documents("-")
print(documents.columns, [(d.line, d.text, d.labels, d.file) for d in documents])
try:
    documents.load()
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("compress", "content"),
    list(
        zip(
            COMPRESS.values(),
            ["text;label\na;b\n", '{"text": "a", "label": "b"}\n', "text,label\na,b\n"],
            strict=True,
        )
    ),
)
def test_standard_input_is_read_once(compress, content):
    done = subprocess.run(
        [sys.executable, "-c", READ_STANDARD_INPUT],
        input=compress(content.encode()),
        capture_output=True,
        check=True,
    )
    line = 1 if "{" in content else 2
    assert done.stdout.decode().splitlines() == [
        f"('text', 'label') [({line}, 'a', ('b',), 'standard input')]",
        "standard input can be read only once; keep what load() returns.",
    ]


def test_a_pipe_is_streamed_and_never_run_ahead_of(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    sent = []

    def send():
        try:
            with pipe.open("wb", buffering=0) as stream:
                stream.write(b"text,label\n")
                sent.extend(stream.write(b"x" * 9_997 + b",y\n") for _ in range(10_000))
        except BrokenPipeError:
            pass

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    documents = iter(read_documents(pipe))
    assert [len(next(documents).text) for _ in range(100)] == [9_997] * 100
    assert sum(sent) < 100 * 10_000 + 4 * BLOCK
    del documents
    thread.join(timeout=300)
    assert not thread.is_alive(), "letting go of the documents closes the pipe"


def test_parquet_cannot_come_through_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.parquet")
    with pytest.raises(DocumentError, match="cannot be read from a pipe"):
        read_documents(tmp_path / "pipe.parquet")


def peak_of(action):
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("ending", [".gz", ".xz"])
def test_memory_stays_constant(tmp_path, ending):
    path = tmp_path / f"big.csv{ending}"
    path.write_bytes(
        COMPRESS[ending](b"text,label\n" + (b'"' + b"words, \xc3\xa9 " * 2_000 + b'\n",x\n') * 2_500)
    )
    counted = []
    assert peak_of(lambda: counted.append(sum(1 for _ in read_documents(path)))) < 8 << 20
    assert counted == [2_500]  # 50 MB of text


@pytest.mark.parametrize("content", [b"x", b'"x\n', b'{"text": "'])
def test_a_bomb_is_left_at_the_cap(tmp_path, content):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(content + b"x\n" * 500 + b"x" * (100 << 20), compresslevel=1))

    def read():
        with pytest.raises(DocumentError):
            read_documents(path, text="x", label=None, max_document_bytes=1 << 20).load()

    assert peak_of(read) < 16 << 20


def test_xz_that_asks_for_too_much_memory_is_refused(tmp_path, monkeypatch):
    path = written(tmp_path / "a.csv.xz", lzma.compress(b"text,label\na,b\n"))
    monkeypatch.setattr(unpack, "XZ_MEMORY", 1 << 20)
    with pytest.raises(DocumentError, match=r"a\.csv\.xz: the compressed data is damaged .*[Mm]emory"):
        read_documents(path)


def test_compressed_parts_may_be_joined(tmp_path):
    for ending, compress in COMPRESS.items():
        padding = b"\0" * 8 if ending else b""
        parts = compress(b"text,label\n") + padding + compress(b"a,b\n") + padding
        assert read_documents(written(tmp_path / f"a.csv{ending}", parts)).load() == (["a"], ["b"])


def test_fields_pass_the_limit_of_the_csv_module(tmp_path):
    before = csv.field_size_limit()
    text = 'word "quoted"\n' * 50_000
    path = written(tmp_path / "a.csv", delimited([(text, "x")]))
    assert len(text) > 131_072
    assert read_documents(path).load().texts[0] == text
    assert csv.field_size_limit() == before
