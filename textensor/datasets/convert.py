"""Turn what is published into the lines of the layout's files.

Nothing is unpacked to disk and nothing is run: archive members are read one by one, only those with the
expected names, and with caps on their sizes.
"""

import gzip
import hashlib
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from textensor.datasets.places import Capped

MAX_MEMBER = 20_000_000
_CONTROLS = dict.fromkeys((*range(9), 11, *range(14, 32), 127))


def read_members(archive: IO[bytes], name: str) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Read the plain files of a .tar.gz whose path ends as a regular expression says: groups and content."""
    pattern = re.compile(rf"(?:^|/){name}$")
    unpacked = Capped(gzip.GzipFile(fileobj=archive))  # type: ignore[arg-type]
    with tarfile.open(fileobj=io.BufferedReader(unpacked), mode="r|") as members:
        for member in members:
            match = pattern.search(member.name)
            if match is None or not member.isreg():
                continue
            if member.size > MAX_MEMBER:
                raise ValueError(
                    f"{member.name} has {member.size} bytes, more than a document of this set has"
                )
            content = members.extractfile(member)
            if content is not None:
                yield match.groups(), content.read()


def labelled_folders(archive: IO[bytes], name: str, content_hash: str | None = None) -> list[bytes]:
    """Convert an archive of ``split/category/id`` files.

    Parameters
    ----------
    archive : file
        The .tar.gz.
    name : str
        Regular expression of a member's path, with the groups split, category and id.
    content_hash : str, optional
        What :func:`hash_records` must say.
    """
    records = [
        {
            "id": id_,
            "split": "train" if split.startswith("train") else "test",
            "category": category,
            "text": text,
        }
        for (split, category, id_), content in read_members(archive, name)
        for text in [content.decode("latin-1")]
    ]
    records.sort(key=lambda record: (record["split"] != "train", record["category"], int(record["id"])))
    if content_hash is not None:
        _check_hash(hash_records(records, ("id", "split", "category", "text")), content_hash)
    return _json_lines(records)


def reuters_sgml(archive: IO[bytes], content_hash: str) -> list[bytes]:
    """Convert the 22 SGML files of Reuters-21578."""
    records = []
    for _, content in read_members(archive, r"reut2-\d\d\d\.sgm"):
        blocks = re.finditer(r"<REUTERS([^>]*)>(.*?)</REUTERS>", content.decode("latin-1"), re.DOTALL)
        records += [_reuters_record(block.group(1), block.group(2)) for block in blocks]
    records.sort(key=lambda record: record["newid"])
    _check_hash(hash_reuters(records), content_hash)
    return _json_lines(records)


def hash_reuters(records: Iterable[dict[str, Any]]) -> str:
    """Hash what the loader uses of Reuters-21578."""
    keys = ("newid", "lewissplit", "topics_attr", "topics", "text_type", "title", "body", "text")
    return hash_records(records, keys)


def _reuters_record(attributes: str, block: str) -> dict[str, Any]:
    attribute = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
    text = re.search(r"<TEXT([^>]*)>(.*)</TEXT>", block, re.DOTALL)
    topics = re.search(r"<TOPICS>(.*?)</TOPICS>", block, re.DOTALL)
    if text is None or topics is None or not {"NEWID", "LEWISSPLIT", "TOPICS"} <= attribute.keys():
        raise ValueError(f"the document with the attributes{attributes} is not one of Reuters-21578")
    kind = re.search(r'TYPE="(\w+)"', text.group(1))
    record = {
        "newid": int(attribute["NEWID"]),
        "lewissplit": attribute["LEWISSPLIT"],
        "topics_attr": attribute["TOPICS"],
        "topics": re.findall(r"<D>(.*?)</D>", topics.group(1), re.DOTALL),
        "text_type": kind.group(1) if kind else "NORM",
        "title": _element("TITLE", text.group(2)),
        "body": _element("BODY", text.group(2)),
    }
    if record["text_type"] == "UNPROC":
        record |= {"title": None, "body": None, "text": _plain(text.group(2))}
    return record


def _element(name: str, block: str) -> str | None:
    match = re.search(rf"<{name}>(.*?)</{name}>", block, re.DOTALL)
    return _plain(match.group(1)) if match else None


def _plain(text: str) -> str:
    """Resolve entities and drop control characters, which the wire format left behind."""
    text = re.sub(r"&#\d+;", "", text).translate(_CONTROLS)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def hash_records(records: Iterable[dict[str, Any]], keys: Iterable[str]) -> str:
    """Hash the visible ASCII of some fields: encoding, white space and control characters do not matter."""
    digest, fields = hashlib.sha256(), tuple(keys)
    for record in records:
        for key in fields:
            value = record.get(key)
            text = ",".join(value) if isinstance(value, list) else str(value or "")
            digest.update("".join(re.findall(r"[!-~]+", text)).encode("ascii") + b"\n")
    return digest.hexdigest()


def _check_hash(found: str, expected: str) -> None:
    if found != expected:
        raise ValueError(f"its documents hash to {found} where {expected} was expected")


def _json_lines(records: Iterable[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n" for record in records]


def matlab_matrix(file: IO[bytes]) -> Iterator[bytes]:
    """Convert a .mat file of term counts ``fea``, classes ``gnd`` and, if any, ``trainIdx``, ``testIdx``."""
    from scipy import sparse
    from scipy.io import loadmat

    content = loadmat(file, variable_names=("fea", "gnd", "trainIdx", "testIdx"))
    if not {"fea", "gnd"} <= content.keys():
        raise ValueError("it has no matrix fea with classes gnd")
    X, labels = sparse.csr_array(content["fea"]), content["gnd"].ravel().astype(int)
    X.sort_indices()
    comments = np.full(len(labels), "", dtype="U8")
    for key, comment in (("trainIdx", " # train"), ("testIdx", " # test")):
        if key in content:
            comments[content[key].ravel().astype(int) - 1] = comment
    for row, (label, comment) in enumerate(zip(labels, comments, strict=True)):
        cells = slice(X.indptr[row], X.indptr[row + 1])
        pairs = zip(X.indices[cells] + 1, X.data[cells], strict=True)
        yield f"{label} {' '.join(f'{index}:{value:.17g}' for index, value in pairs)}{comment}\n".encode(
            "ascii"
        )


def plain_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Take the lines as they are."""
    yield from file


def binary_lines(file: IO[bytes], n_positive: int, fingerprint: tuple[int, float, float]) -> list[bytes]:
    """Convert a small LIBSVM set: whatever its two labels are, the class of ``n_positive`` rows becomes +1.

    The set is known by its number of rows, the sum of its values and the sum of their squares, because
    publishers round the values differently.
    """
    rows = [line.split(None, 1) for line in file.read().decode("ascii").splitlines() if line.strip()]
    sizes = Counter(label for label, _ in rows)
    positive = [label for label, size in sizes.items() if size == n_positive]
    values = np.array([float(cell.partition(":")[2]) for _, cells in rows for cell in cells.split()])
    found = (len(rows), float(values.sum()), float((values**2).sum()))
    if len(sizes) != 2 or len(positive) != 1 or not np.allclose(found, fingerprint, rtol=1e-3):
        raise ValueError(f"its rows, sum and sum of squares are {found} where {fingerprint} was expected")
    return [
        f"{'+1' if label == positive[0] else '-1'} {cells.rstrip()}\n".encode("ascii")
        for label, cells in rows
    ]
