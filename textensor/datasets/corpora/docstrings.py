"""Docstrings: real text on every machine, read from the installed sources without importing them."""

import ast
import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from textensor.datasets.corpora.layout import index_labels, read_records
from textensor.datasets.corpus import Corpus, describe
from textensor.datasets.places import DatasetInfo, find, store

MIN_WORDS = 20
MIN_DOCUMENTS_PER_LABEL = 30
MIN_DOCUMENTS = 1000
MAX_SOURCE_BYTES = 4_000_000
LEFT_OUT = frozenset(
    {"test", "tests", "idlelib", "tkinter", "lib2to3", "distutils", "site-packages", "dist-packages"}
)
STANDARD_LIBRARY = "Python"
PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}  # import name: distribution name
RULES = 1  # part of the cache key: raise it when the rules below change
TERMS = "free; Python under PSF-2.0, numpy, scipy and scikit-learn under BSD-3-Clause."

DESCRIPTION = describe(
    "Docstrings of {versions}, read from the sources installed here: {documents} documents, {labels} "
    "labels, content hash {content_hash}. The label is the public sub-package or module. Documents have "
    "{min_words} words or more, duplicates are removed, every part of the label's own name is cut out of "
    "its documents, and labels have {min_documents} documents or more. Counts depend on the installed "
    "versions: quote versions and hash with any figure. No official split.",
    "the projects, with their versions.",
    TERMS,
)


class Docstring(NamedTuple):
    """A docstring and the label it has."""

    label: str
    text: str


class Source(NamedTuple):
    """A source file that has been read, not run."""

    label: str
    name: str
    content: bytes


def load_docstrings() -> Corpus:
    """Load the docstrings of the standard library, numpy, scipy and scikit-learn."""
    roots = source_folders()
    sources = [source for package, folder in roots.items() for source in read_sources(package, folder)]
    versions = _versions(roots)
    cache = cache_path(versions, sources)
    documents = _read_cache(cache)
    if documents is None:
        documents = extract(sources)
        if len(documents) < MIN_DOCUMENTS:
            raise ValueError(
                f"Only {len(documents)} docstrings are installed here, fewer than {MIN_DOCUMENTS}: install "
                "Python, numpy, scipy and scikit-learn with their sources, or load another set."
            )
        with contextlib.suppress(OSError):  # a full disk does not stop anyone from reading
            store(cache, _cache_lines(documents))
    label_names, y = index_labels(document.label for document in documents)
    description = DESCRIPTION.format(
        versions=", ".join(f"{name} {version}" for name, version in versions.items()),
        documents=len(documents),
        labels=len(label_names),
        content_hash=_hash(documents),
        min_words=MIN_WORDS,
        min_documents=MIN_DOCUMENTS_PER_LABEL,
    )
    texts = [document.text for document in documents]
    return Corpus(texts=texts, X=None, y=y, train=None, label_names=label_names, description=description)


def source_folders() -> dict[str, Path]:
    """Find the folders of the standard library and the packages, with a warning for each without sources."""
    folders = {STANDARD_LIBRARY: Path(sysconfig.get_path("stdlib"))}
    for package in PACKAGES:
        try:
            spec = importlib.util.find_spec(package)
        except ValueError:  # a stand-in in sys.modules has no spec
            spec = None
        places = spec.submodule_search_locations if spec else None
        folders[package] = Path(next(iter(places or ()), ""))
    found = {}
    for package, folder in folders.items():
        if folder != Path() and next(_source_paths(folder), None) is not None:
            found[package] = folder
        else:
            warnings.warn(f"{package} has no sources here, so its docstrings are left out.", stacklevel=4)
    return found


def read_sources(package: str, folder: Path) -> Iterator[Source]:
    """Read the source files of a package with their labels; private sub-packages and modules are left out."""
    for path in _source_paths(folder):
        inside = path.relative_to(folder)
        part = inside.parts[0].removesuffix(".py")
        if part.startswith("_") or not part.isidentifier():
            continue
        label = part if package == STANDARD_LIBRARY else f"{package}.{part}"
        yield Source(label, f"{package}/{inside.as_posix()}", path.read_bytes())


def _source_paths(folder: Path) -> Iterator[Path]:
    """Python files below a folder in a fixed order, without tests and what else is left out."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and name != "__pycache__")
        for name in sorted(files):
            path = Path(parent, name)
            is_test = name.startswith("test_") or name == "conftest.py"
            if name.endswith(".py") and not is_test and path.stat().st_size <= MAX_SOURCE_BYTES:
                yield path


def extract(sources: Iterable[Source]) -> list[Docstring]:
    """Take the documents out of source files: long enough, each once, of labels that are large enough."""
    seen: set[str] = set()
    documents = []
    for source in sources:
        for docstring in docstrings(source.content):
            text = strip_label(docstring, source.label)
            words = text.split()
            key = " ".join(words).lower()
            if len(words) >= MIN_WORDS and key not in seen:
                seen.add(key)
                documents.append(Docstring(source.label, text))
    sizes = Counter(document.label for document in documents)
    return [document for document in documents if sizes[document.label] >= MIN_DOCUMENTS_PER_LABEL]


def strip_label(text: str, label: str) -> str:
    """Cut every part of a label's dotted name out of a text, as a whole word in any case.

    It would give the answer away.

    Examples
    --------
    >>> strip_label("SciPy statistics: scipy.stats.norm, see also stats and dstats.", "scipy.stats")
    ' statistics: ..norm, see also  and dstats.'
    """
    parts = "|".join(re.escape(part) for part in label.split("."))
    return re.sub(rf"\b(?:{parts})\b", "", text, flags=re.IGNORECASE)


def docstrings(content: bytes) -> Iterator[str]:
    r"""Yield the docstrings of a source file, of its module, classes and functions; none if it is not Python.

    Examples
    --------
    >>> list(docstrings(b'"About it."\ndef f():\n    "What f does."\n'))
    ['About it.', 'What f does.']
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a file's own invalid escapes are not our caller's concern
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield docstring
        for block in ("finalbody", "orelse", "handlers", "body"):
            # Only what has a body itself can hold definitions, and most statements have none.
            waiting += [child for child in reversed(getattr(node, block, ())) if hasattr(child, "body")]


def cache_path(versions: Mapping[str, str], sources: Iterable[Source]) -> str:
    """Name the cached corpus by what it depends on: the rules, the versions, and the sources themselves."""
    digest = hashlib.sha256(str(RULES).encode())
    for source in sources:
        digest.update(f"\n{source.label} {source.name} {len(source.content)}\n".encode())
        digest.update(source.content)
    names = "_".join(f"{name.lower()}-{version}" for name, version in versions.items())
    return f"docstrings/{re.sub(r'[^A-Za-z0-9._+-]', '-', names)}_{digest.hexdigest()[:16]}.jsonl.xz"


def _versions(packages: Iterable[str]) -> dict[str, str]:
    versions = {}
    for package in packages:
        if package == STANDARD_LIBRARY:
            versions[package] = platform.python_version()
            continue
        distribution = PACKAGES[package]
        try:
            versions[distribution] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            versions[distribution] = "of unknown version"
    return versions


def _hash(documents: Iterable[Docstring]) -> str:
    """Hash what a figure depends on: labels and texts in their order."""
    digest = hashlib.sha256()
    for document in documents:
        digest.update(json.dumps(document).encode() + b"\n")
    return digest.hexdigest()[:16]


def _cache_lines(documents: Sequence[Docstring]) -> Iterator[bytes]:
    yield json.dumps({"content_hash": _hash(documents)}).encode() + b"\n"
    for document in documents:
        yield json.dumps(document._asdict()).encode() + b"\n"


def _read_cache(path: str) -> list[Docstring] | None:
    """Read the cached corpus; one that is missing, damaged or changed is made anew."""
    found = find(path)
    if found is None:
        return None
    try:
        header, *records = read_records(found, ())
        documents = [Docstring(record["label"], record["text"]) for record in records]
        return documents if _hash(documents) == header["content_hash"] else None
    except (OSError, ValueError, KeyError):
        return None


INFO = DatasetInfo("docstrings", load_docstrings, "about 7,000", "about 60", TERMS)
