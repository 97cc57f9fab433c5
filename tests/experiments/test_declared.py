"""What is declared hangs together, and the typed figures agree with each other."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

from experiments import COMPARISONS, NAMES, PAPERS, experiment, select
from experiments.comparisons import minmax
from experiments.declared import declared
from experiments.engine.declare import ByName, Claim, Figure, Table
from experiments.engine.store import key
from experiments.papers import minmax_svm, stm_text, tensorlsi
from experiments.protocols import PROTOCOLS
from experiments.protocols.modular import _label
from tests.experiments.made import results_of, run_of

EVERY = [experiment(name) for name in NAMES]


@pytest.mark.parametrize("of", EVERY, ids=NAMES)
def test_everything_named_is_there(of):
    names = [item.name for item in of.items]
    assert len(set(names)) == len(names)
    for item in of.items:
        run = of.run(item.run)
        parts, methods = {part.name for part in run.parts}, set(run.methods)
        if isinstance(item, Table):
            assert set(item.printed) <= parts
            assert {m for row in item.printed.values() for m in row} <= methods
            assert set(item.uncompared) <= {*item.measures, *tensorlsi.OTHER}
            assert set(item.marks) <= parts
            assert {m for pair in item.pairs for m in pair} <= methods
            rows = [row for of_part in item.printed.values() for row in of_part.values()]
            assert all(len(row) <= len(item.measures) for row in rows)
            assert all(len(marks) <= len(item.pairs) for marks in item.marks.values())
            assert all(len(row) == len(item.tests) for marks in item.marks.values() for row in marks)
            assert set(item.parts) <= parts
        if isinstance(item, Figure):
            assert set(item.methods) <= methods
            assert set(item.parts) <= parts
    assert set(of.tried) <= set(names)


@pytest.mark.parametrize("claim", [c for of in EVERY for c in of.claims], ids=lambda c: c.text)
def test_claims_speak_of_what_is_run(claim: Claim):
    of = next(of for of in EVERY if claim in of.claims)
    run, other = of.run(claim.run), of.run(claim.other_run or claim.run)
    assert {a for a, _ in claim.pairs} <= set(run.methods)
    assert {b for _, b in claim.pairs} <= set(other.methods)
    assert set(claim.at) <= {part.name for part in run.parts}
    if claim.other_run:
        assert run.protocol == other.protocol
        sets = [
            {p.name: p.settings["data"].removesuffix("-trigrams") for p in of.parts} for of in (run, other)
        ]
        assert sets[0] == sets[1]
    assert not (claim.other_measure and claim.test)
    assert claim.expect in "<~>"
    assert claim.test in ("s", "S", "T", "t", "")
    assert claim.test or claim.expect != "~"
    assert claim.half in ("", "small", "large")
    assert bool(claim.measure) != bool(claim.measures)


def _figures(of):
    """Return the printed figures by run, part, method and measure."""
    return {
        (item.run, part, method, measure): figure
        for item in of.items
        if isinstance(item, Table)
        for part, of_part in item.printed.items()
        for method, row in of_part.items()
        for measure, figure in zip(item.measures.values(), row, strict=False)
    }


@pytest.mark.parametrize("of", EVERY[: len(PAPERS)], ids=PAPERS)
def test_printed_figures_are_in_the_order_of_the_claims_or_a_note_says_that_they_are_not(of):
    figures, n_seen = _figures(of), 0
    for claim in of.claims:
        parts = claim.at or [part.name for part in of.run(claim.run).parts]
        keys = [
            ((claim.run, part, a, claim.measure), (claim.other_run or claim.run, part, b, claim.measure))
            for part in parts
            for a, b in claim.pairs
        ]
        both = [(figures.get(a), figures.get(b)) for a, b in keys]
        seen = [] if claim.half or claim.since else [pair for pair in both if None not in pair]
        n_seen += len(seen)
        order = {">": np.greater, "<": np.less}.get(claim.expect)
        if order is not None and not all(order(*pair) for pair in seen):
            assert "the paper's own table" in claim.note, claim.text
    assert n_seen > 10


@pytest.mark.parametrize("of", EVERY, ids=NAMES)
def test_cells_are_json_and_the_quick_ones_are_among_the_full(of):
    for run in of.runs:
        assert run.protocol in PROTOCOLS
        described = {
            full: {json.dumps(cell.description(), sort_keys=True) for cell in run.cells(full)}
            for full in (False, True)
        }
        assert described[False] <= described[True]


def test_every_table_and_figure_is_declared():
    expected = {
        "stm-text": [f"table{k}" for k in range(1, 7)] + [f"figure{k}" for k in range(2, 8)],
        "stm-tls": ["table1", "figure2", "figure3"],
        "tensorlsi": [f"table{k}" for k in range(1, 8)] + [f"figure{k}" for k in range(2, 7)],
        "lrwmmc": ["table2", "table3", "table4", "figure3", "figure4"],
        "minmax-svm": ["table1", "table2", "table3", "figure1"],
        "accuracy": ["table1", "table2", "table3"],
        "few-labels": ["table1", "table2", "table3"],
        "strong": ["table1", "table2", "table3"],
        "embeddings": ["table1", "table2", "table3", "table4"],
        "minmax": ["table1", "table2", "table3", "table4", "table5", "figure4", "figure5"],
        "indexing": ["table1", "table2"],
    }
    for name, items in expected.items():
        declared = [item.name for item in experiment(name).items]
        assert all(any(d == item or d.startswith(f"{item}-") for d in declared) for item in items)


def test_every_paper_and_comparison_is_named_in_the_order_of_its_pages():
    root = Path(importlib.import_module("experiments").__file__).parent
    for room, names in (("papers", PAPERS), ("comparisons", COMPARISONS)):
        found = [path.stem.replace("_", "-") for path in (root / room).glob("*.toml")]
        assert sorted(found) == sorted(names)


def test_select_reads_names():
    assert select(["all"]).keys() == set(NAMES)
    assert select(["stm-text/table3", "stm-text/table4", "stm-text/table3"]) == {
        "stm-text": ["table3", "table4"]
    }
    assert select(["minmax-svm/table3"]) == {
        "minmax-svm": ["table3-ccat", "table3-gcat", "table3-mcat", "table3-ecat"]
    }
    assert select(["tensorlsi/table6"]) == {"tensorlsi": ["table6", "table6-seconds"]}
    with pytest.raises(ValueError, match="There is no experiment 'x'"):
        select(["x"])
    with pytest.raises(ValueError, match="has no 'table9'"):
        select(["stm-text/table9"])
    with pytest.raises(ValueError, match="write 'stm-text' for all of them"):
        select(["stm-text/"])
    with pytest.raises(ValueError, match="There is no experiment ''"):
        select(["/"])
    with pytest.raises(ValueError, match="name an experiment"):
        select(["all/table1"])


def test_typed_categories_add_up_to_the_papers_totals():
    counts = np.array(list(stm_text.PRINTED["reuters"].values()))
    assert (len(counts), *counts.sum(axis=0)) == (41, 5899, 2314)
    sizes = [size for (size,) in stm_text.PRINTED["tdt2"].values()]
    assert (len(sizes), sum(sizes)) == (56, 10021)


def test_typed_figures_have_the_papers_averages():
    printed = tensorlsi.PRINTED
    for table in (printed["table5"], printed["table7"]):
        rows = [row for part, row in table.items() if part != tensorlsi.AVERAGE]
        for k, average in enumerate(table[tensorlsi.AVERAGE]):
            columns = np.array([row[k] for row in rows])[:, : len(average)]  # the dimension has no average
            assert np.allclose(columns.mean(axis=0), average, rtol=0.001, atol=0.06)
        for row in rows:
            for _, first, second, both, *_ in row[1:]:
                assert first + second == pytest.approx(both, rel=0.001, abs=0.0015)
    keywords = np.array(list(printed["keywords"].values()))
    assert np.allclose(keywords.mean(axis=0), [316, 56.0, 3.3, 3.8], atol=0.5)
    assert list(printed["seconds"]) == list(printed["keywords"])
    seconds = np.array(list(printed["seconds"].values()))
    assert np.round(seconds.mean(axis=0), 3).tolist() == [1.628, 0.214]


def test_typed_precision_and_recall_give_the_typed_f1_but_for_the_errata():
    rows = [(row[0], *row[4:]) for row in minmax_svm.PRINTED["table2"]]
    for name, of in minmax_svm.PRINTED["table3"].items():
        rows += [(f"{name} {m}", *row[2:]) for m, row in zip(minmax_svm.NAMES, of["figures"], strict=True)]
    off = [name for name, p, r, f1 in rows if abs(2 * p * r / (p + r) - f1) > 0.15]
    assert off == ["ECAT M3 (H) O(0)", "GCAT SVM"]


@pytest.mark.parametrize("kind", ["items", "claims"])
def test_what_shows_an_undeclared_run_is_refused_unless_its_data_is_not_at_hand(kind, tmp_path):
    item = '{ kind = "picture", name = "figure1", title = "", run = "plain" }'
    claim = '{ text = "", says = "A > B", run = "r", other_run = "plain" }'
    module = tmp_path / "mistyped.py"
    declared_in = f"title = ''\n{kind} = [{item if kind == 'items' else claim}]"
    module.with_suffix(".toml").write_text(declared_in, encoding="utf-8")
    with pytest.raises(ValueError, match=r"mistyped\.toml names an undeclared run: 'plain'"):
        declared(module, runs=[run_of("p")])
    if kind == "items":
        assert declared(module, runs=[run_of("p")], not_at_hand=["plain"]).items == []


def test_counts_have_a_figure_for_each_column():
    for of in EVERY:
        for item in of.items:
            if isinstance(item, ByName) and item.printed:
                assert {len(row) for row in item.printed.values()} == {len(item.columns)}


def test_rcv1_itself_is_taken_where_it_is_at_hand(monkeypatch):
    assert minmax_svm.TWO.data == "reuters90"
    assert "stand-in" in minmax_svm.EXPERIMENT.item("table2").title
    with monkeypatch.context() as patched:
        patched.setattr("textensor.datasets.corpora.rcv1.is_here", lambda: True)
        importlib.reload(minmax_svm)
        assert {run.data for run in (minmax_svm.TWO, *minmax_svm.THREE)} == {"rcv1"}
        assert minmax_svm.ONE.data == "reuters90"
        assert "RCV1-v2" in minmax_svm.EXPERIMENT.item("table2").title
    importlib.reload(minmax_svm)
    names, sizes = ["C15", "CCAT", "ECAT"], np.array([5, 9, 2])
    assert _label(names, sizes, {"label": "ECAT", "rank": 0}) == 2
    assert _label(["earn", "acq", "grain"], sizes, {"label": "ECAT", "rank": 0}) == 1


def test_the_declared_machine_is_the_one_that_was_chosen():
    (cell,) = minmax.EXPERIMENT.run("choice").cells(True)
    assert results_of("minmax")[key(cell)]["chosen"] == " + ".join(minmax.CHOSEN)
