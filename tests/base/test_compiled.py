"""The cache of compiled kernels is optional: whatever is wrong with it, kernels run."""

import errno
import importlib.util
import logging
import os
import shutil

import numba
import pytest
from numba.core.caching import IndexDataCacheFile

from textensor.base.late import numba_cache as compiled

SOURCE = """
from textensor.base.compiled import kernel

@kernel
def twice(x):
    return 2 * x
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of its own; no kernel of this process has failed."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiled._Cache, "failed", False)
    return tmp_path / "cache"


@pytest.fixture
def fresh(tmp_path):
    """Return the kernel of a module as a new process would find it."""
    path = tmp_path / "module.py"
    path.write_text(SOURCE)

    def load():
        spec = importlib.util.spec_from_file_location("module_of_a_test", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.twice

    return load


def hits(kernel):
    return sum(kernel.stats.cache_hits.values())


def failures(caplog):
    return [record.getMessage() for record in caplog.records if "cache" in record.getMessage()]


def garbage(path):
    path.write_bytes(b"\x00garbage" * 100)


def empty(path):
    path.write_bytes(b"")


def truncated(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def without_the_last_byte(path):
    path.write_bytes(path.read_bytes()[:-1])


def a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [garbage, empty, truncated, without_the_last_byte])
def test_a_damaged_cache_is_made_anew(kind, damage, cache, fresh, caplog):
    assert fresh()(1) == 2
    (path,) = cache.rglob(f"*{kind}")
    damage(path)
    with caplog.at_level(logging.WARNING, "textensor"):
        again = fresh()
        assert (again(2), again(2.5), hits(again)) == (4, 5.0, 0)
        (told,) = failures(caplog)
    assert told.startswith(f"The cache of compiled kernels in {cache}")
    assert told.endswith("compiling in memory.")
    healed = fresh()
    assert (healed(3), hits(healed)) == (6, 1)


def test_no_flipped_bit_reaches_the_machine(cache, fresh):
    assert fresh()(1) == 2
    (path,) = cache.rglob("*.nbc")
    kept = shutil.copytree(cache, cache.with_name("kept"))
    size = path.stat().st_size
    for where in range(0, size, max(1, size // 40)):
        shutil.rmtree(cache)
        shutil.copytree(kept, cache)
        damaged = bytearray(path.read_bytes())
        damaged[where] ^= 1
        path.write_bytes(damaged)
        again = fresh()
        assert (again(21), hits(again)) == (42, 0)


def test_a_folder_in_the_place_of_a_file(cache, fresh, caplog):
    assert fresh()(1) == 2
    (path,) = cache.rglob("*.nbi")
    a_folder(path)
    with caplog.at_level(logging.WARNING, "textensor"):
        assert fresh()(2) == 4
    assert len(failures(caplog)) == 1


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_cache_that_cannot_be_written(code, cache, fresh, caplog, monkeypatch):
    def full(self, path):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", full)
    with caplog.at_level(logging.WARNING, "textensor"):
        kernel = fresh()
        assert (kernel(2), kernel(2.5)) == (4, 5.0)
    (told,) = failures(caplog)
    assert f"({os.strerror(code)})" in told
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_no_folder_for_a_cache(cache, fresh, caplog, monkeypatch):
    def refused(self):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", refused)
    with caplog.at_level(logging.WARNING, "textensor"):
        assert fresh()(2) == 4
    assert failures(caplog) == []


def test_code_of_another_source_is_not_run(cache, fresh, tmp_path):
    assert fresh()(1) == 2
    index, (data,) = next(cache.rglob("*.nbi")), cache.rglob("*.nbc")
    older = data.read_bytes()
    (tmp_path / "module.py").write_text(SOURCE.replace("2 * x", "3 * x"))
    assert fresh()(1) == 3
    data.write_bytes(older)  # as another process leaves it that has written its index, and not yet its code
    again = fresh()
    assert (again(1), hits(again)) == (3, 0)
    assert index.exists()


def test_the_cache_is_used(cache, fresh, caplog):
    with caplog.at_level(logging.WARNING, "textensor"):
        assert (fresh()(1), fresh()(1)) == (2, 2)
        again = fresh()
        assert (again(1), hits(again)) == (2, 1)
    assert failures(caplog) == []
