import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from textensor.datasets import places as storage
from textensor.datasets.places import Capped, DataFile, find, obtain, open_packed, store

LINES = [b"one\n", b"two\n"]


def data_file(*addresses, convert=iter, sha256=None):
    return DataFile(path="set/it.txt.xz", addresses=addresses, convert=convert, sha256=sha256)


def write(folder, lines=LINES):
    path = Path(folder) / "set" / "it.txt.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(b"".join(lines)))
    return path


def read(path):
    with open_packed(path) as stream:
        return stream.read()


def everything_below(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file()]


def test_the_data_folder_comes_before_the_cache(bare_machine, tmp_path, monkeypatch):
    cached = write(bare_machine)
    assert find("set/it.txt.xz") == cached
    monkeypatch.setenv("TEXTENSOR_DATA", str(tmp_path / "data"))
    assert find("set/it.txt.xz") == cached
    assert obtain(data_file()) == cached
    own = write(tmp_path / "data")
    assert find("set/it.txt.xz") == own


def test_cache_folder_follows_the_environment(monkeypatch):
    monkeypatch.delenv("TEXTENSOR_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert storage.cache_folder() == Path("/somewhere/textensor")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert storage.cache_folder() == Path("/home/someone/.cache/textensor")
    monkeypatch.setenv("TEXTENSOR_CACHE", "/elsewhere")
    assert storage.cache_folder() == Path("/elsewhere")


def test_a_download_is_converted_and_kept(bare_machine, serve):
    address = serve(it=b"one\ntwo\n")
    file = data_file(f"{address}/it", convert=lambda stream: (line.upper() for line in stream))
    path = obtain(file)
    assert path == bare_machine / "set" / "it.txt.xz"
    assert read(path) == b"ONE\nTWO\n"
    assert everything_below(bare_machine) == [path]
    assert obtain(data_file("http://127.0.0.1:1/gone")) == path  # nothing is asked a second time


def test_the_next_address_is_tried(bare_machine, serve):
    address = serve(it=b"".join(LINES))
    assert read(obtain(data_file(f"{address}/gone", f"{address}/it"))) == b"".join(LINES)


def test_no_source_is_one_sentence(bare_machine, serve, tmp_path, monkeypatch):
    address = f"{serve()}/gone"
    with pytest.raises(FileNotFoundError) as caught:
        obtain(data_file(address))
    sentence = str(caught.value)
    assert sentence.startswith("The file set/it.txt.xz is not on this machine")
    assert "TEXTENSOR_DATA" in sentence
    assert address in sentence
    assert "404" in sentence
    assert "\n" not in sentence
    monkeypatch.setenv("TEXTENSOR_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        obtain(data_file(address))


def test_a_file_that_is_not_published_cannot_be_downloaded(bare_machine):
    with pytest.raises(FileNotFoundError, match=r"set/it.* cannot be downloaded: put it into the folder"):
        obtain(data_file())


@pytest.mark.parametrize(
    "body",
    [
        (200, {"Content-Length": "100"}, b"one\n"),  # truncated
        b"something else\n",  # corrupted
    ],
)
def test_a_bad_download_does_not_stay(bare_machine, serve, body):
    wrong_sum = data_file(f"{serve(it=body)}/it", sha256="0" * 64)
    with pytest.raises(FileNotFoundError):
        obtain(wrong_sum)
    assert everything_below(bare_machine) == []


@pytest.mark.parametrize(
    "error", [ValueError("not the set"), KeyboardInterrupt(), EOFError(), lzma.LZMAError()]
)
def test_a_conversion_that_stops_half_way_leaves_nothing(bare_machine, serve, error):
    def convert(stream):
        yield stream.readline()
        raise error

    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else FileNotFoundError
    with pytest.raises(expected):
        obtain(data_file(f"{serve(it=b'one')}/it", convert=convert))
    assert everything_below(bare_machine) == []


def test_a_killed_process_leaves_no_file_that_is_found(bare_machine):
    program = """
import os
from textensor.datasets.places import store
def lines():
    yield b"one"
    os._exit(1)
store("set/it.txt.xz", lines())
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 1
    assert find("set/it.txt.xz") is None


def test_works_without_a_cache(tmp_path, serve, monkeypatch):
    monkeypatch.delenv("TEXTENSOR_DATA", raising=False)
    (tmp_path / "file").touch()
    monkeypatch.setenv("TEXTENSOR_CACHE", str(tmp_path / "file" / "cache"))
    file = DataFile("set/other.txt.xz", (f"{serve(it=b'one')}/it",), iter)
    path = obtain(file)
    assert read(path) == b"one"
    assert find(file.path) == path  # as long as the process lasts
    path.unlink()


def test_works_without_a_home(monkeypatch):
    def no_home(self):
        raise RuntimeError("Could not determine home directory.")

    for name in ("TEXTENSOR_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "expanduser", no_home)
    assert storage.cache_folder().is_dir()


def test_a_folder_that_may_not_be_looked_into_holds_nothing(bare_machine, monkeypatch):
    def forbidden(self):
        raise PermissionError

    monkeypatch.setattr(Path, "is_file", forbidden)
    assert find("set/it.txt.xz") is None


def test_storing_replaces(bare_machine):
    store("set/it.txt.xz", LINES)
    path = store("set/it.txt.xz", [b"three\n"])
    assert read(path) == b"three\n"
    assert everything_below(bare_machine) == [path]


def test_damage_is_one_sentence_that_names_the_file(tmp_path):
    path = write(tmp_path)
    whole = path.read_bytes()
    for damaged in (
        b"",
        b"not xz",
        whole[: len(whole) // 2],
        whole[:-1],
        whole[:20] + b"\0\0\0" + whole[23:],
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is damaged") as caught:
            read(path)
        assert str(path) in str(caught.value)


def test_unpacking_is_capped(tmp_path, monkeypatch):
    path = write(tmp_path, [b"0" * 100_000])
    with lzma.open(path) as stream, pytest.raises(ValueError, match="more than 99999 bytes"):
        Capped(stream, 99_999).readall()
    with lzma.open(path) as stream:
        assert len(Capped(stream, 100_000).readall()) == 100_000
