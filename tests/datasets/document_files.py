"""Small files of documents, as a user would write and compress them."""

import csv
import gzip
import io
import lzma
from functools import partial

COMPRESS = {"": bytes, ".gz": gzip.compress, ".xz": partial(lzma.compress, preset=0)}


def written(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def delimited(pairs, separator=",", header=("text", "label")):
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows([header, *pairs])
    return out.getvalue()
