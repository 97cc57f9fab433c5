"""Results of a full run packed beside its pages: the pages come back from them, and damage is named."""

import lzma
import shutil

import pytest

from experiments.engine import store
from experiments.engine.reproduce import reproduce
from experiments.engine.store import PACKED


def test_pages_are_written_again_from_what_is_packed_beside_them(small_sets, monkeypatch, tmp_path):
    both = ["stm-text/table1", "minmax-svm/figure1"]
    reproduce(both, tmp_path, full=True, n_jobs=1)
    before = reproduce(both, tmp_path, full=True, run=False)
    page = (tmp_path / "index.html").read_bytes()
    shutil.rmtree(tmp_path / ".cells")
    assert reproduce(both, tmp_path, full=True, run=False) == before
    assert (tmp_path / "index.html").read_bytes() == page
    told = []
    reproduce(both, tmp_path, full=True, n_jobs=1, progress=lambda *state: told.append(state))
    assert told == []

    # Results of another version are run again; to check a result, none of those that are packed is taken.
    shutil.rmtree(tmp_path / ".cells")
    reproduce(both, tmp_path, n_jobs=1, progress=lambda *state: told.append(state))
    assert len(told) == 2
    shutil.rmtree(tmp_path / ".cells")
    monkeypatch.setattr(store, "version", lambda protocol: 99)
    with pytest.raises(ValueError, match="with 1 cells, of which this call would leave 0"):
        reproduce(both, tmp_path, full=True, run=False)


@pytest.mark.parametrize("packed", [b"", b"{}", lzma.compress(b"\xff"), lzma.compress(b"a b\n" * 99)[:-9]])
def test_damaged_packed_results_are_named(packed, small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, full=True, n_jobs=1)
    (tmp_path / "stm-text" / PACKED).write_bytes(packed)
    with pytest.raises(ValueError, match=f"{PACKED} is damaged: delete it, or name another folder with -o."):
        reproduce(["stm-text/table1"], tmp_path, full=True, run=False)
    (path,) = (tmp_path / ".cells").iterdir()
    text = path.read_text(encoding="utf-8").replace("label 0", "label")
    (tmp_path / "stm-text" / PACKED).write_bytes(lzma.compress(f"{path.stem} {text}".encode()))
    with pytest.raises(ValueError, match=f"{PACKED} is damaged"):
        reproduce(["stm-text/table1"], tmp_path, full=True, run=False)
    (tmp_path / "stm-text" / PACKED).write_bytes(lzma.compress(b"\n../x {}\nabc"))
    reproduce(["stm-text/table1"], tmp_path, full=True, run=False)


def test_packed_results_of_other_cells_are_refused(small_sets, tmp_path):
    both = ["stm-text/table1", "stm-text/table2"]
    reproduce(both, tmp_path, full=True, n_jobs=1)
    first, second = sorted((tmp_path / ".cells").iterdir())
    swapped = f"{first.stem} {second.read_text('utf-8')}\n{second.stem} {first.read_text('utf-8')}\n"
    (tmp_path / "stm-text" / PACKED).write_bytes(lzma.compress(swapped.encode()))
    shutil.rmtree(tmp_path / ".cells")
    with pytest.raises(ValueError, match=f"{PACKED} is damaged"):
        reproduce(both, tmp_path, full=True, run=False)
    assert not [*(tmp_path / ".cells").iterdir()]
