"""`read_documents`: round trips through every format, encodings and an error table."""

import csv
import gzip
import io
import json
import lzma
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.datasets.document_files import COMPRESS, delimited, written
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


def json_lines(pairs, **options):
    return "".join(json.dumps({"text": text, "label": label}, **options) + "\n" for text, label in pairs)


def loaded(path, pairs, **options):
    """Read pairs back; where no document has a label, that is the error to come."""
    if any(label for _, label in pairs):
        return [*zip(*read_documents(path, **options).load(), strict=True)]
    with pytest.raises(DocumentError, match="no label"):
        read_documents(path, **options).load()
    return [*zip(*read_documents(path, label=None, **options).load(), strict=True)]


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
    ("a.csv", b"text,label\na,b\nc\n", {}, ["line 3", "1 field", "header has 2"]),
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
