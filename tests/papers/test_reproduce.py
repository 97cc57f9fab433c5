"""A tiny cut of the reproduction: every protocol on small made-up sets, from the cells to the page."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from textensor.evaluate import Comparison
from textensor.papers import NAMES, cells, paper
from textensor.papers import data as papers_data
from textensor.papers.declare import Claim, Counts, Figure, Listing, Method, Part, Run, Table
from textensor.papers.figures import Line, lines_of, not_drawn, svg
from textensor.papers.protocols import evaluate, module_of
from textensor.papers.reproduce import reproduce
from textensor.papers.sources import PACKAGE, sources
from textensor.papers.stats import Found, compare, p_value, values
from textensor.papers.summary import put_into, summary_table
from textensor.papers.tables import counts_table, listing_table, value_tables
from textensor.papers.verdicts import judge

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    "name",
    [
        "stm-text/table3",
        "stm-text/table1",
        "stm-tls/figure2",
        "tensorlsi/table3",
        "tensorlsi/figure2",
        "tensorlsi/table5",
        "tensorlsi/table7",
        "lrwmmc/table2",
        "lrwmmc/table3",
        "lrwmmc/table4",
        "lrwmmc/figure4-trec9",
        "minmax-svm/table2",
        "minmax-svm/table1",
        "minmax-svm/figure1",
    ],
)
def test_a_tiny_cut_runs_once_and_writes_everything(name, small_sets, tmp_path):
    told = []
    (written,) = reproduce([name], tmp_path, n_jobs=1, progress=lambda *state: told.append(state))
    of, item = name.split("/")
    section = next(s for s in written.sections if s.item.name == item)
    assert section.tables or ElementTree.fromstring(section.drawing).tag.endswith("svg")
    ran = list(paper(of).run(section.item.run).cells(False))
    assert {state[1] for state in told} == {len(told)}
    assert len(told) == len({cells.key(cell) for cell in ran})
    result = json.loads((tmp_path / of / "results.json").read_text(encoding="utf-8"))
    assert result["facts"]["run"] == "quick"
    assert len(result["cells"]) >= len(ran)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="(?!#|data:image/svg)', page)
    assert section.item.title.split(" (")[0] in page

    known = {(cell.part, cell.method) for cell in ran}
    for claim, word, _ in written.verdicts:
        parts = claim.at or {part for part, _ in known}
        both = claim.run == section.item.run and not claim.other_run
        both &= not claim.since or (claim.since, claim.a) in known
        if both and any({(p, claim.a), (p, claim.b)} <= known for p in parts):
            assert word != "not run", claim.text

    told.clear()
    reproduce([name], tmp_path, n_jobs=1, progress=lambda *state: told.append(state))
    assert told == []


def test_tables_say_what_was_not_run(small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    text = (tmp_path / "stm-text" / "README.md").read_text(encoding="utf-8")
    assert re.search(r"\| 5% +\| SVM +\| +\| 0\.8490 +\| not run", text)
    assert "**not run**" in text


def test_another_setting_or_code_is_another_cell(monkeypatch):
    cell = next(iter(paper("stm-text").run("reuters").cells(False)))
    first = cells.key(cell)
    settings = {**cell.settings, "C": [3.0]}
    assert cells.key(type(cell)(*[*vars(cell).values()][:5], settings)) != first
    monkeypatch.setattr(cells, "code", lambda module: "other")
    assert cells.key(cell) != first


def test_code_is_what_a_protocol_imports():
    needed = {
        module: {path.relative_to(PACKAGE).as_posix() for path in sources(module)}
        for module in ("accuracy", "embedding")
    }
    alike = {"learn/dual.py", "classify/alternate.py", "parallel.py", "papers/data.py", "space/kernels.py"}
    for module, found in needed.items():
        assert alike <= found
        assert f"papers/protocols/{module}.py" in found
    apart = {"reduce/lanczos.py", "reduce/lrwmmc_tensor.py", "classify/coem.py", "papers/protocols/f1.py"}
    assert apart <= needed["embedding"]
    assert not apart & needed["accuracy"]
    nobody = {"reduce/__init__.py", "papers/declare.py", "cli/main.py", "reduce/topics.py"}
    assert not nobody & (needed["accuracy"] | needed["embedding"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["stm-text/table3", "tensorlsi/figure2", "minmax-svm/figure1"])
def test_code_is_all_that_a_cell_calls(name, small_sets):
    of, item = name.split("/")
    run = paper(of).run(paper(of).item(item).run)
    called = set()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_name != "<module>":
            called.add(Path(frame.f_code.co_filename))

    for cell in {cell.method: cell for cell in run.cells(False)}.values():
        sys.setprofile(note)
        try:
            evaluate(cell)
        finally:
            sys.setprofile(None)
    ours = {path for path in called if PACKAGE in path.parents}
    by_name = PACKAGE / "papers" / "protocols" / "__init__.py"  # finds the protocol that a cell names
    assert len(ours) > 3
    assert ours <= {by_name, *sources(module_of(run.protocol))}


def test_what_another_run_has_done_meanwhile_is_left(tmp_path):
    (cell,) = paper("minmax-svm").run("plane").cells(False)
    other = type(cell)(*[*vars(cell).values()][:4], 1, {})
    place = tmp_path / f"{cells.key(other)}.json"
    done = {"description": other.description(), "seconds in all": 1, "warnings": []}
    text = json.dumps(done)
    cells.evaluate_all([cell, other], tmp_path, 1, lambda *_: place.write_text(text, encoding="utf-8"))
    assert cells.kept(cell, tmp_path)["description"] == cell.description()
    assert cells.kept(other, tmp_path) == done


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, "[]", "3", "{}", "of another cell", "without seconds", "with no warnings"],
)
def test_a_damaged_result_is_named_before_anything_is_run(text, monkeypatch, tmp_path):
    (cell,) = paper("minmax-svm").run("plane").cells(False)
    other = type(cell)(*[*vars(cell).values()][:4], 1, {})
    good = {"description": cell.description(), "seconds in all": 1.5, "warnings": []}
    bad = {
        "of another cell": good | {"description": other.description()},
        "without seconds": {name: good[name] for name in ("description", "warnings")},
        "with no warnings": good | {"warnings": [3]},
    }
    path = tmp_path / f"{cells.key(cell)}.json"
    path.write_text(json.dumps(bad[text]) if text in bad else text, encoding="utf-8")
    monkeypatch.setattr(cells, "run", lambda *_: pytest.fail("a cell was run"))
    with pytest.raises(ValueError, match="is no result of a cell: delete it, and it is run again"):
        cells.evaluate_all([other, cell], tmp_path, 1)
    path.write_text(json.dumps(good), encoding="utf-8")
    assert cells.kept(cell, tmp_path) == good


def test_processes_give_what_one_process_gives(tmp_path):
    # The plane needs no data, so that nothing has to be put in its place in the other processes.
    (cell,) = paper("minmax-svm").run("plane").cells(False)
    other = type(cell)(*[*vars(cell).values()][:4], 1, {})
    cells.evaluate_all([cell, other], tmp_path / "two", 2)
    cells.evaluate_all([cell, other], tmp_path / "one", 1)
    for each in (cell, other):
        found = [cells.kept(each, tmp_path / folder) for folder in ("one", "two")]
        for result in found:
            result.pop("seconds in all")
        assert found[0] == found[1]


def run_of(*parts):
    return Run("r", "f1", "", tuple(Part(name, 1, 1) for name in parts), {"A": Method({}), "B": Method({})})


def results(figures):
    return {k: {"m": figure} for k, figure in enumerate(figures)}


@pytest.mark.parametrize(
    ("a", "b", "expect", "word"),
    [
        ([1.0, 2.0, 3.1], [0.0, 1.0, 2.0], ">", "holds"),
        ([1.0, 2.0, 3.1], [0.0, 1.0, 2.0], "<", "does not hold"),
        ([1.0, 2.0, 3.1], [0.0, 1.0, 2.0], "~", "does not hold"),
        ([1.0, 2.0, 3.0], [1.1, 1.8, 3.0], "~", "holds"),
        ([1.0, 2.2, 3.0], [1.1, 1.8, 3.0], ">", "does not hold"),
        ([1.0], [0.0], ">", "not tested"),
        ([1.0], [0.0], "~", "not tested"),
        ([], [1.0], ">", "not run"),
    ],
)
def test_verdicts(a, b, expect, word):
    found = Found(run_of("p"), {("p", "A"): results(a), ("p", "B"): results(b)})
    assert judge(Claim("", "r", "A", "B", "m", expect, "t"), found).word == word


AHEAD, BEHIND = ([1.0, 2.0, 3.1], [0.0, 1.0, 2.0]), ([0.0, 1.0, 2.0], [1.0, 2.0, 3.1])
LEVEL = ([1.0, 2.2, 3.0], [1.1, 1.8, 3.0])


@pytest.mark.parametrize(
    ("places", "word", "counted"),
    [
        ([AHEAD, AHEAD], "holds", "2 of 2 for it."),
        ([AHEAD, LEVEL], "holds in part", "1 of 2 for it."),
        ([AHEAD, AHEAD, BEHIND], "holds in part", "2 of 3 for it, 1 against it."),
        ([AHEAD, BEHIND, LEVEL], "does not hold", "1 of 3 for it, 1 against it."),
        ([LEVEL, LEVEL], "does not hold", "0 of 2 for it."),
        ([AHEAD, ([1.0], [0.0])], "holds where it was tested", "1 of 1 for it."),
        ([AHEAD, ([], []), ([1.0], [0.0])], "holds where it was run", "1 of 1 for it."),
    ],
)
def test_in_part_needs_more_places_for_a_claim_than_against_it(places, word, counted):
    names = [f"p{k}" for k in range(len(places))]
    found = {}
    for name, (a, b) in zip(names, places, strict=True):
        found |= {(name, "A"): results(a), (name, "B"): results(b)}
    verdict = judge(Claim("", "r", "A", "B", "m", ">", "t"), Found(run_of(*names), found))
    assert verdict.word == word
    assert verdict.why.startswith(f"t-test, {counted}")


def test_seconds_that_were_measured_once_are_judged_by_their_order():
    seconds = {("p", "A"): 1.0, ("p", "B"): 2.0, ("q", "A"): 3.0, ("q", "B"): 2.5}
    found = Found(run_of("p", "q"), {at: results([taken]) for at, taken in seconds.items()})
    assert judge(Claim("", "r", "A", "B", "m", "<", ""), found).word == "does not hold"
    assert judge(Claim("", "r", "A", "B", "m", "<", "", at=("p",)), found).word == "holds"


def test_a_claim_compares_methods_of_two_runs():
    first = Found(run_of("p"), {("p", "A"): results([1, 2, 3.1])})
    second = Found(run_of("p"), {("p", "B"): results([0, 1, 2])})
    claim = Claim("", "r", "A", "B", "m", ">", "t", other_run="s")
    assert judge(claim, first, second).word == "holds"
    assert judge(claim, first).word == "not run"


def test_a_claim_is_judged_over_named_measures():
    a, b = ({0: {"by k": {"1": one, "10": ten}}} for one, ten in ((0.8, 0.9), (0.85, 0.7)))
    found = Found(run_of("p"), {("p", "A"): a, ("p", "B"): b})
    ks = {f"k = {k}": f"by k.{k}" for k in (1, 10)}
    verdict = judge(Claim("", "r", "A", "B", "", ">", "", measures=ks), found)
    assert verdict.word == "does not hold"
    assert "p, k = 1: 0.8 and 0.85; p, k = 10: 0.9 and 0.7." in verdict.why
    claim = Claim("", "r", "B", "B", "by k.1", ">", "", other_measure="by k.10")
    assert judge(claim, found).word == "holds"


def test_a_claim_is_judged_by_how_much_figures_have_grown():
    seconds = {("p", "A"): [4.0, 2.0], ("p", "B"): [1.0], ("q", "A"): [6.0], ("q", "B"): [3.0]}
    found = Found(run_of("p", "q"), {at: results(taken) for at, taken in seconds.items()})
    claim = Claim("", "r", "A", "B", "m", "<", "", at=("q",), since="p")
    verdict = judge(claim, found)
    assert verdict.word == "holds"
    assert "q: 2 and 3." in verdict.why
    without = Found(run_of("p", "q"), {at: one for at, one in found.results.items() if at != ("p", "B")})
    assert judge(claim, without).word == "not run"


def test_a_claim_looks_at_small_or_large_categories():
    sizes = [50, 3, 60, 2, 0, 70]

    def kept(*figures):
        return {0: {"training": sizes, "x": {"per category": list(figures), "macro": 0.0}}}

    found = Found(
        run_of("p"), {("p", "A"): kept(0.5, 0.6, 0.5, 0.72, 0.6), ("p", "B"): kept(0.6, 0.1, 0.7, 0.2, 0.72)}
    )
    of = {
        half: judge(Claim("", "r", "A", "B", "x.macro", expect, "T", half=half), found)
        for half, expect in (("small", ">"), ("large", "<"))
    }
    assert "0.66 and 0.15" in of["small"].why
    assert "0.5333 and 0.6733" in of["large"].why
    assert [verdict.word for verdict in of.values()] == ["holds", "holds"]


def test_a_verdict_says_where_a_part_is_missing():
    found = Found(run_of("p", "q"), {("p", "A"): results([1, 2, 3.1]), ("p", "B"): results([0, 1, 2])})
    verdict = judge(Claim("", "r", "A", "B", "m", ">", "t"), found)
    assert verdict.word == "holds where it was run"
    assert "q: not run" in verdict.why


def test_a_sign_test_against_the_means_is_no_support():
    # A's mean is higher, B is right more often.
    a, b = ({0: {"x": {"micro": m, "wrong": list(w)}}} for m, w in ((0.9, range(9)), (0.8, range(9, 10))))
    found = Found(run_of("p"), {("p", "A"): a, ("p", "B"): b})
    verdict = judge(Claim("", "r", "A", "B", "x.micro", ">", "s"), found)
    assert verdict.word == "does not hold"
    assert verdict.why == "s-test, 0 of 1 for it, 1 against it. p: 0.9 and 0.8, <, p = 0.011."


def test_tests_agree_with_the_library():
    a, b = results([3.0, 4.0, 5.5]), results([1.0, 2.0, 4.0])
    assert compare(a, b, "t", "m").mark == ">>"
    assert compare({}, b, "t", "m") is None
    assert p_value(Comparison("<<", 0.0, 0.0, 9)) == "p < 1e-16"
    assert p_value(Comparison("<<", 0.00123, 0.0, 9)) == "p = 0.0012"
    assert values(a.values(), "m") == [3.0, 4.0, 5.5]
    wrong = {0: {"p": {"wrong": [1], "per category": [0.9, 0.8]}}}, {0: {"p": {"wrong": [2, 3, 4, 5, 6, 7]}}}
    assert compare(*wrong, "s", "p.x").p_value == pytest.approx(8 / 2**7)


def test_the_front_page_has_the_table_of_the_committed_results(tmp_path):
    root = Path(__file__).parents[2]
    page = (root / "README.md").read_text(encoding="utf-8")
    assert put_into(page, summary_table(root / "results")) == page


@pytest.mark.parametrize("name", NAMES)
def test_what_was_tried_is_told_where_committed_figures_are_far_from_the_printed_ones(name):
    page = (Path(__file__).parents[2] / "results" / name / "README.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        if "More than two standard deviations" in section:
            title = section.partition("\n")[0]
            (item,) = [one for one in paper(name).items if title.endswith(f": {one.title}")]
            assert item.name in paper(name).tried, title


def test_columns_that_a_paper_lacks_are_headed_so(small_sets, tmp_path):
    (written,) = reproduce(["stm-text/table3"], tmp_path, n_jobs=1)
    own, beyond = next(s for s in written.sections if s.item.name == "table3").tables
    assert [word.startswith("beyond: ") for word in own.head] == [False] * 9 + [True] * 4
    assert beyond.caption == "Beyond the paper"
    assert not any("beyond" in word for word in beyond.head)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<td class="words">STM</td>' in page


def test_a_difference_that_rounds_to_nothing_has_no_minus():
    run = Run("r", "accuracy", "x", (Part("p", 1, 1),), {"a": Method({})})
    table = Table("t", "t", "r", {"m": "m"}, {("p", "a"): (0.5,)}, digits=1)
    (drawn,) = value_tables(table, Found(run, {("p", "a"): {0: {"m": 0.499}}}))
    assert drawn.rows[0][-1] == "+0.0"


def test_the_summary_counts_claims(small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    n_claims = len(paper("stm-text").claims)
    rows = {line.split("|")[1].strip(): line for line in summary_table(tmp_path).splitlines()}
    line = rows["[stm-text](results/stm-text/README.md)"].split("|")
    assert [int(cell) for cell in line[2:6]] == [0, 0, 0, n_claims]
    with pytest.raises(ValueError, match="no place"):
        put_into("no marks", "table")
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "[stm-text](stm-text/README.md)" in page
    assert len({len(line) for line in page.splitlines() if line.startswith("|")}) == 1


@pytest.mark.parametrize("figures", [[1.0], [0.5, 0.5], [0.0, 0.0], [0.81, 0.94], [3.0, 250.0]])
@pytest.mark.parametrize("log_y", [False, True])
def test_any_figures_are_drawn_within_the_picture(figures, log_y):
    line = Line("<a> & b", [(float(x), y) for x, y in enumerate(figures)], 0)
    drawn = ElementTree.fromstring(svg([line], [(0.0, "5%")], "x", "y", log_y))
    circles = [c for c in drawn.iter(SVG + "circle") if float(c.get("cy")) < 320]
    assert len(circles) >= len(figures)
    assert all(0 <= float(c.get("cy")) <= 300 and 0 <= float(c.get("cx")) <= 560 for c in circles)


def test_lines_are_interrupted_where_nothing_was_run():
    run = Run("r", "f1", "", tuple(Part(p, 1, 1) for p in "abcd"), {"A": Method({})})
    found = Found(
        run, {(part, "A"): results([figure]) for part, figure in zip("abd", (1, 2, 3), strict=True)}
    )
    figure = Figure("f", "", "r", "m", ("A",), "x", "y", printed={"A": [1.0, None, 2.0, 3.0]})
    lines, names = lines_of(figure, found)
    drawn = ElementTree.fromstring(svg(lines, [], "x", "y", False))
    paths = [p.get("d") for p in drawn.iter(SVG + "path") if p.get("stroke-width")]
    paths = [path for path in paths if float(path[1:].split("L")[0].split()[1]) < 300]  # not of the legend
    # The paper's point at a, its line from c to d; ours from a to b, and the point at d.
    assert [path.count("L") for path in paths] == [0, 1, 1, 0]
    assert not_drawn(lines, names) == "Lines are interrupted where nothing was run: A at c."
    assert not_drawn(lines[:1], names) == ""


def test_nothing_to_draw_says_so():
    assert "not run" in svg([], [], "x", "y", False)


def test_the_command_lists_and_refuses(textensor):
    done = textensor("reproduce", "--list")
    assert done.code == 0
    assert "stm-text/table3" in done.out
    for arguments, said, code in (
        ((), "Name a paper", 2),
        (("stm-text", "--quick", "--full"), "exclude each other", 2),
        (("stm-text", "--n-jobs", "0"), "1 or more", 2),
        (("nothing",), "There is no paper 'nothing'", 1),
        (("stm-text", "-o", ""), "names no folder", 2),
        (("stm-text/",), "'stm-text/' names no table or figure: 'stm-text' is all of them.", 1),
        (("all/",), "'all' is all of them", 1),
    ):
        done = textensor("reproduce", *arguments)
        assert (done.code, said in done.err) == (code, True)


def test_a_folder_that_cannot_be_written_to_is_named_before_anything_is_run(textensor, monkeypatch, tmp_path):
    monkeypatch.setattr("textensor.papers.reproduce.evaluate_all", lambda *_: pytest.fail("cells were run"))
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "stm-text").write_text("", encoding="utf-8")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README.md").write_text("# My project", encoding="utf-8")
    for output, said in (
        (tmp_path / "project", f"{tmp_path / 'project' / 'README.md'} is not of earlier results"),
        (tmp_path / "file", f"{tmp_path / 'file'} is a file, and results go to a folder"),
        (tmp_path / "file" / "below", "cannot be written to the folder"),
        (tmp_path / "there", f"{tmp_path / 'there' / 'stm-text'} is a file"),
    ):
        done = textensor("reproduce", "stm-text/table1", "-o", output)
        assert done.code == 1
        assert said in done.err.replace("\n", " ")
        assert "Errno" not in done.err

    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("textensor.papers.folder.tempfile.TemporaryFile", refuse)
    done = textensor("reproduce", "stm-text/table1", "-o", tmp_path / "new")
    assert "(Permission denied): name another one with -o." in done.err.replace("\n", " ")


def test_a_quick_run_leaves_the_pages_of_a_full_one(textensor, small_sets, tmp_path):
    reproduce(["stm-text/table1", "minmax-svm/figure1"], tmp_path, full=True, n_jobs=1)
    full = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = textensor("reproduce", "stm-text/table1", "-o", tmp_path, "--n-jobs", "1")
    assert done.code == 0
    assert f"{tmp_path} has pages of a full run, which stay" in done.out.replace("\n", " ")
    assert {path: path.read_bytes() for path in full} == full
    facts = json.loads((tmp_path / "quick" / "stm-text" / "results.json").read_text(encoding="utf-8"))[
        "facts"
    ]
    assert (facts["run"], facts["cells"].split()[0]) == ("quick", "1")
    assert (tmp_path / "quick" / "index.html").exists()
    done = textensor("reproduce", "tensorlsi/table3", "-o", tmp_path, "--n-jobs", "1")
    assert (tmp_path / "tensorlsi" / "results.json").exists()


def test_a_table_of_a_full_run_is_not_run_anew_where_the_other_cells_are_gone(small_sets, tmp_path):
    reproduce(["stm-text/table1", "stm-text/table2"], tmp_path, full=True, n_jobs=1)
    reproduce(["stm-text/table1"], tmp_path, full=True, n_jobs=1)
    for path in (tmp_path / ".cells").iterdir():
        path.unlink()
    with pytest.raises(ValueError, match="with 2 cells, of which this call would leave 1: name another"):
        reproduce(["stm-text/table1"], tmp_path, full=True, n_jobs=1)
    reproduce(["stm-text/table1", "stm-text/table2"], tmp_path, full=True, n_jobs=1)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"facts": {"run": "full", "date": ""}, "cells": []}'])
def test_what_is_no_file_of_results_is_named(text, small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    (tmp_path / "stm-text" / "results.json").write_text(text, encoding="utf-8")
    for name in ("stm-text/table1", "minmax-svm/figure1"):
        with pytest.raises(ValueError, match=r"results\.json is no file of results"):
            reproduce([name], tmp_path, n_jobs=1)


def test_pages_of_a_full_run_stay_where_nothing_of_it_is_at_hand(small_sets, monkeypatch, tmp_path):
    reproduce(["stm-text/table1", "stm-text/table2"], tmp_path, full=True, n_jobs=1)
    pages = {path: path.read_bytes() for path in (tmp_path / "stm-text").iterdir()}
    for path in (tmp_path / ".cells").iterdir():
        path.unlink()

    def nowhere():
        raise FileNotFoundError("put the file there.")

    papers_data.data.cache_clear()
    monkeypatch.setitem(papers_data.LOADERS, "tdt2", nowhere)
    both = ["stm-text/table1", "stm-text/table2"]
    for run, left in ((False, 0), (True, 1)):
        with pytest.raises(ValueError, match=f"with 2 cells, of which this call would leave {left}: name"):
            reproduce(both, tmp_path, full=True, run=run, n_jobs=1)
    assert {path: path.read_bytes() for path in pages} == pages
    (tmp_path / "stm-text" / "results.json").unlink()
    (written,) = reproduce(both, tmp_path, full=True, run=False)
    assert written.facts["cells"].startswith("1 of ")


def test_the_command_runs_a_table(textensor, small_sets, tmp_path):
    done = textensor("reproduce", "stm-text/table1", "-o", tmp_path / "out", "--n-jobs", "1")
    assert done.code == 0
    assert "warning" not in done.err
    assert (tmp_path / "out" / "index.html").exists()


def test_counts_and_listings_have_a_difference():
    counted = Counts("table1", "", "r", ("documents",), {"grain": (5,), "corn": (3,)})
    result = {("p", "A"): {0: {"counts": {"grain": [4], "corn": [3]}}}}
    assert counts_table(counted, Found(run_of("p"), result)).rows == [
        ["grain", "5", "4", "−1"],
        ["corn", "3", "3", "+0"],
    ]
    listed = Listing("figure1", "", "r", "m", ("A", "B"), {"grain": (50.0, 3.0)})
    found = Found(run_of("p"), {("p", "A"): {0: {"m": [0.52]}}, ("p", "B"): {0: {"m": [0.54]}}})
    assert listing_table(listed, found).rows[0] == ["grain", "50.0", "52.0", "+2.0", "+3.0", "+2.0", "−1.0"]


def test_a_set_that_is_not_at_hand_is_not_run_and_named(textensor, monkeypatch, tmp_path):
    def nowhere():
        raise FileNotFoundError("put the file there.")

    papers_data.data.cache_clear()
    monkeypatch.setitem(papers_data.LOADERS, "tdt2", nowhere)
    (written,) = reproduce(["stm-text/table2"], tmp_path, n_jobs=1)
    assert written.facts["not at hand, so not run"] == "tdt2 (put the file there.)"
    done = textensor("reproduce", "stm-text/table2", "-o", tmp_path, "--n-jobs", "1")
    assert "Not at hand, so not run: tdt2 (put the file there.)" in done.err
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


def test_a_single_printed_point_is_seen():
    drawn = svg([Line("paper", [(0.0, 0.5)], 0, printed=True)], [(0.0, "1%")], "x", "y", False)
    assert "<circle" in drawn
    drawn = svg([Line("paper", [(0.0, 0.5), (1.0, 0.6)], 0, printed=True)], [(0.0, "1%")], "x", "y", False)
    assert "<circle" not in drawn


def test_one_split_has_no_test():
    table = Table("t", "", "r", tests=("t",), pairs=(("A", "B"),), tested="m")
    found = Found(run_of("p", "q"), {("p", "A"): results([1.0]), ("p", "B"): results([2.0])})
    (drawn,) = value_tables(table, found)
    assert [row[-1] for row in drawn.rows] == ["one split, no test", "not run"]


def test_a_broken_result_is_named(small_sets, tmp_path):
    (written,) = reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    assert written.facts["cells with warnings, which results.json has"] == "0 of 1"
    (path,) = (tmp_path / ".cells").iterdir()
    path.write_text('{"a', encoding="utf-8")
    with pytest.raises(ValueError, match=f"{path.name} is no result"):
        reproduce(["stm-text/table1"], tmp_path, n_jobs=1)


def test_a_claim_of_several_pairs_is_judged_over_all_of_them():
    one = {("p", "A"): results([1, 2, 3.1]), ("p", "B"): results([0, 1, 2]), ("p", "C"): results([5, 6, 7.2])}
    found = Found(run_of("p"), one)
    verdict = judge(Claim("", "r", "A", "B", "m", ">", "t", more=[("A", "C")]), found)
    assert verdict.word == "does not hold"
    assert " A against B: 2.033 and 1, " in verdict.why
    assert " A against C: 2.033 and 6.067, " in verdict.why


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_methods_of_the_full_run_alone_are_evaluated_too(name, small_sets):
    of = paper(name)
    for run in of.runs:
        only = {method for method, how in run.methods.items() if not how.quick}
        for cell in {cell.method: cell for cell in run.cells(True) if cell.method in only}.values():
            result = evaluate(cell)
            shown = [item for item in of.items if isinstance(item, Table) and item.run == run.name]
            assert any(values([result], measure) for item in shown for measure in item.measures.values())
