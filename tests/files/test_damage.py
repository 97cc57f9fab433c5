"""Files that accidents and attackers make: refused with one sentence, whatever is wrong with the file."""

import copy
import io
import json
import re
import struct
import warnings
import zipfile
import zlib

import numpy as np
import pytest

from tests.files.damage import refused, refused_bytes, saved
from tests.files.zoo import fitted, given, outputs, same
from textensor.files import ModelFileError, container, describe, load

SMALL = ["srda", "pipe-stm", "kda"]

# What accidents do


@pytest.mark.parametrize("name", SMALL)
def test_every_truncation_is_refused(name, path):
    content = saved(path, name)
    cuts = range(len(content)) if len(content) < 2000 else range(0, len(content), len(content) // 500)
    for length in cuts:
        refused_bytes(path, content[:length])


@pytest.mark.parametrize("name", SMALL)
def test_every_flipped_bit_is_noticed(name, path):
    content = saved(path, name)
    rng = np.random.default_rng(0)
    for _ in range(600):
        changed = bytearray(content)
        changed[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        refused_bytes(path, bytes(changed))


def test_bytes_put_in_left_out_or_exchanged_are_noticed(path):
    content = saved(path)
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b = sorted(rng.integers(len(content), size=2))
        junk = rng.bytes(int(rng.integers(1, 9)))
        refused_bytes(path, content[:a] + junk + content[a:])
        if a < b:
            refused_bytes(path, content[:a] + content[b:])
            middle = content[a:b][::-1]
            if middle != content[a:b]:
                refused_bytes(path, content[:a] + middle + content[b:])
    for junk in (b"\0", b"PK", b"#!/bin/sh\n", content):
        refused_bytes(path, junk + content)
        refused_bytes(path, content + junk)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04N.", b"label,text\n", bytes(1000)])
def test_other_files_are_refused(content, path):
    refused_bytes(path, content, "it is not a textensor model|not where it should be")
    with pytest.raises(ModelFileError, match="cannot be read as a model"):
        describe(path)


def test_a_file_that_is_not_there_is_said_to_be_missing(path):
    for read in (load, describe):
        with pytest.raises(FileNotFoundError, match=r"There is no model file .*my\.model\."):
            read(path)


# What attackers do: the file


def rezip(content, change=None, **options):
    """Write the members of a model once more with Python's own zipfile."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", **options) as new:
        for info in old.infolist():
            entry = zipfile.ZipInfo(info.filename)
            entry.compress_type = options.get("compression", zipfile.ZIP_STORED)
            if change is not None:
                change(entry)
            new.writestr(entry, old.read(info))
    return out.getvalue()


def named(old, new):
    def change(entry):
        if entry.filename == old:
            entry.filename = new

    return change


def linked(entry):
    entry.external_attr = 0o120777 << 16


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (None, {"compression": zipfile.ZIP_DEFLATED}),
        (None, {"compression": zipfile.ZIP_BZIP2}),
        (None, {"compression": zipfile.ZIP_LZMA}),
        (named("0.npy", "../0.npy"), {}),
        (named("0.npy", "/etc/0.npy"), {}),
        (named("0.npy", "0.NPY"), {}),
        (named("0.npy", "C:0.npy"), {}),
        (named("0.npy", "1.npy"), {}),
        (named("header.json", "header.JSON"), {}),
        (linked, {}),
        (lambda entry: setattr(entry, "comment", b"hello"), {}),
        (lambda entry: setattr(entry, "extra", b"ab\x00\x00"), {}),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_zips_of_the_same_members_are_refused(change, options, path):
    refused_bytes(
        path,
        rezip(saved(path), change, **options),
        "stored as it should be|is not that of a model|its header describes",
    )


def test_a_member_more_or_twice_is_refused(path):
    content = saved(path)
    for name in ("more.npy", "0.npy", "__init__.py"):
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with zipfile.ZipFile(path, "a") as archive:
                archive.writestr(name, b"x")
        refused(path)


def test_a_bomb_is_refused_before_it_goes_off(path):
    """The size of the file is compared with what the header leads to before any array is made."""
    content = saved(path)
    for shape in ([2**40], [2**20, 2**20], [2**40] * 3, [0, 2**40, 2**40]):
        header = copy.deepcopy(read_header_json(content))
        header["arrays"][0]["shape"] = shape
        refused_bytes(path, with_header(content, header))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 10**7)
    refused_bytes(path, out.getvalue(), "stored as it should be")


def read_header_json(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read("header.json"))


def with_header(content, header):
    """Put another header into a file, with all sums and sizes of the zip in order."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        rest = [(info.filename, archive.read(info)) for info in archive.infolist()][1:]
    contents = [("header.json", text), *rest]
    members = [container.Member(name, len(data), zlib.crc32(data)) for name, data in contents]
    parts = [member.before() + data for member, (_, data) in zip(members, contents, strict=True)]
    return b"".join(parts) + container._directory(members)


def test_the_helper_that_changes_headers_makes_sound_files(path):
    content = saved(path)
    path.write_bytes(with_header(content, read_header_json(content)))
    assert same(outputs(load(path), given("srda")), outputs(fitted("srda"), given("srda")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"format": "textensor-model-1"},
            "its format 1 is from before the first release: fit",
        ),
        ({"format": "textensor-model-4"}, "its format 4 is newer than this version of textensor: install"),
        ({"format": "textensor-model-0"}, "does not say that the format is"),
        ({"format": "textensor-index-1"}, "does not say that the format is"),
        ({"format": 1}, "does not say that the format is"),
        ({"more": 1}, "must have the keys"),
        ({"arrays": {}}, "no list of arrays"),
        ({"arrays": []}, "bytes, and its header describes"),
        ({"metadata": []}, "its metadata is no object"),
        ({"versions": {"numpy": 1}}, "its versions are not texts"),
        ({"model": None}, "holds no model"),
        ({"model": {"class": "textensor.learn.Hinge"}}, "holds no model"),
    ],
)
def test_a_header_that_says_something_else_is_refused(change, message, path):
    content = saved(path)
    header = {**read_header_json(content), **change}
    refused_bytes(path, with_header(content, header), message)
    with pytest.raises(ModelFileError, match=message):
        describe(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dtype": "|O"}, "the dtype '|O', which is not one of numbers"),
        ({"dtype": "<U5"}, "not one of numbers"),
        ({"dtype": ">f8"}, "not one of numbers"),
        ({"dtype": ["<f8"]}, "not one of numbers"),
        ({"dtype": "|V8"}, "not one of numbers"),
        ({"shape": [-1]}, "a shape that cannot be"),
        ({"shape": [True, 3]}, "a shape that cannot be"),
        ({"shape": [1] * 40}, "no shape"),
        ({"shape": "3"}, "no shape"),
        ({"fortran": 1}, "a layout that cannot be"),
        ({"sha256": "0" * 64}, "its sum differs"),
        ({"sha256": "g" * 64}, "not 64 hexadecimal digits"),
        ({"sha256": None}, "not 64 hexadecimal digits"),
        ({"more": 1}, "must have the keys"),
    ],
)
def test_an_array_described_otherwise_is_refused(change, message, path):
    content = saved(path)
    header = read_header_json(content)
    header["arrays"][0].update(change)
    refused_bytes(path, with_header(content, header), re.escape(message))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe{}",
        b'{"format": "textensor-model-3", "format": "textensor-model-3"}',
        b'{"format": NaN}',
        b'{"format": 1e999}',
        b'{"format": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        "{'é'}".encode(),
    ],
)
def test_a_header_that_is_no_json_of_ours_is_refused(text, path):
    content = saved(path)
    refused_bytes(path, with_header(content, text))
    with pytest.raises(ModelFileError):
        describe(path)


def test_a_size_in_the_zip_that_lies_is_refused(path):
    content = bytearray(saved(path))
    content[18:26] = struct.pack("<2L", 2**32 - 1, 2**32 - 1)
    refused_bytes(path, bytes(content), "its header is larger than the file or the limit")
