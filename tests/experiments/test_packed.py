"""Results of a full run packed beside its pages: the pages come back from them, and damage is named."""

import lzma
import shutil

import pytest

from experiments import experiment
from experiments.engine import run, store
from experiments.engine.reproduce import reproduce
from experiments.engine.store import PACKED, CellStore
from tests.experiments.made import RESULTS


def copy_results(folder):
    shutil.copytree(RESULTS, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".cells", "quick"))


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_full_run_of_a_table_starts_from_the_committed_results(monkeypatch, tmp_path):
    copy_results(tmp_path)
    before = files_of(tmp_path)
    monkeypatch.setattr(run, "evaluate", lambda cell: pytest.fail(f"{cell} was evaluated"))
    reproduce(["indexing/table1"], tmp_path, full=True, n_jobs=1)
    assert files_of(tmp_path) == before  # nothing is unpacked into .cells, either


def test_a_full_run_goes_on_from_what_is_packed(small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, full=True, n_jobs=1)
    shutil.rmtree(tmp_path / ".cells")
    told = []
    reproduce(["stm-text/table2"], tmp_path, full=True, n_jobs=1, progress=lambda *state: told.append(state))
    assert len(told) == 1
    packed = CellStore(tmp_path)
    packed.read_packed(experiment("stm-text"))
    assert len(packed.packed) == 2


def test_processes_are_not_sent_what_is_packed(monkeypatch, tmp_path):
    (cell,) = experiment("minmax-svm").run("plane").cells(False)
    full = CellStore(tmp_path)
    full.packed["name"] = "text"
    monkeypatch.setattr("joblib.Parallel.__call__", lambda _, calls: calls)
    stores = [arguments[1] for _, arguments, _ in run._side_by_side([cell, cell], full, 2)]
    assert [one.packed for one in stores] == [{}, {}]


def test_quick_pages_are_those_of_cells_that_were_run_here(run_command, small_sets, tmp_path):
    copy_results(tmp_path)
    (quick,) = reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    pages = files_of(tmp_path / "quick")
    reproduce(["stm-text"], tmp_path, full=True, run=False)
    (again,) = reproduce(["stm-text"], tmp_path, run=False)
    assert again == quick
    assert {verdict.word for verdict in again.verdicts} == {"not run"}
    assert files_of(tmp_path / "quick") == pages
    said = run_command("stm-text", "--no-run", "-o", tmp_path).out.replace("\n", " ")
    assert f"The quick pages are in {tmp_path / 'quick'}" in said
    assert "this quick run" not in said


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

    # A quick run checks results: it reads none that are packed. Those of another version are read by none.
    shutil.rmtree(tmp_path / ".cells")
    reproduce(both, tmp_path, n_jobs=1, progress=lambda *state: told.append(state))
    assert len(told) == 2
    shutil.rmtree(tmp_path / ".cells")
    monkeypatch.setattr(store, "version", lambda protocol: 99)
    with pytest.raises(ValueError, match="with 1 cells, and this call would leave only 0"):
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
