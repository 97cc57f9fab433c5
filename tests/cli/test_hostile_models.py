"""Model files that load and whose contents are chosen to trip the command: figures, cards, labels."""

import numpy as np
import pytest

from tests.cli.conftest import write_csv
from tests.files.zoo import TEXTS, WORDS
from textensor import TextCategorizer
from textensor.files import ModelFileError

#: The largest whole number that a file may hold.
HUGE = 2**64 - 1


def nested(depth):
    found = {}
    for _ in range(depth):
        found = {"a": found}
    return found


CARDS = {
    "huge figures": {
        "method": "svm",
        "settings": {"C": HUGE},
        "several labels": False,
        "data": {
            "documents": HUGE,
            "unlabelled": HUGE,
            "terms": HUGE,
            "labels": {"a": HUGE},
            "sha256": "x",
        },
        "held out": {"folds": HUGE, "tried": HUGE, "micro": HUGE, "macro": -HUGE, "labels": {"a": HUGE}},
    },
    "texts": {"data": "x", "held out": "y"},
    "lists": {"data": {"labels": ["a"]}, "held out": {"labels": [1]}},
    "control characters": {
        "data": {"labels": {"\x1b[2Ja": {}}},
        "held out": {"labels": {"\x1b[2Ja": "1"}},
        "settings": 3,
    },
    "other types": {"method": ["a"], "settings": {"C": {}}, "data": {"documents": "many", "labels": 3}},
    "nested": nested(12),
    "nested parts": {"data": {"labels": nested(9)}, "held out": nested(9), "settings": nested(9)},
    "nested columns": {"columns": {"text": nested(9), "label": HUGE, "separator": [[]]}},
    "long texts": {"method": "m" * 10**6, "settings": {"x": "y" * 10**5}},
}
LABELS = {
    "numbers": np.array([-(2**63), 0, 2**63 - 1]),
    "control characters": np.array(["\x1b[2J", "\n", "\u202e"]),
    "half characters": np.array(["\ud800", "b", "c"]),
    "formulas": np.array(["=1+1", "@x", "-2"]),
}
NO_LABELS = {
    "floats": np.array([0.5, 1.5, 2.5]),
    "infinite": np.array([np.inf, -np.inf, 0.0]),
    "objects": np.array(["grain", "money", "sea"], dtype=object),
}


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "data.csv", ["text", "label"], zip(TEXTS, WORDS, strict=True))


def check_commands(textensor, path, data, folder):
    for command in (
        ["show", path],
        ["show", path, "--json"],
        ["predict", path, data, "-o", folder / "out.csv"],
        ["predict", path, data, "-o", folder / "out.jsonl"],
        ["evaluate", path, data],
        ["evaluate", path, data, "--json"],
        ["explain", path, "wheat"],
        ["explain", path, "wheat", "--json"],
    ):
        done = textensor(*command)
        assert done.code == 0, (command, done.err)
        assert "textensor-model-3" in done.out or command[0] != "show"
        assert not set("\x1b\u202e") & set(done.out + done.err)


@pytest.mark.parametrize("name", CARDS)
def test_any_card(name, textensor, data, tmp_path):
    path = tmp_path / "my.model"
    TextCategorizer("svm", cross_validate=False).fit(TEXTS, WORDS).save(path, metadata=CARDS[name])
    check_commands(textensor, path, data, tmp_path)


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("cross_validate", [True, False])
def test_any_labels(name, cross_validate, textensor, data, tmp_path):
    path = tmp_path / "my.model"
    model = TextCategorizer("svm", cross_validate=cross_validate).fit(TEXTS, WORDS)
    model.classes_ = LABELS[name]
    model.save(path)
    check_commands(textensor, path, data, tmp_path)


@pytest.mark.parametrize("name", NO_LABELS)
def test_labels_are_strings_or_whole_numbers(name, tmp_path):
    model = TextCategorizer("svm", cross_validate=False).fit(TEXTS, WORDS)
    model.classes_ = NO_LABELS[name]
    with pytest.raises(ModelFileError, match="classes_: it is not an array of such numbers"):
        model.save(tmp_path / "my.model")


@pytest.mark.parametrize("card", [{"n": 2**64}, {"n": [-(10**400)]}, nested(60)])
def test_a_card_that_could_not_be_read_is_not_written(card, tmp_path):
    model = TextCategorizer("svm", cross_validate=False).fit(TEXTS, WORDS)
    with pytest.raises(ModelFileError, match=r"64 bits|nested too deeply"):
        model.save(tmp_path / "my.model", metadata=card)
    assert list(tmp_path.iterdir()) == []
