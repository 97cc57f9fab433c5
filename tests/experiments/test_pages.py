"""Tables, figures and the summary as they are shown."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from experiments import PAPERS, experiment
from experiments.engine.declare import ByName, Figure, Listing, Table
from experiments.engine.figures import Line, lines_of, listing_svg, not_drawn, svg
from experiments.engine.reproduce import reproduce
from experiments.engine.stats import Found
from experiments.engine.summary import put_into, summary_table
from experiments.engine.tables import by_name_table, listing_table, value_tables
from tests.experiments.made import results, run_of


def table_of(printed, **more):
    return Table(name="table1", title="", run="r", measures={"m": "m"}, printed=printed, **more)


SVG = "{http://www.w3.org/2000/svg}"


def test_the_front_page_has_the_table_of_the_committed_results(tmp_path):
    root = Path(__file__).parents[2]
    page = (root / "README.md").read_text(encoding="utf-8")
    assert put_into(page, summary_table(root / "results")) == page


@pytest.mark.parametrize("name", PAPERS)
def test_what_was_tried_is_told_where_committed_figures_are_far_from_the_printed_ones(name):
    page = (Path(__file__).parents[2] / "results" / name / "README.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        if "More than two standard deviations" in section:
            title = section.partition("\n")[0]
            (item,) = [one for one in experiment(name).items if title.endswith(f": {one.title}")]
            assert item.name in experiment(name).tried, title


def test_columns_that_a_paper_lacks_are_headed_so(small_sets, tmp_path):
    (written,) = reproduce(["stm-text/table3"], tmp_path, n_jobs=1)
    own, beyond = next(s for s in written.sections if s.item.name == "table3").tables
    assert [word.startswith("beyond: ") for word in own.head] == [False] * 9 + [True] * 4
    assert beyond.caption == "Beyond the paper"
    assert not any("beyond" in word for word in beyond.head)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<td class="words">STM</td>' in page


def test_a_difference_that_rounds_to_nothing_has_no_minus():
    table = table_of({"p": {"A": (0.5,)}}, digits=1)
    (drawn,) = value_tables(table, Found(run_of("p"), {("p", "A"): {0: {"m": 0.499}}}))
    assert drawn.rows[0][-1] == "+0.0"


def test_the_summary_counts_claims(small_sets, tmp_path):
    reproduce(["stm-text/table1"], tmp_path, n_jobs=1)
    n_claims = len(experiment("stm-text").claims)
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
    run = run_of(*"abcd")
    found = Found(
        run, {(part, "A"): results([figure]) for part, figure in zip("abd", (1, 2, 3), strict=True)}
    )
    figure = Figure(
        name="f",
        title="",
        run="r",
        measure="m",
        methods=("A",),
        x_title="x",
        y_title="y",
        printed={"A": [1.0, None, 2.0, 3.0]},
    )
    lines, names = lines_of(figure, found)
    drawn = ElementTree.fromstring(svg(lines, [], "x", "y", False))
    paths = [p.get("d") for p in drawn.iter(SVG + "path") if p.get("stroke-width")]
    paths = [path for path in paths if float(path[1:].split("L")[0].split()[1]) < 300]  # not of the legend
    # The paper's point at a, its line from c to d; ours from a to b, and the point at d.
    assert [path.count("L") for path in paths] == [0, 1, 1, 0]
    assert not_drawn(lines, names) == "Lines have gaps where cells were not run: A at c."
    assert not_drawn(lines[:1], names) == ""


def test_nothing_to_draw_says_so():
    assert "not run" in svg([], [], "x", "y", False)


def test_counts_and_listings_have_a_difference():
    counted = ByName(
        name="table1", title="", run="r", columns=("documents",), printed={"grain": (5,), "corn": (3,)}
    )
    result = {("p", "A"): {0: {"counts": {"grain": [4], "corn": [3]}}}}
    assert by_name_table(counted, Found(run_of("p"), result)).rows == [
        ["grain", "5", "4", "−1"],
        ["corn", "3", "3", "+0"],
    ]
    listed = Listing(
        name="figure1",
        title="",
        run="r",
        measure="m",
        methods=("A", "B"),
        printed={"grain": (50.0, 3.0)},
        x_title="added",
    )
    found = Found(run_of("p"), {("p", "A"): {0: {"m": [0.52]}}, ("p", "B"): {0: {"m": [0.54]}}})
    assert listing_table(listed, found).rows[0] == ["grain", "50.0", "52.0", "+2.0", "+3.0", "+2.0", "−1.0"]
    drawn = ElementTree.fromstring(listing_svg(listed, found))
    # The paper's point and ours, and one of each that says which it is.
    places = [float(mark.get("cx")) for mark in drawn.iter(f"{SVG}circle")]
    assert [mark.get("fill") == "#fff" for mark in drawn.iter(f"{SVG}circle")] == [True, True, False, False]
    assert places[0] > places[2]
    words = [text.text for text in drawn.iter(f"{SVG}text")]
    assert {"grain", "added", "B", "B, paper"} <= set(words)
    alone = ElementTree.fromstring(listing_svg(listed, Found(run_of("p"), {})))
    assert "B" not in [text.text for text in alone.iter(f"{SVG}text")]


def test_a_single_printed_point_is_seen():
    drawn = svg([Line("paper", [(0.0, 0.5)], 0, printed=True)], [(0.0, "1%")], "x", "y", False)
    assert "<circle" in drawn
    drawn = svg([Line("paper", [(0.0, 0.5), (1.0, 0.6)], 0, printed=True)], [(0.0, "1%")], "x", "y", False)
    assert "<circle" not in drawn


def test_averages_stand_below_a_table_where_all_parts_were_run():
    run = run_of("x", "y")
    table = table_of({"x": {"A": (1.0,)}}, averages={"A": (3.0,), "B": (4.0,)})
    one_part = {("x", "A"): results([1.0, 2.0]), ("x", "B"): results([5.0])}
    found = Found(run, one_part | {("y", "A"): results([4.5])})
    (drawn,) = value_tables(table, found)
    assert [row[:2] + row[3:] for row in drawn.rows[-2:]] == [
        ["Ave.", "A", "3.0000", "3.0000", "+0.0000"],
        ["Ave.", "B", "4.0000", "not run", ""],
    ]


def test_whole_numbers_have_no_decimals():
    table = table_of({"x": {"A": (400,)}}, uncompared=("m",))
    found = Found(run_of("x"), {("x", "A"): results([400, 400]), ("x", "B"): results([10, 20])})
    (drawn,) = value_tables(table, found)
    assert [row[3:] for row in drawn.rows] == [["400", "400"], ["", "15 ± 7"]]


def test_figures_by_name_of_several_methods_are_in_percent():
    item = ByName(
        name="table1", title="", run="r", measure="labels", columns=("P", "F1"), methods=("A", "B", "C")
    )
    result = {"grain": {"documents": 7, "P": 0.5, "F1": 0.25}}
    found = Found(run_of("p"), {("p", name): {0: {"labels": result}} for name in "AB"})
    drawn = by_name_table(item, found)
    assert drawn.head == ["", "A: P / F1", "B: P / F1"]
    assert drawn.rows == [["grain (7)", "50.00 / 25.00", "50.00 / 25.00"]]
    assert by_name_table(item, Found(run_of("p"), {})).rows == []
