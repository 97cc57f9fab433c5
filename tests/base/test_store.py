"""Checkpoints: whole or not at all, and damage is named."""

import numpy as np
import pytest

from textensor.base import disk
from textensor.base.store import Store, digest


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "deep" / "folder")
    found.keep("scores-1", scores=np.arange(6.0).reshape(2, 3), names=np.array(["a", "b"]))
    return found


def test_what_is_kept_is_found(store):
    found = store.find("scores-1", dict)
    assert found["scores"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["names"].tolist() == ["a", "b"]
    assert store.find("scores-2", dict) is None
    store.keep("modules-1", x=np.ones(1))
    store.keep("scores-0", scores=np.zeros((0, 3)), names=np.array([], dtype=str))
    assert [len(one) for one in store.each("scores-", lambda arrays: arrays["names"])] == [0, 2]
    store.keep("scores-1", scores=np.ones(1))
    assert store.find("scores-1", list) == ["scores"]


def test_nowhere():
    nowhere = Store(None)
    nowhere.keep("scores-1", scores=np.ones(1))
    assert nowhere.find("scores-1", dict) is None
    assert list(nowhere.each("", dict)) == []


def test_damage_is_one_sentence(store):
    path = store.folder / "scores-1.npz"
    whole = path.read_bytes()
    for k in range(0, len(whole), 7):
        path.write_bytes(whole[:k])
        with pytest.raises(ValueError, match=r"scores-1\.npz cannot be read \(.*\): remove it"):
            store.find("scores-1", dict)
        flipped = bytearray(whole)
        flipped[k] ^= 0x55
        path.write_bytes(flipped)
        try:
            found = store.find("scores-1", dict)
        except ValueError as error:
            assert "remove it" in str(error)
        else:  # what zip says of dates and systems matters to nobody
            np.testing.assert_array_equal(found["scores"], np.arange(6.0).reshape(2, 3))
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r"cannot be read \(it has no 'weights'\): remove it"):
        store.find("scores-1", lambda arrays: arrays["weights"])


def test_a_compressed_file_is_refused(store):
    """It could grow to any size."""
    np.savez_compressed(store.folder / "scores.npz", scores=np.zeros(10**6))
    with pytest.raises(ValueError, match="it is compressed"):
        store.find("scores", dict)


def test_objects_are_neither_written_nor_read(store):
    things = np.array([{}, None], dtype=object)
    with pytest.raises(ValueError, match="Object arrays"):
        store.keep("scores-2", things=things)
    assert [path.name for path in store.folder.iterdir()] == ["scores-1.npz"]
    np.savez(store.folder / "scores-2.npz", things=things)
    with pytest.raises(ValueError, match=r"scores-2\.npz cannot be read \(it does not hold plain arrays\)"):
        store.find("scores-2", dict)
    (store.folder / "scores-3.npz").symlink_to("scores-1.npz")
    with pytest.raises(ValueError, match="is a link"):
        store.find("scores-3", dict)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_the_old_and_no_rest(store, monkeypatch, error):
    def stopped(handle):
        raise error

    monkeypatch.setattr(disk.os, "fsync", stopped)
    with pytest.raises((KeyboardInterrupt, OSError)) as caught:
        store.keep("scores-1", scores=np.zeros(1))
    if isinstance(caught.value, OSError):
        assert "scores-1.npz cannot be written (No space left on device)." in str(caught.value)
    assert [path.name for path in store.folder.iterdir()] == ["scores-1.npz"]
    assert store.find("scores-1", lambda arrays: arrays["scores"].shape) == (2, 3)


def test_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match="file cannot be a checkpoint folder"):
        Store(tmp_path / "file")
    with pytest.raises(ValueError, match="checkpoint must be a path, or None, not 5"):
        Store(5)


def test_a_name_depends_on_everything():
    rows = np.arange(4)
    names = {
        digest({"method": "svm"}),
        digest({"method": "stm"}),
        digest({"method": "svm"}, [rows]),
        digest({"method": "svm"}, [rows.astype(np.int32)]),
        digest({"method": "svm"}, [rows.reshape(2, 2)]),
        digest({"method": "svm"}, [rows, rows]),
    }
    assert len(names) == 6
    assert digest({"a": 1, "b": 2}, [rows[::2]]) == digest({"b": 2, "a": 1}, [np.array([0, 2])])
