import collections
import lzma
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from textensor.datasets import load
from textensor.datasets.corpora import docstrings

WORDS = [f"word{i}" for i in range(16)]


def sentence(*words, length=24):
    """Some words, filled up to a length with words that make no two sentences equal."""
    sentence.count += 1
    filler = [*words, f"number{sentence.count}", *WORDS, *WORDS]
    return " ".join(filler[:length])


sentence.count = 0


def module(n, *words):
    return "\n".join(f'def f{i}():\n    """{sentence(*words)}"""\n' for i in range(n))


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def labels(folder, package="numpy"):
    """How many documents each label of a made-up package has."""
    documents = docstrings.extract(docstrings.read_sources(package, folder))
    return dict(collections.Counter(document.label for document in documents))


@pytest.fixture
def installed(bare_machine, tmp_path, monkeypatch):
    """A made-up standard library of 1,000 documents, and nothing else."""
    folder = write(tmp_path / "lib", {f"m{i}.py": module(50) for i in range(20)})
    monkeypatch.setattr(docstrings, "source_folders", lambda: {docstrings.STANDARD_LIBRARY: folder})
    return folder


# --- Which documents ---


def test_label_is_the_public_part_below_the_package(tmp_path):
    write(
        tmp_path,
        {
            "stats/_private.py": module(20),
            "stats/deep/_more/er.py": module(15),
            "_core/a.py": module(40),
            "_file.py": module(40),
            "single.py": module(30),
            "with-dash/a.py": module(40),
            "__init__.py": module(40),
        },
    )
    assert labels(tmp_path) == {"numpy.stats": 35, "numpy.single": 30}
    assert labels(tmp_path, docstrings.STANDARD_LIBRARY) == {"stats": 35, "single": 30}


@pytest.mark.parametrize(
    "name",
    [
        "tests/a.py",
        "stats/tests/a.py",
        "test/a.py",
        "idlelib/a.py",
        "tkinter/a.py",
        "lib2to3/a.py",
        "distutils/a.py",
        "site-packages/a.py",
        "stats/test_a.py",
        "stats/conftest.py",
        "stats/a.txt",
        "stats/__pycache__/a.py",
    ],
)
def test_left_out(tmp_path, name):
    assert labels(write(tmp_path, {name: module(40)})) == {}


def test_small_labels_are_left_out(tmp_path):
    assert labels(write(tmp_path, {"small.py": module(29), "large.py": module(30)})) == {"numpy.large": 30}


def test_short_documents_are_left_out(tmp_path):
    long, short = (f'def f():\n    "{sentence(length=length)}"\n' for length in (20, 19))
    write(tmp_path, {"a.py": module(30) + long + short})
    assert labels(tmp_path) == {"numpy.a": 31}


def test_words_are_counted_without_the_label(tmp_path):
    stripped = f'def f():\n    "numpy {sentence(length=19)}"\n'
    assert labels(write(tmp_path, {"a.py": module(30) + stripped})) == {"numpy.a": 30}


def test_duplicates_are_removed(tmp_path):
    text = sentence()
    copies = f'def f():\n    "{text}"\ndef g():\n    """{text.upper()}\n    """\n'
    assert labels(write(tmp_path, {"a.py": module(30) + copies, "b.py": copies + module(30)})) == {
        "numpy.a": 31,
        "numpy.b": 30,
    }


def test_every_place_a_docstring_can_be():
    source = b'''
"""Module."""
class A:
    """Class."""
    def method(self):
        """Method."""
        def inner():
            """Inner."""
    """Not a docstring."""
async def coroutine():
    """Coroutine."""
try:
    def tried():
        """Tried."""
except ImportError:
    def fallback():
        """Fallback."""
else:
    def other():
        """Other."""
finally:
    def last():
        """Last."""
text = """Not a docstring either."""
'''
    found = set(docstrings.docstrings(source))
    expected = "Module Class Method Inner Coroutine Tried Fallback Other Last"
    assert found == {f"{word}." for word in expected.split()}


@pytest.mark.parametrize(
    "source",
    [
        b"def (",
        b"\xff\xfe\x00",
        b"x = '\x00'",
        b"",
        b"# coding: nonsense\n'Doc.'",
        b"-" * 100_000 + b"1",
        b"\xe9 = 1",
    ],
)
def test_what_is_not_python_has_no_docstrings(source):
    assert list(docstrings.docstrings(source)) == []


def test_other_encodings_are_read():
    assert list(docstrings.docstrings('# coding: latin-1\n"Ein Grüner."'.encode("latin-1"))) == [
        "Ein Grüner."
    ]


def test_warnings_of_a_source_are_not_ours():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(docstrings.docstrings(b'"An \\invalid escape."\n1 is 1')) == ["An \\invalid escape."]


def test_sources_are_read_and_not_run(tmp_path):
    write(tmp_path, {"a.py": f"raise SystemExit\n{module(30)}"})
    assert labels(tmp_path) == {"numpy.a": 30}


@pytest.mark.parametrize(
    ("label", "text", "left"),
    [
        ("sklearn.linear_model", "from sklearn.linear_model import Ridge", "from . import Ridge"),
        ("sklearn.linear_model", "a linear model of Sklearn", "a linear model of "),
        ("email", "An Email, emails and `email.message`", "An , emails and `.message`"),
        ("numpy.ma", "np.ma.array or ma.max, not matrix or mama", "np..array or .max, not matrix or mama"),
    ],
)
def test_the_answer_is_not_in_the_text(label, text, left):
    assert docstrings.strip_label(text, label) == left


# --- The whole corpus ---


def test_the_corpus(installed):
    corpus = load()
    assert repr(corpus) == "Corpus(1000 documents, 20 labels)"
    assert corpus.train is None
    assert np.bincount(corpus.y).tolist() == [50] * 20
    assert corpus.label_names == sorted(corpus.label_names)
    assert f"Python {sys.version.split()[0]}" in corpus.description
    assert "1000 documents, 20 labels, content hash " in corpus.description


def cached(cache):
    return sorted(cache.rglob("*.xz"))


def test_cache_is_used_and_keyed_by_content(installed, bare_machine, monkeypatch):
    first = load()
    [path] = cached(bare_machine)
    monkeypatch.setattr(docstrings, "extract", lambda _: pytest.fail("the cache was not used"))
    again = load()
    assert (again.texts, again.label_names, again.description) == (
        first.texts,
        first.label_names,
        first.description,
    )
    np.testing.assert_array_equal(again.y, first.y)
    monkeypatch.undo()
    monkeypatch.setenv("TEXTENSOR_CACHE", str(bare_machine))
    monkeypatch.setattr(docstrings, "source_folders", lambda: {docstrings.STANDARD_LIBRARY: installed})
    write(installed, {"m0.py": module(50)})
    changed = load()
    assert changed.texts != first.texts
    assert changed.description != first.description
    assert len(cached(bare_machine)) == 2
    assert path in cached(bare_machine)


def test_cache_is_keyed_by_versions(installed, bare_machine, monkeypatch):
    load()
    monkeypatch.setattr(docstrings.platform, "python_version", lambda: "3.99.0")
    assert "Python 3.99.0" in load().description
    assert [path.name.split("_")[0] for path in cached(bare_machine)] == [
        f"python-{sys.version.split()[0]}",
        "python-3.99.0",
    ]


@pytest.mark.parametrize("damage", ["cut", "emptied", "edited", "nonsense"])
def test_a_damaged_cache_is_made_anew(installed, bare_machine, damage):
    first = load()
    [path] = cached(bare_machine)
    whole = path.read_bytes()
    text = lzma.decompress(whole)
    path.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "emptied": b"",
            "edited": lzma.compress(text.replace(b"word7", b"word8")),
            "nonsense": lzma.compress(b'{"a": 1}\n'),
        }[damage]
    )
    assert load().texts == first.texts
    assert lzma.decompress(cached(bare_machine)[0].read_bytes()) == text


def test_works_without_a_cache(installed, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TEXTENSOR_CACHE", str(tmp_path / "file" / "cache"))
    assert load().n_documents == 1000


def test_works_on_a_full_disk(installed, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(docstrings, "store", full)
    assert load().n_documents == 1000


def test_too_few_documents_is_an_error(installed, bare_machine):
    (installed / "m0.py").unlink()
    with pytest.raises(ValueError, match="Only 950 docstrings are installed here, fewer than 1000"):
        load()
    assert cached(bare_machine) == []


# --- Finding the sources ---


def test_finds_the_installed_packages():
    folders = docstrings.source_folders()
    assert list(folders) == ["Python", "numpy", "scipy", "sklearn"]
    assert (folders["Python"] / "argparse.py").is_file()
    assert (folders["scipy"] / "stats").is_dir()


def test_a_package_without_sources_is_left_out_with_a_warning(tmp_path, monkeypatch):
    write(tmp_path, {"scipy/__init__.pyc": b"", "scipy/stats/a.pyc": b""})

    def find_spec(name):
        if name == "numpy":
            raise ValueError("numpy.__spec__ is None")
        return SimpleNamespace(submodule_search_locations=[str(tmp_path / name)]) if name == "scipy" else None

    monkeypatch.setattr(docstrings.importlib.util, "find_spec", find_spec)
    with pytest.warns(UserWarning) as caught:
        folders = docstrings.source_folders()
    assert list(folders) == ["Python"]
    assert [str(warning.message).split()[0] for warning in caught] == ["numpy", "scipy", "sklearn"]
    assert "has no sources here" in str(caught[0].message)


def test_the_embedded_default_imports_nothing_it_reads(tmp_path):
    """On this machine: the promises that hold for any versions, in a process of its own."""
    program = """
import sys
from textensor.datasets import load
corpus = load()
assert not {"sklearn", "turtle", "xml.dom", "asyncio"} & set(sys.modules), sorted(sys.modules)
assert corpus.n_documents >= 1000 and len(corpus.label_names) >= 20, corpus
assert min(len(text.split()) for text in corpus.texts) >= 20
assert {"scipy.stats", "sklearn.linear_model", "email"} <= set(corpus.label_names)
parts = {part for name in corpus.label_names for part in name.split(".")}
assert not parts & {"tkinter", "idlelib", "tests"} and not any(part.startswith("_") for part in parts)
assert len(set(corpus.texts)) == corpus.n_documents
stats = corpus.label_names.index("scipy.stats")
assert not any("scipy.stats" in text for text, y in zip(corpus.texts, corpus.y) if y == stats)
assert "numpy " in corpus.description and "content hash" in corpus.description
"""
    subprocess.run([sys.executable, "-c", program], check=True)
