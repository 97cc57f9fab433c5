"""What is wrong with documents: one sentence that names the file, the line and what to do."""

import os
from collections.abc import Sequence


class DocumentError(ValueError):
    """Documents that cannot be read: one sentence that names the file, the line and what to do."""


def shown(name: str, longest: int = 60) -> str:
    """Return a name of someone else's choosing, made safe for a message."""
    name = name if len(name) <= longest else name[: longest - 3] + "..."
    return name if name.isprintable() else repr(name)


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return a path, made safe for a message, but whole: its end is what tells it from others."""
    return shown(os.fspath(path), 5000)


def listed(names: Sequence[str]) -> str:
    """Return names of someone else's choosing as a list for a message, not too long."""
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return ", ".join(f'"{shown(name)}"' for name in names[:20]) + more


def utf8_size(text: str) -> int:
    """Return the bytes that a text takes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def megabytes(size: int) -> str:
    """Return a number of bytes for a message."""
    return f"{size / 2**20:,.0f} MiB" if size >= 2**20 else f"{size:,} bytes"


def over_the_cap(place: str, max_bytes: int) -> DocumentError:
    """Return the error for a document that is too large."""
    cap = megabytes(max_bytes)
    return DocumentError(f"{place}: a document over the cap of {cap}; pass a larger max_document_bytes.")
