"""A tiny cut of the reproduction: every protocol on small made-up sets, from the cells to the page."""

import json
import lzma
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from importlib.util import find_spec

import pytest

from experiments import NAMES, experiment, select
from experiments import data as sets_data
from experiments.engine import run, store
from experiments.engine.declare import ByName, Table
from experiments.engine.reproduce import reproduce
from experiments.engine.run import evaluate_all
from experiments.engine.stats import values
from experiments.engine.store import PACKED, CellStore
from experiments.protocols import evaluate
from tests.experiments.made import cell_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    "name",
    [
        "stm-text/table3",
        "stm-text/table1",
        "stm-tls/figure2",
        "tensorlsi/table3",
        "tensorlsi/figure2",
        "tensorlsi/figure2-each",
        "tensorlsi/table5",
        "tensorlsi/table7",
        "lrwmmc/table2",
        "lrwmmc/table3",
        "lrwmmc/table4",
        "lrwmmc/figure4-trec9",
        "minmax-svm/table2",
        "minmax-svm/table1",
        "minmax-svm/figure1",
        "accuracy/table1",
        "accuracy/table3",
        "few-labels/table1",
        "few-labels/table3",
        "embeddings/table1",
        "embeddings/table4",
        "strong/table1",
        "strong/table2-docstrings",
        "minmax/table2",
        "minmax/figure4-micro",
        "indexing/table1",
    ],
)
def test_a_tiny_cut_runs_once_and_writes_everything(name, small_sets, tmp_path):
    told = []
    (written,) = reproduce([name], tmp_path, n_jobs=1, progress=lambda *state: told.append(state))
    of, item = name.split("/")
    section = next(s for s in written.sections if s.item.name == item)
    assert section.tables or ElementTree.fromstring(section.drawing).tag.endswith("svg")
    ran = [
        cell
        for each in {run for i in select([name])[of] for run in experiment(of).item(i).all_runs}
        for cell in experiment(of).run(each).cells(False)
    ]
    assert {state[2] for state in told} == {len(told)}
    assert len(told) == len({store.key(cell) for cell in ran})
    result = json.loads((tmp_path / of / "results.json").read_text(encoding="utf-8"))
    assert result["facts"]["run"] == "quick"
    assert result["shown"] >= len(ran)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="(?!#|data:image/svg)', page)
    assert section.item.title.split(" (")[0] in page

    known = {(cell.part, cell.method) for cell in ran}
    for claim, word, _ in written.verdicts:
        parts = claim.at or {part for part, _ in known}
        a, b = claim.pairs[0]
        both = claim.run == section.item.run and not claim.other_run
        both &= not claim.since or (claim.since, a) in known
        if both and any({(p, a), (p, b)} <= known for p in parts):
            assert word != "not run", claim.text

    told.clear()
    reproduce([name], tmp_path, n_jobs=1, progress=lambda *state: told.append(state))
    assert told == []


def test_tables_say_what_was_not_run(small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    text = (tmp_path / "stm-text" / "README.md").read_text(encoding="utf-8")
    assert re.search(r"\| 5% +\| SVM +\| +\| 0\.8490 +\| not run", text)
    assert "**not run**" in text


def test_another_setting_or_version_is_another_cell(monkeypatch):
    cell = next(iter(experiment("stm-text").run("reuters").cells(False)))
    first = store.key(cell)
    settings = {**cell.settings, "C": [3.0]}
    assert store.key(replace(cell, settings=settings)) != first
    monkeypatch.setattr(store, "version", lambda protocol: 99)
    assert store.key(cell) != first


def test_what_another_run_has_done_meanwhile_is_left(tmp_path):
    (cell,) = experiment("minmax-svm").run("plane").cells(False)
    other = replace(cell, split=1)
    kept = CellStore(tmp_path)
    place = kept.path(other)
    done = {"description": other.description(), "made": {"date": ""}, "seconds in all": 1, "warnings": []}
    text = json.dumps(store.with_sum(done))
    evaluate_all([cell, other], kept, 1, lambda *_: place.write_text(text, encoding="utf-8"))
    assert kept.find(cell)["description"] == cell.description()
    assert kept.find(other) == done


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        "[]",
        "3",
        "{}",
        "of another cell",
        "without seconds",
        "with no warnings",
        "made of",
        "without a date",
        "of another sum",
        "without a sum",
    ],
)
def test_a_damaged_result_is_named_before_anything_is_run(text, monkeypatch, tmp_path):
    (cell,) = experiment("minmax-svm").run("plane").cells(False)
    other = replace(cell, split=1)
    made = {"date": "2001-02-03"}
    good = {"description": cell.description(), "made": made, "seconds in all": 1.5, "warnings": []}
    bad = {
        "of another cell": good | {"description": other.description()},
        "without seconds": {name: good[name] for name in ("description", "made", "warnings")},
        "made of": good | {"made": made | {"numpy": 2}},
        "without a date": good | {"made": {}},
        "of another sum": good | {"sum": "0"},
        "with no warnings": good | {"warnings": [3]},
    }
    bad = {name: found if "sum" in found else store.with_sum(found) for name, found in bad.items()}
    bad["without a sum"] = good
    kept = CellStore(tmp_path)
    kept.cells.mkdir()
    path = kept.path(cell)
    path.write_text(json.dumps(bad[text]) if text in bad else text, encoding="utf-8")
    monkeypatch.setattr(run, "run", lambda *_: pytest.fail("a cell was run"))
    with pytest.raises(ValueError, match="is damaged or of another cell: delete it to run"):
        evaluate_all([other, cell], kept, 1)
    path.write_text(json.dumps(store.with_sum(good)), encoding="utf-8")
    assert kept.find(cell) == good


def test_processes_give_what_one_process_gives(tmp_path):
    # The plane needs no data, so that nothing has to be put in its place in the other processes.
    (cell,) = experiment("minmax-svm").run("plane").cells(False)
    other = replace(cell, split=1)
    stores = {name: CellStore(tmp_path / name) for name in ("one", "two")}
    evaluate_all([cell, other], stores["two"], 2)
    evaluate_all([cell, other], stores["one"], 1)
    for each in (cell, other):
        found = [stores[name].find(each) for name in ("one", "two")]
        for result in found:
            result.pop("seconds in all")
        assert found[0] == found[1]


def test_the_command_lists_and_refuses(run_command):
    done = run_command("--list")
    assert done.code == 0
    assert "stm-text/table3" in done.out
    assert "experiments.coverage" in done.out
    one = run_command("--list", "minmax-svm")
    assert ("minmax-svm/table3-ccat" in one.out, "stm-text/table3" in one.out) == (True, False)
    for arguments, said, code in (
        ((), "Name an experiment", 2),
        (("--list", "nothing"), "There is no experiment 'nothing'", 1),
        (("stm-text", "--quick", "--full"), "exclude each other", 2),
        (("stm-text", "--n-jobs", "0"), "1 or more", 2),
        (("nothing",), "There is no experiment 'nothing'", 1),
        (("stm-txt",), "There is no experiment 'stm-txt': the nearest names are stm-text,", 1),
        (("lrwmmc/table1",), "lrwmmc has no 'table1': the nearest names are table4, table3, table2;", 1),
        (("stm-text", "-o", ""), "names no folder", 2),
        (("stm-text/",), "'stm-text/' names no table or figure: write 'stm-text' for all of them.", 1),
        (("all/",), "write 'all' for all of them", 1),
    ):
        done = run_command(*arguments)
        assert (done.code, said in done.err) == (code, True)


def test_a_folder_that_cannot_be_written_to_is_named_first(run_command, monkeypatch, tmp_path):
    monkeypatch.setattr("experiments.engine.reproduce.evaluate_all", lambda *_: pytest.fail("cells were run"))
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "stm-text").write_text("", encoding="utf-8")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README.md").write_text("# My project", encoding="utf-8")
    (tmp_path / "deep" / "index.html").mkdir(parents=True)
    (tmp_path / "within" / "stm-text" / PACKED).mkdir(parents=True)
    (tmp_path / "notes" / "stm-text").mkdir(parents=True)
    (tmp_path / "notes" / "stm-text" / "README.md").write_text("# What I think of it", encoding="utf-8")
    for output, said in (
        (tmp_path / "project", f"{tmp_path / 'project' / 'README.md'} was not written by this command"),
        (
            tmp_path / "notes",
            f"{tmp_path / 'notes' / 'stm-text' / 'README.md'} was not written by this command",
        ),
        (tmp_path / "deep", f"{tmp_path / 'deep' / 'index.html'} is a folder, and a page goes there"),
        (tmp_path / "within", f"{PACKED} is a folder, and a page goes there"),
        (tmp_path / "file", f"{tmp_path / 'file'} is a file, and results go to a folder"),
        (tmp_path / "file" / "below", "cannot be written to the folder"),
        (tmp_path / "there", f"{tmp_path / 'there' / 'stm-text'} is a file"),
    ):
        done = run_command("stm-text/table1", "-o", output)
        assert done.code == 1
        assert said in done.err.replace("\n", " ")
        assert "Errno" not in done.err

    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("experiments.engine.folder.tempfile.TemporaryFile", refuse)
    done = run_command("stm-text/table1", "-o", tmp_path / "new")
    assert "(Permission denied): name another one with -o." in done.err.replace("\n", " ")


def test_a_quick_run_leaves_the_pages_of_a_full_one(run_command, small_sets, tmp_path):
    reproduce(["stm-text/table1", "minmax-svm/figure1"], tmp_path, full=True, n_jobs=1)
    full = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = run_command("stm-text/table1", "-o", tmp_path, "--n-jobs", "1")
    assert done.code == 0
    assert f"{tmp_path} has the pages of a full run, which are unchanged" in done.out.replace("\n", " ")
    assert {path: path.read_bytes() for path in full} == full
    (tmp_path / "quick" / "README.md").write_text("# My own", encoding="utf-8")
    assert "was not written by this command" in run_command("stm-text/table1", "-o", tmp_path).err
    facts = json.loads((tmp_path / "quick" / "stm-text" / "results.json").read_text(encoding="utf-8"))[
        "facts"
    ]
    assert (facts["run"], facts["cells"].split()[0]) == ("quick", "1")
    assert (tmp_path / "quick" / "index.html").exists()
    done = run_command("tensorlsi/table3", "-o", tmp_path, "--n-jobs", "1")
    assert (tmp_path / "tensorlsi" / "results.json").exists()


def test_a_table_of_a_full_run_is_not_run_anew_where_the_other_cells_are_gone(small_sets, tmp_path):
    reproduce(["stm-text/table1", "stm-text/table2"], tmp_path, full=True, n_jobs=1)
    reproduce(["stm-text/table1"], tmp_path, full=True, n_jobs=1)
    for path in [*(tmp_path / ".cells").iterdir(), tmp_path / "stm-text" / PACKED]:
        path.unlink()
    with pytest.raises(ValueError, match=r"with 2 cells, and this call would leave only 1\. Name another"):
        reproduce(["stm-text/table1"], tmp_path, full=True, n_jobs=1)
    reproduce(["stm-text/table1", "stm-text/table2"], tmp_path, full=True, n_jobs=1)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"facts": {"run": "full", "date": ""}, "cells": []}'])
def test_what_is_no_file_of_results_is_named(text, small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    (tmp_path / "stm-text" / "results.json").write_text(text, encoding="utf-8")
    for name in ("stm-text/table1", "minmax-svm/figure1"):
        with pytest.raises(ValueError, match=r"results\.json is damaged"):
            reproduce([name], tmp_path, n_jobs=1)


def test_pages_of_a_full_run_stay_where_nothing_of_it_is_at_hand(small_sets, monkeypatch, tmp_path):
    reproduce(["stm-text/table1", "stm-text/table2"], tmp_path, full=True, n_jobs=1)
    (tmp_path / "stm-text" / PACKED).unlink()
    pages = {path: path.read_bytes() for path in (tmp_path / "stm-text").iterdir()}
    for path in (tmp_path / ".cells").iterdir():
        path.unlink()

    def nowhere():
        raise FileNotFoundError("put the file there.")

    sets_data.data.cache_clear()
    monkeypatch.setitem(sets_data.LOADERS, "tdt2", nowhere)
    both = ["stm-text/table1", "stm-text/table2"]
    for anew, left in ((False, 0), (True, 1)):
        with pytest.raises(ValueError, match=f"with 2 cells, and this call would leave only {left}"):
            reproduce(both, tmp_path, full=True, run=anew, n_jobs=1)
    assert {path: path.read_bytes() for path in pages} == pages
    (tmp_path / "stm-text" / "results.json").unlink()
    (written,) = reproduce(both, tmp_path, full=True, run=False)
    assert written.facts["cells"].startswith("1 of ")


def test_the_command_runs_a_table(run_command, small_sets, tmp_path):
    done = run_command("stm-text/table1", "-o", tmp_path / "out", "--n-jobs", "1")
    assert done.code == 0
    assert "warning" not in done.err
    n_claims = len(experiment("stm-text").claims)
    assert f"{n_claims} of {n_claims} claims have no results yet." in done.out
    assert "has the higher micro-F1" not in done.out
    assert "Table 1: Reuters-21578: categories: " in done.out
    assert (tmp_path / "out" / "index.html").exists()


def test_the_time_left_is_that_of_cells_of_the_same_kind(monkeypatch):
    clock = iter([0.0, *[12.0] * 10])
    monkeypatch.setattr(run.time, "perf_counter", lambda: next(clock))
    quick, slow = (cell_of("f1", "tdt2", {"method": name}) for name in ("quick", "slow"))
    pace = run._Pace([*[quick] * 5, *[slow] * 3], {})
    assert [pace.left(quick, 1.0), pace.left(quick, 1.0)] == [None, None]
    # 2 quick and 3 slow cells wait; 12 seconds of work took 12 seconds.
    assert [pace.left(slow, 10.0), pace.left(slow, 0.0)] == [3 * 1.0 + 2 * 10.0, 3 * 1.0 + 5.0]


def test_the_time_left_is_told_from_an_earlier_run(small_sets, monkeypatch, tmp_path):
    clock = iter([0.0, *[12.0] * 10])
    quick, slow = (cell_of("f1", "tdt2", {"method": name}) for name in ("quick", "slow"))
    before = {store.kind(quick.description()): 2.0, store.kind(slow.description()): 50.0}
    with monkeypatch.context() as patched:
        patched.setattr(run.time, "perf_counter", lambda: next(clock))
        pace = run._Pace([*[quick] * 5, *[slow] * 3], before)
        # 2 quick and 3 slow cells wait on a machine of twice the speed; 3 of 12 seconds were work.
        assert [pace.left(quick, 1.0) for _ in range(3)] == [None, None, (2 * 1.0 + 3 * 25.0) / (3.0 / 12.0)]

    reproduce(["stm-text/table1"], tmp_path, full=True, n_jobs=1)
    path = tmp_path / "stm-text" / PACKED
    (line,) = lzma.decompress(path.read_bytes()).decode().splitlines()
    result = json.loads(line.partition(" ")[2])
    taken = {("sizes", "reuters41", "{}"): result["seconds in all"]}
    assert CellStore(tmp_path).seconds("stm-text") == taken
    odd = [3, {}, result | {"seconds in all": "long"}, result | {"description": None}]
    lines = [line, "a {", *(f"a {json.dumps(one)}" for one in odd)]
    path.write_bytes(lzma.compress("\n".join(lines).encode()))
    assert CellStore(tmp_path).seconds("stm-text") == taken
    path.write_bytes(b"damaged")
    assert CellStore(tmp_path).seconds("stm-text") == {}


def test_a_set_that_is_not_at_hand_is_not_run_and_named(run_command, monkeypatch, tmp_path):
    def nowhere():
        raise FileNotFoundError("put the file there.")

    sets_data.data.cache_clear()
    monkeypatch.setitem(sets_data.LOADERS, "tdt2", nowhere)
    (written,) = reproduce(["stm-text/table2"], tmp_path, n_jobs=1)
    assert written.facts["not available, so not run"] == "tdt2 (put the file there.)"
    done = run_command("stm-text/table2", "-o", tmp_path, "--n-jobs", "1")
    assert done.code == 1
    assert "Not available, so not run: tdt2 (put the file there.)" in done.err
    assert written.sections[1].tables[0].rows[0] == ["20001", "1844", "not run", ""]


def test_what_was_run_is_written_without_running_the_rest(small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    told = []
    (written,) = reproduce(["stm-text"], tmp_path, run=False, progress=lambda *state: told.append(state))
    assert told == []
    assert re.fullmatch(r"1 of \d+ run", written.facts["cells"])


def test_the_page_keeps_the_papers_of_earlier_runs(small_sets, tmp_path):
    reproduce(["minmax-svm/figure1"], tmp_path, n_jobs=1)
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    reproduce(["stm-text/table1"], tmp_path, run=False)
    again = (tmp_path / "index.html").read_text(encoding="utf-8")
    for text in (page, again):
        assert re.findall(r'<h2 id="([a-z-]+)"', text) == ["stm-text", "minmax-svm"]
        assert re.findall(r'href="#([a-z-]+)"', text) == ["stm-text", "minmax-svm"]
        assert text.count("data:image/svg+xml") >= 2
    reproduce(["stm-text/table1"], tmp_path, run=False)
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == again


def test_pages_say_when_and_with_what_the_cells_were_made(small_sets, tmp_path):
    (written,) = reproduce(["minmax-svm/figure1"], tmp_path, n_jobs=1)
    (path,) = (tmp_path / ".cells").iterdir()
    result = json.loads(path.read_text(encoding="utf-8"))
    assert {name: written.facts[name] for name in result["made"]} == result["made"]
    result["made"] |= {"date": "2001-02-03", "numpy": "0.1"}
    path.write_text(json.dumps(store.with_sum(result)), encoding="utf-8")
    (again,) = reproduce(["minmax-svm/figure1"], tmp_path, run=False)
    assert (again.facts["date"], again.facts["numpy"]) == ("2001-02-03", "0.1")


def test_a_broken_result_is_named(small_sets, tmp_path):
    (written,) = reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    assert written.facts["cells with warnings"] == "0 of 1"
    (path,) = (tmp_path / ".cells").iterdir()
    result = json.loads(path.read_text(encoding="utf-8"))
    for text in ('{"a', json.dumps(result | {"counts": "none"})):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=f"{path.name} is damaged"):
            reproduce(["stm-text/table1"], tmp_path, n_jobs=1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_methods_of_the_full_run_alone_are_evaluated_too(name, small_sets):
    of = experiment(name)
    for each in of.runs:
        only = {method for method, how in each.methods.items() if not how.quick}
        for cell in {cell.method: cell for cell in each.cells(True) if cell.method in only}.values():
            if "libmultilabel" in cell.settings and find_spec("libmultilabel") is None:
                continue
            result = evaluate(cell)
            shown = [item for item in of.items if item.run == each.name]
            tables = [m for item in shown if isinstance(item, Table) for m in item.measures.values()]
            named = [item.measure for item in shown if isinstance(item, ByName)]
            assert any(values([result], measure) for measure in tables + named)
