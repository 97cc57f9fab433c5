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
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from textensor.datasets.places import Capped

MAX_MEMBER = 20_000_000


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
    """Convert a .tar.gz of files whose names have the groups split, category and id; see `read_members`."""
    records = [
        {
            "id": id_,
            "split": "train" if split.startswith("train") else "test",
            "category": category,
            "text": content.decode("latin-1"),
        }
        for (split, category, id_), content in read_members(archive, name)
    ]
    records.sort(key=lambda record: (record["split"] != "train", record["category"], int(record["id"])))
    if content_hash is not None:
        check_hash(hash_records(records, ("id", "split", "category", "text")), content_hash)
    return json_lines(records)


def hash_records(records: Iterable[dict[str, Any]], keys: Iterable[str]) -> str:
    """Hash the visible ASCII of some fields: encoding, white space and control characters do not matter."""
    digest, fields = hashlib.sha256(), tuple(keys)
    for record in records:
        for key in fields:
            value = record.get(key)
            text = ",".join(value) if isinstance(value, list) else str(value or "")
            digest.update("".join(re.findall(r"[!-~]+", text)).encode("ascii") + b"\n")
    return digest.hexdigest()


def check_hash(found: str, expected: str) -> None:
    """Refuse documents that are not those of the set."""
    if found != expected:
        raise ValueError(f"its documents hash to {found} where {expected} was expected")


def json_lines(records: Iterable[dict[str, Any]]) -> list[bytes]:
    """Return records as the lines of a file of the layout."""
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
