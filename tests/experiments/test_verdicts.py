"""Claims are judged by what was found."""

import pytest

from experiments import experiment
from experiments.engine.declare import Table
from experiments.engine.stats import Found, compare, p_value, values
from experiments.engine.tables import value_tables
from experiments.engine.verdicts import judge
from tests.experiments.made import claim, results, run_of
from textensor.evaluate import Comparison

SVG = "{http://www.w3.org/2000/svg}"


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
    assert judge(claim(f"A {expect} B", test="t"), found).word == word


AHEAD, BEHIND = ([1.0, 2.0, 3.1], [0.0, 1.0, 2.0]), ([0.0, 1.0, 2.0], [1.0, 2.0, 3.1])
LEVEL = ([1.0, 2.2, 3.0], [1.1, 1.8, 3.0])


@pytest.mark.parametrize(
    ("places", "word", "counted"),
    [
        ([AHEAD, AHEAD], "holds", "2 of 2 places are for it."),
        ([AHEAD, LEVEL], "holds in part", "1 of 2 places are for it."),
        ([AHEAD, AHEAD, BEHIND], "holds in part", "2 of 3 places are for it and 1 against it."),
        ([AHEAD, BEHIND, LEVEL], "does not hold", "1 of 3 places are for it and 1 against it."),
        ([LEVEL, LEVEL], "does not hold", "0 of 2 places are for it."),
        ([AHEAD, ([1.0], [0.0])], "holds where it was tested", "1 of 1 place is for it."),
        ([AHEAD, ([], []), ([1.0], [0.0])], "holds where it was run", "1 of 1 place is for it."),
    ],
)
def test_in_part_needs_more_places_for_a_claim_than_against_it(places, word, counted):
    names = [f"p{k}" for k in range(len(places))]
    found = {}
    for name, (a, b) in zip(names, places, strict=True):
        found |= {(name, "A"): results(a), (name, "B"): results(b)}
    verdict = judge(claim("A > B", test="t"), Found(run_of(*names), found))
    assert verdict.word == word
    assert verdict.why.startswith(f"By the t-test, {counted}")


def test_seconds_that_were_measured_once_are_judged_by_their_order():
    seconds = {("p", "A"): 1.0, ("p", "B"): 2.0, ("q", "A"): 3.0, ("q", "B"): 2.5}
    found = Found(run_of("p", "q"), {at: results([taken]) for at, taken in seconds.items()})
    assert judge(claim("A < B"), found).word == "does not hold"
    assert judge(claim("A < B", at=("p",)), found).word == "holds"


def test_a_claim_compares_methods_of_two_runs():
    first = Found(run_of("p"), {("p", "A"): results([1, 2, 3.1])})
    second = Found(run_of("p"), {("p", "B"): results([0, 1, 2])})
    said = claim("A > B", test="t", other_run="s")
    assert judge(said, first, second).word == "holds"
    assert judge(said, first).word == "not run"


def test_a_claim_is_judged_over_named_measures():
    a, b = ({0: {"by k": {"1": one, "10": ten}}} for one, ten in ((0.8, 0.9), (0.85, 0.7)))
    found = Found(run_of("p"), {("p", "A"): a, ("p", "B"): b})
    ks = {f"k = {k}": f"by k.{k}" for k in (1, 10)}
    verdict = judge(claim("A > B", measure="", measures=ks), found)
    assert verdict.word == "does not hold"
    assert "p, k = 1: 0.8 and 0.85; p, k = 10: 0.9 and 0.7." in verdict.why
    said = claim("B > B", measure="by k.1", other_measure="by k.10")
    assert judge(said, found).word == "holds"


def test_a_claim_is_judged_by_how_much_figures_have_grown():
    seconds = {("p", "A"): [4.0, 2.0], ("p", "B"): [1.0], ("q", "A"): [6.0], ("q", "B"): [3.0]}
    found = Found(run_of("p", "q"), {at: results(taken) for at, taken in seconds.items()})
    said = claim("A < B", at=("q",), since="p")
    verdict = judge(said, found)
    assert verdict.word == "holds"
    assert "q: 2 and 3." in verdict.why
    without = Found(run_of("p", "q"), {at: one for at, one in found.results.items() if at != ("p", "B")})
    assert judge(said, without).word == "not run"


def test_a_claim_looks_at_small_or_large_categories():
    sizes = [50, 3, 60, 2, 0, 70]

    def kept(*figures):
        return {0: {"training": sizes, "x": {"per category": list(figures), "macro": 0.0}}}

    found = Found(
        run_of("p"), {("p", "A"): kept(0.5, 0.6, 0.5, 0.72, 0.6), ("p", "B"): kept(0.6, 0.1, 0.7, 0.2, 0.72)}
    )
    of = {
        half: judge(claim(f"A {expect} B", measure="x.macro", test="T", half=half), found)
        for half, expect in (("small", ">"), ("large", "<"))
    }
    assert "0.66 and 0.15" in of["small"].why
    assert "0.5333 and 0.6733" in of["large"].why
    assert [verdict.word for verdict in of.values()] == ["holds", "holds"]


def test_a_verdict_says_where_a_part_is_missing():
    found = Found(run_of("p", "q"), {("p", "A"): results([1, 2, 3.1]), ("p", "B"): results([0, 1, 2])})
    verdict = judge(claim("A > B", test="t"), found)
    assert verdict.word == "holds where it was run"
    assert "q: not run" in verdict.why


def test_a_sign_test_against_the_means_is_no_support():
    # A's mean is higher, B is right more often.
    a, b = ({0: {"x": {"micro": m, "wrong": list(w)}}} for m, w in ((0.9, range(9)), (0.8, range(9, 10))))
    found = Found(run_of("p"), {("p", "A"): a, ("p", "B"): b})
    verdict = judge(claim("A > B", measure="x.micro", test="s"), found)
    assert verdict.word == "does not hold"
    assert (
        verdict.why == "By the s-test, 0 of 1 place is for it and 1 against it. p: 0.9 and 0.8, <, p = 0.011."
    )


def test_tests_agree_with_the_library():
    a, b = results([3.0, 4.0, 5.5]), results([1.0, 2.0, 4.0])
    assert compare(a, b, "t", "m").mark == ">>"
    assert compare({}, b, "t", "m") is None
    assert p_value(Comparison("<<", 0.0, 0.0, 9)) == "p < 1e-16"
    assert p_value(Comparison("<<", 0.00123, 0.0, 9)) == "p = 0.0012"
    assert values(a.values(), "m") == [3.0, 4.0, 5.5]
    wrong = {0: {"p": {"wrong": [1], "per category": [0.9, 0.8]}}}, {0: {"p": {"wrong": [2, 3, 4, 5, 6, 7]}}}
    assert compare(*wrong, "s", "p.x").p_value == pytest.approx(8 / 2**7)


def test_one_split_has_no_test():
    table = Table(name="t", title="", run="r", tests=("t",), pairs=(("A", "B"),), tested="m")
    found = Found(run_of("p", "q"), {("p", "A"): results([1.0]), ("p", "B"): results([2.0])})
    (drawn,) = value_tables(table, found)
    assert [row[-1] for row in drawn.rows] == ["one split, no test", "not run"]


def test_a_claim_of_several_pairs_is_judged_over_all_of_them():
    one = {("p", "A"): results([1, 2, 3.1]), ("p", "B"): results([0, 1, 2]), ("p", "C"): results([5, 6, 7.2])}
    found = Found(run_of("p"), one)
    verdict = judge(claim(("A > B", "A > C"), test="t"), found)
    assert verdict.word == "does not hold"
    assert " A against B: 2.033 and 1, " in verdict.why
    assert " A against C: 2.033 and 6.067, " in verdict.why


def test_decisions_that_were_counted_before_the_store_are_tested_against_the_first_method():
    counted = {
        k: {"x": {"apart": [up, down], "per category": [0.5]}}
        for k, (up, down) in enumerate([(5, 1), (4, 0)])
    }
    svm = {k: {"x": {"apart": [0, 0], "per category": [0.4]}} for k in counted}
    test = compare(counted, svm, "s", "x.macro")
    assert (test.mark, test.statistic, test.n) == (">", 9.0, 10)


def test_a_test_may_have_a_measure_of_its_own_and_show_who_is_ahead():
    figures = {"A": [0.9, 0.8, 0.7, 0.6], "B": [0.5, 0.6, 0.8, 0.4]}
    found = {
        ("p", name): {k: {"m": 0.1 * k + (name == "A"), "x": {"per category": row}} for k in range(3)}
        for name, row in figures.items()
    }
    table = Table(
        name="t", title="", run="r", tests=("t m", "S"), pairs=(("A", "B"),), tested="x", counted=True
    )
    (drawn,) = value_tables(table, Found(run_of("p"), found))
    assert drawn.head[3:] == ["t-test of m: ours", "S-test: ours"]
    assert drawn.rows[0][3].startswith(">> (")
    assert drawn.rows[0][4] == "~ (0.31; 3 to 1)"


def test_a_claim_says_the_same_over_the_values_of_names_in_braces():
    (one,) = [c for c in experiment("minmax-svm").claims if "gain with overlap" in c.text]
    assert one.pairs == [
        (f"M3 (H) O(30) of {n} modules", f"M3 (H) O(0) of {n} modules") for n in (3, 7, 20, 26)
    ]
    assert one.expect == ">"
