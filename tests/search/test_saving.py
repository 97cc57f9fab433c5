import itertools
import json
import os
import pickle
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

from textensor.base.disk import npy_head
from textensor.search import DocumentIndex
from textensor.search import folder as storage

NAMES = ["vectors", "ids", "offsets"]
IDS = ["", "a", "zweite Straße", "三", "line\nbreak", "nul\x00", "../x", "=1+1", "<b>", "é" * 300]


def make_index(n=200, d=6, block=64):
    index = DocumentIndex(block=block)
    X = np.random.default_rng(0).standard_normal((n, d))
    X[3] = 0
    index.add(X[: len(IDS)], ids=IDS)
    index.add(X[len(IDS) :])
    return index


QUERIES = np.random.default_rng(1).standard_normal((5, 6))


def state(index):
    ids, similarities = index.search(QUERIES, 20)
    return index.ids, ids.tolist(), similarities.tobytes()


@pytest.fixture
def saved(tmp_path):
    make_index().save(tmp_path / "index")
    return tmp_path / "index"


def only_the_index(saved):
    return [path.name for path in saved.parent.iterdir()] == ["index"]


@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize("block", [1, 64, 128, 2048])
def test_what_was_saved_is_loaded(saved, verify, block):
    index = DocumentIndex.load(saved, verify=verify, block=block)
    assert state(index) == state(make_index())
    assert index.n_dimensions == 6
    assert index.add(QUERIES) == [str(i) for i in range(200, 205)]
    assert only_the_index(saved)


def test_vectors_stay_on_the_disk(saved):
    index = DocumentIndex.load(saved, block=64)
    assert isinstance(index._blocks[0].base.base, np.memmap) or isinstance(index._blocks[0].base, np.memmap)
    assert not index._blocks[0].flags.writeable


def test_numpy_reads_the_arrays(saved):
    arrays = {name: np.load(saved / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in NAMES}
    assert arrays["vectors"].dtype == np.float32
    assert arrays["vectors"].shape == (200, 6)
    assert bytes(arrays["ids"]).decode().startswith("".join(IDS))
    assert arrays["vectors"].offset % 64 == 0


@pytest.mark.parametrize("change", ["all removed", "nothing added"])
def test_an_empty_index_is_saved_too(tmp_path, change):
    index = DocumentIndex()
    if change == "all removed":
        index.add(np.eye(3))
        index.remove(index.ids)
    index.save(tmp_path / "deep" / "index")
    again = DocumentIndex.load(tmp_path / "deep" / "index", verify=True)
    assert len(again) == 0
    assert again.n_dimensions == index.n_dimensions
    assert again.add(np.eye(3)) == index.add(np.eye(3))


def test_adding_and_removing_go_on_after_loading_and_are_saved_in_place(saved):
    expected, index = make_index(), DocumentIndex.load(saved, block=64)
    for each in (expected, index):
        each.remove(["a", "150", "199"])
        each.add(np.arange(600.0).reshape(100, 6))
        each.remove(["210"])
    assert state(index) == state(expected)
    index.save(saved)
    assert state(index) == state(expected)  # its files are gone by name, not for it
    again = DocumentIndex.load(saved, verify=True)
    assert state(again) == state(expected)
    assert again.add(QUERIES) == expected.add(QUERIES)
    assert np.load(saved / "vectors.npy").shape == (296, 6)
    assert only_the_index(saved)


def make_other(path, kind):
    if kind == "file":
        path.write_text("mine")
    elif kind == "link":
        make_index().save(path.with_name("elsewhere"))
        path.symlink_to(path.with_name("elsewhere"), target_is_directory=True)
    else:
        path.mkdir()
    if kind == "folder with a file":
        (path / "mine.txt").write_text("mine")
    elif kind == "folder with a header":
        (path / "header.json").write_text("{}")
    elif kind == "index and a file":
        path.rmdir()
        make_index().save(path)
        (path / "mine.txt").write_text("mine")
    elif kind == "index of a later format":
        path.rmdir()
        make_index().save(path)
        spoil_header(path, format="textensor-index-2")


@pytest.mark.parametrize(
    "kind",
    [
        "file",
        "link",
        "folder with a file",
        "folder with a header",
        "index and a file",
        "index of a later format",
    ],
)
def test_nothing_but_an_index_is_replaced(tmp_path, kind):
    make_other(tmp_path / "place", kind)
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    with pytest.raises(FileExistsError, match=r"place exists and is no index .*: remove it or choose"):
        make_index().save(tmp_path / "place")
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


def test_an_empty_folder_is_filled_and_stays_as_private(tmp_path):
    place = Path(tempfile.mkdtemp(dir=tmp_path))
    make_index().save(place)
    assert state(DocumentIndex.load(place, verify=True)) == state(make_index())
    assert place.stat().st_mode & 0o777 == 0o700
    make_index().save(place)
    assert place.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", [".DS_Store", "Thumbs.db", "desktop.ini"])
def test_what_desktops_leave_behind_does_no_harm(saved, name):
    (saved / name).write_bytes(b"x")
    assert state(DocumentIndex.load(saved, verify=True)) == state(make_index())
    make_index().save(saved)
    assert state(DocumentIndex.load(saved)) == state(make_index())


@pytest.mark.parametrize("step", ["fsync", "rename", "second rename", "write"])
def test_an_interruption_leaves_the_old_index(saved, monkeypatch, step):
    index = DocumentIndex.load(saved)
    expected = state(index)
    index.add(QUERIES)
    real_rename, counted = Path.rename, itertools.count()

    def interrupt(*args, **options):
        raise KeyboardInterrupt

    def rename(path, target):
        if next(counted) == (0 if step == "rename" else 1):
            raise KeyboardInterrupt
        return real_rename(path, target)

    with monkeypatch.context() as patch:
        if step == "fsync":
            patch.setattr(os, "fsync", interrupt)
        elif step == "write":
            patch.setattr(json, "dumps", interrupt)
        else:
            patch.setattr(Path, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            index.save(saved)
    assert state(DocumentIndex.load(saved, verify=True)) == expected
    assert only_the_index(saved)
    index.save(saved)
    assert len(DocumentIndex.load(saved)) == 205


def test_a_missing_index_is_said_and_where_the_old_one_is(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no index .*index.$"):
        DocumentIndex.load(tmp_path / "index")
    make_index().save(tmp_path / ".index.0a0b0c0d.old")  # what a power cut between two renames leaves
    with pytest.raises(FileNotFoundError, match=r"the one before is in .*0a0b0c0d.old: rename that"):
        DocumentIndex.load(tmp_path / "index")


def spoil_header(folder, **changes):
    header = json.loads((folder / "header.json").read_text())
    (folder / "header.json").write_text(json.dumps({**header, **changes}))


def spoil_entry(folder, name, **changes):
    header = json.loads((folder / "header.json").read_text())
    header["arrays"][name].update(changes)
    (folder / "header.json").write_text(json.dumps(header))


def spoil_values(folder, name, change):
    """Write other values, with a header that fits them in every respect but the values."""
    array = np.load(folder / f"{name}.npy")
    change(array)
    np.save(folder / f"{name}.npy", array)


def put(where, value):
    def change(array):
        array[where] = value

    return change


def same_ids_twice(folder):
    spoil_values(folder, "ids", put(slice(None), ord("x")))


def one_long_id(folder):
    before = json.loads((folder / "header.json").read_text())["arrays"]["ids"]["shape"][0]
    n_bytes = before + 10_000
    np.save(folder / "ids.npy", np.full(n_bytes, ord("x"), dtype=np.uint8))
    spoil_entry(folder, "ids", shape=[n_bytes])
    spoil_values(folder, "offsets", put(-1, n_bytes))


def link_to(folder, name):
    shutil.move(folder / name, folder.parent / "elsewhere")
    (folder / name).symlink_to(folder.parent / "elsewhere")


SPOILS = {
    "header gone": lambda f: (f / "header.json").unlink(),
    "array gone": lambda f: (f / "ids.npy").unlink(),
    "one file more": lambda f: (f / "pickle.pkl").write_bytes(b"x"),
    "hostile name": lambda f: (f / "\x1b[31m\nred").write_bytes(b"x"),
    "folder more": lambda f: (f / "more").mkdir(),
    "header empty": lambda f: (f / "header.json").write_text(""),
    "header a list": lambda f: (f / "header.json").write_text("[]"),
    "header cut": lambda f: (f / "header.json").write_text((f / "header.json").read_text()[:-3]),
    "header deep": lambda f: (f / "header.json").write_text("[" * 60_000),
    "header huge": lambda f: (f / "header.json").write_text(" " * 70_000 + "{}"),
    "header not UTF-8": lambda f: (f / "header.json").write_bytes(b"\xff{}"),
    "huge number": lambda f: (f / "header.json").write_text('{"format": ' + "9" * 6000 + "}"),
    "key twice": lambda f: (f / "header.json").write_text(
        '{"format": "other", ' + (f / "header.json").read_text()[1:]
    ),
    "header a folder": lambda f: ((f / "header.json").unlink(), (f / "header.json").mkdir()),
    "format": lambda f: spoil_header(f, format="textensor-index-2"),
    "one key more": lambda f: spoil_header(f, transformer="os.system"),
    "negative": lambda f: spoil_header(f, n_documents=-1),
    "bool": lambda f: spoil_header(f, n_added=True),
    "float": lambda f: spoil_header(f, n_documents=200.0),
    "fewer added than there are": lambda f: spoil_header(f, n_added=199),
    "arrays no dict": lambda f: spoil_header(f, arrays=[]),
    "array of another name": lambda f: spoil_header(f, arrays={"../../x": {}}),
    "entry no dict": lambda f: spoil_header(f, arrays=dict.fromkeys(NAMES, 1)),
    "more documents": lambda f: spoil_header(f, n_documents=201, n_added=300),
    "fewer documents": lambda f: spoil_header(f, n_documents=199),
    "more dimensions": lambda f: spoil_header(f, n_dimensions=7),
    "no dimensions": lambda f: spoil_header(f, n_dimensions=0),
    "too many dimensions": lambda f: spoil_header(f, n_dimensions=10_000),
    "dtype": lambda f: spoil_entry(f, "vectors", dtype="|O"),
    "shape long": lambda f: spoil_entry(f, "ids", shape=[1] * 9000),
    "shape a string": lambda f: spoil_entry(f, "ids", shape="12"),
    "shape of strings": lambda f: spoil_entry(f, "ids", shape=["1"]),
    "shape enormous": lambda f: spoil_entry(f, "ids", shape=[1 << 60]),
    "shape too long": lambda f: spoil_entry(f, "ids", shape=[1 << 40]),
    "sum no sum": lambda f: spoil_entry(f, "ids", sha256="x"),
    "object array": lambda f: np.save(f / "vectors.npy", np.array([{}]), allow_pickle=True),
    "other dtype": lambda f: np.save(f / "vectors.npy", np.zeros((200, 6))),
    "Fortran order": lambda f: np.save(f / "vectors.npy", np.zeros((200, 6), np.float32, order="F")),
    "archive": lambda f: (np.savez(f / "x.npz", a=np.eye(2)), (f / "x.npz").rename(f / "vectors.npy")),
    "empty file": lambda f: (f / "vectors.npy").write_bytes(b""),
    "one byte less": lambda f: (f / "vectors.npy").write_bytes((f / "vectors.npy").read_bytes()[:-1]),
    "one byte more": lambda f: (f / "ids.npy").write_bytes((f / "ids.npy").read_bytes() + b"x"),
    "not a number": lambda f: spoil_values(f, "vectors", put((150, 2), np.nan)),
    "infinite": lambda f: spoil_values(f, "vectors", put((0, 0), -np.inf)),
    "large": lambda f: spoil_values(f, "vectors", put((0, 0), 3e38)),
    "long row": lambda f: spoil_values(f, "vectors", put((199, 0), 2)),
    "id twice": same_ids_twice,
    "id of 10,000 characters and more": one_long_id,
    "id not UTF-8": lambda f: spoil_values(f, "ids", put(0, 0xFF)),
    "offsets out of range": lambda f: spoil_values(f, "offsets", put(-1, 1 << 40)),
    "offset negative": lambda f: spoil_values(f, "offsets", put(2, -1)),
    "offsets falling": lambda f: spoil_values(f, "offsets", put(9, 1)),
    "offsets begin late": lambda f: spoil_values(f, "offsets", put(0, 1)),
    "link to a header": lambda f: link_to(f, "header.json"),
    "link to an array": lambda f: link_to(f, "vectors.npy"),
    "link to nothing": lambda f: ((f / "ids.npy").unlink(), (f / "ids.npy").symlink_to("nothing")),
    "pipe": lambda f: ((f / "ids.npy").unlink(), os.mkfifo(f / "ids.npy")),
}


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_a_spoilt_folder_is_refused_in_a_sentence(saved, spoil):
    spoil(saved)
    with pytest.raises(ValueError, match=r"index holds no index that can be read: .*") as refusal:
        DocumentIndex.load(saved)
    message = str(refusal.value)
    assert message.count("\n") == 0
    assert message.isprintable()
    assert message.endswith(".")


def test_a_file_in_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "index").write_text("x")
    with pytest.raises(ValueError, match="holds no index"):
        DocumentIndex.load(tmp_path / "index")


@pytest.mark.parametrize(("name", "verify"), [("vectors", True), ("vectors", False), ("offsets", False)])
def test_an_array_of_holes_is_refused_before_it_is_read(saved, name, verify, monkeypatch):
    """The header and the sizes agree, and all rows are zero."""
    n, d = {"vectors": (250_000, 8000), "offsets": (10**7, 1)}[name]
    header = json.loads((saved / "header.json").read_text())
    header |= {"n_documents": n, "n_dimensions": d, "n_added": n}
    for one, shape, size in (("vectors", [n, d], 4), ("ids", [0], 1), ("offsets", [n + 1], 8)):
        head = npy_head(storage._DTYPES[one], tuple(shape))
        (saved / f"{one}.npy").write_bytes(head)
        os.truncate(saved / f"{one}.npy", len(head) + size * np.prod(shape))
        header["arrays"][one]["shape"] = shape
    (saved / "header.json").write_text(json.dumps(header))
    if (saved / f"{name}.npy").stat().st_blocks > 10**4:
        pytest.skip("this file system does not make holes")
    monkeypatch.setattr(storage, "_check_norms", None)
    monkeypatch.setattr(storage, "_read_ids", None)
    with pytest.raises(ValueError, match=rf"{name}\.npy has [8,0]+\d\d\d bytes.* are on the disk"):
        DocumentIndex.load(saved, verify=verify)


def damaged(content, rng):
    """Return bytes with one bit turned, or cut, or with bytes put in."""
    where = int(rng.integers(len(content)))
    kind = rng.integers(4)
    if kind == 0:
        return content[:where]
    if kind == 1:
        return content[:where] + bytes(rng.integers(0, 256, 8, dtype=np.uint8)) + content[where:]
    return content[:where] + bytes([content[where] ^ (1 << int(rng.integers(8)))]) + content[where + 1 :]


@pytest.mark.parametrize("name", ["header.json", *(f"{name}.npy" for name in NAMES)])
def test_damage_is_refused_or_does_no_harm(saved, name, monkeypatch):
    """With sums: refused, or nothing has changed. Without: refused, or a search that keeps its promises."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    rng = np.random.default_rng(NAMES.index(name.split(".")[0]) if "header" not in name else 9)
    content, expected = (saved / name).read_bytes(), state(DocumentIndex.load(saved))
    refused = 0
    for _ in range(150):
        (saved / name).write_bytes(damaged(content, rng))
        for verify in (True, False):
            try:
                index = DocumentIndex.load(saved, verify=verify)
            except ValueError as refusal:
                assert "index holds no index that can be read: " in str(refusal)
                refused += 1
                continue
            if verify or name == "header.json":
                assert state(index) == expected
            ids, similarities = index.search(QUERIES, 20)
            assert set(ids.ravel()) <= set(index.ids)
            assert np.abs(similarities).max() < 1.01
            assert (np.diff(similarities) <= 0).all()
    assert refused > 150


def test_damage_that_only_a_sum_shows(saved):
    spoil_values(saved, "vectors", lambda a: a.__setitem__(0, a[0] * (1 + 1e-5)))
    assert len(DocumentIndex.load(saved)) == 200
    with pytest.raises(ValueError, match=r"vectors\.npy has changed since it was written"):
        DocumentIndex.load(saved, verify=True)


def test_saving_takes_no_second_copy_of_the_vectors(tmp_path, monkeypatch):
    """Blocks are written one at a time."""
    seen = []
    real = storage._write
    monkeypatch.setattr(storage, "_write", lambda path, pieces, *rest: real(path, watched(pieces), *rest))

    def watched(pieces):
        for piece in pieces:
            seen.append(memoryview(piece).nbytes)
            yield piece

    make_index(n=1000).save(tmp_path / "index")
    assert sum(size == 64 * 6 * 4 for size in seen) == 1000 // 64


def test_loading_needs_no_pickle(saved, monkeypatch):
    monkeypatch.setattr(pickle, "load", None)
    monkeypatch.setattr(pickle, "loads", None)
    assert len(DocumentIndex.load(saved, verify=True)) == 200
