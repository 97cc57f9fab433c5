"""Files and folders that are there whole or not at all."""

import pytest

from textensor.base.disk import replace_file, whole_folder


def names(folder):
    return [path.name for path in folder.iterdir()]


def stop_at(error):
    yield b"new"
    raise error


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path, error):
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(type(error)):
        replace_file(path, stop_at(error))
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_a_folder_appears_when_it_is_complete(tmp_path):
    with whole_folder(tmp_path / "deep" / "a") as partial:
        (partial / "b").touch()
        assert not (tmp_path / "deep" / "a").exists()
    assert names(tmp_path / "deep") == ["a"]
    assert names(tmp_path / "deep" / "a") == ["b"]


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_a_folder_that_fails_half_way_leaves_the_old_one(tmp_path, error, replace):
    path = tmp_path / "a"
    path.mkdir()
    (path / "old").touch()
    with pytest.raises(type(error)), whole_folder(path, replace=replace) as partial:
        (partial / "new").touch()
        raise error
    assert names(path) == ["old"]
    assert names(tmp_path) == ["a"]


def test_a_folder_that_is_there_stays_unless_it_is_to_be_replaced(tmp_path):
    path = tmp_path / "a"
    path.mkdir(mode=0o700)
    (path / "old").touch()
    with pytest.raises(OSError, match="not empty"), whole_folder(path) as partial:
        (partial / "new").touch()
    assert names(path) == ["old"]
    with whole_folder(path, replace=True) as partial:
        (partial / "new").touch()
    assert names(path) == ["new"]
    assert path.stat().st_mode & 0o777 == 0o700
    assert names(tmp_path) == ["a"]
