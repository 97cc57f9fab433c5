"""Workbooks of Excel: what cells become, damaged and hostile files."""

import datetime
import io
import sys
import tracemalloc
import zipfile

import pytest

from textensor.datasets.readers import excel
from textensor.datasets.readers.documents import DocumentError, read_documents

openpyxl = pytest.importorskip("openpyxl", reason="the extra [excel] is not installed")

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/sheet1.xml" ContentType="{TYPE}.worksheet+xml"/>'
        f'<Override PartName="/xl/strings.xml" ContentType="{TYPE}.sharedStrings+xml"/></Types>'
    ),
    "xl/workbook.xml": (
        f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>'
        "</workbook>"
    ),
    "xl/_rels/workbook.xml.rels": (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="/xl/sheet1.xml"/></Relationships>'
    ),
    "xl/strings.xml": f"<sst {MAIN}><si><t>text</t></si><si><t>label</t></si></sst>",
}
HEADER = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'


def row(number, text="wheat", label="a"):
    cells = (("A", text), ("B", label))
    inner = "".join(f'<c r="{c}{number}" t="inlineStr"><is><t>{t}</t></is></c>' for c, t in cells)
    return f'<row r="{number}">{inner}</row>'


TWO_ROWS = HEADER + row(2)


def book(path, sheet=TWO_ROWS, before="", after="", **parts):
    """Write a workbook whose sheet has these rows; a part may be given as pieces of text."""
    whole = [f"{before}<worksheet {MAIN}><sheetData>", *([sheet] if isinstance(sheet, str) else sheet)]
    named = {"xl/strings.xml": parts.pop("strings", PARTS["xl/strings.xml"])}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in {**PARTS, **named, **parts}.items():
            with archive.open(name, "w") as stream:
                for piece in [content] if isinstance(content, str) else content:
                    stream.write(piece.encode())
        with archive.open("xl/sheet1.xml", "w") as stream:
            for piece in (*whole, f"</sheetData>{after}</worksheet>"):
                stream.write(piece.encode())
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.xlsx"


def written(path, *rows, **options):
    made = openpyxl.Workbook(**options)
    for one in rows:
        made.active.append(one)
    made.save(path)
    return path


def test_the_first_sheet_is_read_as_csv_would_be(path):
    when = datetime.datetime(2024, 2, 29, 12, 30)
    values = ["wheat", "grain", 3, 2.5, 4.0, True, when, datetime.date(2024, 2, 29), None, "=1+1"]
    header = ["text", "label", "n", "x", "whole", "yes", "when", "day", "nothing", "sum"]
    documents = read_documents(written(path, header, values, ["a\nb", None]))
    first, second = documents
    assert list(first.row.values()) == [
        *("wheat", "grain", "3", "2.5", "4", "TRUE", "2024-02-29T12:30:00", "2024-02-29T00:00:00", "", "")
    ]
    assert (first.line, first.labels, first.text) == (2, ("grain",), "wheat")
    assert (second.line, second.labels, second.text, second.row["n"]) == (3, (), "a\nb", "")
    assert documents.columns == tuple(header)
    assert documents.load().labels == ["grain", ""]
    assert (documents.unit, documents.format, documents.separator, documents.encodings) == (
        "row",
        "excel",
        None,
        (),
    )


def test_blank_rows_and_nameless_columns_are_passed_over(path):
    made = openpyxl.Workbook()
    for at, value in {"B3": "text", "D3": " label ", "B5": "one", "C5": "?", "D5": "x", "B9": "two"}.items():
        made.active[at] = value
    made.save(path)
    found = read_documents(path)
    assert [(d.line, d.row) for d in found] == [
        (5, {"text": "one", "label": "x"}),
        (9, {"text": "two", "label": ""}),
    ]


def test_the_first_visible_sheet(path):
    made = openpyxl.Workbook()
    made.active.append(["text", "label"])
    made.active.append(["hidden", "x"])
    made.active.sheet_state = "hidden"
    shown = made.create_sheet("shown")
    shown.append(["text", "label"])
    shown.append(["shown", "x"])
    made.save(path)
    assert read_documents(path).load().texts == ["shown"]


def test_text_as_excel_writes_it(path):
    strings = (
        f"<sst {MAIN}><si><t>text</t></si><si><t>label</t></si>"
        "<si><r><t>rich </t></r><r><rPr><b/></rPr><t>text</t></r><rPh sb='0' eb='1'><t>no</t></rPh></si>"
        '<si><t xml:space="preserve">two_x000D_\nlines &amp; &#x1F600;</t></si></sst>'
    )
    rows = (
        '<row><c t="s"><v>2</v></c><c><v>7</v></c></row>'
        '<row><c t="s"><v>3</v></c><c t="e"><v>#N/A</v></c></row>'
    )
    found = read_documents(book(path, HEADER + rows, strings=strings)).load()
    assert found.texts == ["rich text", "two\nlines & \U0001f600"]
    assert found.labels == ["7", "#N/A"]


def test_dimensions_that_are_wrong_do_not_matter(path):
    sheet = f'<worksheet {MAIN}><dimension ref="A1"/><sheetData>{HEADER}{row(2)}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**PARTS, "xl/sheet1.xml": sheet}.items():
            archive.writestr(name, content)
    assert read_documents(path).load() == (["wheat"], ["a"])


def test_strict_namespaces_and_prefixes(path):
    """A prefix changes nothing for the guard."""
    sheet = (
        '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>'
        '<x:row r="1"><x:c t="s"><x:v>0</x:v></x:c><x:c t="s"><x:v>1</x:v></x:c></x:row>'
        + '<x:row r="99999999"><x:c t="s"><x:v>0</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**PARTS, "xl/sheet1.xml": sheet}.items():
            archive.writestr(name, content)
    with pytest.raises(DocumentError, match="more than 1,048,576 rows"):
        read_documents(path).load()


def test_without_openpyxl_the_extra_is_named(path, monkeypatch):
    book(path)
    monkeypatch.setitem(sys.modules, "openpyxl.reader.excel", None)
    with pytest.raises(ImportError, match=r'a.xlsx.*pip install "textensor\[excel\]", or save it as CSV'):
        read_documents(path)


def test_a_pipe_is_no_workbook(tmp_path):
    with pytest.raises(DocumentError, match="standard input: Excel cannot be read from a pipe"):
        read_documents("-", format="excel")


def raw(**parts):
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return found.getvalue()


def old_excel(path):
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))


def cut(path):
    whole = book(path).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def damaged(path):
    whole = bytearray(book(path).read_bytes())
    whole[100:200] = bytes(100)
    path.write_bytes(bytes(whole))


NONE = "not an Excel workbook, or damaged, or protected by a password"
#: How a file is made, and what the sentence says.
BAD = {
    "empty": (lambda path: path.write_bytes(b""), NONE),
    "text": (lambda path: path.write_text("text,label\na,b\n"), NONE),
    "the old format, or a password": (old_excel, NONE),
    "cut short": (cut, NONE),
    "damaged": (damaged, NONE),
    "no workbook": (lambda path: path.write_bytes(raw(a="b")), NONE),
    "broken XML": (lambda path: book(path, HEADER + "<row><c></row>"), NONE),
    "a text that is not there": (lambda path: book(path, HEADER + '<row><c t="s"><v>99</v></c></row>'), NONE),
    "a number that is none": (lambda path: book(path, HEADER + "<row><c><v>many</v></c></row>"), NONE),
    "a column that is none": (
        lambda path: book(path, HEADER + '<row><c r="AAAAAAA1"><v>1</v></c></row>'),
        NONE,
    ),
    "an empty sheet": (lambda path: book(path, ""), "a.xlsx: the first sheet is empty."),
    "a header alone": (lambda path: book(path, HEADER), "no documents in it"),
    "no label": (lambda path: book(path, HEADER + row(2, label="")), '"label" is empty everywhere'),
    "other columns": (
        lambda path: book(path, row(3, "body", "label")),
        'a.xlsx, row 3: no column "text", the columns are "body", "label"; name yours with text=.',
    ),
    "a column twice": (lambda path: book(path, row(1, "text", "text")), "row 1: more than one column"),
    "entities": (
        lambda path: book(
            path, before='<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
        ),
        "a document type, which no workbook has",
    ),
    "a row far below": (lambda path: book(path, HEADER + row(1 << 40)), "more than 1,048,576 rows; save the"),
    "a row of no number": (lambda path: book(path, HEADER + row("inf")), "more than 1,048,576 rows"),
    "a row below 0": (lambda path: book(path, HEADER + row("1e99")), "more than 1,048,576 rows"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_workbooks(name, path):
    make, message = BAD[name]
    make(path)
    with pytest.raises(DocumentError) as caught:
        read_documents(path).load()
    said = str(caught.value)
    assert message in said
    assert said.startswith(str(path))
    assert "\n" not in said
    assert said.endswith(".")


def many(piece, times=40_000):
    return [piece * 10_000] * (times // 10_000)


#: Small limits, so that a bomb need not be large, and what would be held if they were not kept.
LIMITS = {
    "MAX_ROWS": 10_000,
    "MAX_IN_ROW": 1_000,
    "MAX_TEXTS": 10_000,
    "MAX_TEXT_BYTES": 1 << 20,
    "MAX_OTHER": 1_000,
    "MAX_OTHER_BYTES": 1 << 20,
    "MAX_TAG_BYTES": 1 << 17,
}
BOMBS = {
    "rows": (lambda path: book(path, [HEADER, *many("<row/>")]), "more than 10,000 rows"),
    "rows in rows": (lambda path: book(path, [HEADER, *many("<row>")]), "more than 10,000 rows"),
    "cells of a row": (lambda path: book(path, [HEADER, "<row>", *many("<c/>")]), "a row of more than 1,000"),
    "a long cell": (
        lambda path: book(path, [HEADER, "<row><c t='str'><v>", *many("long word ", 8_000_000)]),
        "row 2: a document over the cap of 1 MiB",
    ),
    "texts": (
        lambda path: book(path, strings=[f"<sst {MAIN}>", *many("<si/>")]),
        "more than 10,000 different texts",
    ),
    "much text": (
        lambda path: book(path, strings=[f"<sst {MAIN}>", *[f"<si><t>{'x' * (1 << 18)}</t></si>"] * 99]),
        "more than 1 MiB of text",
    ),
    "other elements": (lambda path: book(path, [HEADER, *many("<x/>")]), "more than 1,000 styles"),
    "elements behind the rows": (
        lambda path: book(path, TWO_ROWS, after="<mergeCell/>" * 40_000),
        "more than 1,000 styles",
    ),
    "space between rows": (
        lambda path: book(path, [HEADER, *many(" " * 1_000)]),
        "more than 1 MiB of styles and the like",
    ),
    "attributes": (
        lambda path: book(path, [HEADER, "<row><c", *(f' a{k}=""' for k in range(100_000))]),
        "a tag of more than 131,072 bytes",
    ),
    "the workbook": (
        lambda path: book(path, **{"xl/workbook.xml": [f"<workbook {MAIN}>", *many("<x/>")]}),
        "more than 1,000 styles",
    ),
    "the types": (
        lambda path: book(path, **{"[Content_Types].xml": many(" " * 1_000)}),
        "more than 1 MiB of styles",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_left_before_it_is_held(name, path, monkeypatch):
    for limit, value in LIMITS.items():
        assert value < getattr(excel, limit)
        monkeypatch.setattr(excel, limit, value)
    make, message = BOMBS[name]
    make(path)
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(DocumentError, match=message):
            read_documents(path, max_document_bytes=1 << 20).load()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20


def test_caps_are_those_of_the_other_formats(path):
    book(path, HEADER + row(2) + row(3, "x" * 50))
    with pytest.raises(DocumentError, match="row 3: a document over the cap of 40 bytes"):
        read_documents(path, max_document_bytes=40).load()
    with pytest.raises(DocumentError, match="more than 400 bytes in all, after decompression"):
        read_documents(path, max_bytes=400).load()


def test_memory_does_not_grow_with_the_rows(path):
    book(path, [HEADER, *(row(k, "some words of a text " * 100) for k in range(2, 5_000))])
    tracemalloc.start()
    try:
        n = sum(1 for _ in read_documents(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n == 4_998
    assert peak < 6 << 20  # of 10 MB of text


def test_a_large_sheet_passes_the_guard(path, monkeypatch):
    monkeypatch.setattr(excel, "MAX_ROWS", 3)
    book(path, HEADER + row(2) + row(3))
    assert len(read_documents(path).load().texts) == 2
    book(path, HEADER + row(2) + row(3) + row(4))
    with pytest.raises(DocumentError, match="more than 3 rows"):
        read_documents(path).load()
