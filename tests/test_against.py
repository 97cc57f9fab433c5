"""``python -m benchmarks --against`` reads what benchmarks print and marks what is beyond noise."""

import pytest

from benchmarks.against import compared, ratios
from benchmarks.measure import table


@pytest.mark.parametrize(
    ("head", "rows", "expected"),
    [
        (["case", "seconds", "times as fast"], [["a", 2.0, 1.0], ["b", 0.5, 4.0]], {"a": 1, "b": 0.25}),
        (["case", "n", "seconds", "to the first row"], [["a", 3, 2.0, 1.0]], {"a, 3": 1}),
        (["what", "ms"], [["ours", 3.0], ["import sklearn", 6.0]], {"ours": 0.5, "import sklearn": 1}),
        (
            ["what", "lines a second"],
            [["ours", "1,000"], ["LinearSVC", "500"]],
            {"ours": 0.5, "LinearSVC": 1},
        ),
        (["what", "seconds"], [["a", 3.0], ["b", "not installed"]], {"a": 3}),
        (["accuracy", "gamma = 1"], [["a", 0.9]], {}),
        (
            ["m", "fit, s", "times as fast", "both, s", "times as fast"],
            [["a", 1.0, 2.0, 1.0, 4.0]],
            {"a (fit, s)": 0.5, "a (both, s)": 0.25},
        ),
        (
            ["m", "seconds", "to LinearSVC", "CPU seconds"],
            [["LinearSVC", 1.0, 1.0, 2.0], ["a", 0.5, 0.5, 3.0]],
            {"LinearSVC": 1, "a": 0.5, "LinearSVC (CPU seconds)": 1, "a (CPU seconds)": 1.5},
        ),
    ],
)
def test_tables_become_our_time_as_a_part_of_the_peers(head, rows, expected):
    assert ratios(f"# Title\n\nA note.\n\n{table(head, rows)}\n\nThe end.\n") == expected


def test_headings_tell_tables_apart_and_sentences_count():
    body = table(["m", "seconds"], [["a", 3.0]])
    text = f"# Title\n\n## One: 5 documents\n\n{body}\n\n## Two\n\n{body}\n\nTo compile: 8.9 s. Medians.\n"
    assert ratios(text) == {"One: a": 3, "Two: a": 3, "To compile": 8.9}


@pytest.mark.parametrize(
    ("now", "mark"),
    [((1.2, 1.3, 1.25), "slower"), ((1.0, 1.1, 1.05), ""), ((0.7, 0.8, 0.75), "faster"), ((1, 3, 2), "")],
)
def test_a_row_is_marked_if_the_medians_differ_by_more_than_the_spread(now, mark):
    then = [{"a": value, "peer": 1.0} for value in (1.0, 1.05, 0.95)]
    (line,) = compared(then, [{"a": value, "peer": 1.0, "new": 2.0} for value in now])
    assert line[0] == "a"
    assert line[1] == 1
    assert line[-1] == mark
