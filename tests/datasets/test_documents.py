"""`read_documents`: round trips through every format, an error table, streaming and caps."""

import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
import tracemalloc
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textensor.datasets.readers import unpack
from textensor.datasets.readers.documents import DocumentError, read_documents
from textensor.datasets.readers.lines import Lines
from textensor.datasets.readers.tables import _records
from textensor.datasets.readers.unpack import BLOCK

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="|"), max_size=8).map(
    str.strip
)
PAIRS = st.lists(st.tuples(TEXTS, LABELS), min_size=1, max_size=8)
several = partial(settings, max_examples=40, deadline=None)


def written(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def delimited(pairs, separator=",", header=("text", "label")):
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows([header, *pairs])
    return out.getvalue()


def json_lines(pairs, **options):
    return "".join(json.dumps({"text": text, "label": label}, **options) + "\n" for text, label in pairs)


def loaded(path, pairs, **options):
    """Read pairs back; where no document has a label, that is the error to come."""
    if any(label for _, label in pairs):
        return [*zip(*read_documents(path, **options).load(), strict=True)]
    with pytest.raises(DocumentError, match="no label"):
        read_documents(path, **options).load()
    return [*zip(*read_documents(path, label=None, **options).load(), strict=True)]


COMPRESS = {"": bytes, ".gz": gzip.compress, ".xz": partial(lzma.compress, preset=0)}


@several()
@given(
    pairs=PAIRS,
    separator=st.sampled_from(",;\t"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    ending=st.sampled_from([*COMPRESS]),
)
@example(
    pairs=[('a "quoted"\r\nword\u2028; and, \x85\t', "x"), ("", "")],
    separator=";",
    encoding="utf-8",
    ending="",
)
def test_delimited_round_trip(tmp_path_factory, pairs, separator, encoding, ending):
    suffix = ".tsv" if separator == "\t" else ".csv"
    path = tmp_path_factory.mktemp("table") / f"own{suffix}{ending}"
    path.write_bytes(COMPRESS[ending](delimited(pairs, separator).encode(encoding)))
    assert loaded(path, pairs) == pairs


@several()
@given(pairs=PAIRS, ascii_only=st.booleans(), ending=st.sampled_from([*COMPRESS]))
def test_json_lines_round_trip(tmp_path_factory, pairs, ascii_only, ending):
    path = tmp_path_factory.mktemp("lines") / f"own.jsonl{ending}"
    path.write_bytes(COMPRESS[ending](json_lines(pairs, ensure_ascii=ascii_only).encode()))
    assert loaded(path, pairs) == pairs


@several()
@given(pairs=PAIRS)
def test_parquet_round_trip(tmp_path_factory, pairs):
    parquet, pyarrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    path = tmp_path_factory.mktemp("rows") / "own.parquet"
    texts, labels = zip(*pairs, strict=True)
    parquet.write_table(pyarrow.table({"text": texts, "label": labels}), path)
    assert loaded(path, pairs) == pairs


@settings(max_examples=300, deadline=None)
@given(st.text('ab,"\n\r', min_size=1, max_size=30))
@example('"a""b"\r\n"c\nd",e')
@example('"a"b\n')
@example('"a\n')
def test_records_are_those_of_the_csv_module(text):
    pieces = io.StringIO(text, newline="").readlines()
    try:
        expected = [row for row in csv.reader(pieces, strict=True) if row]
    except csv.Error:
        expected = None
    try:
        found = [fields for _, fields in _records(Lines([text], "x", 100), ",", '"')]
    except DocumentError:
        found = expected if text.isspace() else None
    assert found == expected


@pytest.mark.parametrize("cut", [1, 2, 3, 7])
def test_lines_do_not_depend_on_the_blocks(monkeypatch, tmp_path, cut):
    monkeypatch.setattr(unpack, "BLOCK", cut)
    path = written(tmp_path / "a.csv", 'text,label\r\n"é\r\n€",x\rç,\r\n')
    assert [(d.line, d.text, d.labels) for d in read_documents(path)] == [(2, "é\r\n€", ("x",)), (4, "ç", ())]


def test_a_document_carries_its_row_and_its_place(tmp_path):
    path = written(tmp_path / "mail.csv", 'id,body,kind\n1,"two\nlines",a\n\n2,one,\n')
    documents = read_documents(path, text="body", label="kind")
    assert documents.columns == ("id", "body", "kind")
    first, second = documents
    assert first.row == {"id": "1", "body": "two\nlines", "kind": "a"}
    assert (first.line, second.line, first.file) == (2, 5, str(path))
    assert (first.labels, second.labels) == (("a",), ())
    assert [*documents] == [first, second], "a file can be gone through again"
    assert "mail.csv" in repr(documents)


def test_several_labels(tmp_path):
    path = written(tmp_path / "a.csv", "text,label\none,a| b |a\ntwo,\nthree,|c\n")
    assert read_documents(path, label_separator="|").load().labels == [("a", "b"), (), ("c",)]
    assert read_documents(path).load().labels == ["a| b |a", "", "|c"]


def test_labels_of_json_lines(tmp_path):
    values = ['"a"', "3", "true", "null", '["a", 2, "a", " "]', "[]", "NaN", "2.5"]
    rows = [f'{{"text": "t", "label": {value}}}' for value in values]
    path = written(tmp_path / "a.jsonl", "\n\n".join([*rows, '{"text": "t", "other": {"deep": [1]}}']))
    documents = read_documents(path)
    expected = [("a",), ("3",), ("true",), (), ("a", "2"), (), (), ("2.5",), ()]
    assert [document.labels for document in documents] == expected
    assert documents.load().labels == expected
    assert [*documents][-1].row["other"] == {"deep": [1]}


def test_one_label_each_is_a_list_of_strings(tmp_path):
    path = written(tmp_path / "a.jsonl", json_lines([("t", "a"), ("u", None)]))
    assert read_documents(path).load() == (["t", "u"], ["a", ""])


def test_a_null_text_is_an_empty_one(tmp_path):
    path = written(tmp_path / "a.jsonl", json_lines([(None, "a"), ("u", "b")]))
    assert read_documents(path).load().texts == ["", "u"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "text;label\na;b\n"),
        ("a", "text\tlabel\na\tb\n"),
        ("a.dat", '\n\n  {"text": "a", "label": "b"}\n'),
        ("a.CSV", '"text, or so";text;label\n1;a;b'),
        ("a.tab", "text\tlabel\ra\tb\r"),
        ("a.csv", "'text';label\n'a';b\n"),
    ],
)
def test_format_and_separator_are_recognised(tmp_path, name, content):
    path = written(tmp_path / name, content)
    assert read_documents(path, quote="'" if "'" in content else '"').load() == (["a"], ["b"])


def test_quotes_can_be_plain_characters(tmp_path):
    path = written(tmp_path / "sms.tsv", 'label\ttext\nham\t"Hi\nspam\t5" pipes "\n')
    assert read_documents(path, quote=None).load().texts == ['"Hi', '5" pipes "']


def test_format_can_be_given(tmp_path):
    path = written(tmp_path / "a.csv", '{"text": "a", "label": "b"}')
    assert read_documents(path, format="jsonl").load() == (["a"], ["b"])


# ---- encodings


@pytest.mark.parametrize(
    "text",
    ["café", "“smart” – quotes’", "CAFÉ\xa0! déjà vu, où, naïve", "é" * 3, "SPAß… été\nGRÜß„\nQUALITÉ\xa0!"],
)
def test_cp1252_is_recognised(tmp_path, text):
    path = written(tmp_path / "a.csv", f'text;label\n"{text}";é\n', "cp1252")
    assert read_documents(path).load() == ([text], ["é"])


def test_cp1252_may_begin_after_many_blocks_of_ascii(tmp_path):
    path = written(
        tmp_path / "a.csv", "text,label\n" + "plain words,x\n" * (BLOCK // 5) + "café,x\n", "cp1252"
    )
    assert read_documents(path).load().texts[-1] == "café"


def test_encoding_can_be_given(tmp_path):
    path = written(tmp_path / "a.csv", "text,label\nżółw,x\n", "cp1250")
    assert read_documents(path, encoding="cp1250").load().texts == ["żółw"]
    path = written(tmp_path / "b.csv", "\ufefftext,label\nżółw,x\n", "utf-8")
    assert read_documents(path, encoding="utf-8").load().texts == ["żółw"], "a mark that was not announced"


LONG = "plain words,x\n" * (BLOCK // 10)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"text,label\n\xc3\xa9\xc3\xa8\xc3\xa7,x\nbad \x92,x\n", ["line 3", "0x92", "utf-8", "encoding="]),
        (
            b"text,label\n\xc3\xa9,x\n" + LONG.encode() + b"\x92,x\n",
            [f"line {3 + BLOCK // 10}", "0x92", "utf-8"],
        ),
        (
            b"text,label\n\x92,x\n" + LONG.encode() + b"\xc3\xa9,x\n",
            [f"line {3 + BLOCK // 10}", "mixed", "0xc3"],
        ),
        # however much of the other encoding there is, before it, after it or on the same line
        (b"text,label\n" + b"\xe9,x\n" * 900 + b"\xc3\xb6,x\n", ["line 902", "mixed", "0xc3"]),
        (b"text,label\n\xc3\xb6,x\n" + b"\xe9,x\n" * 900, ["line 2", "mixed", "0xc3"]),
        (
            b"text,label\n" + b"\xe9,x\n" * 900 + LONG.encode() + b"\xe2\x80\x99s,x\n",
            [f"line {902 + BLOCK // 10}", "mixed", "0xe2"],
        ),
        (b"text,label\n\xe9\xe8,\xc3\xa9\n", ["line 2", "mixed", "0xc3"]),
        (b"text,label\n" + b"\xe9,x\n" * 900 + "мир,x\n".encode(), ["line 902", "mixed", "0xd0"]),
        (b"text,label\n\xe9\xe8 \x81,x\n", ["line 2", "bad encoding", "0x81", "cp1252"]),
        (b"\xef\xbb\xbftext,label\n\xe9,x\n", ["line 2", "bad encoding", "0xe9", "utf-8"]),
        (b"\xff\xfet\x00e", ["line 1"]),
    ],
)
def test_bad_encodings_name_the_line(tmp_path, content, parts):
    path = written(tmp_path / "a.csv", content)
    with pytest.raises(DocumentError) as caught:
        read_documents(path).load()
    assert all(part in str(caught.value) for part in ["a.csv", *parts]), caught.value


# ---- errors


ERRORS = [
    ("a.csv", b"", {}, ["the file is empty"]),
    ("a.csv", b"\xef\xbb\xbf\n \r\n", {}, ["the file is empty"]),
    ("a.jsonl", b"\n", {}, ["the file is empty"]),
    ("a.csv.gz", gzip.compress(b""), {}, ["the file is empty"]),
    ("a.csv", b"text,label\n", {}, ["no documents"]),
    ("a.csv", b"body,label\na,b\n", {}, ["line 1", 'no column "text"', '"body", "label"', "text="]),
    ("a.csv", b"\ntext,kind\na,b\n", {}, ["line 2", 'no column "label"', '"text", "kind"', "label="]),
    ("a.csv", b"text,label\n", {"text": "x\x1b[2J"}, ["'x\\x1b[2J'"]),
    ("a.csv", b"text,label,text\na,b,c\n", {}, ["line 1", "more than one column", '"text"']),
    ("a.csv", b"text,label\na,b\nc\n", {}, ["line 3", "1 fields", "header has 2"]),
    ("a.csv", b'text,label\n"a\nb",c\n\nd,e,f\n', {}, ["line 5", "3 fields"]),
    ("a.csv", b'text,label\na,b\n"c\nd,e\nf,g\n', {}, ["line 3", "unterminated quote", "end of the file"]),
    ("a.csv", b'text,label\n"a\n"b" c,d\n', {}, ["line 3", "opened in line 2"]),
    ("a.csv", b'text,label\na,"b', {}, ["line 2", "unterminated quote"]),
    ("a.csv", b"text,label\na,\nb,  \n", {}, ["no label", '"label"', "label=None"]),
    ("a.csv", b"text,label\na\0b,c\n", {}, ["line 2", "NUL", "not text"]),
    ("a.csv", b"PK\x03\x04\x14\0\0\0\x08\0\x9f\x01", {}, ["NUL", "not text", "save a spreadsheet as CSV"]),
    ("a.csv", "text,label\na,b\n".encode("utf-16-le"), {}, ["not text", "utf-16-le"]),
    ("a.csv", "text,label\n\0,b\n".encode("utf-16"), {}, ["line 2", "not text"]),
    ("a.csv", b"text,label\n\xff,b\n", {"encoding": "utf-8"}, ["line 2", "0xff is not utf-8"]),
    ("a.csv.gz", gzip.compress(b"text,label\n" + bytes(range(1, 99)))[:-20], {}, ["damaged or cut short"]),
    ("a.csv.gz", gzip.compress(b"text,label\na,b\n") + b"more", {}, ["damaged or cut short"]),
    ("a.csv.xz", lzma.compress(b"text,label\na,b\n")[:-20], {}, ["damaged or cut short", "too early"]),
    ("a.csv.xz", lzma.compress(b"text,label\na,b\n") + b"more", {}, ["damaged or cut short"]),
    ("a.jsonl", b'{"text": "a", "label": "b"}\n\n{"text": }\n', {}, ["line 3", "not JSON", "column 10"]),
    ("a.json", b'[\n{"text": "a", "label": "b"}\n]', {}, ["line 1", "not JSON", "one object per line"]),
    ("a.json", b'[{"text": "a", "label": "b"}]', {}, ["line 1", "not a JSON object", "one object per line"]),
    ("a.jsonl", b'{"body": "a", "label": "b"}', {}, ["line 1", 'no column "text"', '"body", "label"']),
    (
        "a.jsonl",
        b'{"text": "a", "label": "b"}\n{}',
        {},
        ["line 2", 'no column "text"', "the columns are none"],
    ),
    ("a.jsonl", b'{"text": "a"}', {}, ["no label"]),
    ("a.jsonl", b'{"text": 5, "label": "b"}', {}, ["line 1", "something else than text", "a string"]),
    ("a.jsonl", b'{"text": "a", "label": {"b": 1}}', {}, ["line 1", "label", "neither a string"]),
    ("a.jsonl", b'{"text": "a", "label": [["b"]]}', {}, ["line 1", "label", "neither a string"]),
    ("a.jsonl", b'{"text": "a", "text": "b", "label": "c"}', {}, ["line 1", "twice"]),
    ("a.jsonl", b'{"text": "\\ud83d", "label": "c"}', {}, ["line 1", "surrogate"]),
    ("a.jsonl", b'{"text": ' + b"[" * 100_000, {}, ["line 1", "cannot be read"]),
    ("a.jsonl", b'{"text": ' + b"1" * 5_000 + b"}", {}, ["line 1", "cannot be read"]),
    ("a.parquet", b"PAR1 but not really", {}, ["not parquet, or damaged"]),
    (
        "a.csv",
        b"text,label\n" + b"x" * 50 + b",y\n",
        {"max_document_bytes": 40},
        ["line 2", "cap of 40 bytes"],
    ),
    (
        "a.csv",
        b'text,label\na,b\n"x\n' + b"x\n" * 50,
        {"max_document_bytes": 40},
        ["line 3", "unterminated", "40"],
    ),
    ("a.csv", "text,label\nééééééééééé,é\n".encode(), {"max_document_bytes": 20}, ["line 2", "over the cap"]),
    ("a.csv.xz", lzma.compress(b"text,label\n" + b"x,y\n" * 50), {"max_bytes": 99}, ["more than 99 bytes"]),
]


@pytest.mark.parametrize(
    ("name", "content", "options", "parts"),
    ERRORS,
    ids=[f"{at} {name} {' '.join(parts)}" for at, (name, *_, parts) in enumerate(ERRORS)],
)
def test_errors_say_what_and_where(tmp_path, name, content, options, parts):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = written(tmp_path / name, content)
    with pytest.raises(DocumentError) as caught:
        read_documents(path, **options).load()
    message = str(caught.value)
    assert all(part in message for part in [name, *parts]), message
    assert "\n" not in message, message
    assert message.endswith("."), message


@settings(max_examples=200, deadline=None)
@given(
    content=st.binary(max_size=60) | st.text('text,label\n"{}:;[]1é', max_size=60).map(str.encode),
    name=st.sampled_from(["a.csv", "a.jsonl", "a.txt"]),
    head=st.sampled_from(
        [b"", b"text,label\n", b'{"text": "a", "label": ', b"\x1f\x8b\x08\x00", b"\xfd7zXZ\x00"]
    ),
)
def test_whatever_the_bytes_the_error_is_ours(tmp_path_factory, content, name, head):
    path = written(tmp_path_factory.getbasetemp() / name, head + content)
    try:
        texts, labels = read_documents(path).load()
    except DocumentError as error:
        assert name in str(error)
    else:
        assert len(texts) == len(labels) > 0


@pytest.mark.parametrize(
    "content",
    [b"body,label\na,b\n", b"", b'{"body": 1}', b'text,label\n"a', b"text,label\n", b"text,label\na\0,b"],
)
def test_errors_at_the_start_come_before_any_work(tmp_path, content):
    with pytest.raises(DocumentError):
        read_documents(written(tmp_path / "a.txt", content))


def test_good_documents_come_before_a_bad_line(tmp_path):
    documents = iter(read_documents(written(tmp_path / "a.csv", "text,label\na,b\nc\n")))
    assert next(documents).text == "a"
    with pytest.raises(DocumentError, match="line 3"):
        next(documents)


def test_many_columns_make_a_short_message(tmp_path):
    header = ",".join(f"column{at}" * 20 for at in range(1000))
    with pytest.raises(DocumentError, match="and 980 more") as caught:
        read_documents(written(tmp_path / "a.csv", header + "\n"))
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"label_separator": ""}, "label_separator"),
        ({"format": "xlsx"}, "format must be"),
        ({"encoding": "klingon"}, "encoding must be"),
        ({"encoding": "hex"}, "encoding must be"),
        ({"quote": "|"}, "quote must be"),
        ({"max_bytes": 0}, "max_bytes must be"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, match):
    with pytest.raises(ValueError, match=match):
        read_documents(written(tmp_path / "a.csv", "text,label\na,b\n"), **options)


@pytest.mark.parametrize("path", ["nowhere.csv", ""])
def test_no_such_file(path):
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        read_documents(path)


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
